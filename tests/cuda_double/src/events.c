/* Events, also those that processes share. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "double.h"

#define EVENT_NAME MARK ":event"
#define PAUSE 200000 /* ns between two looks at an event of another process */

#define RING 64

/* In a memfd that all who opened the event have mapped. Records have tickets, in order; of the
 * last ones it tells which were reached, which are waited for, and which process recorded them. */
struct shared_event {
    uint64_t recorded;
    struct {
        uint64_t reached, wanted; /* tickets */
        uint64_t recorder;        /* as `process` tells it */
    } ring[RING];
};

/* What an interprocess handle holds. */
struct event_handle {
    char mark[8];
    int32_t pid, fd;
    uint64_t inode;
};

struct event *find_event(CUevent handle)
{
    return object_find(KIND_EVENT, handle);
}

static uint64_t load(const uint64_t *value)
{
    return __atomic_load_n(value, __ATOMIC_ACQUIRE);
}

static void raise_to(uint64_t *value, uint64_t least)
{
    uint64_t seen = load(value);
    while (seen < least && !__atomic_compare_exchange_n(value, &seen, least, false,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
}

void event_drop(struct event *event)
{
    if (--event->refs)
        return;
    if (event->shared) {
        munmap(event->shared, sizeof *event->shared);
        close(event->fd);
    }
    free(event);
}

static struct event *event_new(struct context *context, unsigned flags)
{
    struct event *event = calloc(1, sizeof *event);
    if (!event)
        return NULL;
    event->context = context->object.handle;
    event->flags = flags;
    event->refs = 1;
    event->fd = -1;
    object_add(&event->object, KIND_EVENT);
    return event;
}

static void event_free(struct event *event)
{
    object_remove(&event->object);
    event_drop(event);
}

void events_release_context(uint64_t context)
{
    for (struct event *event = object_next(KIND_EVENT, NULL); event;) {
        struct event *next = object_next(KIND_EVENT, event);
        if (event->context == context)
            event_free(event);
        event = next;
    }
}

static bool join(struct event *event, int fd)
{
    void *shared = mmap(NULL, sizeof *event->shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return false;
    event->shared = shared;
    event->fd = fd;
    return true;
}

/* A number for a process that no other has, before or after; 0 if it has ended. */
static uint64_t process(int pid)
{
    char path[64], text[1024], state;
    unsigned long long start;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return 0;
    text[length] = 0;
    const char *rest = strrchr(text, ')'); /* fields 3 and 22 of proc(5) */
    if (!rest || sscanf(rest, ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                              "%*s %*s %llu", &state, &start) != 2 || state == 'Z' || state == 'X')
        return 0;
    return (uint64_t)pid << 40 | (start & 0xffffffffff);
}

/* A record of a process that ended will not be reached; its work went with it. */
static bool remote_done(const struct event *event, uint64_t ticket)
{
    if (load(&event->shared->ring[ticket % RING].reached) >= ticket)
        return true;
    uint64_t recorder = load(&event->shared->ring[ticket % RING].recorder);
    return recorder && process((int)(recorder >> 40)) != recorder;
}

void event_reached(struct event *event, uint64_t ticket)
{
    event->time = now();
    if (event->shared)
        raise_to(&event->shared->ring[ticket % RING].reached, ticket);
}

bool event_wanted(const struct event *event, uint64_t ticket)
{
    return event->shared && load(&event->shared->ring[ticket % RING].wanted) >= ticket;
}

static void want(struct event *event, uint64_t ticket)
{
    raise_to(&event->shared->ring[ticket % RING].wanted, ticket);
}

void event_await(struct event *event, uint64_t ticket)
{
    want(event, ticket);
    while (!remote_done(event, ticket))
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
}

/* The last record is another process's; `ticket` is its. */
static bool remote(const struct event *event, uint64_t *ticket)
{
    if (!event->shared)
        return false;
    *ticket = load(&event->shared->recorded);
    return *ticket != event->ticket;
}

CUresult event_wait(struct stream *stream, struct event *event)
{
    uint64_t ticket;
    if (!remote(event, &ticket)) {
        if (work_pending(event->last))
            work_wait(stream, event->last);
        return SUCCESS;
    }
    if (remote_done(event, ticket))
        return SUCCESS;
    struct work *work = work_new(WORK_REMOTE);
    if (!work)
        return OUT_OF_MEMORY;
    work->event = event;
    work->ticket = ticket;
    event->refs++;
    work_submit(stream, work);
    return SUCCESS;
}

EXPORT CUresult cuEventCreate(CUevent *handle, unsigned flags)
{
    ENTER(cuEventCreate);
    CURRENT(context);
    if (!handle || flags & ~7u || (flags & EVENT_INTERPROCESS && !(flags & EVENT_NO_TIMING)))
        return INVALID_VALUE;
    struct event *event = event_new(context, flags);
    if (!event)
        return OUT_OF_MEMORY;
    if (flags & EVENT_INTERPROCESS) {
        int fd = memfd_create(EVENT_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
        if (fd < 0 || ftruncate(fd, sizeof(struct shared_event)) ||
            fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) || !join(event, fd)) {
            if (!event->shared && fd >= 0)
                close(fd);
            event_free(event);
            return OUT_OF_MEMORY;
        }
    }
    *handle = event->object.handle;
    return SUCCESS;
}

EXPORT CUresult cuEventDestroy_v2(CUevent handle)
{
    ENTER(cuEventDestroy_v2);
    struct event *event = find_event(handle);
    if (!event)
        return INVALID_HANDLE;
    event_free(event);
    return SUCCESS;
}

static CUresult record(CUevent handle, CUstream where)
{
    struct event *event = find_event(handle);
    struct context *context = NULL;
    struct stream *stream;
    CUresult rc = current_context(&context);
    if (rc && where <= STREAM_PER_THREAD)
        return rc;
    rc = find_stream(where, rc ? NULL : context, &stream);
    if (rc)
        return rc;
    if (!event || event->context != stream->context->object.handle)
        return INVALID_HANDLE;
    struct work *work = work_new(WORK_EVENT);
    if (!work)
        return OUT_OF_MEMORY;
    if (event->shared) {
        event->ticket = __atomic_add_fetch(&event->shared->recorded, 1, __ATOMIC_ACQ_REL);
        __atomic_store_n(&event->shared->ring[event->ticket % RING].recorder, process(getpid()),
                         __ATOMIC_RELEASE);
    }
    event->refs++;
    event->time = 0;
    work->event = event;
    work->ticket = event->ticket;
    event->last = work_submit(stream, work);
    return SUCCESS;
}

EXPORT CUresult cuEventRecord(CUevent handle, CUstream stream)
{
    ENTER(cuEventRecord);
    return record(handle, stream);
}

EXPORT CUresult cuEventRecordWithFlags(CUevent handle, CUstream stream, unsigned flags)
{
    ENTER(cuEventRecordWithFlags);
    return flags ? INVALID_VALUE : record(handle, stream);
}

EXPORT CUresult cuEventQuery(CUevent handle)
{
    ENTER(cuEventQuery);
    struct event *event = find_event(handle);
    uint64_t ticket;
    if (!event)
        return INVALID_HANDLE;
    if (remote(event, &ticket)) {
        want(event, ticket);
        return remote_done(event, ticket) ? SUCCESS : NOT_READY;
    }
    if (!work_pending(event->last))
        return SUCCESS;
    work_poll(event->last);
    return NOT_READY;
}

EXPORT CUresult cuEventSynchronize(CUevent handle)
{
    ENTER(cuEventSynchronize);
    struct event *event = find_event(handle);
    uint64_t ticket;
    if (!event)
        return INVALID_HANDLE;
    if (!remote(event, &ticket)) {
        work_run(event->last);
        return SUCCESS;
    }
    event->refs++;
    unlock();
    event_await(event, ticket);
    lock();
    event_drop(event);
    return SUCCESS;
}

static CUresult elapsed(float *milliseconds, CUevent from, CUevent to)
{
    struct event *start = find_event(from), *end = find_event(to);
    if (!milliseconds)
        return INVALID_VALUE;
    if (!start || !end || (start->flags | end->flags) & EVENT_NO_TIMING || !start->last ||
        !end->last)
        return INVALID_HANDLE;
    if (work_pending(start->last) || work_pending(end->last))
        return NOT_READY;
    *milliseconds = (float)((double)(int64_t)(end->time - start->time) / 1e6);
    return SUCCESS;
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to)
{
    ENTER(cuEventElapsedTime);
    return elapsed(milliseconds, from, to);
}

EXPORT CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent from, CUevent to)
{
    ENTER(cuEventElapsedTime_v2);
    return elapsed(milliseconds, from, to);
}

EXPORT CUresult cuIpcGetEventHandle(CUipc *handle, CUevent shared)
{
    ENTER(cuIpcGetEventHandle);
    struct event *event = find_event(shared);
    struct stat status;
    if (!handle)
        return INVALID_VALUE;
    if (!event || !event->shared)
        return INVALID_HANDLE;
    if (fstat(event->fd, &status))
        return OPERATING_SYSTEM;
    struct event_handle held = {"DBEVENT", getpid(), event->fd, status.st_ino};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &held, sizeof held);
    return SUCCESS;
}

EXPORT CUresult cuIpcOpenEventHandle(CUevent *handle, CUipc given)
{
    ENTER(cuIpcOpenEventHandle);
    CURRENT(context);
    struct event_handle held;
    if (!handle)
        return INVALID_VALUE;
    memcpy(&held, &given, sizeof held);
    if (memcmp(held.mark, "DBEVENT", 8))
        return INVALID_HANDLE;
    if (held.pid == getpid())
        return INVALID_CONTEXT;
    int fd = open_of_process(held.pid, held.fd, EVENT_NAME, held.inode);
    if (fd < 0)
        return INVALID_HANDLE;
    struct event *event = event_new(context, EVENT_NO_TIMING | EVENT_INTERPROCESS);
    if (!event || !join(event, fd)) {
        if (!event || !event->shared)
            close(fd);
        if (event)
            event_free(event);
        return OUT_OF_MEMORY;
    }
    *handle = event->object.handle;
    return SUCCESS;
}
