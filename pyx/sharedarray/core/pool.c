/* The pool: blocks of segments, recycled warm. Small blocks are cut from spans of pages, larger
   ones are spans, the largest are segments of their own. All bookkeeping lies in private memory:
   peers and forked children can write segments, never this. */
#include "core.h"
#include "limits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define SMALL_MAX ((size_t)32 << 10)  /* above: one block a span */
#define WHOLE_MIN ((size_t)32 << 20)  /* from here: one block a segment */
#define ARENA_MIN ((size_t)64 << 20)  /* bytes of the first segment of spans */
#define ARENA_MAX ((size_t)4 << 30)
#define HUGE_STEP ((size_t)8 << 20)   /* bytes collapsed at a time */
#define HUGE_TIME 0.010               /* seconds spent on huge pages in one allocation */
#define DECAY_TIME 30.0               /* seconds after which unused memory goes back */
#define NCLASSES 256
#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

__thread int sa_failure;

static sa_span *avail[NCLASSES]; /* small: spans with free blocks; larger: free spans, newest first */
static sa_segment *arenas[4096]; /* own segments of spans */
static uint32_t narenas;
static size_t arena_bytes;
static uint64_t serial, fork_serial;
static sa_stats stats;
static uint64_t cap = (uint64_t)1 << 30;
static double last_decay;
static int collapse_off; /* allocations to skip after a slow or refused attempt; < 0: for ever */

/* ---- size classes: 64-byte steps to 512, then four a doubling ---- */

static inline uint32_t class_of(size_t n) {
    if (n <= 512) return n ? (uint32_t)((n - 1) >> 6) : 0;
    uint32_t log = 63 - (uint32_t)__builtin_clzl(n - 1);
    return 8 + (log - 9) * 4 + (uint32_t)(((n - 1) >> (log - 2)) & 3);
}

static inline size_t class_size(uint32_t c) {
    if (c < 8) return ((size_t)c + 1) << 6;
    uint32_t log = 9 + (c - 8) / 4, q = (c - 8) % 4;
    return ((size_t)1 << log) + (((size_t)q + 1) << (log - 2));
}

static inline size_t round_up(size_t n, size_t to) { return (n + to - 1) / to * to; }

/* ---- lists of spans ---- */

static void list_push(sa_span *s) {
    s->prev = NULL;
    s->next = avail[s->cls];
    if (s->next) s->next->prev = s;
    avail[s->cls] = s;
    s->listed = true;
}

static void list_remove(sa_span *s) {
    if (s->prev) s->prev->next = s->next;
    else avail[s->cls] = s->next;
    if (s->next) s->next->prev = s->prev;
    s->listed = false;
}

/* ---- free runs of pages in an arena, by page number ---- */

static int run_insert(sa_segment *seg, uint32_t first, uint32_t npages, bool clean) {
    uint32_t at = 0, hi = seg->nruns;
    while (at < hi) {
        uint32_t mid = (at + hi) / 2;
        if (seg->runs[mid].first < first) at = mid + 1;
        else hi = mid;
    }
    sa_run *r = seg->runs;
    bool left = at > 0 && r[at - 1].first + r[at - 1].npages == first && r[at - 1].clean == clean;
    bool right = at < seg->nruns && first + npages == r[at].first && r[at].clean == clean;
    if (left) {
        r[at - 1].npages += npages;
        if (right) {
            r[at - 1].npages += r[at].npages;
            memmove(r + at, r + at + 1, (--seg->nruns - at) * sizeof *r);
        }
        return 0;
    }
    if (right) {
        r[at].first = first;
        r[at].npages += npages;
        return 0;
    }
    if (seg->nruns == seg->runs_cap) {
        uint32_t c = seg->runs_cap ? seg->runs_cap * 2 : 16;
        r = realloc(seg->runs, c * sizeof *r);
        if (!r) return -ENOMEM;
        seg->runs = r;
        seg->runs_cap = c;
    }
    memmove(r + at + 1, r + at, (seg->nruns - at) * sizeof *r);
    r[at] = (sa_run){first, npages, clean};
    seg->nruns++;
    return 0;
}

