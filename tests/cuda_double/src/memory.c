/* Memory of a context: cuMemAlloc, pinned host memory, what is free, what a pointer points to. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "double.h"

#define HOST_FLAGS 7u
#define REGISTER_FLAGS 15u

static size_t pages(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

static struct range *range_new(uint64_t start, size_t size, enum range_kind kind,
                               struct context *context, unsigned flags)
{
    struct range *range = calloc(1, sizeof *range);
    if (!range)
        return NULL;
    range->start = start;
    range->size = size;
    range->kind = kind;
    range->device = context->device;
    range->context = context->object.handle;
    range->flags = flags;
    if (range_add(kind < RANGE_PINNED ? TABLE_DEVICE : TABLE_HOST, range)) {
        free(range);
        return NULL;
    }
    return range;
}

static void range_free(struct range *range)
{
    void *place = (void *)(uintptr_t)range->start;
    range_remove(range->kind < RANGE_PINNED ? TABLE_DEVICE : TABLE_HOST, range);
    if (range->kind != RANGE_REGISTERED)
        munmap(place, pages(range->size));
    if (range->backing)
        backing_drop(range->backing);
    free(range);
}

void memory_release_context(uint64_t context)
{
    for (enum table table = TABLE_DEVICE; table <= TABLE_HOST; table++)
        for (struct range *range = range_first(table, 0, SIZE_MAX); range;) {
            struct range *next = range_after(table, range);
            if (range->context == context)
                range_free(range);
            range = next;
        }
}

/* Map the file of an allocation and enter the range; takes the backing over. */
static CUresult map_backing(struct backing *backing, size_t size, enum range_kind kind,
                            struct context *context, CUdeviceptr *address)
{
    size_t room = pages(size);
    void *place = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, backing->fd, 0);
    struct range *range = NULL;
    if (place != MAP_FAILED)
        range = range_new((uint64_t)(uintptr_t)place, size, kind, context, 0);
    if (!range) {
        if (place != MAP_FAILED)
            munmap(place, room);
        backing_drop(backing);
        return OUT_OF_MEMORY;
    }
    madvise(place, room, MADV_DONTFORK);
    range->backing = backing;
    *address = range->start;
    return SUCCESS;
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t size)
{
    ENTER(cuMemAlloc_v2);
    CURRENT(context);
    CUresult rc;
    if (!address || !size)
        return INVALID_VALUE;
    if (size > config.memory)
        return OUT_OF_MEMORY;
    struct backing *backing = backing_new(config.visible[context->device], pages(size), &rc);
    return backing ? map_backing(backing, size, RANGE_ALLOCATED, context, address) : rc;
}

static CUresult free_range(enum table table, uint64_t address, enum range_kind kind,
                           const char *verb)
{
    struct range *range = range_find(table, address);
    if (!range || range->start != address || range->kind != kind)
        return INVALID_VALUE;
    work_dropped(range->start, range->size, verb, table == TABLE_HOST);
    range_free(range);
    return SUCCESS;
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr address)
{
    ENTER(cuMemFree_v2);
    if (!address)
        return SUCCESS;
    return free_range(TABLE_DEVICE, address, RANGE_ALLOCATED, "cuMemFree");
}

CUresult memory_open(int fd, int number, size_t size, struct context *context,
                     CUdeviceptr *address)
{
    CUresult rc;
    struct backing *backing = backing_add(fd, number, pages(size), false, &rc);
    return backing ? map_backing(backing, size, RANGE_IPC, context, address) : rc;
}

CUresult memory_close(CUdeviceptr address)
{
    return free_range(TABLE_DEVICE, address, RANGE_IPC, "cuIpcCloseMemHandle");
}

EXPORT CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr address)
{
    ENTER(cuMemGetAddressRange_v2);
    struct range *range = range_find(TABLE_DEVICE, address);
    if (!range)
        return NOT_FOUND;
    if (base)
        *base = range->start;
    if (size)
        *size = range->size;
    return SUCCESS;
}

EXPORT CUresult cuMemGetInfo_v2(size_t *left, size_t *total)
{
    ENTER(cuMemGetInfo_v2);
    CURRENT(context);
    if (!left || !total)
        return INVALID_VALUE;
    size_t used = machine_used(config.visible[context->device]);
    *total = config.memory;
    *left = used < config.memory ? config.memory - used : 0;
    return SUCCESS;
}

static CUresult host_alloc(void **place, size_t size, unsigned flags)
{
    CURRENT(context);
    if (!place || !size || flags & ~HOST_FLAGS)
        return INVALID_VALUE;
    if (size > SIZE_MAX / 2)
        return OUT_OF_MEMORY;
    void *got =
        mmap(NULL, pages(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (got == MAP_FAILED)
        return OUT_OF_MEMORY;
    if (!range_new((uint64_t)(uintptr_t)got, size, RANGE_PINNED, context, flags)) {
        munmap(got, pages(size));
        return OUT_OF_MEMORY;
    }
    *place = got;
    return SUCCESS;
}

EXPORT CUresult cuMemAllocHost_v2(void **place, size_t size)
{
    ENTER(cuMemAllocHost_v2);
    return host_alloc(place, size, 0);
}

EXPORT CUresult cuMemHostAlloc(void **place, size_t size, unsigned flags)
{
    ENTER(cuMemHostAlloc);
    return host_alloc(place, size, flags);
}

EXPORT CUresult cuMemFreeHost(void *place)
{
    ENTER(cuMemFreeHost);
    return free_range(TABLE_HOST, (uint64_t)(uintptr_t)place, RANGE_PINNED, "cuMemFreeHost");
}

EXPORT CUresult cuMemHostRegister_v2(void *place, size_t size, unsigned flags)
{
    ENTER(cuMemHostRegister_v2);
    CURRENT(context);
    uint64_t start = (uint64_t)(uintptr_t)place;
    if (!place || !size || flags & ~REGISTER_FLAGS || start + size < start)
        return INVALID_VALUE;
    if (range_first(TABLE_HOST, start, size))
        return HOST_MEMORY_ALREADY_REGISTERED;
    return range_new(start, size, RANGE_REGISTERED, context, flags) ? SUCCESS : OUT_OF_MEMORY;
}

EXPORT CUresult cuMemHostUnregister(void *place)
{
    ENTER(cuMemHostUnregister);
    CUresult rc = free_range(TABLE_HOST, (uint64_t)(uintptr_t)place, RANGE_REGISTERED,
                             "cuMemHostUnregister");
    return rc ? HOST_MEMORY_NOT_REGISTERED : SUCCESS;
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *place, unsigned flags)
{
    ENTER(cuMemHostGetDevicePointer_v2);
    if (!address || flags || !range_find(TABLE_HOST, (uint64_t)(uintptr_t)place))
        return INVALID_VALUE;
    *address = (uint64_t)(uintptr_t)place;
    return SUCCESS;
}

EXPORT CUresult cuMemHostGetFlags(unsigned *flags, void *place)
{
    ENTER(cuMemHostGetFlags);
    struct range *range = range_find(TABLE_HOST, (uint64_t)(uintptr_t)place);
    if (!flags || !range)
        return INVALID_VALUE;
    *flags = range->flags;
    return SUCCESS;
}
