/* Device memory that other processes can map: created, exported, imported, released. See driver.h.
   Facts of the driver: memory lives until all its mappings, handles and descriptors are gone, in all
   processes; cuMemUnmap() is not ordered with streams, so the device is waited for before it. */
#include "driver.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define READ 1
#define READ_WRITE 3
#define VMM_SUPPORTED 102 /* CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED */
#define FD_SUPPORTED 103  /* CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED */
#define POSIX_FD 1
#define WORKING 4 /* descriptors that an export may need beside the one that it gives */

static sa_cuda_properties properties_of(int device, bool exported) {
    return (sa_cuda_properties){.type = 1, .handles = exported ? POSIX_FD : 0, .location = {1, device}};
}

int sa_cuda_granularity(int device, uint64_t *bytes) {
    size_t n = 0;
    int rc = sa_cuda_enter(device);
    if (rc) return rc;
    sa_cuda_properties p = properties_of(device, true);
    rc = sa_cuda.cuMemGetAllocationGranularity(&n, &p, 0);
    sa_cuda_leave();
    *bytes = n;
    return rc;
}

/* The device itself, and those of its peers that can reach it. In its context. */
static int set_access(const sa_cuda_segment *seg, int flags) {
    sa_cuda_access a[SA_CUDA_DEVICES];
    size_t n = 0;
    a[n++] = (sa_cuda_access){{1, seg->device}, flags};
    for (int i = 0; i < sa_cuda_count(); i++) {
        int can = 0;
        if (i != seg->device && sa_cuda.cuDeviceCanAccessPeer(&can, i, seg->device) == 0 && can) a[n++] = (sa_cuda_access){{1, i}, flags};
    }
    int rc = sa_cuda.cuMemSetAccess(seg->base, seg->size, a, n);
    return rc && n > 1 ? sa_cuda.cuMemSetAccess(seg->base, seg->size, a, 1) : rc;
}

/* Map the allocation at addresses of its own. In the device's context. */
static int map(sa_cuda_segment *seg, bool writable) {
    int rc = sa_cuda.cuMemAddressReserve(&seg->base, seg->size, 0, 0, 0);
    if (rc) return rc;
    seg->reserved = true;
    rc = sa_cuda.cuMemMap(seg->base, seg->size, 0, seg->allocation, 0);
    if (rc) return rc;
    seg->mapped = true;
    seg->writable = writable;
    if (!writable && set_access(seg, READ) == 0) return 0;
    seg->writable = true; /* where the driver has no read-only mappings of device memory */
    return set_access(seg, READ_WRITE);
}

/* In the device's context, or where that cannot be entered: what is left is the driver's. */
static void undo(sa_cuda_segment *seg) {
    if (seg->plain) {
        if (seg->base) (void)sa_cuda.cuMemFree(seg->base);
    } else {
        if (seg->mapped) (void)sa_cuda.cuMemUnmap(seg->base, seg->size);
        if (seg->reserved) (void)sa_cuda.cuMemAddressFree(seg->base, seg->size);
        if (seg->allocation) (void)sa_cuda.cuMemRelease(seg->allocation);
    }
    seg->mapped = seg->reserved = seg->plain = false;
    seg->allocation = 0;
    seg->base = 0;
}

/* Whether the process can open n more descriptors. */
static bool descriptors(int n) {
    int fd = fcntl(2, F_DUPFD_CLOEXEC, 3);
    if (fd < 0) return errno != EMFILE && errno != ENFILE;
    bool are = n <= 1 || descriptors(n - 1);
    close(fd);
    return are;
}

int sa_cuda_export(sa_cuda_segment *seg) {
    if (seg->fd >= 0) return 0;
    int fd = -1, rc = sa_cuda_enter(seg->device);
    if (rc) return rc;
    if (!descriptors(1)) rc = SA_CUDA_NO_DESCRIPTOR;
    if (!rc) rc = sa_cuda.cuMemExport(&fd, seg->allocation, POSIX_FD, 0);
    /* the driver does not say what it lacked, and may need some for itself */
    if (rc && !descriptors(WORKING)) rc = SA_CUDA_NO_DESCRIPTOR;
    sa_cuda_leave();
    if (rc) return rc;
    int flags = fcntl(fd, F_GETFD);
    if (flags >= 0) (void)fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
    seg->fd = fd;
    return 0;
}