/* First fit; pages aligned to `align` pages. */
static bool run_take(sa_segment *seg, uint32_t npages, uint32_t align, uint32_t *first, bool *clean) {
    for (uint32_t i = 0; i < seg->nruns; i++) {
        sa_run r = seg->runs[i];
        uint32_t start = (r.first + align - 1) / align * align;
        if (start + npages > r.first + r.npages) continue;
        uint32_t head = start - r.first, tail = r.first + r.npages - start - npages;
        if (head && tail) {
            seg->runs[i].npages = head;
            if (run_insert(seg, start + npages, tail, r.clean)) {
                seg->runs[i].npages = r.npages;
                return false;
            }
        } else if (head) {
            seg->runs[i].npages = head;
        } else if (tail) {
            seg->runs[i].first = start + npages;
            seg->runs[i].npages = tail;
        } else {
            memmove(seg->runs + i, seg->runs + i + 1, (--seg->nruns - i) * sizeof r);
        }
        *first = start;
        *clean = r.clean;
        return true;
    }
    return false;
}

/* ---- spans ---- */

static sa_span *span_new(sa_segment *seg, uint32_t cls, uint32_t nblocks) {
    sa_span *s = calloc(1, sizeof *s + nblocks * sizeof(sa_block) + nblocks * sizeof(uint32_t));
    if (!s) return NULL;
    s->seg = seg;
    s->cls = cls;
    s->size = class_size(cls);
    s->nblocks = s->nfree = nblocks;
    s->blocks = (sa_block *)(s + 1);
    s->stack = (uint32_t *)(s->blocks + nblocks);
    for (uint32_t i = 0; i < nblocks; i++) s->stack[i] = nblocks - 1 - i;
    s->clean = s->cold = true;
    return s;
}

static void span_delete(sa_span *s) { /* back to its arena's runs */
    sa_segment *seg = s->seg;
    if (run_insert(seg, s->first, s->npages, s->clean)) return; /* no heap: keep it as it is */
    if (s->listed) list_remove(s);
    for (uint32_t i = 0; i < s->npages; i++) seg->pagemap[s->first + i] = NULL;
    free(s);
}

static void arena_release(sa_segment *seg) { /* nothing in it can be reached from here any more */
    for (uint32_t i = 0; i < seg->npages;) {
        sa_span *s = seg->pagemap[i];
        if (!s) {
            i++;
            continue;
        }
        i = s->first + s->npages;
        if (s->listed) list_remove(s);
        if (s->nblocks == 1 && s->nfree) stats.cached -= s->touched;
        free(s);
    }
    for (uint32_t i = 0; i < narenas; i++)
        if (arenas[i] == seg) {
            arenas[i] = arenas[--narenas];
            break;
        }
    arena_bytes -= seg->size;
    sa_segment_release(seg, true);
}

static int arena_new(size_t need) {
    size_t size = arena_bytes / 2;
    if (size < ARENA_MIN) size = ARENA_MIN;
    if (size > ARENA_MAX) size = ARENA_MAX;
    need = round_up(need, SA_SLOT);
    int rc = -ENOMEM;
    if (narenas == sizeof arenas / sizeof *arenas) return rc;
    sa_segment *seg = NULL;
    for (size = round_up(size, SA_SLOT);; size = size / 2 > need ? round_up(size / 2, SA_SLOT) : need) {
        if (size < need) size = need;
        rc = sa_segment_create(size, SA_SPANS, &seg);
        if (!rc || size <= need || rc == -EMFILE || rc == -ENFILE) break; /* smaller: ulimit -f, -v */
    }
    if (rc) return rc;
    seg->npages = (uint32_t)(seg->size / SA_PAGE);
    seg->pagemap = calloc(seg->npages, sizeof *seg->pagemap);
    if (!seg->pagemap || run_insert(seg, 0, seg->npages, true)) {
        sa_segment_release(seg, false);
        return -ENOMEM;
    }
    arenas[narenas++] = seg;
    arena_bytes += seg->size;
    return 0;
}

