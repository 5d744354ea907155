/* Each thread keeps a few free small blocks of its own: taking one and putting it back needs
   neither lock nor atomic instruction (a lock pair costs about 20 ns, twice an array). */
#include "pool.h"

#include <stdlib.h>
#include <string.h>

#define CLASSES 24 /* up to 8 KiB */
#define SERIALS 4096
#define MOST 16

typedef struct local {
    uint32_t epoch;
    uint64_t serial, serial_end; /* a batch, so that fork still orders blocks: see sa_serials() */
    int64_t allocated;           /* bytes, written by its thread only */
    uint32_t n[CLASSES];
    struct {
        char *p;
        sa_block *b;
    } item[CLASSES][MOST];
    struct local *prev, *next;
} local;

static __thread local *mine __attribute__((tls_model("initial-exec")));
static local *all;      /* lock held */
static uint32_t epoch;  /* forks survived as the child */
static pthread_key_t at_exit;
static bool ready;

static inline uint32_t most_of(uint32_t cls) { return cls < 12 ? MOST : 4; }

/* Serials of before a fork would mark new blocks as ones that the child knows. */
static inline bool spent(const local *l) { return l->serial == l->serial_end || l->serial <= fork_mark(); }

/* Give back all that this thread keeps. Lock held. */
static void flush(local *l) {
    if (l->epoch != epoch) return;
    for (uint32_t c = 0; c < CLASSES; c++)
        while (l->n[c]) sa_block_return(l->item[c][--l->n[c]].p);
}

static void thread_ends(void *arg) {
    local *l = arg;
    mine = NULL;
    sa_lock();
    if (l->epoch == epoch) {
        flush(l);
        sa_count_local(l->allocated);
        if (l->prev) l->prev->next = l->next;
        else all = l->next;
        if (l->next) l->next->prev = l->prev;
    }
    sa_unlock();
    free(l);
}

int sa_local_init(void) {
    int rc = pthread_key_create(&at_exit, thread_ends);
    ready = rc == 0;
    return -rc;
}

/* Lock held. */
static local *start(void) {
    local *l = mine;
    if (!ready) return NULL;
    if (!l) {
        l = calloc(1, sizeof *l);
        if (!l) return NULL;
        if (pthread_setspecific(at_exit, l)) {
            free(l);
            return NULL;
        }
    } else { /* inherited by a fork: the blocks are the parent's */
        memset(l, 0, sizeof *l);
    }
    l->epoch = epoch;
    l->next = all;
    if (all) all->prev = l;
    all = l;
    return mine = l;
}

void *sa_local_take(uint32_t cls, size_t size) {
    local *l = mine;
    if (cls >= CLASSES || !l || l->epoch != epoch || !l->n[cls] || spent(l)) return NULL;
    uint32_t k = --l->n[cls];
    sa_block *b = l->item[cls][k].b;
    b->serial = l->serial++;
    sa_refs_set(b, 1);
    b->published = false;
    __atomic_store_n(&l->allocated, l->allocated + (int64_t)size, __ATOMIC_RELAXED);
    return l->item[cls][k].p;
}

/* The caller held the only reference to an unpublished block that no forked child knows. */
bool sa_local_put(uint32_t cls, size_t size, char *p, sa_block *b) {
    local *l = mine;
    if (cls >= CLASSES || !l || l->epoch != epoch || l->n[cls] == most_of(cls)) return false;
    b->serial = 0;
    sa_refs_set(b, 0);
    l->item[cls][l->n[cls]].p = p;
    l->item[cls][l->n[cls]++].b = b;
    __atomic_store_n(&l->allocated, l->allocated - (int64_t)size, __ATOMIC_RELAXED);
    return true;
}

/* After a slow allocation: a thread that allocates gets its place and serials. Lock held. */
void sa_local_refill(uint32_t cls) {
    if (cls >= CLASSES) return;
    local *l = mine;
    if (!l || l->epoch != epoch) l = start();
    if (l && spent(l)) {
        l->serial = sa_serials(SERIALS) + 1;
        l->serial_end = l->serial + SERIALS;
    }
}

void sa_local_flush(void) {
    if (mine) flush(mine);
}

int64_t sa_local_allocated(void) {
    int64_t sum = 0;
    for (local *l = all; l; l = l->next) sum += __atomic_load_n(&l->allocated, __ATOMIC_RELAXED);
    return sum;
}

void sa_local_after_fork_child(void) {
    epoch++;
    all = NULL; /* the other threads are not here */
}
