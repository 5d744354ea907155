/* Copies and fills: who may read and write what, and what of it waits. */
#include <stdlib.h>
#include <string.h>

#include "double.h"

enum place { PAGEABLE, PINNED, DEVICE, NOWHERE };

/* Where `size` bytes lie; NOWHERE if the device cannot have them. */
static enum place place_of(uint64_t address, size_t size, int device, bool write)
{
    struct range *range = range_first(TABLE_DEVICE, address, size);
    if (range)
        return device_access(address, size, device, write) ? DEVICE : NOWHERE;
    range = range_find(TABLE_HOST, address);
    if (range)
        return size <= range->start + range->size - address ? PINNED : NOWHERE;
    if (range_first(TABLE_RESERVED, address, size) || address + size < address)
        return NOWHERE;
    return address ? PAGEABLE : NOWHERE;
}

struct copy {
    struct stream *stream;
    uint64_t target, source;
    size_t size;
    int writer, reader;          /* devices */
    bool target_any, source_any; /* may be pageable host memory */
    bool async;
    struct context **barrier; /* of cuMemcpyPeer */
};

/* As CUDA documents it: who waits for what, given where the bytes lie. */
static CUresult copy(const struct copy *copy)
{
    if (!copy->size)
        return SUCCESS;
    enum place to = place_of(copy->target, copy->size, copy->writer, true);
    enum place from = place_of(copy->source, copy->size, copy->reader, false);
    if (to == NOWHERE || from == NOWHERE || (to == PAGEABLE && !copy->target_any) ||
        (from == PAGEABLE && !copy->source_any))
        return INVALID_VALUE;
    bool stage = to == DEVICE && from == PAGEABLE;
    struct work *work = work_new(stage ? WORK_STAGED : WORK_COPY);
    if (work && stage && !(work->staged = malloc(copy->size))) {
        free(work);
        work = NULL;
    }
    if (!work)
        return OUT_OF_MEMORY;
    work->target = copy->target;
    work->source = copy->source;
    work->size = copy->size;
    work->writer = copy->writer;
    work->reader = copy->reader;
    if (stage) {
        if (!copy->async)
            work_run_stream(copy->stream);
        memcpy(work->staged, (void *)(uintptr_t)copy->source, copy->size);
    }
    uint64_t seq = copy->barrier ? work_submit_barrier(copy->stream, work, copy->barrier)
                                 : work_submit(copy->stream, work);
    bool waits = copy->async ? to == PAGEABLE || from == PAGEABLE || (to != DEVICE && from != DEVICE)
                             : to != DEVICE || from == PINNED;
    if (waits && !stage)
        work_run(seq);
    return SUCCESS;
}

enum { TO_HOST = 1, FROM_HOST = 2 };

static CUresult simple(uint64_t target, uint64_t source, size_t size, int host, bool async,
                       CUstream handle)
{
    CURRENT(context);
    struct stream *stream;
    CUresult rc = find_stream(handle, context, &stream);
    if (rc)
        return rc;
    return copy(&(struct copy){stream, target, source, size, context->device, context->device,
                               host & TO_HOST, host & FROM_HOST, async, NULL});
}

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

EXPORT CUresult cuMemcpy(CUdeviceptr target, CUdeviceptr source, size_t size)
{
    ENTER(cuMemcpy);
    return simple(target, source, size, TO_HOST | FROM_HOST, false, 0);
}

EXPORT CUresult cuMemcpyAsync(CUdeviceptr target, CUdeviceptr source, size_t size, CUstream stream)
{
    ENTER(cuMemcpyAsync);
    return simple(target, source, size, TO_HOST | FROM_HOST, true, stream);
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr target, const void *source, size_t size)
{
    ENTER(cuMemcpyHtoD_v2);
    return simple(target, ADDRESS(source), size, FROM_HOST, false, 0);
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr target, const void *source, size_t size,
                                     CUstream stream)
{
    ENTER(cuMemcpyHtoDAsync_v2);
    return simple(target, ADDRESS(source), size, FROM_HOST, true, stream);
}

