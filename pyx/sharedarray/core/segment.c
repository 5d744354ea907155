/* Segments: sealed memfds mapped into the reserved range. Own ones are created here; those of
   other processes are attached from a verified descriptor, shared by all who hold a part, and kept
   mapped for a while after the last holder has gone. */
#include "core.h"
#include "device.h"
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* Unused mappings of other processes' segments that are kept: at most so many and so many bytes. */
#define KEEP_COUNT 32
#define KEEP_BYTES ((uint64_t)4 << 30)
static uint64_t keep_bytes = KEEP_BYTES;

pthread_mutex_t sa_mutex = PTHREAD_MUTEX_INITIALIZER;
sa_segment *sa_segments;
uint32_t sa_ndescriptors;

#define BUCKETS 4096
static sa_segment *bucket[BUCKETS];

double sa_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

size_t sa_descriptor_budget(void) {
    struct rlimit lim;
    size_t most = 16384; /* a mapping each: far below vm.max_map_count's 65,530 */
    if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur / 2 > most) return most;
    return lim.rlim_cur / 2;
}

static void link_segment(sa_segment *seg) {
    seg->prev = NULL;
    seg->next = sa_segments;
    if (sa_segments) sa_segments->prev = seg;
    sa_segments = seg;
    sa_segment **b = &bucket[seg->id[0] % BUCKETS];
    seg->next_id = *b;
    *b = seg;
    if (seg->fd >= 0) {
        sa_file_note(seg->fd, &seg->file);
        sa_ndescriptors++;
    }
}

static void unlink_segment(sa_segment *seg) {
    if (seg->prev) seg->prev->next = seg->next;
    else sa_segments = seg->next;
    if (seg->next) seg->next->prev = seg->prev;
    for (sa_segment **b = &bucket[seg->id[0] % BUCKETS]; *b; b = &(*b)->next_id)
        if (*b == seg) {
            *b = seg->next_id;
            break;
        }
    if (seg->fd >= 0) sa_ndescriptors--;
}

/* Whether the segment's descriptor still is this segment's; where the program has closed the number,
   it is forgotten. Lock held. */
bool sa_segment_has_fd(sa_segment *seg) {
    if (seg->fd >= 0 && !sa_file_at(seg->fd, &seg->file)) {
        seg->fd = -1;
        sa_ndescriptors--;
    }
    return seg->fd >= 0;
}

void sa_segment_forget_fd(sa_segment *seg) {
    if (!sa_segment_has_fd(seg)) return;
    close(seg->fd);
    seg->fd = -1;
    sa_ndescriptors--;
}

/* As sa_segment_has_fd(), from memory if it was seen lately. */
bool sa_segment_names_fd(sa_segment *seg) {
    double now = sa_now();
    if (seg->fd >= 0 && now - seg->looked < 0.5) return true;
    seg->looked = now;
    return sa_segment_has_fd(seg);
}

sa_segment *sa_segment_find(const uint64_t id[2]) {
    for (sa_segment *s = bucket[id[0] % BUCKETS]; s; s = s->next_id)
        if (s->id[0] == id[0] && s->id[1] == id[1]) return s;
    return NULL;
}

/* Map seg->fd at fresh addresses. Lock held. */
static int map_segment(sa_segment *seg, bool writable) {
    seg->nslots = (seg->size + SA_SLOT - 1) / SA_SLOT;
    int rc = sa_range_take(seg->nslots, &seg->base);
    if (rc) return rc;
    int prot = PROT_READ | (writable ? PROT_WRITE : 0);
    if (mmap(seg->base, seg->size, prot, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, seg->fd, 0) == MAP_FAILED) {
        rc = -errno;
        sa_range_give(seg->base, seg->nslots);
        return rc;
    }
    seg->writable = writable;
    sa_range_mark(seg->base, seg->nslots, seg);
    return 0;
}

