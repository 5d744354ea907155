/* The CUDA driver, through a table of its functions: what device memory that others can map needs,
   and nothing of arithmetic. libcuda.so.1 is opened at the first call of sa_cuda_start(), never by
   importing. No function here needs Python; all are safe in threads. Sources: the CUDA driver API,
   "Virtual Memory Management", "Stream Ordered..." and "Primary Context Management".

   Every call returns 0, a CUresult of the driver (positive), or one of the SA_CUDA_ codes. */
#ifndef SA_DRIVER_H
#define SA_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SA_CUDA_DEVICES 64
enum {
    SA_CUDA_OUT_OF_MEMORY = 2,
    SA_CUDA_NOT_INITIALIZED = 3, /* what the driver says in a forked child */
    SA_CUDA_NO_DEVICE = 100,
    SA_CUDA_INVALID_DEVICE = 101,
    SA_CUDA_NO_LIBRARY = -1, /* no libcuda.so.1 */
    SA_CUDA_OLD_LIBRARY = -2, /* it lacks a function that is needed */
    SA_CUDA_FORKED = -3,     /* this process was forked from one that used CUDA */
    SA_CUDA_NO_MEMORY = -4,  /* of the host */
    SA_CUDA_NO_DESCRIPTOR = -5, /* RLIMIT_NOFILE, fs.file-max */
};

typedef uint64_t sa_cuda_pointer;
typedef void *sa_cuda_stream;

/* Device memory that can be exported: a physical allocation, the reserved addresses that it is
   mapped at, and a descriptor by which others get it. */
typedef struct {
    int device;
    pid_t owner;           /* whose mapping it is: forked children have none */
    uint64_t size;         /* bytes, a multiple of the granularity */
    uint64_t allocation;   /* CUmemGenericAllocationHandle; 0: none */
    sa_cuda_pointer base;  /* 0: not mapped */
    int fd;                /* -1: none */
    bool reserved, mapped, writable;
    bool plain;            /* of cuMemAlloc: where the driver exports nothing */
} sa_cuda_segment;

int sa_cuda_start(void);          /* initialise; 0 also if it is done */
bool sa_cuda_started(void);       /* whether this process has called cuInit() here */
bool sa_cuda_untouched(void);     /* whether neither it nor one that it was forked from has */
bool sa_cuda_is_double(void);     /* the test double: its device memory is host memory */
int sa_cuda_count(void);
const char *sa_cuda_missing(void); /* the function of SA_CUDA_OLD_LIBRARY */
void sa_cuda_words(int rc, const char **name, const char **text); /* of a CUresult */
int sa_cuda_uuid(int device, unsigned char uuid[16]);
int sa_cuda_memory(int device, uint64_t *available, uint64_t *total);
int sa_cuda_granularity(int device, uint64_t *bytes);

/* The device's primary context current in this thread, and the former one again. */
int sa_cuda_enter(int device);
void sa_cuda_leave(void);

/* Why the driver exports no memory of this device, "" where it does: tried once, with a real export
   and import. */
int sa_cuda_probe(int device, const char **why);

int sa_cuda_create(int device, uint64_t size, bool exportable, sa_cuda_segment *out);
int sa_cuda_export(sa_cuda_segment *seg); /* get its descriptor, if it has none yet */
int sa_cuda_import(int device, uint64_t size, int fd, bool writable, sa_cuda_segment *out); /* takes fd when it succeeds */
int sa_cuda_make_writable(sa_cuda_segment *seg);
void sa_cuda_release(sa_cuda_segment *seg); /* waits for the device; idempotent, cannot fail */

int sa_cuda_synchronize(int device);
int sa_cuda_wait(int device, sa_cuda_stream waiting, sa_cuda_stream other);
int sa_cuda_copy_in(int device, sa_cuda_pointer to, const void *from, size_t n, sa_cuda_stream stream);
int sa_cuda_copy_out(int device, void *to, sa_cuda_pointer from, size_t n, sa_cuda_stream stream);
int sa_cuda_copy(int to_device, sa_cuda_pointer to, int from_device, sa_cuda_pointer from, size_t n, sa_cuda_stream stream);
int sa_cuda_fill(int device, sa_cuda_pointer at, unsigned char byte, size_t n, sa_cuda_stream stream);

/* The table, for driver.c, devmem.c and devcopy.c. */
typedef struct {
    int type, id;
} sa_cuda_location; /* CU_MEM_LOCATION_TYPE_DEVICE is 1 */