static sa_span *span_from_arenas(uint32_t cls, uint32_t nblocks, size_t bytes) {
    uint32_t npages = (uint32_t)(bytes / SA_PAGE);
    uint32_t align = bytes >= SA_SLOT ? (uint32_t)(SA_SLOT / SA_PAGE) : 1, first;
    bool clean;
    for (uint32_t i = 0; i < narenas; i++) {
        sa_segment *seg = arenas[i];
        if (!run_take(seg, npages, align, &first, &clean)) continue;
        sa_span *s = span_new(seg, cls, nblocks);
        if (!s) {
            (void)run_insert(seg, first, npages, clean);
            return NULL;
        }
        s->first = first;
        s->npages = npages;
        s->base = seg->base + (size_t)first * SA_PAGE;
        s->clean = s->cold = clean;
        for (uint32_t k = 0; k < npages; k++) seg->pagemap[first + k] = s;
        return s;
    }
    return NULL;
}

static sa_span *span_of(sa_segment *seg, const void *p) {
    if (seg->whole) return seg->whole;
    if (!seg->pagemap) return NULL;
    size_t k = (size_t)((const char *)p - seg->base) / SA_PAGE;
    return k < seg->npages ? seg->pagemap[k] : NULL;
}

/* ---- giving back ---- */

/* Cached spans of one block go back to their arenas; with `age`, only those unused so long. */
static size_t flush_cached(double age) {
    size_t bytes = 0;
    double now = sa_now();
    for (uint32_t c = 0; c < NCLASSES; c++)
        for (sa_span *s = avail[c], *next; s; s = next) {
            next = s->next;
            if (s->nfree != s->nblocks || s->lost || now - s->freed_at < age) continue;
            if (s->nblocks > 1) {
                span_delete(s);
                continue;
            }
            bytes += s->touched;
            stats.cached -= s->touched;
            if (s->seg->kind == SA_WHOLE) {
                list_remove(s);
                sa_segment_release(s->seg, false);
            } else {
                span_delete(s);
            }
        }
    return bytes;
}

/* Free pages of arenas go back to the system; the memory of peers and children that cannot reach
   them either. */
static void punch_runs(void) {
    for (uint32_t i = 0; i < narenas; i++) {
        sa_segment *seg = arenas[i];
        for (uint32_t k = 0; k < seg->nruns; k++) {
            sa_run *r = &seg->runs[k];
            if (r->clean) continue;
            if (fallocate(seg->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)r->first * (off_t)SA_PAGE,
                          (off_t)r->npages * (off_t)SA_PAGE) == 0)
                r->clean = true;
        }
        uint32_t n = 0; /* join clean neighbours */
        for (uint32_t k = 0; k < seg->nruns; k++) {
            sa_run r = seg->runs[k];
            if (n && seg->runs[n - 1].first + seg->runs[n - 1].npages == r.first && seg->runs[n - 1].clean == r.clean)
                seg->runs[n - 1].npages += r.npages;
            else
                seg->runs[n++] = r;
        }
        seg->nruns = n;
    }
}

static void limbo_sweep(uint32_t most);
static void limbo_give_back(void);

static size_t trim(void) {
    sa_local_flush();
    limbo_sweep(UINT32_MAX);
    limbo_give_back();
    sa_peers_purge(true);
    size_t bytes = flush_cached(-1.0);
    for (uint32_t i = narenas; i-- > 0;)
        if (!arenas[i]->live) arena_release(arenas[i]);
    punch_runs();
    return bytes + sa_attached_purge(true);
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
    if (flush_cached(DECAY_TIME)) punch_runs();
}

void sa_pool_set_cap(uint64_t bytes) { cap = bytes; }

/* ---- huge pages ---- */