int sa_segment_create(size_t size, int kind, sa_segment **out) {
    sa_segment *seg = calloc(1, sizeof *seg);
    if (!seg) return -ENOMEM;
    int rc = sa_random_id(seg->id);
    if (rc < 0) goto fail;
    char name[SA_NAME];
    sa_segment_name(seg->id, name);
    seg->size = size;
    seg->kind = (uint8_t)kind;
    rc = sa_memfd(name, size, &seg->fd);
    if (rc < 0) goto fail;
    rc = map_segment(seg, true);
    if (rc < 0) {
        close(seg->fd);
        goto fail;
    }
    link_segment(seg);
    sa_note_made(seg);
    *out = seg;
    return 0;
fail:
    free(seg);
    return rc;
}

void sa_segment_release(sa_segment *seg, bool retire) {
    (void)sa_segment_has_fd(seg);
    unlink_segment(seg);
    sa_note_gone(seg);
    /* F_SEAL_SEAL on an own segment tells receivers that its creator has let go of it. */
    if (retire && seg->fd >= 0) (void)fcntl(seg->fd, F_ADD_SEALS, F_SEAL_SEAL);
    sa_range_give(seg->base, seg->nslots);
    if (seg->fd >= 0) close(seg->fd);
    free(seg->whole);
    free(seg->pagemap);
    free(seg->runs);
    free(seg);
}

/* Two system calls do the same; a seccomp filter may know one of them only. */
int sa_segment_punch(sa_segment *seg, size_t from, size_t n) {
    if (sa_segment_has_fd(seg) && !fallocate(seg->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)n)) return 0;
    return madvise(seg->base + from, n, MADV_REMOVE) ? -errno : 0;
}

/* ---- attached segments ---- */

static bool retired(sa_segment *seg) {
    int seals = sa_segment_has_fd(seg) ? fcntl(seg->fd, F_GET_SEALS) : -1;
    return seals < 0 || (seals & F_SEAL_SEAL) || (kill(seg->creator_pid, 0) && errno == ESRCH);
}

/* The cache's bound holds for them too. */
void sa_attached_set_cap(uint64_t bytes) { keep_bytes = bytes < KEEP_BYTES ? bytes : KEEP_BYTES; }

static bool is_attached(const sa_segment *seg) { return seg->kind == SA_ATTACHED || seg->inherited; }

/* The mapping of that segment if there is a fitting one, with a reference taken; *rc 1 = own. */
sa_segment *sa_attached_hold(const uint64_t id[2], uint64_t size, bool writable, int *rc) {
    sa_segment *found = NULL;
    *rc = 0;
    sa_lock();
    sa_segment *seg = sa_segment_find(id);
    if (!seg) goto out;
    if (seg->size != size) *rc = -EINVAL;
    else if (!is_attached(seg)) *rc = 1;
    else if (writable && !seg->writable) goto out; /* to be upgraded by sa_attach_fd */
    else if (!writable && seg->writable && seg->kind == SA_ATTACHED && !seg->refs)
        sa_segment_release(seg, false); /* unused: attach anew, read-only */
    else {
        seg->refs++;
        found = seg;
    }
out:
    sa_unlock();
    return found;
}

/* Descriptors are numbered from the lowest that is free: so many must be left for the program. */
static bool last_descriptors(int fd) {
    struct rlimit lim;
    if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur == RLIM_INFINITY) return false;
    rlim_t spare = lim.rlim_cur / 8 < 16 ? lim.rlim_cur / 8 : 16;
    return (rlim_t)fd >= lim.rlim_cur - spare;
}

