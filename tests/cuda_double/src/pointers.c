/* cuPointerGetAttribute: what lies at an address. */
#include <string.h>

#include "double.h"

enum {
    CONTEXT = 1,
    MEMORY_TYPE,
    DEVICE_POINTER,
    HOST_POINTER,
    SYNC_MEMOPS = 6,
    BUFFER_ID,
    IS_MANAGED,
    DEVICE_ORDINAL,
    LEGACY_IPC_CAPABLE,
    RANGE_START,
    RANGE_SIZE,
    MAPPED,
    ALLOWED_HANDLES,
    RDMA_CAPABLE,
    ACCESS_FLAGS,
    POOL_HANDLE,
    MAPPING_SIZE,
    MAPPING_BASE,
    BLOCK_ID,
};
enum { MEMORY_HOST = 1, MEMORY_DEVICE = 2 };

static size_t size_of(int attribute)
{
    switch (attribute) {
    case SYNC_MEMOPS: case IS_MANAGED: case LEGACY_IPC_CAPABLE: case MAPPED: case RDMA_CAPABLE:
        return 1;
    case MEMORY_TYPE: case DEVICE_ORDINAL: case ACCESS_FLAGS:
        return 4;
    case CONTEXT: case DEVICE_POINTER: case HOST_POINTER: case BUFFER_ID: case RANGE_START:
    case RANGE_SIZE: case ALLOWED_HANDLES: case POOL_HANDLE: case MAPPING_SIZE: case MAPPING_BASE:
    case BLOCK_ID:
        return 8;
    }
    return 0;
}

/* The value, in the low bytes; false where the attribute has none for this memory. */
static bool value_of(int attribute, uint64_t address, const struct range *range, uint64_t *value)
{
    bool host = range->kind >= RANGE_PINNED, mapping = range->kind == RANGE_MAPPED;
    const struct range *outer = mapping ? range_find(TABLE_RESERVED, range->start) : range;
    *value = 0;
    switch (attribute) {
    case CONTEXT: *value = range->context; break;
    case MEMORY_TYPE: *value = host ? MEMORY_HOST : MEMORY_DEVICE; break;
    case DEVICE_POINTER: *value = address; break;
    case HOST_POINTER: *value = address; return host;
    case SYNC_MEMOPS: case IS_MANAGED: case RDMA_CAPABLE: case POOL_HANDLE: break;
    case BUFFER_ID: case BLOCK_ID: *value = range->id; break;
    case DEVICE_ORDINAL: *value = (uint64_t)range->device; break;
    case LEGACY_IPC_CAPABLE: *value = range->kind == RANGE_ALLOCATED; break;
    case RANGE_START: *value = outer->start; break;
    case RANGE_SIZE: *value = outer->size; break;
    case MAPPING_BASE: *value = range->start; break;
    case MAPPING_SIZE: *value = range->size; break;
    case MAPPED: *value = 1; break;
    case ALLOWED_HANDLES:
        *value = mapping ? (uint64_t)range->memory->prop.handle_types : 0;
        break;
    case ACCESS_FLAGS: {
        struct context *context;
        if (!mapping)
            *value = ACCESS_READ_WRITE;
        else if (!current_context(&context))
            *value = range->access[context->device];
        break;
    }
    }
    return true;
}

static const struct range *range_of(uint64_t address)
{
    const struct range *range = range_find(TABLE_DEVICE, address);
    return range ? range : range_find(TABLE_HOST, address);
}

EXPORT CUresult cuPointerGetAttribute(void *data, int attribute, CUdeviceptr address)
{
    ENTER(cuPointerGetAttribute);
    const struct range *range = range_of(address);
    uint64_t value;
    if (!data || !size_of(attribute) || !range || !value_of(attribute, address, range, &value))
        return INVALID_VALUE;
    memcpy(data, &value, size_of(attribute));
    return SUCCESS;
}

/* Zeros for an address that the driver does not know. */
EXPORT CUresult cuPointerGetAttributes(unsigned count, const int *attributes, void **data,
                                       CUdeviceptr address)
{
    ENTER(cuPointerGetAttributes);
    const struct range *range = range_of(address);
    if (!count || !attributes || !data)
        return INVALID_VALUE;
    for (unsigned i = 0; i < count; i++)
        if (!size_of(attributes[i]) || !data[i])
            return INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = 0;
        if (!range)
            value = attributes[i] == DEVICE_ORDINAL ? (uint64_t)-2 : 0;
        else if (!value_of(attributes[i], address, range, &value))
            value = 0;
        memcpy(data[i], &value, size_of(attributes[i]));
    }
    return SUCCESS;
}
