/* Contexts, the stack of them that every thread has, and primary contexts. */
#include <stdlib.h>

#include "double.h"

#define DEPTH 64
#define FLAGS 0x1ffu

static struct context *primary[MAX_DEVICES];
static _Thread_local CUcontext stack[DEPTH];
static _Thread_local int depth;

struct context *find_context(CUcontext handle)
{
    struct context *context = object_find(KIND_CONTEXT, handle);
    return context && context->active ? context : NULL;
}

CUresult current_context(struct context **context)
{
    if (!depth)
        return INVALID_CONTEXT;
    *context = find_context(stack[depth - 1]);
    return *context ? SUCCESS : CONTEXT_IS_DESTROYED;
}

static struct context *context_new(int device, unsigned flags)
{
    struct context *context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    context->device = device;
    context->flags = flags;
    context->active = true;
    object_add(&context->object, KIND_CONTEXT);
    context->legacy = stream_new(context, 0, 0);
    if (!context->legacy) {
        object_remove(&context->object);
        free(context);
        return NULL;
    }
    return context;
}

struct context *primary_context(int device)
{
    if (!primary[device] && (primary[device] = context_new(device, 0))) {
        primary[device]->primary = true;
        primary[device]->active = false;
    }
    return primary[device];
}

/* Its work ends, and what belongs to it goes. */
static void context_empty(struct context *context)
{
    context->active = false; /* for other threads, while the work runs without the lock */
    work_run_context(context);
    streams_release_context(context);
    events_release_context(context->object.handle);
    memory_release_context(context->object.handle);
    context->peers = 0;
}

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *handle, CUdevice device)
{
    ENTER(cuDevicePrimaryCtxRetain);
    if (!handle)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    struct context *context = primary_context(device);
    if (!context)
        return OUT_OF_MEMORY;
    context->refs++;
    context->active = true;
    *handle = context->object.handle;
    return SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    ENTER(cuDevicePrimaryCtxRelease_v2);
    CHECK_DEVICE(device);
    struct context *context = primary[device];
    if (!context || !context->refs)
        return INVALID_CONTEXT;
    if (--context->refs == 0)
        context_empty(context);
    return SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
    ENTER(cuDevicePrimaryCtxGetState);
    if (!flags || !active)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    *flags = primary[device] ? primary[device]->flags : 0;
    *active = primary[device] && primary[device]->active;
    return SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
    ENTER(cuDevicePrimaryCtxSetFlags_v2);
    CHECK_DEVICE(device);
    if (flags & ~FLAGS)
        return INVALID_VALUE;
    struct context *context = primary_context(device);
    if (!context)
        return OUT_OF_MEMORY;
    context->flags = flags;
    return SUCCESS;
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
    ENTER(cuDevicePrimaryCtxReset_v2);
    CHECK_DEVICE(device);
    if (primary[device] && primary[device]->active) {
        context_empty(primary[device]);
        primary[device]->active = true; /* those who retained it still have it */
    }
    return SUCCESS;
}

static CUresult create(CUcontext *handle, unsigned flags, CUdevice device)
{
    if (!handle || flags & ~FLAGS)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    struct context *context = depth < DEPTH ? context_new(device, flags) : NULL;
    if (!context)
        return OUT_OF_MEMORY;
    *handle = stack[depth++] = context->object.handle;
    return SUCCESS;
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *handle, unsigned flags, CUdevice device)
{
    ENTER(cuCtxCreate_v2);
    return create(handle, flags, device);
}

EXPORT CUresult cuCtxCreate_v3(CUcontext *handle, void *affinity, int count, unsigned flags,
                               CUdevice device)
{
    ENTER(cuCtxCreate_v3);
    return affinity || count ? NOT_SUPPORTED : create(handle, flags, device);
}

EXPORT CUresult cuCtxCreate_v4(CUcontext *handle, void *parameters, unsigned flags, CUdevice device)
{
    ENTER(cuCtxCreate_v4);
    return parameters ? NOT_SUPPORTED : create(handle, flags, device);
}

EXPORT CUresult cuCtxDestroy_v2(CUcontext handle)
{
    ENTER(cuCtxDestroy_v2);
    struct context *context = object_find(KIND_CONTEXT, handle);
    if (!context || context->primary || !context->active)
        return handle ? INVALID_CONTEXT : INVALID_VALUE;
    context_empty(context);
    if (depth && stack[depth - 1] == handle)
        depth--;
    object_remove(&context->object);
    stream_free(context->legacy);
    free(context);
    return SUCCESS;
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *handle)
{
    ENTER(cuCtxGetCurrent);
    if (!handle)
        return INVALID_VALUE;
    *handle = depth ? stack[depth - 1] : 0;
    return SUCCESS;
}

