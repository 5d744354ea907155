/* What the parts of the core share: segments, blocks, tickets. One lock (sa_lock) guards all
   tables; only system calls run under it, never Python code. */
#ifndef SA_CORE_H
#define SA_CORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "os.h"

#define SA_SLOT ((size_t)2 << 20) /* address granule of a segment: one huge page, bytes */
#define SA_PAGE ((size_t)4096)
#define SA_NAME SA_NAME_MAX

typedef struct sa_segment sa_segment;
typedef struct sa_span sa_span;

/* One block: what one NumPy array owns. */
typedef struct {
    uint64_t serial; /* unique in the creating process; survives fork, so both sides agree */
    uint32_t refs;   /* owner, re-openings in the creator, tickets not yet opened */
    uint32_t word;   /* in this process's ledger, once published */
    uint32_t limbo;  /* place in the list of blocks that only others hold, from 1 */
    bool counted;    /* while statistics are made */
    bool published;  /* a handle named it */
    bool device;     /* stands for device memory: see device.h */
    bool given;      /* back to the kernel: it serves nobody else ever again */
} sa_block;

/* `refs` changes under the lock or where one reference alone is left; sa_free() looks at it without
   the lock. Who sees the last but one reference gone must see `published` as that one left it:
   hence release and acquire (a plain store and load on x86). */
static inline uint32_t sa_refs(const sa_block *b) { return __atomic_load_n(&b->refs, __ATOMIC_ACQUIRE); }
static inline void sa_refs_set(sa_block *b, uint32_t n) { __atomic_store_n(&b->refs, n, __ATOMIC_RELEASE); }

/* A run of pages cut into blocks of one size class. */
struct sa_span {
    sa_segment *seg;
    char *base;
    uint32_t first, npages; /* pages within the segment */
    uint32_t cls, nblocks, nfree, lost;
    size_t size;    /* bytes of one block's class */
    size_t touched; /* bytes of a single-block span that its users asked for so far */
    double freed_at; /* seconds, CLOCK_MONOTONIC_COARSE */
    bool clean;     /* never handed out: still zero, pages not committed */
    bool cold;      /* pages not known to be committed */
    sa_span *prev, *next; /* list of its class: spans with free blocks, or cached ones */
    bool listed;
    uint32_t *stack; /* indices of free blocks */
    sa_block *blocks;
};

typedef struct {
    uint32_t first, npages;
    bool clean;
} sa_run;

enum { SA_SPANS = 1, SA_WHOLE, SA_ATTACHED };

struct sa_segment {
    uint64_t id[2];
    char *base;
    size_t size; /* bytes of the memfd */
    size_t nslots;
    int fd; /* -1: the program has closed it */
    sa_file file;
    double looked; /* when the descriptor was last seen to be this segment's */
    uint8_t kind;
    bool inherited; /* its creator is the process this one was forked from */
    bool writable;  /* this mapping */
    uint32_t refs;  /* SA_ATTACHED and inherited: holders here */
    bool counted;   /* while statistics are made */
    uint32_t note;  /* place in the notes of this process's ledger, from 1 */
    double unused_since;
    /* where else a descriptor can be had: the creator */
    int32_t creator_pid, creator_fd;
    uint64_t creator_start;
    /* own SA_SPANS */
    uint32_t npages, live, lost;
    sa_span **pagemap;
    sa_run *runs;
    uint32_t nruns, runs_cap;
    /* own SA_WHOLE */
    sa_span *whole;
    sa_segment *next_id; /* bucket of the id table */
    sa_segment *prev, *next; /* all segments */
};

/* range.c: reserved address space; "whose is this pointer" is a subtraction and a look-up. */
typedef struct {
    char *base;
    size_t nslots;
    sa_segment **slot;
} sa_range;
#define SA_RANGES 64
extern sa_range sa_ranges[SA_RANGES];
extern int sa_nranges;

static inline sa_segment *sa_segment_at(const void *p) {
    int n = __atomic_load_n(&sa_nranges, __ATOMIC_ACQUIRE);
    for (int i = 0; i < n; i++) {
        size_t k = ((uintptr_t)p - (uintptr_t)sa_ranges[i].base) / SA_SLOT;
        if (k < sa_ranges[i].nslots)
            return __atomic_load_n(&sa_ranges[i].slot[k], __ATOMIC_ACQUIRE);
    }
    return NULL;
}
int sa_range_take(size_t nslots, char **base);     /* lock held; 0 or -errno */
void sa_range_retry(void);                         /* lock held; what could not be unmapped */
size_t sa_range_share(void); /* bytes of address space that one mapping may well take: ulimit -v */
void sa_range_mark(char *base, size_t nslots, sa_segment *seg);
void sa_range_give(char *base, size_t nslots);     /* lock held; unmaps */

