/* Virtual memory management: allocations, reserved addresses, mappings, access, descriptors. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "double.h"

static CUresult check_prop(const CUmemAllocationProp *prop)
{
    if (!prop || prop->type != ALLOCATION_PINNED || prop->win32)
        return INVALID_VALUE;
    if (prop->location.type != LOCATION_DEVICE)
        return prop->location.type >= 2 && prop->location.type <= 4 ? NOT_SUPPORTED : INVALID_VALUE;
    CHECK_DEVICE(prop->location.id);
    if (prop->handle_types & ~HANDLE_POSIX_FD)
        return prop->handle_types & ~15 ? INVALID_VALUE : NOT_SUPPORTED;
    if (prop->flags.compression > 1 || prop->flags.rdma > 1)
        return INVALID_VALUE;
    return prop->flags.compression || prop->flags.rdma || prop->flags.usage ? NOT_SUPPORTED
                                                                            : SUCCESS;
}

EXPORT CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
                                              int option)
{
    ENTER(cuMemGetAllocationGranularity);
    if (!granularity || (option != 0 && option != 1))
        return INVALID_VALUE;
    CUresult rc = check_prop(prop);
    if (!rc)
        *granularity = GRANULARITY;
    return rc;
}

static struct memory *memory_new(struct backing *backing, const CUmemAllocationProp *prop)
{
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory) {
        backing_drop(backing);
        return NULL;
    }
    memory->backing = backing;
    memory->prop = *prop;
    memory->handles = 1;
    object_add(&memory->object, KIND_MEMORY);
    return memory;
}

/* By a handle that is still held. */
static struct memory *find(CUmem handle)
{
    struct memory *memory = object_find(KIND_MEMORY, handle);
    return memory && memory->handles ? memory : NULL;
}

static void drop_unused(struct memory *memory)
{
    if (memory->handles || memory->maps)
        return;
    backing_drop(memory->backing);
    object_remove(&memory->object);
    free(memory);
}

EXPORT CUresult cuMemCreate(CUmem *handle, size_t size, const CUmemAllocationProp *prop,
                            unsigned long long flags)
{
    ENTER(cuMemCreate);
    if (!handle || !size || size % GRANULARITY || flags)
        return INVALID_VALUE;
    CUresult rc = check_prop(prop);
    if (rc)
        return rc;
    struct backing *backing = backing_new(config.visible[prop->location.id], size, &rc);
    if (!backing)
        return rc;
    struct memory *memory = memory_new(backing, prop);
    if (!memory)
        return OUT_OF_MEMORY;
    *handle = memory->object.handle;
    return SUCCESS;
}

EXPORT CUresult cuMemRelease(CUmem handle)
{
    ENTER(cuMemRelease);
    struct memory *memory = find(handle);
    if (!memory)
        return INVALID_VALUE;
    memory->handles--;
    drop_unused(memory);
    return SUCCESS;
}

EXPORT CUresult cuMemRetainAllocationHandle(CUmem *handle, void *address)
{
    ENTER(cuMemRetainAllocationHandle);
    struct range *range = range_find(TABLE_DEVICE, (uint64_t)(uintptr_t)address);
    if (!handle || !range || range->kind != RANGE_MAPPED)
        return INVALID_VALUE;
    range->memory->handles++;
    *handle = range->memory->object.handle;
    return SUCCESS;
}

