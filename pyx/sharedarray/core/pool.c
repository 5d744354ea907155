/* The pool: blocks of shared segments, recycled warm. Small blocks are cut from spans of pages,
   larger ones are spans, the largest are segments of their own. */
#include "pool.h"
#include "limits.h"

#include <errno.h>
#include <string.h>

#define SPARE ((uint64_t)1 << 20) /* bytes that small requests leave to the rest of the program */
#define HUGE_TIME 0.010 /* seconds spent on huge pages in one allocation */

sa_pool_state sa_pool = {.cap = (uint64_t)1 << 30};
__thread int sa_failure;

static double last_decay;

/* ---- giving back ---- */

static size_t trim(void) {
    if (sa_pool.fork_serial) sa_pool.fork_serial = sa_witness_serial();
    sa_local_flush();
    sa_limbo_sweep(UINT32_MAX);
    sa_limbo_give_back();
    sa_peers_purge(true);
    size_t bytes = sa_flush_cached(-1.0);
    for (uint32_t i = sa_pool.narenas; i-- > 0;)
        if (!sa_pool.arenas[i]->live) sa_arena_release(sa_pool.arenas[i]);
    sa_punch_runs();
    bytes += sa_attached_purge(true);
    sa_range_retry();
    return bytes;
}

void sa_pool_settle(void) {
    sa_lock();
    sa_ticket_sweep(UINT32_MAX);
    sa_limbo_sweep(UINT32_MAX);
    sa_unlock();
}

size_t sa_pool_trim(void) {
    sa_lock();
    sa_ticket_sweep(UINT32_MAX);
    size_t bytes = trim();
    sa_unlock();
    return bytes;
}

static void decay(void) {
    double now = sa_now();
    if (now - last_decay < 1.0) return;
    last_decay = now;
    if (sa_flush_cached(DECAY_TIME)) sa_punch_runs();
}

void sa_pool_set_cap(uint64_t bytes) {
    sa_pool.cap = bytes;
    sa_attached_set_cap(bytes);
}

/* ---- allocation ---- */

/* sa_pool.stats.allocated wraps below zero when threads of their own count what others took. */
static void note_peak(void) {
    uint64_t now = sa_pool.stats.allocated + (uint64_t)sa_local_allocated();
    if ((int64_t)now > (int64_t)sa_pool.stats.peak) sa_pool.stats.peak = now;
}

void sa_count_alloc(size_t n) {
    sa_pool.stats.allocated += n;
    note_peak();
}

void sa_count_local(int64_t allocated) { sa_pool.stats.allocated += (uint64_t)allocated; }

uint64_t sa_serials(uint32_t n) {
    uint64_t last = sa_pool.serial;
    sa_pool.serial += n;
    return last;
}

static void *take_block(sa_span *s) {
    uint32_t i = s->stack[--s->nfree];
    if (!s->nfree) sa_list_remove(s);
    sa_block *b = &s->blocks[i];
    b->serial = ++sa_pool.serial;
    sa_refs_set(b, 1);
    b->published = false;
    s->seg->live++;
    return s->base + (size_t)i * s->size;
}

static int whole_new(uint32_t cls, sa_span **out) {
    sa_segment *seg;
    size_t size = round_up(class_size(cls), SA_SLOT);
    int rc = sa_segment_create(size, SA_WHOLE, &seg);
    if (rc) return rc;
    sa_span *s = sa_span_new(seg, cls, 1);
    if (!s) {
        sa_segment_release(seg, false);
        return -ENOMEM;
    }
    seg->whole = s;
    s->base = seg->base;
    *out = s;
    return 0;
}

/* Fresh bytes that may be handed out before the limits are asked again, which takes 0.2 ms. */
static uint64_t promised;
static double promised_at;

static bool room_for(size_t n, uint64_t cached, unsigned kinds) {
    uint64_t room;
    char which[SA_LIMIT_NAME];
    if (sa_memory_limit("", kinds, &room, which)) room = (uint64_t)1 << 40; /* cannot be told: let the kernel decide */
    promised = room > n ? (room - n) / 4 : 0;
    uint64_t more = n / 128 + (n < WHOLE_MIN ? SPARE : 0); /* page tables; what handling the error takes */
    return n + more <= room + cached;
}

/* Would the machine or the cgroup refuse so many fresh bytes, were they touched? */
static int limit_check(size_t n) {
    unsigned kinds = SA_LIMIT_MACHINE | SA_LIMIT_CGROUP;
    if (n < WHOLE_MIN) { /* before the kernel kills for small ones, it takes pages of files in use */
        kinds |= SA_LIMIT_ACTIVE;
        if (n <= promised && sa_now() - promised_at < 1.0) {
            promised -= n;
            return 0;
        }
    }
    promised_at = sa_now();
    if (room_for(n, sa_pool.stats.cached, kinds)) return 0;
    (void)trim(); /* pages of free runs too, which are in nobody's count */
    return room_for(n, 0, kinds) ? 0 : -ENOMEM;
}