static double clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Linux 6.1: MADV_COLLAPSE works on shmem whatever shmem_enabled says; EINVAL on an empty range,
   so each 2 MiB is touched first. */
static void collapse(char *p, size_t n, double budget) {
    if (__atomic_load_n(&collapse_off, __ATOMIC_RELAXED)) {
        if (__atomic_load_n(&collapse_off, __ATOMIC_RELAXED) > 0) __atomic_sub_fetch(&collapse_off, 1, __ATOMIC_RELAXED);
        return;
    }
    char *end = (char *)((uintptr_t)(p + n) & ~(SA_SLOT - 1));
    p = (char *)(((uintptr_t)p + SA_SLOT - 1) & ~(SA_SLOT - 1));
    double start = clock_now(), t = start;
    while (p < end) {
        size_t step = (size_t)(end - p) < HUGE_STEP ? (size_t)(end - p) : HUGE_STEP;
        for (size_t i = 0; i < step; i += SA_SLOT) (void)*(volatile char *)(p + i);
        if (madvise(p, step, MADV_COLLAPSE)) {
            int skip = errno == EINVAL ? -1 : 64; /* EINVAL: not in this kernel; else short of pages */
            __atomic_store_n(&collapse_off, skip, __ATOMIC_RELAXED);
            return;
        }
        double now = clock_now();
        if (now - t > 4.0 * (double)step / 1e9) { /* slower than the faults it saves */
            __atomic_store_n(&collapse_off, 16, __ATOMIC_RELAXED);
            return;
        }
        if (now - start > budget) return;
        t = now;
        p += step;
    }
}

void sa_populate(char *p, size_t n) {
    sa_segment *seg;
    char *start;
    size_t size;
    uint64_t s;
    if (n < SA_SLOT || !sa_block_find(p, &seg, &start, &size, &s)) return;
    sa_lock();
    sa_span *span = seg->inherited || seg->kind == SA_ATTACHED ? NULL : span_of(seg, p);
    bool cold = span && span->cold && span->nblocks == 1;
    if (cold) span->cold = false;
    sa_unlock();
    if (cold) collapse(p, n, 1e9);
}

/* ---- allocation ---- */

/* stats.allocated wraps below zero when threads of their own count what others took. */
static void note_peak(void) {
    uint64_t now = stats.allocated + (uint64_t)sa_local_allocated();
    if ((int64_t)now > (int64_t)stats.peak) stats.peak = now;
}

static void count_alloc(size_t n) {
    stats.allocated += n;
    note_peak();
}

void sa_count_local(int64_t allocated) { stats.allocated += (uint64_t)allocated; }

uint64_t sa_serials(uint32_t n) {
    uint64_t last = serial;
    serial += n;
    return last;
}

static size_t charge_of(const sa_span *s) { return s->nblocks == 1 ? s->touched : s->size; }

static void *take_block(sa_span *s) {
    uint32_t i = s->stack[--s->nfree];
    if (!s->nfree) list_remove(s);
    sa_block *b = &s->blocks[i];
    b->serial = ++serial;
    b->refs = 1;
    b->published = false;
    s->seg->live++;
    return s->base + (size_t)i * s->size;
}

static int whole_new(uint32_t cls, sa_span **out) {
    sa_segment *seg;
    size_t size = round_up(class_size(cls), SA_SLOT);
    int rc = sa_segment_create(size, SA_WHOLE, &seg);
    if (rc) return rc;
    sa_span *s = span_new(seg, cls, 1);
    if (!s) {
        sa_segment_release(seg, false);
        return -ENOMEM;
    }
    seg->whole = s;
    s->base = seg->base;
    *out = s;
    return 0;
}