/* The descriptor is an O_PATH one: it keeps the memory, and can be neither mapped nor read. */
EXPORT CUresult cuMemExportToShareableHandle(void *shareable, CUmem handle, int type,
                                             unsigned long long flags)
{
    ENTER(cuMemExportToShareableHandle);
    struct memory *memory = find(handle);
    char link[64];
    if (!shareable || !memory || flags || type != HANDLE_POSIX_FD ||
        !(memory->prop.handle_types & HANDLE_POSIX_FD))
        return INVALID_VALUE;
    snprintf(link, sizeof link, "/proc/self/fd/%d", memory->backing->fd);
    int fd = open(link, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return OPERATING_SYSTEM;
    *(int *)shareable = fd;
    return SUCCESS;
}

EXPORT CUresult cuMemImportFromShareableHandle(CUmem *handle, void *shareable, int type)
{
    ENTER(cuMemImportFromShareableHandle);
    CUresult rc;
    if (!handle || type != HANDLE_POSIX_FD)
        return INVALID_VALUE;
    struct backing *backing = backing_of((int)(intptr_t)shareable, &rc);
    if (!backing)
        return rc;
    CUmemAllocationProp prop = {
        .type = ALLOCATION_PINNED,
        .handle_types = HANDLE_POSIX_FD,
        .location = {LOCATION_DEVICE, ordinal_of(backing->number)},
    };
    struct memory *memory = memory_new(backing, &prop);
    if (!memory)
        return OUT_OF_MEMORY;
    *handle = memory->object.handle;
    return SUCCESS;
}

EXPORT CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmem handle)
{
    ENTER(cuMemGetAllocationPropertiesFromHandle);
    struct memory *memory = find(handle);
    if (!prop || !memory)
        return INVALID_VALUE;
    *prop = memory->prop;
    return SUCCESS;
}

/* Addresses without memory, which no touch makes less than a SIGSEGV. */
static void *vacant(void *address, size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (address ? MAP_FIXED : 0);
    void *got = mmap(address, size, PROT_NONE, flags, -1, 0);
    if (got != MAP_FAILED)
        madvise(got, size, MADV_DONTFORK); /* a forked child has no device memory */
    return got;
}

EXPORT CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment,
                                    CUdeviceptr wish, unsigned long long flags)
{
    ENTER(cuMemAddressReserve);
    (void)wish;
    if (!address || !size || size % GRANULARITY || flags || alignment & (alignment - 1))
        return INVALID_VALUE;
    if (alignment < GRANULARITY)
        alignment = GRANULARITY;
    struct range *range = calloc(1, sizeof *range);
    size_t room = size + alignment;
    char *got = !range || room < size ? MAP_FAILED : vacant(NULL, room);
    if (got == MAP_FAILED) {
        free(range);
        return OUT_OF_MEMORY;
    }
    char *start = got + (alignment - (uintptr_t)got % alignment) % alignment;
    if (start > got)
        munmap(got, (size_t)(start - got));
    munmap(start + size, (size_t)(got + room - (start + size)));
    range->start = (uint64_t)(uintptr_t)start;
    range->size = size;
    range->kind = RANGE_RESERVED;
    if (range_add(TABLE_RESERVED, range)) {
        munmap(start, size);
        free(range);
        return OUT_OF_MEMORY;
    }
    *address = range->start;
    return SUCCESS;
}

EXPORT CUresult cuMemAddressFree(CUdeviceptr address, size_t size)
{
    ENTER(cuMemAddressFree);
    struct range *range = range_find(TABLE_RESERVED, address);
    if (!range || range->start != address || range->size != size ||
        range_first(TABLE_DEVICE, address, size))
        return INVALID_VALUE;
    range_remove(TABLE_RESERVED, range);
    munmap((void *)(uintptr_t)address, size);
    free(range);
    return SUCCESS;
}

EXPORT CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmem handle,
                         unsigned long long flags)
{
    ENTER(cuMemMap);
    struct memory *memory = find(handle);
    struct range *reserved = range_find(TABLE_RESERVED, address);
    if (!memory || !reserved || flags || offset || size != memory->backing->size ||
        address % GRANULARITY || size > reserved->start + reserved->size - address ||
        range_first(TABLE_DEVICE, address, size))
        return INVALID_VALUE;
    struct range *range = calloc(1, sizeof *range);
    if (!range)
        return OUT_OF_MEMORY;
    void *place = (void *)(uintptr_t)address;
    if (mmap(place, size, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->backing->fd, 0) != place) {
        free(range);
        return OUT_OF_MEMORY;
    }
    madvise(place, size, MADV_DONTFORK);
    range->start = address;
    range->size = size;
    range->kind = RANGE_MAPPED;
    range->device = memory->prop.location.id;
    range->backing = memory->backing;
    range->memory = memory;
    if (range_add(TABLE_DEVICE, range)) {
        vacant(place, size);
        free(range);
        return OUT_OF_MEMORY;
    }
    memory->maps++;
    return SUCCESS;
}

