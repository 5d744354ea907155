/* Handles are numbers that are never used twice; what they stand for is looked up. */
#include "double.h"

#define BUCKETS 1024

static struct object *buckets[KINDS][BUCKETS];
static uint64_t last[KINDS];
static size_t living[KINDS];

void object_add(struct object *object, enum kind kind)
{
    uint64_t number = ++last[kind];
    object->kind = kind;
    object->handle = ((uint64_t)(kind + 1) << 44) | number << 4;
    struct object **bucket = &buckets[kind][number % BUCKETS];
    object->next = *bucket;
    *bucket = object;
    living[kind]++;
}

void object_remove(struct object *object)
{
    struct object **at = &buckets[object->kind][(object->handle >> 4) % BUCKETS];
    while (*at != object)
        at = &(*at)->next;
    *at = object->next;
    living[object->kind]--;
}

void *object_find(enum kind kind, uint64_t handle)
{
    struct object *object = buckets[kind][(handle >> 4) % BUCKETS];
    while (object && object->handle != handle)
        object = object->next;
    return object;
}

/* The one with the next higher handle; NULL starts, and NULL ends. */
void *object_next(enum kind kind, const void *after)
{
    const struct object *object = after;
    struct object *best = NULL;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct object *other = buckets[kind][i]; other; other = other->next)
            if ((!object || other->handle > object->handle) &&
                (!best || other->handle < best->handle))
                best = other;
    return best;
}

size_t object_count(enum kind kind)
{
    return living[kind];
}