static sa_span *find_span(size_t n, uint32_t cls, int *rc) {
    if (avail[cls]) return avail[cls];
    limbo_sweep(1024);
    if (avail[cls]) return avail[cls];
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
    for (int tries = 0; tries < 3 && !s; tries++) {
        if (whole) {
            *rc = whole_new(cls, &s);
            if (*rc == -EMFILE || *rc == -ENFILE) whole = false;
        } else if (!(s = span_from_arenas(cls, nblocks, bytes))) {
            if (!tries && stats.cached) { /* before growing: what lies in other classes */
                flush_cached(1.0);
                if ((s = span_from_arenas(cls, nblocks, bytes))) break;
            }
            *rc = arena_new(bytes);
            if (!*rc && !(s = span_from_arenas(cls, nblocks, bytes))) *rc = -ENOMEM;
        }
        if (!s && *rc) {
            sa_ticket_sweep(UINT32_MAX);
            if (!trim() && tries) break;
        }
    }
    if (s) list_push(s);
    return s;
}

/* Large requests only: would the machine, the cgroup or a limit refuse them? Lock held. */
static int limit_check(size_t n, uint64_t cached) {
    uint64_t room;
    char which[SA_LIMIT_NAME];
    if (sa_memory_limit("", SA_LIMIT_MACHINE | SA_LIMIT_CGROUP, &room, which)) return 0; /* cannot be told: let the kernel decide */
    return n > room + cached ? -ENOMEM : 0;
}

void *sa_alloc(size_t n, bool zero, bool written) {
    if (n > (size_t)1 << 46) {
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
        limbo_sweep(16);
        decay();
        if (n >= WHOLE_MIN && !avail[cls]) {
            int rc = limit_check(n, stats.cached);
            if (rc && trim()) rc = limit_check(n, 0);
            if (rc) {
                sa_unlock();
                sa_failure = -rc;
                return NULL;
            }
        }
    }
    int rc = 0;
    sa_span *s = find_span(n, cls, &rc);
    if (!s) {
        sa_unlock();
        sa_failure = rc ? -rc : ENOMEM;
        return NULL;
    }
    bool cold = false, clean = false;
    if (s->nblocks == 1) {
        cold = s->cold;
        clean = s->clean;
        stats.cached -= s->touched; /* 0 for a fresh one */
        if (round_up(n, SA_PAGE) > s->touched) s->touched = n ? round_up(n, SA_PAGE) : SA_PAGE;
        s->clean = false;
        if (written) s->cold = false;
    }
    void *p = take_block(s);
    count_alloc(charge_of(s));
    sa_local_refill(cls);
    sa_unlock();
    if (written && cold && n >= SA_SLOT) collapse(p, n, HUGE_TIME);
    if (zero && !clean) memset(p, 0, n);
    return p;
}

/* ---- limbo: blocks without a reference here that others hold ---- */

static struct {
    sa_segment *seg;
    sa_block *b;
    sa_span *span;
} *limbo;
static uint32_t nlimbo, limbo_cap, limbo_at;
static uint64_t limbo_bytes;

static void limbo_remove(sa_block *b, const sa_span *s) {
    uint32_t at = b->limbo - 1;
    b->limbo = 0;
    limbo_bytes -= charge_of(s);
    limbo[at] = limbo[--nlimbo];
    if (at < nlimbo) limbo[at].b->limbo = at + 1;
}

static void unpublish(const sa_span *s, sa_block *b) {
    if (b->published) stats.published -= charge_of(s);
    b->published = false;
}

/* Nobody can reach the block any more. */
static void recycle(sa_segment *seg, sa_span *s, sa_block *b) {
    unpublish(s, b);
    b->serial = 0;
    seg->live--;
    s->stack[s->nfree++] = (uint32_t)(b - s->blocks);
    if (s->nblocks == 1) {
        s->freed_at = sa_now();
        s->cold = false;
        stats.cached += s->touched;
        list_push(s);
        if (stats.cached > cap) {
            flush_cached(stats.cached - s->touched > cap / 2 ? 1.0 : DECAY_TIME);
            if (stats.cached > cap) {
                flush_cached(-1.0);
                punch_runs();
            }
        }
        return;
    }
    if (!s->listed) list_push(s);
    else if (s->nfree == s->nblocks && (s->prev || s->next)) span_delete(s); /* one empty span a class stays */
    if (!seg->live && seg->lost) arena_release(seg);
}

