/* Copies between host and devices, and what orders them. Host memory is staged through pinned
   chunks, so that a copy neither waits for the driver's own staging nor leaves the caller's memory
   in use: it may be changed as soon as the call returns. */
#include "driver.h"

#include <pthread.h>
#include <string.h>

#define CHUNK ((size_t)4 << 20)  /* bytes of one pinned chunk */
#define STAGED ((size_t)64 << 10) /* from here: below, the driver stages by itself while we wait */
#define CHUNKS 2
#define PORTABLE 1        /* CU_MEMHOSTALLOC_PORTABLE */
#define DISABLE_TIMING 2  /* CU_EVENT_DISABLE_TIMING */

typedef struct {
    void *host;
    void *done; /* event: what was copied from or to it last */
} chunk;

static struct {
    pthread_mutex_t lock;
    bool ready, refused;
    chunk at[CHUNKS];
} stage[SA_CUDA_DEVICES];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void) {
    for (int i = 0; i < SA_CUDA_DEVICES; i++) pthread_mutex_init(&stage[i].lock, NULL);
}

/* In the context, with the lock; false: no pinned memory, so without it. */
static bool staged(int device) {
    if (stage[device].ready || stage[device].refused) return stage[device].ready;
    for (int i = 0; i < CHUNKS; i++) {
        chunk *c = &stage[device].at[i];
        if (!c->host && sa_cuda.cuMemHostAlloc(&c->host, CHUNK, PORTABLE)) stage[device].refused = true;
        else if (!c->done && sa_cuda.cuEventCreate(&c->done, DISABLE_TIMING)) stage[device].refused = true;
    }
    stage[device].ready = !stage[device].refused;
    return stage[device].ready;
}

static int copy_in(int device, sa_cuda_pointer to, const char *from, size_t n, void *stream) {
    int rc = 0;
    for (size_t at = 0, k = 0; at < n && !rc; at += CHUNK, k++) {
        chunk *c = &stage[device].at[k % CHUNKS];
        size_t part = n - at < CHUNK ? n - at : CHUNK;
        rc = sa_cuda.cuEventSynchronize(c->done);
        if (rc) break;
        memcpy(c->host, from + at, part);
        rc = sa_cuda.cuMemcpyHtoDAsync(to + at, c->host, part, stream);
        if (!rc) rc = sa_cuda.cuEventRecord(c->done, stream);
    }
    return rc;
}

static int copy_out(int device, char *to, sa_cuda_pointer from, size_t n, void *stream) {
    size_t parts = (n + CHUNK - 1) / CHUNK;
    int rc = 0;
    for (size_t k = 0; k < parts + CHUNKS - 1 && !rc; k++) { /* one chunk ahead of the host's copy */
        if (k < parts) {
            chunk *c = &stage[device].at[k % CHUNKS];
            size_t at = k * CHUNK, part = n - at < CHUNK ? n - at : CHUNK;
            rc = sa_cuda.cuEventSynchronize(c->done);
            if (!rc) rc = sa_cuda.cuMemcpyDtoHAsync(c->host, from + at, part, stream);
            if (!rc) rc = sa_cuda.cuEventRecord(c->done, stream);
        }
        if (!rc && k >= CHUNKS - 1) {
            size_t done = k - (CHUNKS - 1), at = done * CHUNK;
            chunk *c = &stage[device].at[done % CHUNKS];
            rc = sa_cuda.cuEventSynchronize(c->done);
            if (!rc) memcpy(to + at, c->host, n - at < CHUNK ? n - at : CHUNK);
        }
    }
    return rc;
}

int sa_cuda_copy_in(int device, sa_cuda_pointer to, const void *from, size_t n, void *stream) {
    int rc = sa_cuda_enter(device);
    if (rc) return rc;
    pthread_once(&once, init);
    pthread_mutex_lock(&stage[device].lock);
    if (n >= STAGED && staged(device)) rc = copy_in(device, to, from, n, stream);
    else if (n) {
        rc = sa_cuda.cuMemcpyHtoDAsync(to, from, n, stream);
        if (!rc) rc = sa_cuda.cuStreamSynchronize(stream);
    }
    pthread_mutex_unlock(&stage[device].lock);
    sa_cuda_leave();
    return rc;
}

int sa_cuda_copy_out(int device, void *to, sa_cuda_pointer from, size_t n, void *stream) {
    int rc = sa_cuda_enter(device);
    if (rc) return rc;
    pthread_once(&once, init);
    pthread_mutex_lock(&stage[device].lock);
    if (n >= STAGED && staged(device)) rc = copy_out(device, to, from, n, stream);
    else if (n) {
        rc = sa_cuda.cuMemcpyDtoHAsync(to, from, n, stream);
        if (!rc) rc = sa_cuda.cuStreamSynchronize(stream);
    }
    pthread_mutex_unlock(&stage[device].lock);
    sa_cuda_leave();
    return rc;
}

int sa_cuda_copy(int to_device, sa_cuda_pointer to, int from_device, sa_cuda_pointer from, size_t n, void *stream) {
    void *there, *here;
    int rc = sa_cuda_context(to_device, &there);
    if (!rc) rc = sa_cuda_context(from_device, &here);
    if (!rc) rc = sa_cuda_enter(from_device);
    if (rc) return rc;
    if (!n) rc = 0;
    else if (to_device == from_device) rc = sa_cuda.cuMemcpyDtoDAsync(to, from, n, stream);
    else rc = sa_cuda.cuMemcpyPeerAsync(to, there, from, here, n, stream);
    /* a stream of the other device knows nothing of this copy */
    if (!rc && to_device != from_device) rc = sa_cuda.cuStreamSynchronize(stream);
    sa_cuda_leave();
    return rc;
}

int sa_cuda_fill(int device, sa_cuda_pointer at, unsigned char byte, size_t n, void *stream) {
    int rc = sa_cuda_enter(device);
    if (rc) return rc;
    if (n) rc = sa_cuda.cuMemsetD8Async(at, byte, n, stream);
    sa_cuda_leave();
    return rc;
}

/* What comes on `waiting` next, comes after all that is on `other` now. */
int sa_cuda_wait(int device, void *waiting, void *other) {
    void *event;
    int rc = sa_cuda_enter(device);
    if (rc) return rc;
    rc = sa_cuda.cuEventCreate(&event, DISABLE_TIMING);
    if (!rc) {
        rc = sa_cuda.cuEventRecord(event, other);
        if (!rc) rc = sa_cuda.cuStreamWaitEvent(waiting, event, 0);
        (void)sa_cuda.cuEventDestroy(event);
    }
    sa_cuda_leave();
    return rc;
}