int sa_cuda_create(int device, uint64_t size, bool exportable, sa_cuda_segment *out) {
    sa_cuda_segment seg = {.device = device, .owner = getpid(), .size = size, .fd = -1, .writable = true};
    int rc = sa_cuda_enter(device);
    if (rc) return rc;
    if (exportable) {
        sa_cuda_properties p = properties_of(device, true);
        rc = sa_cuda.cuMemCreate(&seg.allocation, size, &p, 0);
        if (!rc) rc = map(&seg, true);
    } else {
        seg.plain = true;
        rc = sa_cuda.cuMemAlloc(&seg.base, size);
    }
    if (rc) undo(&seg);
    sa_cuda_leave();
    if (!rc) *out = seg;
    return rc;
}

int sa_cuda_import(int device, uint64_t size, int fd, bool writable, sa_cuda_segment *out) {
    sa_cuda_segment seg = {.device = device, .owner = getpid(), .size = size, .fd = -1};
    int rc = sa_cuda_enter(device);
    if (rc) return rc;
    rc = sa_cuda.cuMemImport(&seg.allocation, (void *)(uintptr_t)fd, POSIX_FD);
    if (!rc) rc = map(&seg, writable);
    if (rc) undo(&seg);
    else seg.fd = fd;
    sa_cuda_leave();
    if (!rc) *out = seg;
    return rc;
}

int sa_cuda_make_writable(sa_cuda_segment *seg) {
    if (seg->writable) return 0;
    int rc = sa_cuda_enter(seg->device);
    if (rc) return rc;
    rc = set_access(seg, READ_WRITE);
    sa_cuda_leave();
    if (!rc) seg->writable = true;
    return rc;
}

void sa_cuda_release(sa_cuda_segment *seg) {
    if (seg->owner != getpid()) return; /* a forked child: neither mapping nor descriptor is its own */
    if (seg->base && sa_cuda_enter(seg->device) == 0) {
        (void)sa_cuda.cuCtxSynchronize();
        undo(seg);
        sa_cuda_leave();
    }
    if (seg->fd >= 0) close(seg->fd);
    seg->fd = -1;
    seg->base = 0;
}

/* ---- whether it can be done at all ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    bool known;
    char why[160];
} probed[SA_CUDA_DEVICES];

static const char *try_it(int device) {
    static const char *const none = "the driver has no virtual memory management for this device";
    const char *refused = "the driver claims to export this device's memory, and refuses it (WSL2, MIG, a container without its device files?)";
    int can = 0;
    sa_cuda_segment made, again;
    if (sa_cuda.cuDeviceGetAttribute(&can, VMM_SUPPORTED, device) || !can) return none;
    if (sa_cuda.cuDeviceGetAttribute(&can, FD_SUPPORTED, device) || !can) return "the driver exports no descriptors of this device's memory (WSL2?)";
    uint64_t grain;
    if (sa_cuda_granularity(device, &grain)) return none;
    int rc = sa_cuda_create(device, grain, true, &made);
    if (rc == SA_CUDA_OUT_OF_MEMORY) return NULL; /* to be asked again */
    if (rc) return refused;
    rc = sa_cuda_export(&made);
    int fd = rc ? -1 : fcntl(made.fd, F_DUPFD_CLOEXEC, 3);
    bool asked = rc == SA_CUDA_NO_DESCRIPTOR || (!rc && fd < 0); /* a limit of this process: asked again */
    if (!rc && fd >= 0) {
        rc = sa_cuda_import(device, grain, fd, true, &again);
        if (!rc) sa_cuda_release(&again);
        else close(fd);
        if (rc) refused = "the driver exports this device's memory, and refuses to import it again";
    }
    sa_cuda_release(&made);
    return asked ? NULL : rc ? refused : "";
}

int sa_cuda_probe(int device, const char **why) {
    int rc = sa_cuda_start();
    *why = "";
    if (rc) return rc;
    if (device < 0 || device >= sa_cuda_count()) return SA_CUDA_INVALID_DEVICE;
    pthread_mutex_lock(&lock);
    if (!probed[device].known) {
        const char *text = try_it(device);
        if (!text) rc = SA_CUDA_OUT_OF_MEMORY;
        else {
            probed[device].known = true;
            strncpy(probed[device].why, text, sizeof probed[device].why - 1);
        }
    }
    *why = probed[device].why;
    pthread_mutex_unlock(&lock);
    return rc;
}