/* Others can reach the block and this process will never know when they cannot: its memory is the
   kernel's to free, when the last of them is gone. */
static void give_back(sa_segment *seg, sa_span *s, sa_block *b) {
    unpublish(s, b);
    seg->live--;
    if (seg->kind == SA_WHOLE) {
        sa_segment_release(seg, true);
        return;
    }
    b->serial = 0;
    s->lost++;
    seg->lost++;
    if (!seg->live) arena_release(seg);
}

/* A free block that a thread kept goes back to its span. */
void sa_block_return(char *p) {
    sa_segment *seg = sa_segment_at(p);
    sa_span *s;
    sa_block *b = sa_block_lookup(seg, p, &s);
    recycle(seg, s, b);
}

/* The last reference of an own block is gone. */
static void block_release(sa_segment *seg, sa_span *s, sa_block *b) {
    stats.allocated -= charge_of(s);
    if (b->serial <= fork_serial || (b->published && b->word == UINT32_MAX)) {
        give_back(seg, s, b);
    } else if (!b->published || sa_word_retire(b->word, b->serial)) {
        recycle(seg, s, b);
    } else {
        if (nlimbo == limbo_cap) {
            uint32_t c = limbo_cap ? limbo_cap * 2 : 64;
            void *l = realloc(limbo, c * sizeof *limbo);
            if (!l) {
                give_back(seg, s, b);
                return;
            }
            limbo = l;
            limbo_cap = c;
        }
        if (seg->kind == SA_WHOLE && limbo_bytes + stats.cached + s->touched > cap) {
            give_back(seg, s, b);
            return;
        }
        limbo[nlimbo].seg = seg;
        limbo[nlimbo].span = s;
        limbo[nlimbo].b = b;
        b->limbo = ++nlimbo;
        limbo_bytes += charge_of(s);
    }
}

/* Recycle what the last holder elsewhere has dropped; looks at `most` blocks. */
static void limbo_sweep(uint32_t most) {
    if (!nlimbo) return;
    sa_reclaim_dead(false);
    if (most > nlimbo) most = nlimbo;
    for (uint32_t k = 0; k < most && nlimbo; k++) {
        if (limbo_at >= nlimbo) limbo_at = 0;
        sa_segment *seg = limbo[limbo_at].seg;
        sa_span *s = limbo[limbo_at].span;
        sa_block *b = limbo[limbo_at].b;
        if (sa_word_retire(b->word, b->serial)) {
            limbo_remove(b, s);
            recycle(seg, s, b);
        } else {
            limbo_at++;
        }
    }
}

/* Segments of their own that only others hold: nothing here needs them. */
static void limbo_give_back(void) {
    for (uint32_t i = nlimbo; i-- > 0;)
        if (limbo[i].seg->kind == SA_WHOLE) {
            sa_segment *seg = limbo[i].seg;
            sa_span *s = limbo[i].span;
            sa_block *b = limbo[i].b;
            limbo_remove(b, s);
            give_back(seg, s, b);
        }
}

/* ---- references ---- */

static bool is_own(const sa_segment *seg) { return seg->kind != SA_ATTACHED && !seg->inherited; }

sa_block *sa_block_lookup(sa_segment *seg, const void *p, sa_span **span) {
    sa_span *s = *span = span_of(seg, p);
    if (!s) return NULL;
    size_t i = (size_t)((const char *)p - s->base) / s->size;
    return i < s->nblocks ? &s->blocks[i] : NULL;
}

void sa_unref(sa_segment *seg, void *p) {
    if (!is_own(seg)) {
        sa_held_drop(p);
        sa_segment_unref(seg);
        return;
    }
    sa_span *s;
    sa_block *b = sa_block_lookup(seg, p, &s);
    if (b && b->refs && !--b->refs) block_release(seg, s, b);
}