/* segment.c */
extern pthread_mutex_t sa_mutex;
static inline void sa_lock(void) { pthread_mutex_lock(&sa_mutex); }
static inline void sa_unlock(void) { pthread_mutex_unlock(&sa_mutex); }
extern sa_segment *sa_segments; /* list of all */
extern uint32_t sa_ndescriptors;
double sa_now(void);            /* seconds, coarse, no system call */
int sa_segment_create(size_t size, int kind, sa_segment **out);        /* lock held */
void sa_segment_release(sa_segment *seg, bool retire);                 /* lock held */
sa_segment *sa_segment_find(const uint64_t id[2]);                     /* lock held */
size_t sa_descriptor_budget(void);
bool sa_segment_has_fd(sa_segment *seg);   /* lock held */
void sa_segment_forget_fd(sa_segment *seg); /* lock held */
bool sa_segment_names_fd(sa_segment *seg); /* lock held */
int sa_segment_punch(sa_segment *seg, size_t from, size_t n); /* own: pages back to the system */

int sa_served_descriptor(const uint64_t id[2], uint64_t size, int writable);

/* Attached (received) segments. The caller of hold/attach owns one reference. */
sa_segment *sa_attached_hold(const uint64_t id[2], uint64_t size, bool writable, int *rc);
int sa_attach_fd(const uint64_t id[2], uint64_t size, int fd, bool writable,
                 int32_t creator_pid, int32_t creator_fd, uint64_t creator_start,
                 sa_segment **out); /* takes fd */
void sa_segment_ref(sa_segment *seg);
void sa_segment_drop(sa_segment *seg);
void sa_segment_unref(sa_segment *seg); /* lock held */
size_t sa_attached_purge(bool all); /* lock held; unused mappings; bytes */
uint64_t sa_attached_bytes(bool used);
void sa_attached_set_cap(uint64_t bytes);

/* One message: see ledger.h. */
struct sa_peer;
typedef struct {
    uint64_t id[2]; /* the sender's ledger */
    int32_t fd;
    uint32_t index;
    uint64_t sequence;
    uint64_t creator[2]; /* the ledger that counts the holders of the block; zero: none does */
    int32_t creator_fd, creator_fd_here;
    uint32_t word;
    bool own;
} sa_ticket;

/* pool.c */
typedef struct {
    uint64_t allocated, cached, published, in_flight, peak;
} sa_stats;
extern __thread int sa_failure; /* errno of this thread's last failed allocation */
void *sa_alloc(size_t n, bool zero, bool written);
void sa_free(void *p); /* lets go of one reference at p, a block or an attached segment */
int sa_ref(void *p); /* takes one */
void *sa_realloc(void *p, size_t n);
size_t sa_capacity(void *p); /* bytes of the block at p, 0 if p is no block of ours */
bool sa_populate(char *p, size_t n); /* all of it will be written; unbounded in time; whether it is warm now */
void sa_pool_stats(sa_stats *out);
size_t sa_pool_trim(void);
void sa_pool_settle(void); /* looks at all messages and blocks that others may have let go of */
void sa_pool_set_cap(uint64_t bytes);
bool sa_block_find(const void *p, sa_segment **seg, char **start, size_t *size, uint64_t *serial);
/* The next five need the lock. */
sa_block *sa_block_lookup(sa_segment *seg, const void *p, sa_span **span); /* own segments */
void sa_unref(sa_segment *seg, void *p);
int sa_ref_for_ticket(sa_segment *seg, void *p, sa_ticket *out);
uint64_t sa_bytes_at(sa_segment *seg, void *p, bool mark);
void sa_pool_after_fork_child(void);
void *sa_block_hold(const uint64_t id[2], uint64_t offset, uint64_t serial); /* own, reopened */
int sa_block_attach(sa_segment *seg, char *p, const uint64_t ledger[2], uint32_t word, uint64_t serial);
uint32_t sa_block_others(void *p);
uint64_t sa_pool_fork_mark(void);