int sa_attach_fd(const uint64_t id[2], uint64_t size, int fd, bool writable, int32_t creator_pid,
                 int32_t creator_fd, uint64_t creator_start, sa_segment **out) {
    int rc = 0;
    sa_lock();
    sa_segment *seg = sa_segment_find(id);
    if (seg && (!is_attached(seg) || seg->size != size)) {
        rc = -EINVAL;
        goto done;
    }
    if (seg && writable && !seg->writable) { /* upgrade in place: the addresses stay, and the descriptor's number, which messages name */
        bool had = sa_segment_has_fd(seg);
        if (mmap(seg->base, seg->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, fd, 0) == MAP_FAILED || (had && dup3(fd, seg->fd, O_CLOEXEC) < 0)) {
            rc = -errno;
            goto done;
        }
        if (!had) {
            seg->fd = fd;
            fd = -1;
            sa_ndescriptors++;
        }
        seg->writable = true;
    }
    if (!seg) {
        sa_attached_purge(false);
        if (last_descriptors(fd) && !sa_attached_purge(true)) {
            rc = -EMFILE;
            goto done;
        }
        seg = calloc(1, sizeof *seg);
        if (!seg) {
            rc = -ENOMEM;
            goto done;
        }
        seg->id[0] = id[0];
        seg->id[1] = id[1];
        seg->size = size;
        seg->kind = SA_ATTACHED;
        seg->fd = fd;
        seg->creator_pid = creator_pid;
        seg->creator_fd = creator_fd;
        seg->creator_start = creator_start;
        rc = map_segment(seg, writable);
        if (rc == -ENOMEM && sa_attached_purge(true)) rc = map_segment(seg, writable);
        if (rc) {
            free(seg);
            goto done;
        }
        link_segment(seg);
        fd = -1;
    }
    seg->refs++;
    *out = seg;
done:
    sa_unlock();
    if (fd >= 0) close(fd);
    return rc;
}

void sa_segment_ref(sa_segment *seg) {
    sa_lock();
    seg->refs++;
    sa_unlock();
}

/* Let go of unused mappings: all, or those that are retired, too many or too old. */
size_t sa_attached_purge(bool all) {
    size_t bytes = 0;
    uint64_t kept = 0;
    uint32_t count = 0;
    sa_segment *next;
    for (sa_segment *s = sa_segments; s; s = next) { /* newest first */
        next = s->next;
        if (s->kind != SA_ATTACHED || s->refs) continue;
        if (all || count >= KEEP_COUNT || kept + s->size > keep_bytes || retired(s)) {
            bytes += s->size;
            sa_segment_release(s, false);
        } else {
            count++;
            kept += s->size;
        }
    }
    return bytes;
}

uint64_t sa_attached_bytes(bool used) {
    uint64_t sum = 0;
    for (sa_segment *s = sa_segments; s; s = s->next)
        if (s->kind == SA_ATTACHED && (s->refs != 0) == used) sum += s->size;
    return sum;
}

/* Lock held. */
void sa_segment_unref(sa_segment *seg) {
    if (seg->refs && --seg->refs) return;
    if (seg->kind == SA_SPANS) return; /* inherited arena: mapped until this process ends */
    if (seg->inherited) {
        sa_segment_release(seg, false);
        return;
    }
    /* The hot path asks the kernel at most twice a second. */
    static double asked = -1.0;
    static size_t budget;
    double now = sa_now();
    if (now - asked > 0.5) {
        asked = now;
        budget = sa_descriptor_budget();
    }
    bool ask = now - seg->unused_since > 0.5;
    seg->unused_since = now;
    if ((ask && retired(seg)) || sa_attached_bytes(false) > keep_bytes || sa_ndescriptors > budget)
        sa_segment_release(seg, false);
}

void sa_segment_drop(sa_segment *seg) {
    sa_lock();
    sa_segment_unref(seg);
    sa_unlock();
}

/* ---- for the server of descriptors ---- */

/* A fresh descriptor of a segment held here, of this process's ledger, or of device memory; -errno. */
int sa_served_descriptor(const uint64_t id[2], uint64_t size, int writable) {
    int fd = -ENOENT;
    sa_lock();
    sa_segment *seg = sa_segment_find(id);
    int from = seg && seg->size == size && (seg->writable || !writable) ? (sa_segment_has_fd(seg) ? seg->fd : -EBADF) : sa_ledger_fd(id);
    if (from < 0) {
        int device = sa_device_fd(id, size); /* it cannot be reopened: a duplicate */
        if (device >= 0) {
            from = device;
            writable = 1;
        }
    }
    if (from >= 0) fd = sa_fd_again(from, writable);
    sa_unlock();
    return fd;
}
