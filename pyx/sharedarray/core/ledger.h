/* The ledger of a process: one sealed sparse memfd, mapped by all who deal with it. Peers of the
   same user may write anything into it: its values are compared, never used as index, length or
   pointer, so they can corrupt counts and nothing else.

   word    one per published block: {serial 46, creator holds 1, sticky 1, attached 16}. The serial
           never repeats, so it is the generation as well.
   ticket  one per message: {sequence 62, state 2}.
   hold    one per block and attacher: who it is, so that the creator can uncount the dead. A child
           that is being forked has no pid yet: it is a byte behind the ledger's end, locked by a
           description of the file that parent and child share until the child has entered itself.
   child   one per forked child: who it is, and which blocks it inherited.
   notes   whose ledger it is, the segments it made, and the segment of each ticket: for tools that
           look from outside. This library writes them and never reads them. */
#ifndef SA_LEDGER_H
#define SA_LEDGER_H

#include "core.h"

#define SA_ROWS SA_TICKETS                /* words, tickets and holds of a full ledger: 48 MiB */
#define SA_ROWS_MIN ((uint32_t)1 << 10)   /* and where limits are narrow: 372 KiB */
#define SA_CHILDREN ((uint32_t)1 << 12)
#define SA_PINNED 255
#define SA_MADE ((uint32_t)1 << 14)
#define SA_LEDGER_MAGIC 0x31524744454c4153u /* "SALEDGR1": this layout */
#define SA_NOWORD UINT32_MAX

typedef struct {
    uint64_t who;    /* pid and start time, see sa_who(); 0: free */
    uint64_t word;   /* index, or SA_NOWORD while unused */
    uint64_t serial;
} sa_hold;

typedef struct {
    uint64_t who;
    uint64_t serial; /* last block it inherited */
} sa_child;

typedef struct {
    uint64_t next_hold; /* entries of `hold` handed out so far */
    uint64_t pidns;     /* of the process whose ledger it is */
    uint64_t npinned;   /* blocks that forked children sent on, uncounted: never recycled */
    uint64_t pinned[SA_PINNED];
    uint64_t magic, pid, start; /* of the process whose ledger it is */
    uint64_t reserved[506 - SA_PINNED];
    sa_child child[SA_CHILDREN];
    uint64_t made[SA_MADE][2]; /* ids of segments that this process made */
    /* Word, ticket and hold of one number have nothing to do with each other; they lie together so
       that a smaller ledger is a shorter one. How many there are tells the sealed size alone. */
    struct {
        uint64_t word;
        uint64_t ticket;
        uint64_t ticket_segment; /* first word of its segment's id */
        sa_hold hold;
    } row[];
} sa_ledger;
#define SA_LEDGER_BYTES(rows) (sizeof(sa_ledger) + (uint64_t)(rows) * sizeof(((sa_ledger *)0)->row[0]))

#define SA_ATTACHED_MASK 0xffffu
#define SA_CREATOR ((uint64_t)1 << 17)
#define SA_SERIAL(w) ((w) >> 18)

/* A ledger mapped here: its own, or a peer's. */
typedef struct sa_peer {
    uint64_t id[2];
    sa_ledger *map;
    uint32_t rows;
    int fd, origin_fd; /* here, and in the process whose ledger it is */
    sa_file file;
    double looked; /* when fd was last seen to be this ledger's */
    uint32_t users; /* held blocks counted in it */
    uint64_t used;
    uint32_t *spare, nspare, spare_cap; /* hold entries of ours that are unused */
    int fork_fd;      /* during a fork: has the byte of fork_who locked; -1 */
    uint64_t fork_who; /* the child, before it has entered itself */
    struct sa_peer *next;
} sa_peer;

/* In a hold entry: a process of another pid namespace, whose end the creator cannot see. */
#define SA_FOREIGN UINT64_MAX
/* ... and one that is being uncounted. */
#define SA_RECLAIMED ((uint64_t)1)

/* Rows of a ledger of that size; 0: no ledger has it. */
static inline uint32_t sa_ledger_rows(uint64_t bytes) {
    for (uint32_t rows = SA_ROWS; rows >= SA_ROWS_MIN; rows /= 2)
        if (bytes == SA_LEDGER_BYTES(rows)) return rows;
    return 0;
}

/* A pid has at most 22 bits, a start time in ticks 42 for 1,400 years. */
static inline uint64_t sa_who(int32_t pid, uint64_t start) { return (uint64_t)(uint32_t)pid << 42 | (start & (((uint64_t)1 << 42) - 1)); }

static inline void sa_uncount(sa_ledger *map, uint32_t word, uint64_t serial) {
    uint64_t *w = &map->row[word].word, was = __atomic_load_n(w, __ATOMIC_ACQUIRE);
    while (SA_SERIAL(was) == serial && (was & SA_ATTACHED_MASK))
        if (__atomic_compare_exchange_n(w, &was, was - 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return;
}

bool sa_who_alive(uint64_t who);
uint64_t sa_who_in(const sa_ledger *map); /* this process, as the owner of `map` may judge it */
sa_peer *sa_peer_find(const uint64_t id[2]);                      /* lock held */
void sa_notes_begin(sa_ledger *map);                              /* lock held */
void sa_notes_end(void);
uint64_t sa_fork_who(sa_peer *peer); /* lock held; before a fork: the child's name in holds */
void sa_fork_who_end(void);          /* after it, on both sides */
int sa_count_in(sa_peer *peer, uint32_t word, uint64_t serial, uint32_t *entry); /* lock held */
void sa_count_out(sa_peer *peer, uint32_t word, uint64_t serial, uint32_t entry);

/* This process's messages in flight, for its keeper. All need the lock. */
sa_peer *sa_ledger_own(void); /* NULL: it sent nothing */
uint32_t sa_pending(void);
void *sa_pending_at(uint32_t k, sa_segment **seg, uint32_t *index, uint64_t *sequence); /* the block */
void sa_ticket_extent(uint64_t *newest, uint32_t *places);

#endif