static sa_span *find_span(size_t n, uint32_t cls, int *rc) {
    if (sa_pool.avail[cls]) return sa_pool.avail[cls];
    sa_limbo_sweep(1024);
    if (sa_pool.avail[cls]) return sa_pool.avail[cls];
    sa_span *s = NULL;
    *rc = 0;
    bool whole = n >= WHOLE_MIN && sa_ndescriptors < sa_descriptor_budget();
    size_t bytes = class_size(cls);
    uint32_t nblocks = 1;
    if (bytes <= SMALL_MAX) {
        size_t span = bytes * 8 < ((size_t)64 << 10) ? (size_t)64 << 10 : bytes * 8;
        nblocks = (uint32_t)(span / bytes);
        bytes = span;
    }
    bytes = round_up(bytes, SA_PAGE);
    if ((*rc = limit_check(nblocks > 1 ? bytes : n))) return NULL;
    for (int tries = 0; tries < 3 && !s; tries++) {
        if (whole) {
            *rc = whole_new(cls, &s);
            if (*rc == -EMFILE || *rc == -ENFILE) whole = false;
        } else if (!(s = sa_span_from_arenas(cls, nblocks, bytes))) {
            if (!tries && sa_pool.stats.cached) { /* before growing: what lies in other classes */
                sa_flush_cached(1.0);
                if ((s = sa_span_from_arenas(cls, nblocks, bytes))) break;
            }
            *rc = sa_arena_new(bytes);
            if (*rc == -EFBIG && nblocks > 1) { /* ulimit -f below a span: one of a page or a block */
                bytes = round_up(class_size(cls), SA_PAGE);
                nblocks = (uint32_t)(bytes / class_size(cls));
                *rc = sa_arena_new(bytes);
            }
            if (!*rc && !(s = sa_span_from_arenas(cls, nblocks, bytes))) *rc = -ENOMEM;
        }
        if (!s && *rc) {
            sa_ticket_sweep(UINT32_MAX);
            if (!trim() && tries) break;
        }
    }
    if (s) sa_list_push(s);
    return s;
}

void *sa_alloc(size_t n, bool zero, bool written) {
    if (n > (size_t)1 << 46) {
        (void)sa_pool_trim();
        sa_failure = ENOMEM;
        return NULL;
    }
    uint32_t cls = class_of(n);
    void *mine = sa_local_take(cls, class_size(cls));
    if (mine) {
        if (zero) memset(mine, 0, n);
        return mine;
    }
    sa_lock();
    if (cls > 8 && class_size(cls) > SMALL_MAX) {
        sa_ticket_sweep(64);
        sa_limbo_sweep(16);
        decay();
    }
    int rc = 0;
    sa_span *s = find_span(n, cls, &rc);
    if (!s) {
        sa_unlock();
        sa_failure = rc ? -rc : ENOMEM;
        return NULL;
    }
    bool cold = s->cold, clean = s->clean && s->nblocks == 1;
    s->clean = false; /* in its arena's runs too, when it goes back */
    if (s->nblocks > 1) {
        s->cold = false;
    } else {
        sa_pool.stats.cached -= s->touched; /* 0 for a fresh one */
        if (round_up(n, SA_PAGE) > s->touched) s->touched = n ? round_up(n, SA_PAGE) : SA_PAGE;
        if (written) s->cold = false;
    }
    void *p = take_block(s);
    sa_count_alloc(charge_of(s));
    sa_local_refill(cls);
    sa_unlock();
    if (written && cold && n >= SA_SLOT) sa_collapse(p, n, HUGE_TIME);
    if (zero && !clean) memset(p, 0, n);
    return p;
}

/* ---- statistics, fork ---- */

void sa_pool_stats(sa_stats *out) {
    sa_lock();
    sa_ticket_sweep(UINT32_MAX);
    sa_limbo_sweep(UINT32_MAX);
    sa_attached_purge(false);
    note_peak();
    *out = sa_pool.stats;
    out->allocated += (uint64_t)sa_local_allocated();
    out->cached += sa_attached_bytes(false);
    out->in_flight = sa_in_flight();
    sa_unlock();
}

uint64_t sa_pool_fork_mark(void) {
    __atomic_store_n(&sa_pool.fork_mark, sa_pool.serial, __ATOMIC_RELAXED);
    return sa_pool.fork_serial = sa_pool.serial;
}

void sa_pool_after_fork_child(void) {
    sa_local_after_fork_child();
    memset(sa_pool.avail, 0, sizeof sa_pool.avail);
    sa_pool.narenas = 0;
    sa_pool.arena_bytes = 0;
    memset(&sa_pool.stats, 0, sizeof sa_pool.stats);
    sa_pool.fork_serial = sa_pool.fork_mark = 0;
    sa_limbo_after_fork_child();
    sa_segment *next;
    for (sa_segment *g = sa_segments; g; g = next) {
        next = g->next;
        if (g->kind == SA_ATTACHED || g->inherited) continue;
        g->inherited = true;
        g->creator_pid = sa_pid;
        g->creator_start = sa_start;
        g->creator_fd = g->fd;
        g->refs = g->kind == SA_WHOLE ? sa_refs(&g->whole->blocks[0]) : 1;
        if (!g->refs || (g->kind == SA_WHOLE && g->whole->nfree)) sa_segment_release(g, false);
    }
}