/* stream.c */
void sa_stream_fill(char *p, size_t n, const char *pattern, size_t length);

/* local.c: small blocks that a thread keeps */
int sa_local_init(void);
void *sa_local_take(uint32_t cls, size_t size);
bool sa_local_put(uint32_t cls, size_t size, char *p, sa_block *b);
void sa_local_refill(uint32_t cls);      /* this and the next four: lock held */
void sa_local_flush(void);
int64_t sa_local_allocated(void);
void sa_local_after_fork_child(void);
void sa_block_return(char *p);           /* pool.c: a free block of a thread goes back */
void sa_count_local(int64_t allocated);  /* bytes of a thread that ends */
uint64_t sa_serials(uint32_t n);         /* reserves n serials; the last one used before */

/* witness.c, lock held: the last block that a living descendant may know */
void sa_witness_before_fork(uint64_t serial, bool always);
void sa_witness_after_fork_parent(void);
void sa_witness_after_fork_child(void);
uint64_t sa_witness_serial(void);
bool sa_witness_due(void);
uint64_t sa_witness_forever(void); /* of no block up to this one will it ever be told */

/* fork.c */
int sa_fork_init(void);
extern __thread int sa_scope __attribute__((tls_model("initial-exec"))); /* this thread's allocation flags */
extern int32_t sa_pid; /* of this process */
extern uint64_t sa_start;

/* ledger.c */
#define SA_TICKETS ((uint32_t)1 << 20)
enum { SA_FREE = 0, SA_PENDING = 1, SA_OPENED = 2, SA_CANCELLED = 3 };
int sa_ticket_new(void *p, sa_ticket *out); /* the block at p is kept until the message is opened */
void sa_ticket_cancel(uint32_t index, uint64_t sequence);
uint64_t sa_collect(double older_than); /* cancels what was sent so many seconds ago; bytes freed */
bool sa_ticket_cancelled(const uint64_t id[2], uint32_t index, uint64_t sequence);
int sa_ledger_known(const uint64_t id[2]);
int sa_ledger_map(const uint64_t id[2], int fd, int origin_fd); /* takes fd */
bool sa_ticket_opened(const uint64_t id[2], uint32_t index, uint64_t sequence);
/* The others need the lock. */
void sa_ticket_sweep(uint32_t most); /* lets go of what was opened */
void sa_ticket_sweep_of(const void *p); /* lock held */
bool sa_ticket_pending(const void *p);
void sa_ticket_cancel_until(double made);
uint64_t sa_in_flight(void);         /* bytes */
int sa_ledger_fd(const uint64_t id[2]); /* of a ledger mapped here, or -1 */
uint32_t sa_word_new(uint64_t serial);
bool sa_word_retire(uint32_t word, uint64_t serial);
void sa_word_creator(uint32_t word);
void sa_reclaim_dead(bool now);
void sa_peers_purge(bool all);
uint32_t sa_others_own(uint32_t word, uint64_t serial);
uint32_t sa_others_peer(struct sa_peer *p, uint32_t word, uint64_t serial, bool counted);
uint32_t sa_others_inherited(int32_t creator_pid, uint32_t word, uint64_t serial);
void sa_peer_names(struct sa_peer *p, uint64_t id[2], int32_t *origin_fd, int32_t *fd);
bool sa_ancestor_ledger(int32_t creator_pid, uint64_t id[2], int32_t *fd);
bool sa_ledger_before_fork(void);
void sa_ancestor_pin(int32_t creator_pid, uint64_t serial); /* a child sent what it inherited */
bool sa_ledger_pinned(uint64_t serial);
void sa_ledger_after_fork_child(uint64_t inherited_serial, int32_t parent);

/* notes.c, lock held */
void sa_note_made(sa_segment *seg);
void sa_note_gone(sa_segment *seg);

/* holds.c, lock held */
int sa_held_take(char *p, const uint64_t ledger[2], uint32_t word, uint64_t serial);
bool sa_held_again(char *p, struct sa_peer **peer, uint32_t *word);
void sa_held_drop(char *p);
bool sa_held_info(const void *p, struct sa_peer **peer, uint32_t *word, uint64_t *serial);
void sa_holds_before_fork(void);
void sa_holds_after_fork_parent(void);
void sa_holds_after_fork_child(void);
#endif
