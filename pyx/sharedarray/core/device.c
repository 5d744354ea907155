#include "device.h"
#include "pool.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define BUCKETS 1024

typedef struct described {
    uint64_t id[2], size;
    int fd;
    sa_file file;
    struct described *next;
} described;

typedef struct note {
    const void *p;
    uint64_t serial, id[2];
    bool recycled;
    struct note *next;
} note;

static described *all;
static note *bucket[BUCKETS];

static described *find(const uint64_t id[2]) {
    for (described *d = all; d; d = d->next)
        if (d->id[0] == id[0] && d->id[1] == id[1]) return d;
    return NULL;
}

static note **place_of(const void *p, uint64_t serial) {
    note **at = &bucket[((uintptr_t)p >> 6) % BUCKETS];
    while (*at && ((*at)->p != p || (*at)->serial != serial)) at = &(*at)->next;
    return at;
}

int sa_device_put(const uint64_t id[2], uint64_t size, int fd) {
    described *d = malloc(sizeof *d);
    if (!d) return -ENOMEM;
    *d = (described){.id = {id[0], id[1]}, .size = size, .fd = fd};
    sa_file_note(fd, &d->file);
    sa_lock();
    d->next = all;
    all = d;
    sa_unlock();
    return 0;
}

void sa_device_remove(const uint64_t id[2], int fd) {
    sa_lock();
    for (described **at = &all; *at; at = &(*at)->next)
        if ((*at)->id[0] == id[0] && (*at)->id[1] == id[1] && (*at)->fd == fd) {
            described *d = *at;
            *at = d->next;
            free(d);
            break;
        }
    sa_unlock();
}

int sa_device_note(void *p, uint64_t serial, const uint64_t id[2]) {
    note *n = malloc(sizeof *n);
    if (!n) return -ENOMEM;
    *n = (note){p, serial, {id[0], id[1]}, false, NULL};
    sa_lock();
    sa_segment *seg = sa_segment_at(p);
    sa_span *s;
    sa_block *b = seg && is_own(seg) ? sa_block_lookup(seg, p, &s) : NULL;
    if (b && b->serial == serial) b->device = true;
    note **at = place_of(p, serial);
    if (*at) free(n);
    else *at = n;
    sa_unlock();
    return 0;
}

void sa_device_forget(const void *p, uint64_t serial) {
    sa_lock();
    note **at = place_of(p, serial), *n = *at;
    if (n) *at = n->next;
    sa_unlock();
    free(n);
}

bool sa_device_in_flight(const void *p) {
    sa_lock();
    sa_ticket_sweep_of(p);
    bool is = sa_ticket_pending(p);
    sa_unlock();
    return is;
}

bool sa_device_unreachable(const void *p, uint64_t serial) {
    sa_lock();
    note *n = *place_of(p, serial);
    bool is = !n || n->recycled;
    sa_unlock();
    return is;
}

void sa_device_recycled(const void *p, uint64_t serial) {
    note *n = *place_of(p, serial);
    if (n) n->recycled = true;
}

int sa_device_fd(const uint64_t id[2], uint64_t size) {
    described *d = find(id);
    return d && d->size == size && sa_file_at(d->fd, &d->file) ? d->fd : -1;
}

int sa_device_of(const void *p, uint64_t id[2], uint64_t *size) {
    note *n = bucket[((uintptr_t)p >> 6) % BUCKETS];
    while (n && (n->p != p || n->recycled)) n = n->next;
    described *d = n ? find(n->id) : NULL;
    if (!d) return -1;
    id[0] = d->id[0];
    id[1] = d->id[1];
    *size = d->size;
    return sa_device_fd(id, d->size);
}

/* The device is its parent's: a child cannot use it, and must not keep its memory. */
void sa_device_after_fork_child(void) {
    while (all) {
        described *d = all;
        all = d->next;
        sa_file_close(d->fd, &d->file);
        free(d);
    }
    for (int i = 0; i < BUCKETS; i++)
        while (bucket[i]) {
            note *n = bucket[i];
            bucket[i] = n->next;
            free(n);
        }
}
