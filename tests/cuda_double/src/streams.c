/* Streams: made, destroyed, waited for, asked about; host functions in them. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "double.h"

struct stream *stream_new(struct context *context, unsigned flags, int priority)
{
    struct stream *stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->context = context;
    stream->flags = flags;
    stream->priority = priority;
    object_add(&stream->object, KIND_STREAM);
    return stream;
}

/* Its work goes on, and the legacy stream comes after it as before. */
void stream_free(struct stream *stream)
{
    struct stream *legacy = stream->context->legacy;
    if (stream != legacy && !(stream->flags & STREAM_NON_BLOCKING) && work_pending(stream->tail))
        work_wait(legacy, stream->tail);
    object_remove(&stream->object);
    free(stream->waits);
    free(stream);
}

void streams_release_context(struct context *context)
{
    for (struct stream *stream = object_next(KIND_STREAM, NULL); stream;) {
        struct stream *next = object_next(KIND_STREAM, stream);
        if (stream->context == context && stream != context->legacy)
            stream_free(stream);
        stream = next;
    }
}

static struct stream *per_thread(struct context *context)
{
    pid_t thread = gettid();
    for (struct stream *stream = NULL; (stream = object_next(KIND_STREAM, stream));)
        if (stream->context == context && stream->thread == thread)
            return stream;
    struct stream *stream = stream_new(context, 0, 0);
    if (stream)
        stream->thread = thread;
    return stream;
}

/* By handle; the default streams are those of the current context (which is NULL if there is none). */
CUresult find_stream(CUstream handle, struct context *current, struct stream **stream)
{
    if (handle <= STREAM_PER_THREAD) {
        if (!current)
            return INVALID_CONTEXT;
        *stream = handle == STREAM_PER_THREAD ? per_thread(current) : current->legacy;
        return *stream ? SUCCESS : OUT_OF_MEMORY;
    }
    *stream = object_find(KIND_STREAM, handle);
    return *stream && (*stream)->named ? SUCCESS : INVALID_HANDLE;
}

#define STREAM(handle, stream)                                              \
    struct context *current_ = NULL;                                        \
    struct stream *stream;                                                  \
    {                                                                       \
        CUresult stream_rc_ = current_context(&current_);                   \
        if (stream_rc_ && (handle) <= STREAM_PER_THREAD)                    \
            return stream_rc_;                                              \
        stream_rc_ = find_stream(handle, stream_rc_ ? NULL : current_, &stream); \
        if (stream_rc_)                                                     \
            return stream_rc_;                                              \
    }

static CUresult create(CUstream *handle, unsigned flags, int priority)
{
    CURRENT(context);
    if (!handle || flags & ~(unsigned)STREAM_NON_BLOCKING)
        return INVALID_VALUE;
    struct stream *stream = stream_new(context, flags, priority);
    if (!stream)
        return OUT_OF_MEMORY;
    stream->named = true;
    *handle = stream->object.handle;
    return SUCCESS;
}

EXPORT CUresult cuStreamCreate(CUstream *handle, unsigned flags)
{
    ENTER(cuStreamCreate);
    return create(handle, flags, 0);
}

EXPORT CUresult cuStreamCreateWithPriority(CUstream *handle, unsigned flags, int priority)
{
    ENTER(cuStreamCreateWithPriority);
    return create(handle, flags, priority > 0 ? 0 : priority < -5 ? -5 : priority);
}

EXPORT CUresult cuStreamDestroy_v2(CUstream handle)
{
    ENTER(cuStreamDestroy_v2);
    if (handle <= STREAM_PER_THREAD)
        return INVALID_HANDLE;
    STREAM(handle, stream);
    stream_free(stream);
    return SUCCESS;
}

EXPORT CUresult cuStreamSynchronize(CUstream handle)
{
    ENTER(cuStreamSynchronize);
    STREAM(handle, stream);
    work_run_stream(stream);
    return SUCCESS;
}

EXPORT CUresult cuStreamQuery(CUstream handle)
{
    ENTER(cuStreamQuery);
    STREAM(handle, stream);
    return work_pending_stream(stream) ? NOT_READY : SUCCESS;
}

EXPORT CUresult cuStreamWaitEvent(CUstream handle, CUevent waited, unsigned flags)
{
    ENTER(cuStreamWaitEvent);
    struct event *event = find_event(waited);
    STREAM(handle, stream);
    if (!event)
        return INVALID_HANDLE;
    if (flags)
        return INVALID_VALUE;
    return event_wait(stream, event);
}

EXPORT CUresult cuStreamGetCtx(CUstream handle, CUcontext *context)
{
    ENTER(cuStreamGetCtx);
    STREAM(handle, stream);
    if (!context)
        return INVALID_VALUE;
    *context = stream->context->object.handle;
    return SUCCESS;
}

EXPORT CUresult cuStreamGetDevice(CUstream handle, CUdevice *device)
{
    ENTER(cuStreamGetDevice);
    STREAM(handle, stream);
    if (!device)
        return INVALID_VALUE;
    *device = stream->context->device;
    return SUCCESS;
}

EXPORT CUresult cuStreamGetFlags(CUstream handle, unsigned *flags)
{
    ENTER(cuStreamGetFlags);
    STREAM(handle, stream);
    if (!flags)
        return INVALID_VALUE;
    *flags = stream->flags;
    return SUCCESS;
}

EXPORT CUresult cuStreamGetPriority(CUstream handle, int *priority)
{
    ENTER(cuStreamGetPriority);
    STREAM(handle, stream);
    if (!priority)
        return INVALID_VALUE;
    *priority = stream->priority;
    return SUCCESS;
}

EXPORT CUresult cuStreamGetId(CUstream handle, unsigned long long *id)
{
    ENTER(cuStreamGetId);
    STREAM(handle, stream);
    if (!id)
        return INVALID_VALUE;
    *id = stream->object.handle >> 4 & 0xffffffff;
    return SUCCESS;
}

EXPORT CUresult cuStreamIsCapturing(CUstream handle, int *status)
{
    ENTER(cuStreamIsCapturing);
    STREAM(handle, stream);
    if (!status)
        return INVALID_VALUE;
    *status = 0;
    return SUCCESS;
}

EXPORT CUresult cuLaunchHostFunc(CUstream handle, void (*function)(void *), void *argument)
{
    ENTER(cuLaunchHostFunc);
    STREAM(handle, stream);
    if (!function)
        return INVALID_VALUE;
    struct work *work = work_new(WORK_HOST);
    if (!work)
        return OUT_OF_MEMORY;
    work->function = function;
    work->argument = argument;
    work_submit(stream, work);
    return SUCCESS;
}

size_t streams_named(void)
{
    size_t count = 0;
    for (struct stream *stream = NULL; (stream = object_next(KIND_STREAM, stream));)
        count += stream->named;
    return count;
}
