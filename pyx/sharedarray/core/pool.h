/* Between the files of the pool: size classes, state and what they call of each other. All state
   lies in private memory: peers and forked children can write segments, never this. Lock held. */
#ifndef SA_POOL_H
#define SA_POOL_H

#include "core.h"

#define SMALL_MAX ((size_t)32 << 10) /* bytes; above: one block a span */
#define WHOLE_MIN ((size_t)32 << 20) /* from here: one block a segment */
#define DECAY_TIME 30.0              /* seconds after which unused memory goes back */
#define NCLASSES 256
#define MOST_ARENAS 4096

/* Size classes: 64-byte steps to 512, then four a doubling. */
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

typedef struct {
    sa_span *avail[NCLASSES]; /* small: spans with free blocks; larger: free spans, newest first */
    sa_segment *arenas[MOST_ARENAS]; /* own segments of spans */
    uint32_t narenas;
    size_t arena_bytes;
    uint64_t serial;      /* the last one given */
    uint64_t fork_serial; /* the last one that living descendants may know */
    uint64_t fork_mark;   /* the last one that any descendant, dead or alive, has known */
    sa_stats stats;
    uint64_t cap; /* bytes cached at most */
} sa_pool_state;
extern sa_pool_state sa_pool;

static inline bool is_own(const sa_segment *seg) { return seg->kind != SA_ATTACHED && !seg->inherited; }

/* Read without the lock by who takes and frees small blocks: a fork in between marks what no child
   can reach any more, or not yet. */
static inline uint64_t fork_mark(void) { return __atomic_load_n(&sa_pool.fork_mark, __ATOMIC_RELAXED); }

/* What a block costs: the pages its users may have touched, or its class. */
static inline size_t charge_of(const sa_span *s) { return s->nblocks == 1 ? s->touched : s->size; }

/* arena.c */
void sa_list_push(sa_span *s);
void sa_list_remove(sa_span *s);
sa_span *sa_span_new(sa_segment *seg, uint32_t cls, uint32_t nblocks);
bool sa_span_delete(sa_span *s); /* false: no heap for that, nothing changed */
sa_span *sa_span_from_arenas(uint32_t cls, uint32_t nblocks, size_t bytes);
sa_span *sa_span_of(sa_segment *seg, const void *p);
int sa_arena_new(size_t need);
void sa_arena_release(sa_segment *seg);
size_t sa_flush_cached(double age);
void sa_punch_runs(void);

/* collapse.c: the lock is not held */
bool sa_collapse(char *p, size_t n, double budget);

/* limbo.c */
void sa_block_release(sa_segment *seg, sa_span *s, sa_block *b);
void sa_block_revive(sa_segment *seg, sa_span *s, sa_block *b);
void sa_limbo_sweep(uint32_t most);
void sa_limbo_give_back(void);
void sa_limbo_after_fork_child(void);

/* pool.c */
void sa_count_alloc(size_t n);

#endif