/* Whole mappings without a gap, from `address` on; the first of them, or NULL. */
static struct range *whole(uint64_t address, size_t size)
{
    struct range *first = range_find(TABLE_DEVICE, address), *range = first;
    uint64_t end = address;
    if (!size)
        return NULL;
    for (; range && range->start == end && range->kind == RANGE_MAPPED;
         range = range_after(TABLE_DEVICE, range)) {
        end += range->size;
        if (end - address >= size)
            return end - address == size ? first : NULL;
    }
    return NULL;
}

EXPORT CUresult cuMemUnmap(CUdeviceptr address, size_t size)
{
    ENTER(cuMemUnmap);
    struct range *range = whole(address, size);
    if (!range)
        return INVALID_VALUE;
    work_dropped(address, size, "cuMemUnmap", false);
    vacant((void *)(uintptr_t)address, size);
    for (uint64_t end = address + size; range && range->start < end;) {
        struct range *next = range_after(TABLE_DEVICE, range);
        range_remove(TABLE_DEVICE, range);
        range->memory->maps--;
        drop_unused(range->memory);
        free(range);
        range = next;
    }
    return SUCCESS;
}

/* What the host may do is the most that any device may: NumPy computes in place of the devices. */
static bool protect(struct range *range)
{
    int most = ACCESS_NONE, pages[] = {PROT_NONE, PROT_READ, PROT_NONE, PROT_READ | PROT_WRITE};
    for (int i = 0; i < config.count; i++)
        if (range->access[i] > most)
            most = range->access[i];
    return !mprotect((void *)(uintptr_t)range->start, range->size, pages[most]);
}

EXPORT CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *desc,
                               size_t count)
{
    ENTER(cuMemSetAccess);
    struct range *first = whole(address, size);
    if (!first || !desc || !count)
        return INVALID_VALUE;
    uint64_t end = address + size;
    for (size_t i = 0; i < count; i++) {
        if (desc[i].location.type != LOCATION_DEVICE)
            return desc[i].location.type >= 2 && desc[i].location.type <= 4 ? NOT_SUPPORTED
                                                                            : INVALID_VALUE;
        if (desc[i].flags != ACCESS_NONE && desc[i].flags != ACCESS_READ &&
            desc[i].flags != ACCESS_READ_WRITE)
            return INVALID_VALUE;
        CHECK_DEVICE(desc[i].location.id);
        if (desc[i].flags == ACCESS_READ && !config.read_access)
            return NOT_SUPPORTED;
        int number = config.visible[desc[i].location.id];
        for (struct range *range = first; range && range->start < end;
             range = range_after(TABLE_DEVICE, range)) {
            int there = range->backing->number;
            if (number != there && desc[i].flags && !config.peer[number][there])
                return INVALID_DEVICE;
        }
    }
    for (struct range *range = first; range && range->start < end;
         range = range_after(TABLE_DEVICE, range)) {
        for (size_t i = 0; i < count; i++)
            range->access[desc[i].location.id] = (unsigned char)desc[i].flags;
        if (!protect(range))
            return OUT_OF_MEMORY;
    }
    return SUCCESS;
}

EXPORT CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location,
                               CUdeviceptr address)
{
    ENTER(cuMemGetAccess);
    struct range *range = range_find(TABLE_DEVICE, address);
    if (!flags || !location || location->type != LOCATION_DEVICE || !range ||
        range->kind != RANGE_MAPPED)
        return INVALID_VALUE;
    CHECK_DEVICE(location->id);
    *flags = range->access[location->id];
    return SUCCESS;
}
