/* What lies at which address, and the files below device memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "double.h"

static struct {
    struct range **at; /* by address */
    size_t count, room;
} tables[TABLES];
static size_t counts_of[RANGE_REGISTERED + 1], backings;
static uint64_t last_id;

/* Index of the first range that ends after the address. */
static size_t index_at(enum table table, uint64_t address)
{
    size_t low = 0, high = tables[table].count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        struct range *range = tables[table].at[middle];
        if (range->start + range->size > address)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct range *range_first(enum table table, uint64_t address, size_t size)
{
    size_t i = index_at(table, address);
    if (i == tables[table].count || !size)
        return NULL;
    struct range *range = tables[table].at[i];
    return range->start - address < size || range->start <= address ? range : NULL;
}

struct range *range_find(enum table table, uint64_t address)
{
    return range_first(table, address, 1);
}

struct range *range_after(enum table table, const struct range *range)
{
    size_t i = index_at(table, range->start) + 1;
    return i < tables[table].count ? tables[table].at[i] : NULL;
}

CUresult range_add(enum table table, struct range *range)
{
    size_t i = index_at(table, range->start), count = tables[table].count;
    if (count == tables[table].room) {
        size_t room = count ? 2 * count : 64;
        void *at = realloc(tables[table].at, room * sizeof *tables[table].at);
        if (!at)
            return OUT_OF_MEMORY;
        tables[table].at = at;
        tables[table].room = room;
    }
    struct range **place = tables[table].at + i;
    memmove(place + 1, place, (count - i) * sizeof *place);
    *place = range;
    range->id = ++last_id;
    tables[table].count++;
    counts_of[range->kind]++;
    return SUCCESS;
}

void range_remove(enum table table, struct range *range)
{
    size_t i = index_at(table, range->start);
    struct range **place = tables[table].at + i;
    tables[table].count--;
    memmove(place, place + 1, (tables[table].count - i) * sizeof *place);
    counts_of[range->kind]--;
}

size_t range_count(int kind)
{
    return counts_of[kind];
}

bool device_access(uint64_t address, size_t size, int device, bool write)
{
    while (size) {
        struct range *range = range_find(TABLE_DEVICE, address);
        if (!range)
            return false;
        if (range->kind == RANGE_MAPPED) {
            int least = write ? ACCESS_READ_WRITE : ACCESS_READ;
            bool can = range->access[range->device] >= least;
            if (device >= 0)
                can = can || range->access[device] >= least;
            if (!can)
                return false;
        }
        uint64_t rest = range->start + range->size - address;
        if (rest >= size)
            return true;
        address += rest;
        size -= rest;
    }
    return true;
}

static void uuid_text(int number, char text[33])
{
    CUuuid uuid = uuid_of(number);
    for (int i = 0; i < 16; i++)
        sprintf(text + 2 * i, "%02x", uuid.bytes[i]);
}

/* Takes the descriptor over. */
struct backing *backing_add(int fd, int number, size_t size, bool limited, CUresult *rc)
{
    struct stat status;
    struct backing *backing = calloc(1, sizeof *backing);
    *rc = OUT_OF_MEMORY;
    if (!backing || fstat(fd, &status)) {
        close(fd);
        free(backing);
        return NULL;
    }
    *backing = (struct backing){fd, number, -1, status.st_ino, size, 1};
    *rc = machine_take(number, size, backing->inode, limited, &backing->slot);
    if (*rc) {
        close(fd);
        free(backing);
        return NULL;
    }
    backings++;
    return backing;
}

/* Memory of a device is a sealed memfd, whose name says of which device and how much it is. */
struct backing *backing_new(int number, size_t size, CUresult *rc)
{
    char name[128], digits[33];
    uuid_text(number, digits);
    snprintf(name, sizeof name, MARK ":%s:%zx", digits, size);
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    *rc = OUT_OF_MEMORY;
    if (fd < 0)
        return NULL;
    if (ftruncate(fd, (off_t)size) ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)) {
        close(fd);
        return NULL;
    }
    return backing_add(fd, number, size, true, rc);
}

/* What a descriptor says it is, found without opening it: a FIFO would wait, a device act. */
static bool exported(int fd, char digits[33], size_t *size)
{
    char link[64], name[256];
    struct stat status;
    int used = 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, name, sizeof name - 1);
    if (fd < 0 || length <= 0)
        return false;
    name[length] = 0;
    if (sscanf(name, "/memfd:" MARK ":%32[0-9a-f]:%zx (deleted)%n", digits, size, &used) != 2 ||
        used != length)
        return false;
    return !fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_nlink == 0 &&
           (size_t)status.st_size == *size && *size && *size % GRANULARITY == 0;
}

struct backing *backing_of(int fd, CUresult *rc)
{
    char link[64], digits[33];
    size_t size;
    *rc = INVALID_VALUE;
    if (!exported(fd, digits, &size))
        return NULL;
    int number = number_of_uuid(digits);
    if (number < 0)
        return NULL;
    if (ordinal_of(number) < 0) {
        *rc = INVALID_DEVICE;
        return NULL;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int own = open(link, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (own < 0)
        return NULL;
    int seals = fcntl(own, F_GET_SEALS), needed = F_SEAL_SHRINK | F_SEAL_GROW;
    if (seals < 0 || (seals & needed) != needed) {
        close(own);
        return NULL;
    }
    return backing_add(own, number, size, false, rc);
}

void backing_drop(struct backing *backing)
{
    if (--backing->refs)
        return;
    close(backing->fd);
    machine_drop(backing->slot);
    free(backing);
    backings--;
}

size_t backing_count(void)
{
    return backings;
}
