/* What a process that ends hands over to its keeper, the program `sharedarray-keeper`, over a pair
   of SOCK_SEQPACKET sockets: packets of records, each descriptor that a record has in the same
   packet, and a last record SA_KEEP_DONE. A later hand-over replaces the former one. */
#ifndef SA_KEEPER_H
#define SA_KEEPER_H

#include <stdint.h>

#define SA_KEEPER_PROGRAM "sharedarray-keeper"
#define SA_KEEP_FD 3       /* the keeper's end */
#define SA_KEEP_RECORDS 64 /* of a packet, at most */
#define SA_KEEP_PATIENCE 10 /* seconds that either side waits for the other */
#define SA_KEEP_MAGIC 0x3150454bu

/* The first word of a record; what follows is numbered, by kind, in the order of sending. */
enum {
    SA_KEEP_LEDGER = 1, /* id; a descriptor. Number 0: the sender's own */
    SA_KEEP_SEGMENT,    /* id, a: size, b: writable, c: all but its runs is nobody's; a descriptor */
    SA_KEEP_RUN,        /* part of segment `of` that others may reach: a: offset, b: bytes */
    SA_KEEP_BLOCK,      /* in segment `of`; counted in ledger id[0] at word a, serial b, hold c */
    SA_KEEP_DEVICE,     /* block a lies in device memory, whose descriptor is segment `of` */
    SA_KEEP_TICKET,     /* of block `of`: a: place in ledger 0, b: sequence */
    SA_KEEP_DONE,       /* a: ms to linger, b: newest sequence, c: places of tickets in use */
};
#define SA_KEEP_NONE UINT64_MAX

typedef struct {
    uint32_t kind, of;
    uint64_t id[2], a, b, c;
} sa_keep_record;

/* What the keeper says: once when it runs, and to each SA_KEEP_DONE. */
typedef struct {
    uint32_t magic;
    int32_t status; /* 0 or -errno */
    int32_t pid;
    uint32_t reserved;
    uint64_t start;
} sa_keep_reply;

/* Hand over what was sent and not opened, if there is anything; 0 or -errno. */
int sa_hand_over(void);
void sa_hand_over_at_exit(void); /* for Py_AtExit() */

/* The program's path (copied), and how long it stays at most; 0 ms: no keeper. */
int sa_keeper_configure(const char *path, uint64_t linger_ms);

void sa_keeper_after_fork_child(void);

#endif