EXPORT CUresult cuCtxSetCurrent(CUcontext handle)
{
    ENTER(cuCtxSetCurrent);
    if (handle && !object_find(KIND_CONTEXT, handle))
        return INVALID_CONTEXT;
    if (!handle)
        depth -= depth > 0;
    else if (depth)
        stack[depth - 1] = handle;
    else
        stack[depth++] = handle;
    return SUCCESS;
}

EXPORT CUresult cuCtxPushCurrent_v2(CUcontext handle)
{
    ENTER(cuCtxPushCurrent_v2);
    if (!handle)
        return INVALID_VALUE;
    if (!object_find(KIND_CONTEXT, handle))
        return INVALID_CONTEXT;
    if (depth == DEPTH)
        return OUT_OF_MEMORY;
    stack[depth++] = handle;
    return SUCCESS;
}

EXPORT CUresult cuCtxPopCurrent_v2(CUcontext *handle)
{
    ENTER(cuCtxPopCurrent_v2);
    if (!depth)
        return INVALID_CONTEXT;
    depth--;
    if (handle)
        *handle = stack[depth];
    return SUCCESS;
}

EXPORT CUresult cuCtxGetDevice(CUdevice *device)
{
    ENTER(cuCtxGetDevice);
    if (!device)
        return INVALID_VALUE;
    CURRENT(context);
    *device = context->device;
    return SUCCESS;
}

EXPORT CUresult cuCtxGetFlags(unsigned *flags)
{
    ENTER(cuCtxGetFlags);
    if (!flags)
        return INVALID_VALUE;
    CURRENT(context);
    *flags = context->flags;
    return SUCCESS;
}

static CUresult meant(CUcontext handle, struct context **context)
{
    if (!handle)
        return current_context(context);
    *context = find_context(handle);
    return *context ? SUCCESS : CONTEXT_IS_DESTROYED;
}

EXPORT CUresult cuCtxGetId(CUcontext handle, unsigned long long *id)
{
    ENTER(cuCtxGetId);
    struct context *context;
    CUresult rc = id ? meant(handle, &context) : INVALID_VALUE;
    if (!rc)
        *id = context->object.handle >> 4;
    return rc;
}

EXPORT CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *version)
{
    ENTER(cuCtxGetApiVersion);
    struct context *context;
    CUresult rc = version ? meant(handle, &context) : INVALID_VALUE;
    if (!rc)
        *version = 3020;
    return rc;
}

EXPORT CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    ENTER(cuCtxGetStreamPriorityRange);
    CURRENT(context);
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return SUCCESS;
}

EXPORT CUresult cuCtxSynchronize(void)
{
    ENTER(cuCtxSynchronize);
    CURRENT(context);
    work_run_context(context);
    return SUCCESS;
}

EXPORT CUresult cuCtxEnablePeerAccess(CUcontext handle, unsigned flags)
{
    ENTER(cuCtxEnablePeerAccess);
    CURRENT(context);
    struct context *peer = find_context(handle);
    if (flags)
        return INVALID_VALUE;
    if (!peer || peer == context)
        return INVALID_CONTEXT;
    if (!config.peer[config.visible[context->device]][config.visible[peer->device]])
        return PEER_ACCESS_UNSUPPORTED;
    if (context->peers >> peer->device & 1)
        return PEER_ACCESS_ALREADY_ENABLED;
    context->peers |= (uint64_t)1 << peer->device;
    return SUCCESS;
}

EXPORT CUresult cuCtxDisablePeerAccess(CUcontext handle)
{
    ENTER(cuCtxDisablePeerAccess);
    CURRENT(context);
    struct context *peer = find_context(handle);
    if (!peer)
        return INVALID_CONTEXT;
    if (!(context->peers >> peer->device & 1))
        return PEER_ACCESS_NOT_ENABLED;
    context->peers &= ~((uint64_t)1 << peer->device);
    return SUCCESS;
}

size_t contexts_active(void)
{
    size_t count = 0;
    for (struct context *context = NULL; (context = object_next(KIND_CONTEXT, context));)
        count += context->active;
    return count;
}
