/* The way into every function: fork, host functions, failures to be had, initialisation, lock. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "double.h"

EXPORT const int sharedarray_cuda_double = 1;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
_Thread_local bool in_host_function;

static bool initialised;
static volatile unsigned char *parent_page; /* holds 1; the kernel empties it in a forked child */

void lock(void)
{
    pthread_mutex_lock(&mutex);
}

void unlock(void)
{
    pthread_mutex_unlock(&mutex);
}

/* A fork waits for calls of other threads, and its child begins with a free lock. */
__attribute__((constructor)) static void guard_fork(void)
{
    pthread_atfork(lock, unlock, unlock);
}

uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

bool forked(void)
{
    volatile unsigned char *page = __atomic_load_n(&parent_page, __ATOMIC_ACQUIRE);
    return page && !*page;
}

/* Called by the first cuInit: its children are children of a process that used the driver. */
static bool mark_parent(void)
{
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED || madvise(page, size, MADV_WIPEONFORK))
        return false;
    *(unsigned char *)page = 1;
    __atomic_store_n(&parent_page, page, __ATOMIC_RELEASE);
    return true;
}

static bool survives_fork(enum call call)
{
    return call == CALL_cuGetErrorName || call == CALL_cuGetErrorString ||
           call == CALL_cuDriverGetVersion || call == CALL_cuGetProcAddress ||
           call == CALL_cuGetProcAddress_v2;
}

struct guard enter(enum call call, bool early)
{
    if (forked())
        return (struct guard){.rc = survives_fork(call) ? SUCCESS : NOT_INITIALIZED};
    if (in_host_function)
        return (struct guard){.rc = survives_fork(call) ? SUCCESS : NOT_PERMITTED};
    lock();
    struct guard guard = {.rc = call_count(call), .locked = true};
    if (!guard.rc && !early && !initialised)
        guard.rc = NOT_INITIALIZED;
    if (guard.rc) {
        guard.locked = false;
        unlock();
    }
    return guard;
}

void leave(struct guard *guard)
{
    if (guard->locked)
        unlock();
}

EXPORT CUresult cuInit(unsigned flags)
{
    ENTER_EARLY(cuInit);
    if (flags)
        return INVALID_VALUE;
    if (initialised)
        return SUCCESS;
    if (!parent_page && !mark_parent())
        return OPERATING_SYSTEM;
    CUresult rc = configure();
    if (!rc)
        rc = machine_open();
    initialised = !rc;
    return rc;
}

EXPORT CUresult cuDriverGetVersion(int *version)
{
    ENTER_EARLY(cuDriverGetVersion);
    if (!version)
        return INVALID_VALUE;
    const char *text = getenv("CUDA_DOUBLE_VERSION");
    *version = text && *text ? atoi(text) : 13000;
    return SUCCESS;
}

EXPORT CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                                    int *status)
{
    ENTER_EARLY(cuGetProcAddress_v2);
    return function_named(name, function, version, flags, status);
}

EXPORT CUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    ENTER_EARLY(cuGetProcAddress);
    return function_named(name, function, version, flags, NULL);
}