typedef struct {
    int type;    /* CU_MEM_ALLOCATION_TYPE_PINNED is 1 */
    int handles; /* CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR is 1 */
    sa_cuda_location location;
    void *win32;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
} sa_cuda_properties;

typedef struct {
    sa_cuda_location location;
    int flags; /* 1: read, 3: read and write */
} sa_cuda_access;

#define SA_CUDA_FUNCTIONS(F) \
    F(cuInit, "cuInit", (unsigned)) \
    F(cuGetErrorName, "cuGetErrorName", (int, const char **)) \
    F(cuGetErrorString, "cuGetErrorString", (int, const char **)) \
    F(cuDeviceGetCount, "cuDeviceGetCount", (int *)) \
    F(cuDeviceGet, "cuDeviceGet", (int *, int)) \
    F(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *, int, int)) \
    F(cuDeviceGetUuid, "cuDeviceGetUuid_v2", (unsigned char *, int)) \
    F(cuDeviceCanAccessPeer, "cuDeviceCanAccessPeer", (int *, int, int)) \
    F(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (void **, int)) \
    F(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (void *)) \
    F(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (void **)) \
    F(cuCtxSynchronize, "cuCtxSynchronize", (void)) \
    F(cuMemGetInfo, "cuMemGetInfo_v2", (size_t *, size_t *)) \
    F(cuMemGetAllocationGranularity, "cuMemGetAllocationGranularity", (size_t *, const sa_cuda_properties *, int)) \
    F(cuMemCreate, "cuMemCreate", (uint64_t *, size_t, const sa_cuda_properties *, unsigned long long)) \
    F(cuMemRelease, "cuMemRelease", (uint64_t)) \
    F(cuMemAddressReserve, "cuMemAddressReserve", (sa_cuda_pointer *, size_t, size_t, sa_cuda_pointer, unsigned long long)) \
    F(cuMemAddressFree, "cuMemAddressFree", (sa_cuda_pointer, size_t)) \
    F(cuMemMap, "cuMemMap", (sa_cuda_pointer, size_t, size_t, uint64_t, unsigned long long)) \
    F(cuMemUnmap, "cuMemUnmap", (sa_cuda_pointer, size_t)) \
    F(cuMemSetAccess, "cuMemSetAccess", (sa_cuda_pointer, size_t, const sa_cuda_access *, size_t)) \
    F(cuMemExport, "cuMemExportToShareableHandle", (void *, uint64_t, int, unsigned long long)) \
    F(cuMemImport, "cuMemImportFromShareableHandle", (uint64_t *, void *, int)) \
    F(cuMemAlloc, "cuMemAlloc_v2", (sa_cuda_pointer *, size_t)) \
    F(cuMemFree, "cuMemFree_v2", (sa_cuda_pointer)) \
    F(cuMemHostAlloc, "cuMemHostAlloc", (void **, size_t, unsigned)) \
    F(cuMemFreeHost, "cuMemFreeHost", (void *)) \
    F(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", (sa_cuda_pointer, const void *, size_t, void *)) \
    F(cuMemcpyDtoHAsync, "cuMemcpyDtoHAsync_v2", (void *, sa_cuda_pointer, size_t, void *)) \
    F(cuMemcpyDtoDAsync, "cuMemcpyDtoDAsync_v2", (sa_cuda_pointer, sa_cuda_pointer, size_t, void *)) \
    F(cuMemcpyPeerAsync, "cuMemcpyPeerAsync", (sa_cuda_pointer, void *, sa_cuda_pointer, void *, size_t, void *)) \
    F(cuMemsetD8Async, "cuMemsetD8Async", (sa_cuda_pointer, unsigned char, size_t, void *)) \
    F(cuStreamSynchronize, "cuStreamSynchronize", (void *)) \
    F(cuStreamWaitEvent, "cuStreamWaitEvent", (void *, void *, unsigned)) \
    F(cuEventCreate, "cuEventCreate", (void **, unsigned)) \
    F(cuEventRecord, "cuEventRecord", (void *, void *)) \
    F(cuEventSynchronize, "cuEventSynchronize", (void *)) \
    F(cuEventDestroy, "cuEventDestroy_v2", (void *))

#define SA_CUDA_DECLARE(name, symbol, parameters) int(*name) parameters;
typedef struct {
    SA_CUDA_FUNCTIONS(SA_CUDA_DECLARE)
} sa_cuda_table;
#undef SA_CUDA_DECLARE
extern sa_cuda_table sa_cuda; /* after sa_cuda_start() */
int sa_cuda_context(int device, void **context); /* primary, retained for this process's life */

#endif