void sa_free(void *p) {
    sa_segment *seg = sa_segment_at(p);
    if (!seg) return;
    if (seg->kind == SA_SPANS && !seg->inherited) {
        sa_span *s;
        sa_block *b = sa_block_lookup(seg, p, &s);
        if (b && s->nblocks > 1 && b->refs == 1 && !b->published && b->serial > fork_serial && sa_local_put(s->cls, s->size, p, b)) return;
    }
    sa_lock();
    sa_unref(seg, p);
    sa_unlock();
}

/* Bytes of a block (of an attached segment: all of it); 0 if it is marked as counted already. */
uint64_t sa_bytes_at(sa_segment *seg, void *p, bool mark) {
    uint64_t bytes = seg->size;
    bool *counted = &seg->counted;
    if (is_own(seg)) {
        sa_span *s;
        sa_block *b = sa_block_lookup(seg, p, &s);
        if (!b) return 0;
        bytes = charge_of(s);
        counted = &b->counted;
    }
    if (*counted && mark) return 0;
    *counted = mark;
    return bytes;
}

int sa_ref(void *p) {
    sa_segment *seg = sa_segment_at(p);
    if (!seg) return -EINVAL;
    int rc = 0;
    sa_lock();
    if (is_own(seg)) {
        sa_span *s;
        sa_block *b = sa_block_lookup(seg, p, &s);
        if (b && b->refs) b->refs++;
        else rc = -EINVAL;
    } else {
        struct sa_peer *peer;
        uint32_t word;
        (void)sa_held_again(p, &peer, &word);
        seg->refs++;
    }
    sa_unlock();
    return rc;
}

/* A handle names the block from now on. */
static void publish(sa_span *s, sa_block *b) {
    if (b->published) return;
    b->published = true;
    b->word = sa_word_new(b->serial);
    stats.published += charge_of(s);
}

/* A reference for a message, and where the holders of the block are counted. */
int sa_ref_for_ticket(sa_segment *seg, void *p, sa_ticket *out) {
    sa_span *s;
    sa_block *b;
    struct sa_peer *peer = NULL;
    out->creator[0] = out->creator[1] = 0;
    out->creator_fd = out->creator_fd_here = -1;
    out->word = UINT32_MAX;
    out->own = is_own(seg);
    if (out->own) {
        b = sa_block_lookup(seg, p, &s);
        if (!b || !b->refs) return -EINVAL;
        b->refs++;
        publish(s, b);
        out->word = b->word;
        return 0;
    }
    seg->refs++;
    if (sa_held_again(p, &peer, &out->word)) {
        if (peer) sa_peer_names(peer, out->creator, &out->creator_fd, &out->creator_fd_here);
    } else if (seg->inherited && (b = sa_block_lookup(seg, p, &s)) && b->published && b->word != UINT32_MAX) {
        out->word = b->word;
        if (sa_ancestor_ledger(seg->creator_pid, out->creator, &out->creator_fd)) out->creator_fd_here = out->creator_fd;
    }
    return 0;
}

/* Another process's block: a reference to its segment is taken already. */
int sa_block_attach(sa_segment *seg, char *p, const uint64_t ledger[2], uint32_t word, uint64_t number) {
    sa_lock();
    int rc = sa_held_take(p, ledger, word, number);
    if (rc) sa_segment_unref(seg);
    sa_unlock();
    return rc;
}

/* How many other processes hold the block. */
uint32_t sa_block_others(void *p) {
    uint32_t n = 0, word;
    uint64_t number;
    struct sa_peer *peer;
    sa_segment *seg = sa_segment_at(p);
    if (!seg) return 0;
    sa_lock();
    sa_span *s;
    sa_block *b;
    if (is_own(seg)) {
        if ((b = sa_block_lookup(seg, p, &s))) n = sa_others_own(b->published ? b->word : UINT32_MAX, b->serial);
    } else if (sa_held_info(p, &peer, &word, &number)) {
        if (peer) n = sa_others_peer(peer, word, number, true);
    } else if (seg->inherited && (b = sa_block_lookup(seg, p, &s))) {
        n = sa_others_inherited(seg->creator_pid, b->published ? b->word : UINT32_MAX, b->serial);
    }
    sa_unlock();
    return n;
}

