/* The ledger: per process one sealed sparse memfd of tickets, one a message. The sender keeps what
   it sent until the ticket is marked opened by whoever opened it first. A word is a sequence and a
   state, so a reused place is never taken for an older message. */
#include "core.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LEDGER_BYTES ((size_t)SA_TICKETS * 8)
#define PEERS 64 /* ledgers of other processes kept mapped */

typedef struct {
    sa_segment *seg;
    char *p;       /* own block, or NULL: the attached segment */
    uint64_t sequence;
    uint32_t next; /* free list, or place in the pending list */
} slot;

static uint64_t own_id[2];
static int own_fd = -1;
static uint64_t *own;
static slot *slots;
static uint32_t nslots, slots_cap, first_free = UINT32_MAX;
static uint32_t *pending, npending, pending_cap, cursor;
static uint64_t last_sequence;

static struct {
    uint64_t id[2];
    uint64_t *words;
    uint64_t used;
} peer[PEERS];
static uint64_t peer_clock;

static int ledger_ready(void) {
    if (own) return 0;
    int rc = sa_random_id(own_id);
    if (rc < 0) return rc;
    char name[SA_NAME];
    sa_segment_name(own_id, name);
    rc = sa_memfd(name, LEDGER_BYTES, &own_fd);
    if (rc < 0) return rc;
    void *m = mmap(NULL, LEDGER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, own_fd, 0);
    if (m == MAP_FAILED) {
        rc = -errno;
        close(own_fd);
        own_fd = -1;
        return rc;
    }
    own = m;
    return 0;
}

static int grow(void) {
    if (first_free != UINT32_MAX) return 0;
    if (nslots == SA_TICKETS) return -ENOSPC;
    if (nslots == slots_cap) {
        uint32_t c = slots_cap ? slots_cap * 2 : 256;
        slot *s = realloc(slots, c * sizeof *s);
        if (!s) return -ENOMEM;
        slots = s;
        slots_cap = c;
    }
    if (npending >= pending_cap || pending_cap < slots_cap) {
        uint32_t *q = realloc(pending, slots_cap * sizeof *q);
        if (!q) return -ENOMEM;
        pending = q;
        pending_cap = slots_cap;
    }
    slots[nslots].next = UINT32_MAX;
    first_free = nslots++;
    return 0;
}

int sa_ticket_new(void *p, sa_ticket *out) {
    sa_lock();
    sa_ticket_sweep(64);
    int rc = ledger_ready();
    if (!rc) rc = grow();
    sa_segment *seg = sa_segment_at(p);
    if (!rc && !seg) rc = -EINVAL;
    char *block = NULL;
    if (!rc) {
        if (seg->kind == SA_ATTACHED || seg->inherited) {
            seg->refs++;
        } else {
            sa_span *s;
            sa_block *b = sa_block_lookup(seg, p, &s);
            if (b && b->refs) {
                b->refs++;
                sa_block_publish(s, b);
                block = s->base + (size_t)(b - s->blocks) * s->size;
            } else {
                rc = -EINVAL;
            }
        }
    }
    if (!rc) {
        uint32_t i = first_free;
        first_free = slots[i].next;
        slots[i] = (slot){seg, block, ++last_sequence, 0};
        pending[npending++] = i;
        __atomic_store_n(&own[i], last_sequence << 2 | SA_PENDING, __ATOMIC_RELEASE);
        out->id[0] = own_id[0];
        out->id[1] = own_id[1];
        out->fd = own_fd;
        out->index = i;
        out->sequence = last_sequence;
    }
    sa_unlock();
    return rc;
}

static void let_go(uint32_t at) {
    uint32_t i = pending[at];
    pending[at] = pending[--npending];
    slot s = slots[i];
    slots[i].next = first_free;
    slots[i].seg = NULL;
    first_free = i;
    if (s.p) sa_block_unref(s.seg, s.p);
    else sa_segment_unref(s.seg);
}

void sa_ticket_sweep(uint32_t most) {
    if (most > npending) most = npending;
    for (uint32_t k = 0; k < most && npending; k++) {
        if (cursor >= npending) cursor = 0;
        uint32_t i = pending[cursor];
        if (__atomic_load_n(&own[i], __ATOMIC_ACQUIRE) == (slots[i].sequence << 2 | SA_OPENED)) let_go(cursor);
        else cursor++;
    }
}

/* A message that will not be sent after all. */
void sa_ticket_cancel(uint32_t index, uint64_t sequence) {
    sa_lock();
    for (uint32_t k = 0; k < npending; k++)
        if (pending[k] == index && slots[index].sequence == sequence) {
            let_go(k);
            break;
        }
    sa_unlock();
}

uint64_t sa_in_flight(void) {
    uint64_t sum = 0; /* each block once, however often it was sent */
    for (uint32_t k = 0; k < npending; k++) sum += sa_bytes_at(slots[pending[k]].seg, slots[pending[k]].p, true);
    for (uint32_t k = 0; k < npending; k++) (void)sa_bytes_at(slots[pending[k]].seg, slots[pending[k]].p, false);
    return sum;
}

/* ---- ledgers of others ---- */

static int find_peer(const uint64_t id[2]) {
    for (int i = 0; i < PEERS; i++)
        if (peer[i].words && peer[i].id[0] == id[0] && peer[i].id[1] == id[1]) return i;
    return -1;
}

int sa_ledger_known(const uint64_t id[2]) {
    sa_lock();
    bool known = (own && id[0] == own_id[0] && id[1] == own_id[1]) || find_peer(id) >= 0;
    sa_unlock();
    return known;
}

int sa_ledger_map(const uint64_t id[2], int fd) {
    int rc = 0;
    void *m = mmap(NULL, LEDGER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (m == MAP_FAILED) rc = -errno;
    close(fd);
    if (rc) return rc;
    sa_lock();
    int at = 0;
    if (find_peer(id) >= 0) {
        munmap(m, LEDGER_BYTES);
    } else {
        for (int i = 0; i < PEERS; i++) {
            if (!peer[i].words) {
                at = i;
                break;
            }
            if (peer[i].used < peer[at].used) at = i;
        }
        if (peer[at].words) munmap(peer[at].words, LEDGER_BYTES);
        peer[at].id[0] = id[0];
        peer[at].id[1] = id[1];
        peer[at].words = m;
        peer[at].used = ++peer_clock;
    }
    sa_unlock();
    return 0;
}

/* Another process may have put anything into the words: they are compared, never used. */
void sa_ticket_opened(const uint64_t id[2], uint32_t index, uint64_t sequence) {
    if (index >= SA_TICKETS) return;
    sa_lock();
    uint64_t *words = NULL;
    int i;
    if (own && id[0] == own_id[0] && id[1] == own_id[1]) words = own;
    else if ((i = find_peer(id)) >= 0) {
        words = peer[i].words;
        peer[i].used = ++peer_clock;
    }
    if (words) {
        uint64_t was = sequence << 2 | SA_PENDING;
        __atomic_compare_exchange_n(&words[index], &was, sequence << 2 | SA_OPENED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
    sa_unlock();
}

int sa_ledger_fd(const uint64_t id[2]) {
    return own && id[0] == own_id[0] && id[1] == own_id[1] ? own_fd : -1;
}

/* The child has sent nothing yet: its parent's tickets are its parent's. */
void sa_ledger_after_fork_child(void) {
    while (npending) let_go(npending - 1);
    if (own) munmap(own, LEDGER_BYTES);
    if (own_fd >= 0) close(own_fd);
    own = NULL;
    own_fd = -1;
    nslots = 0;
    first_free = UINT32_MAX;
    cursor = 0;
}