EXPORT CUresult cuMemcpyDtoH_v2(void *target, CUdeviceptr source, size_t size)
{
    ENTER(cuMemcpyDtoH_v2);
    return simple(ADDRESS(target), source, size, TO_HOST, false, 0);
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *target, CUdeviceptr source, size_t size, CUstream stream)
{
    ENTER(cuMemcpyDtoHAsync_v2);
    return simple(ADDRESS(target), source, size, TO_HOST, true, stream);
}

EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr target, CUdeviceptr source, size_t size)
{
    ENTER(cuMemcpyDtoD_v2);
    return simple(target, source, size, 0, false, 0);
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr target, CUdeviceptr source, size_t size,
                                     CUstream stream)
{
    ENTER(cuMemcpyDtoDAsync_v2);
    return simple(target, source, size, 0, true, stream);
}

static CUresult peer(uint64_t target, CUcontext to, uint64_t source, CUcontext from, size_t size,
                     bool async, CUstream handle)
{
    CURRENT(context);
    struct context *ends[2] = {find_context(to), find_context(from)};
    struct stream *stream;
    CUresult rc = find_stream(handle, context, &stream);
    if (rc)
        return rc;
    if (!ends[0] || !ends[1])
        return INVALID_CONTEXT;
    return copy(&(struct copy){stream, target, source, size, ends[0]->device, ends[1]->device, false,
                               false, async, async ? NULL : ends});
}

EXPORT CUresult cuMemcpyPeer(CUdeviceptr target, CUcontext to, CUdeviceptr source, CUcontext from,
                             size_t size)
{
    ENTER(cuMemcpyPeer);
    return peer(target, to, source, from, size, false, 0);
}

EXPORT CUresult cuMemcpyPeerAsync(CUdeviceptr target, CUcontext to, CUdeviceptr source,
                                  CUcontext from, size_t size, CUstream stream)
{
    ENTER(cuMemcpyPeerAsync);
    return peer(target, to, source, from, size, true, stream);
}

static CUresult fill(uint64_t target, unsigned value, unsigned width, size_t count, bool async,
                     CUstream handle)
{
    CURRENT(context);
    struct stream *stream;
    CUresult rc = find_stream(handle, context, &stream);
    if (rc || !count)
        return rc;
    if (target % width || count > SIZE_MAX / width)
        return INVALID_VALUE;
    enum place to = place_of(target, count * width, context->device, true);
    if (to == NOWHERE || to == PAGEABLE)
        return INVALID_VALUE;
    struct work *work = work_new(WORK_FILL);
    if (!work)
        return OUT_OF_MEMORY;
    work->target = target;
    work->size = count * width;
    work->value = value;
    work->width = width;
    work->writer = context->device;
    uint64_t seq = work_submit(stream, work);
    if (!async && to == PINNED)
        work_run(seq);
    return SUCCESS;
}

EXPORT CUresult cuMemsetD8_v2(CUdeviceptr target, unsigned char value, size_t count)
{
    ENTER(cuMemsetD8_v2);
    return fill(target, value, 1, count, false, 0);
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr target, unsigned char value, size_t count,
                                CUstream stream)
{
    ENTER(cuMemsetD8Async);
    return fill(target, value, 1, count, true, stream);
}

EXPORT CUresult cuMemsetD16_v2(CUdeviceptr target, unsigned short value, size_t count)
{
    ENTER(cuMemsetD16_v2);
    return fill(target, value, 2, count, false, 0);
}

EXPORT CUresult cuMemsetD16Async(CUdeviceptr target, unsigned short value, size_t count,
                                 CUstream stream)
{
    ENTER(cuMemsetD16Async);
    return fill(target, value, 2, count, true, stream);
}

EXPORT CUresult cuMemsetD32_v2(CUdeviceptr target, unsigned value, size_t count)
{
    ENTER(cuMemsetD32_v2);
    return fill(target, value, 4, count, false, 0);
}

EXPORT CUresult cuMemsetD32Async(CUdeviceptr target, unsigned value, size_t count, CUstream stream)
{
    ENTER(cuMemsetD32Async);
    return fill(target, value, 4, count, true, stream);
}