/* A block of ours that comes back by handle: a reference to it, if it still is that block. */
void *sa_block_hold(const uint64_t id[2], uint64_t offset, uint64_t want) {
    void *p = NULL;
    sa_lock();
    sa_segment *seg = sa_segment_find(id);
    if (seg && is_own(seg) && offset < seg->size) {
        sa_span *s;
        sa_block *b = sa_block_lookup(seg, seg->base + offset, &s);
        if (b && b->serial == want && s->base + (size_t)(b - s->blocks) * s->size == seg->base + offset) {
            if (!b->refs++) { /* only others held it */
                limbo_remove(b, s);
                sa_word_creator(b->word);
                count_alloc(charge_of(s));
            }
            p = seg->base + offset;
        }
    }
    sa_unlock();
    return p;
}

bool sa_block_find(const void *p, sa_segment **seg, char **start, size_t *size, uint64_t *number) {
    sa_segment *g = sa_segment_at(p);
    if (!g) return false;
    *seg = g;
    sa_lock();
    sa_span *s;
    sa_block *b = g->kind == SA_ATTACHED ? NULL : sa_block_lookup(g, p, &s);
    if (b) {
        *start = s->base + (size_t)(b - s->blocks) * s->size;
        *size = s->size;
        *number = b->serial;
    }
    sa_unlock();
    return b != NULL;
}

size_t sa_capacity(void *p) {
    sa_segment *seg;
    char *start;
    size_t size = 0;
    uint64_t s;
    return sa_block_find(p, &seg, &start, &size, &s) ? size - (size_t)((char *)p - start) : 0;
}

void *sa_realloc(void *p, size_t n) {
    size_t had = sa_capacity(p);
    if (!had) return NULL;
    if (n <= had) return p;
    /* Shared memory never moves: not when published, re-opened, or seen by a forked child. */
    sa_segment *seg = sa_segment_at(p);
    sa_span *s;
    sa_lock();
    sa_block *b = is_own(seg) ? sa_block_lookup(seg, p, &s) : NULL;
    bool fixed = !b || b->published || b->refs != 1 || b->serial <= fork_serial;
    sa_unlock();
    void *q = fixed ? NULL : sa_alloc(n, false, false);
    if (!q) {
        if (fixed) sa_failure = EBUSY;
        return NULL;
    }
    memcpy(q, p, had);
    sa_free(p);
    return q;
}

void sa_pool_stats(sa_stats *out) {
    sa_lock();
    sa_ticket_sweep(UINT32_MAX);
    limbo_sweep(UINT32_MAX);
    sa_attached_purge(false);
    note_peak();
    *out = stats;
    out->allocated += (uint64_t)sa_local_allocated();
    out->cached += sa_attached_bytes(false);
    out->in_flight = sa_in_flight();
    sa_unlock();
}

/* ---- fork ---- */

uint64_t sa_pool_fork_mark(void) { return fork_serial = serial; }

void sa_pool_after_fork_child(void) {
    sa_local_after_fork_child();
    memset(avail, 0, sizeof avail);
    narenas = 0;
    arena_bytes = 0;
    memset(&stats, 0, sizeof stats);
    fork_serial = 0;
    nlimbo = limbo_at = 0;
    limbo_bytes = 0;
    sa_segment *next;
    for (sa_segment *g = sa_segments; g; g = next) {
        next = g->next;
        if (g->kind == SA_ATTACHED || g->inherited) continue;
        g->inherited = true;
        g->creator_pid = sa_pid;
        g->creator_start = sa_start;
        g->creator_fd = g->fd;
        g->refs = g->kind == SA_WHOLE ? g->whole->blocks[0].refs : 1;
        if (!g->refs || (g->kind == SA_WHOLE && g->whole->nfree)) sa_segment_release(g, false);
    }
}
