/* Huge pages for memory that will be written whole. */
#include "pool.h"

#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#define HUGE_STEP ((size_t)8 << 20) /* bytes collapsed at a time */
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

static int collapse_off; /* allocations to skip after a slow or refused attempt; < 0: for ever */

static double clock_now(clockid_t which) {
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Returns whether all of it is in huge pages now, but for the ends.
   Linux 6.1: MADV_COLLAPSE works on shmem whatever shmem_enabled says; EINVAL on an empty range,
   so each 2 MiB is touched first. */
bool sa_collapse(char *p, size_t n, double budget) {
    if (__atomic_load_n(&collapse_off, __ATOMIC_RELAXED)) {
        if (__atomic_load_n(&collapse_off, __ATOMIC_RELAXED) > 0) __atomic_sub_fetch(&collapse_off, 1, __ATOMIC_RELAXED);
        return false;
    }
    char *end = (char *)((uintptr_t)(p + n) & ~(SA_SLOT - 1));
    p = (char *)(((uintptr_t)p + SA_SLOT - 1) & ~(SA_SLOT - 1));
    double start = clock_now(CLOCK_MONOTONIC), t = clock_now(CLOCK_THREAD_CPUTIME_ID);
    while (p < end) {
        size_t step = (size_t)(end - p) < HUGE_STEP ? (size_t)(end - p) : HUGE_STEP;
        for (size_t i = 0; i < step; i += SA_SLOT) (void)*(volatile char *)(p + i);
        if (madvise(p, step, MADV_COLLAPSE)) {
            int skip = errno == EINVAL ? -1 : 64; /* EINVAL: not in this kernel; else short of pages */
            __atomic_store_n(&collapse_off, skip, __ATOMIC_RELAXED);
            return false;
        }
        double now = clock_now(CLOCK_THREAD_CPUTIME_ID); /* of a busy machine only what we use */
        if (now - t > 1.0 * (double)step / 1e9) { /* slower than the faults it saves */
            __atomic_store_n(&collapse_off, 16, __ATOMIC_RELAXED);
            return false;
        }
        if (clock_now(CLOCK_MONOTONIC) - start > budget) return false;
        t = now;
        p += step;
    }
    return true;
}

bool sa_populate(char *p, size_t n) {
    sa_segment *seg;
    char *start;
    size_t size;
    uint64_t s;
    if (n < SA_SLOT || !sa_block_find(p, &seg, &start, &size, &s)) return false;
    if (seg->inherited || seg->kind == SA_ATTACHED) return true;
    sa_lock();
    sa_span *span = sa_span_of(seg, p);
    bool cold = span && span->cold, whole = cold && span->nblocks == 1;
    if (whole) span->cold = false;
    sa_unlock();
    return !cold || (whole && sa_collapse(p, n, 1e9));
}
