/* What of the driver's ABI the double speaks: codes, handles, structures. */
#ifndef DOUBLE_DRIVER_H
#define DOUBLE_DRIVER_H

#include <stddef.h>
#include <stdint.h>

typedef int CUresult;
typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef uint64_t CUmem;     /* CUmemGenericAllocationHandle */
typedef uint64_t CUcontext; /* the driver's are pointers; here a number that nobody follows */
typedef uint64_t CUstream;
typedef uint64_t CUevent;
typedef struct { unsigned char bytes[16]; } CUuuid;
typedef struct { unsigned char bytes[64]; } CUipc;
typedef struct { int type, id; } CUmemLocation;
typedef struct {
    int type;
    int handle_types;
    CUmemLocation location;
    void *win32;
    struct {
        unsigned char compression, rdma;
        unsigned short usage;
        unsigned char reserved[4];
    } flags;
} CUmemAllocationProp;
typedef struct {
    CUmemLocation location;
    int flags;
} CUmemAccessDesc;

_Static_assert(sizeof(CUmemAllocationProp) == 32, "CUmemAllocationProp");
_Static_assert(sizeof(CUmemAccessDesc) == 12, "CUmemAccessDesc");

enum {
    SUCCESS = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_CONTEXT = 201,
    MAP_FAILED_CU = 205,
    ALREADY_MAPPED = 208,
    PEER_ACCESS_UNSUPPORTED = 217,
    OPERATING_SYSTEM = 304,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    PEER_ACCESS_ALREADY_ENABLED = 704,
    PEER_ACCESS_NOT_ENABLED = 705,
    CONTEXT_IS_DESTROYED = 709,
    HOST_MEMORY_ALREADY_REGISTERED = 712,
    HOST_MEMORY_NOT_REGISTERED = 713,
    NOT_PERMITTED = 800,
    NOT_SUPPORTED = 801,
    SYSTEM_DRIVER_MISMATCH = 803,
};

enum { LOCATION_DEVICE = 1, ALLOCATION_PINNED = 1, HANDLE_POSIX_FD = 1 };
enum { ACCESS_NONE = 0, ACCESS_READ = 1, ACCESS_READ_WRITE = 3 };
enum { STREAM_LEGACY = 1, STREAM_PER_THREAD = 2 };
enum { STREAM_NON_BLOCKING = 1 };
enum { EVENT_BLOCKING = 1, EVENT_NO_TIMING = 2, EVENT_INTERPROCESS = 4 };

#endif
