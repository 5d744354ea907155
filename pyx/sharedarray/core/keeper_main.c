/* The program `sharedarray-keeper`: stays after a process that ended with unopened messages, holds
   their segments and nothing else, and gives descriptors to receivers as that process would have
   (serve.c), under a name that every handle of that process tells: its ledger's id. It ends when
   all was opened, or when its time is over. In other processes' ledgers it counts as a holder. */
#include "keeper.h"
#include "ledger.h"
#include "serve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define AWAKE 20  /* ms between looks at the tickets, for a second after something happened */
#define ASLEEP 200
#define BUSY_NAME 500 /* ms that a former keeper of the same process may take to be gone */

typedef struct {
    uint64_t id[2];
    sa_ledger *map;
    uint32_t rows;
    int fd;
} ledger;

typedef struct {
    uint64_t id[2], size;
    int fd;
    bool writable, pruned; /* pruned: all but its runs is to be given back at the sender's end */
    uint32_t blocks;       /* with messages in flight */
} segment;

/* Where a block of another process is counted. */
typedef struct {
    uint64_t serial;
    uint32_t ledger, word, entry;
} count;

typedef struct {
    uint32_t segment, tickets, count, device; /* count, device: its number, or NONE */
} block;
#define NONE UINT32_MAX

typedef struct {
    uint64_t sequence;
    uint32_t index, block;
} ticket;

typedef struct {
    uint64_t offset, bytes;
    uint32_t segment;
} run;

/* One hand-over. */
typedef struct {
    ledger *ledgers;
    segment *segments;
    block *blocks;
    count *counts;
    ticket *tickets;
    run *runs;
    uint64_t nledgers, nsegments, nblocks, ncounts, ntickets, nruns;
    uint64_t linger, newest, places; /* ms; see SA_KEEP_DONE */
} hand;

static hand held, incoming;
static int incoming_error;
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER; /* the server's thread reads `held` */
static _Atomic int64_t active_at;
static uint64_t pidns;
static int32_t me;
static uint64_t me_since;

/* ---- what is held ---- */

static int give_out(const uint64_t id[2], uint64_t size, int writable) {
    int from = -1, fd = -ENOENT;
    active_at = sa_now_ms();
    pthread_mutex_lock(&table);
    for (uint64_t i = 0; i < held.nsegments; i++) {
        segment *s = &held.segments[i];
        if (s->id[0] == id[0] && s->id[1] == id[1] && s->size == size && (s->writable || !writable)) from = s->fd;
    }
    for (uint64_t i = 0; i < held.nledgers; i++)
        if (held.ledgers[i].id[0] == id[0] && held.ledgers[i].id[1] == id[1]) from = held.ledgers[i].fd;
    if (from >= 0) fd = sa_fd_again(from, writable);
    pthread_mutex_unlock(&table);
    return fd;
}

/* The hold comes first: a crash leaves a count too high. What a creator took back is not ours. */
static void uncount(const hand *h, const block *of) {
    if (of->count == NONE) return;
    const count *b = &h->counts[of->count];
    sa_ledger *map = h->ledgers[b->ledger].map;
    bool held_by_entry = b->entry < h->ledgers[b->ledger].rows;
    if (held_by_entry) {
        uint64_t who = pidns && pidns == map->pidns ? sa_who(me, me_since) : SA_FOREIGN;
        if (__atomic_load_n(&map->row[b->entry].hold.who, __ATOMIC_ACQUIRE) != who) return;
        __atomic_store_n(&map->row[b->entry].hold.word, SA_NOWORD, __ATOMIC_RELEASE);
    }
    sa_uncount(map, b->word, b->serial);
    if (held_by_entry) __atomic_store_n(&map->row[b->entry].hold.who, 0, __ATOMIC_RELEASE);
}

static void leave_segment(hand *h, uint32_t i) {
    segment *s = &h->segments[i];
    if (--s->blocks) return;
    sa_close(s->fd);
    s->fd = -1;
}

static void let_go(hand *h, uint64_t i) {
    block *b = &h->blocks[h->tickets[i].block];
    h->tickets[i] = h->tickets[--h->ntickets];
    if (--b->tickets) return;
    uncount(h, b);
    leave_segment(h, b->segment);
    if (b->device != NONE) leave_segment(h, b->device);
}

static void drop_all(hand *h) {
    while (h->ntickets) let_go(h, h->ntickets - 1);
    for (uint64_t i = 0; i < h->nsegments; i++) sa_close(h->segments[i].fd);
    for (uint64_t i = 0; i < h->nledgers; i++) {
        munmap(h->ledgers[i].map, SA_LEDGER_BYTES(h->ledgers[i].rows));
        sa_close(h->ledgers[i].fd);
    }
    free(h->ledgers);
    free(h->segments);
    free(h->blocks);
    free(h->counts);
    free(h->tickets);
    free(h->runs);
    *h = (hand){0};
}

/* Let go of what was opened, or taken back by its sender. */
static void sweep(void) {
    pthread_mutex_lock(&table);
    for (uint64_t i = held.ntickets; i-- > 0;) {
        ticket *t = &held.tickets[i];
        if (__atomic_load_n(&held.ledgers[0].map->row[t->index].ticket, __ATOMIC_ACQUIRE) != (t->sequence << 2 | SA_PENDING)) {
            let_go(&held, i);
            active_at = sa_now_ms();
        }
    }
    pthread_mutex_unlock(&table);
}

/* ---- what comes from the sender ---- */

static void *grown(void *at, uint64_t n, size_t size) {
    if (n & (n - 1)) return at;
    void *more = realloc(at, (n ? 2 * n : 1) * size);
    if (!more) exit(1); /* the sender reads the end of the connection */
    return more;
}
#define ADD(list, n, ...) ((list) = grown(list, n, sizeof *(list)), (list)[(n)++] = __VA_ARGS__)

static int add_ledger(const sa_keep_record *r, int fd) {
    uint32_t rows = sa_ledger_rows((uint64_t)lseek(fd, 0, SEEK_END));
    if (!rows) return -EBADF;
    void *map = mmap(NULL, SA_LEDGER_BYTES(rows), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (map == MAP_FAILED) return -errno;
    ADD(incoming.ledgers, incoming.nledgers, (ledger){{r->id[0], r->id[1]}, map, rows, fd});
    return 0;
}

static int add(const sa_keep_record *r, int fd) {
    switch (r->kind) {
    case SA_KEEP_LEDGER:
        return fd < 0 ? -EBADF : add_ledger(r, fd);
    case SA_KEEP_SEGMENT:
        if (fd < 0) return -EBADF;
        ADD(incoming.segments, incoming.nsegments, (segment){{r->id[0], r->id[1]}, r->a, fd, r->b != 0, r->c != 0, 0});
        return 0;
    case SA_KEEP_RUN:
        if (r->of >= incoming.nsegments) return -EINVAL;
        ADD(incoming.runs, incoming.nruns, (run){r->a, r->b, r->of});
        return 0;
    case SA_KEEP_BLOCK:
        if (r->of >= incoming.nsegments || (r->id[0] != SA_KEEP_NONE && (r->id[0] >= incoming.nledgers || r->a >= incoming.ledgers[r->id[0]].rows))) return -EINVAL;
        ADD(incoming.blocks, incoming.nblocks, (block){r->of, 0, r->id[0] == SA_KEEP_NONE ? NONE : (uint32_t)incoming.ncounts, NONE});
        if (r->id[0] != SA_KEEP_NONE) ADD(incoming.counts, incoming.ncounts, (count){r->b, (uint32_t)r->id[0], (uint32_t)r->a, (uint32_t)r->c});
        incoming.segments[r->of].blocks++;
        return 0;
    case SA_KEEP_DEVICE:
        if (r->of >= incoming.nsegments || r->a >= incoming.nblocks || incoming.blocks[r->a].device != NONE) return -EINVAL;
        incoming.blocks[r->a].device = r->of;
        incoming.segments[r->of].blocks++;
        return 0;
    case SA_KEEP_TICKET:
        if (r->of >= incoming.nblocks || !incoming.nledgers || r->a >= incoming.ledgers[0].rows) return -EINVAL;
        ADD(incoming.tickets, incoming.ntickets, (ticket){r->b, (uint32_t)r->a, r->of});
        incoming.blocks[r->of].tickets++;
        return 0;
    default:
        return -EINVAL;
    }
}

static void reply(int status) {
    sa_keep_reply a = {SA_KEEP_MAGIC, status, me, 0, me_since};
    (void)!send(SA_KEEP_FD, &a, sizeof a, MSG_NOSIGNAL);
}

static int serve_as(const uint64_t id[2]) {
    int rc;
    for (int64_t until = sa_now_ms() + BUSY_NAME; (rc = sa_serve_start_as(give_out, id)) == -EADDRINUSE && sa_now_ms() < until;) poll(NULL, 0, 5);
    return rc;
}

/* All of a hand-over is here: it replaces the former one. */
static void take_over(const sa_keep_record *r) {
    incoming.linger = r->a;
    incoming.newest = r->b;
    incoming.places = r->c;
    int rc = incoming_error;
    if (!rc && !incoming.nledgers) rc = -EINVAL;
    if (!rc) rc = serve_as(incoming.ledgers[0].id);
    incoming_error = 0;
    if (rc) {
        drop_all(&incoming);
    } else {
        hand former = held;
        pthread_mutex_lock(&table);
        held = incoming;
        pthread_mutex_unlock(&table);
        incoming = (hand){0};
        drop_all(&former);
        active_at = sa_now_ms();
    }
    reply(rc);
}

/* One packet; false: the sender has ended. */
static bool receive(void) {
    sa_keep_record r[SA_KEEP_RECORDS];
    struct iovec data = {r, sizeof r};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(SA_KEEP_RECORDS * sizeof(int))];
    } control;
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n = recvmsg(SA_KEEP_FD, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) return false;
    int fds[SA_KEEP_RECORDS], nfds = 0, at = 0;
    struct cmsghdr *c = CMSG_FIRSTHDR(&m);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS) {
        nfds = (int)((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
        memcpy(fds, CMSG_DATA(c), (size_t)nfds * sizeof(int));
    }
    if (m.msg_flags & (MSG_CTRUNC | MSG_TRUNC)) incoming_error = -EMFILE;
    for (size_t i = 0; i < (size_t)n / sizeof *r; i++) {
        bool has = r[i].kind == SA_KEEP_LEDGER || r[i].kind == SA_KEEP_SEGMENT;
        if (r[i].kind == SA_KEEP_DONE) {
            take_over(&r[i]);
        } else if (!incoming_error) {
            incoming_error = add(&r[i], has && at < nfds ? fds[at] : -1);
            if (has && at < nfds && !incoming_error) at++;
        }
    }
    for (; at < nfds; at++) close(fds[at]);
    return true;
}

/* ---- when the sender has ended ---- */

static int by_place(const void *left, const void *right) {
    const run *a = left, *b = right;
    if (a->segment != b->segment) return a->segment < b->segment ? -1 : 1;
    return a->offset < b->offset ? -1 : 1;
}

/* Whether it did something after its hand-over by which others may know more of its memory. */
static bool went_on(void) {
    const sa_ledger *map = held.ledgers[0].map;
    if (__atomic_load_n(&map->npinned, __ATOMIC_ACQUIRE)) return true;
    for (uint64_t i = 0; i <= held.places && i < held.ledgers[0].rows; i++)
        if (__atomic_load_n(&map->row[i].ticket, __ATOMIC_ACQUIRE) >> 2 > held.newest) return true;
    for (uint32_t i = 0; i < SA_CHILDREN; i++) {
        uint64_t who = __atomic_load_n(&map->child[i].who, __ATOMIC_ACQUIRE);
        if (!who) break;
        if (who == SA_FOREIGN || (who != 1 && sa_alive((pid_t)(who >> 42), who & (((uint64_t)1 << 42) - 1)))) return true;
    }
    return false;
}

static void punch(int fd, uint64_t from, uint64_t to) {
    if (fd >= 0 && from < to) (void)!fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
}

/* Arrays that only the sender knew are nobody's now: their pages go back. */
static void prune(void) {
    if (went_on()) return;
    if (held.nruns) qsort(held.runs, held.nruns, sizeof *held.runs, by_place);
    uint64_t i = 0;
    for (uint32_t k = 0; k < held.nsegments; k++) {
        segment *s = &held.segments[k];
        uint64_t at = 0;
        for (; i < held.nruns && held.runs[i].segment == k; i++) {
            if (s->pruned) punch(s->fd, at, held.runs[i].offset);
            at = held.runs[i].offset + held.runs[i].bytes;
        }
        if (s->pruned) punch(s->fd, at, s->size);
    }
}

/* ---- the process ---- */

static void close_others(void) {
#ifdef SYS_close_range
    if (syscall(SYS_close_range, SA_KEEP_FD + 1, ~0U, 0) == 0) return;
#endif
    DIR *d = opendir("/proc/self/fd");
    struct rlimit lim;
    if (d) {
        for (struct dirent *e; (e = readdir(d));) {
            int fd = atoi(e->d_name);
            if (fd > SA_KEEP_FD && fd != dirfd(d)) close(fd);
        }
        closedir(d);
    } else if (getrlimit(RLIMIT_NOFILE, &lim) == 0) {
        for (rlim_t fd = SA_KEEP_FD + 1; fd < lim.rlim_cur && fd < 1 << 20; fd++) close((int)fd);
    }
}

static void raise_limit(int which) {
    struct rlimit lim;
    if (getrlimit(which, &lim) == 0) {
        lim.rlim_cur = lim.rlim_max;
        (void)setrlimit(which, &lim);
    }
}

/* Nothing of the sender's but the one socket: no streams, terminal, folder or session. */
static void leave(void) {
    close_others();
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < SA_KEEP_FD; fd++)
        if (null < 0) close(fd);
        else if (fd != null) dup2(null, fd);
    if (null > SA_KEEP_FD) close(null);
    (void)!chdir("/");
    setsid();
    static const int meant_for_its_sender[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2};
    for (size_t i = 0; i < sizeof meant_for_its_sender / sizeof *meant_for_its_sender; i++) signal(meant_for_its_sender[i], SIG_IGN);
    prctl(PR_SET_NAME, SA_KEEPER_PROGRAM);
    raise_limit(RLIMIT_NOFILE);
    raise_limit(RLIMIT_AS);
}

int main(void) {
    int type;
    socklen_t room = sizeof type;
    if (getsockopt(SA_KEEP_FD, SOL_SOCKET, SO_TYPE, &type, &room) || type != SOCK_SEQPACKET) {
        fputs(SA_KEEPER_PROGRAM " is started by processes that end while messages of theirs are unopened; there is nothing to run by hand\n", stderr);
        return 2;
    }
    leave();
    mallopt(M_MMAP_THRESHOLD, 64 << 10); /* long tables grow by mremap(2), which leaves no copies behind */
    fcntl(SA_KEEP_FD, F_SETFD, FD_CLOEXEC);
    me = getpid();
    if (sa_start_time(me, &me_since) || sa_namespace("pid", &pidns)) pidns = 0;
    reply(0);
    int64_t ended = -1;
    active_at = sa_now_ms();
    for (int64_t now = active_at;; now = sa_now_ms()) {
        struct pollfd p = {ended < 0 ? SA_KEEP_FD : -1, POLLIN, 0};
        int n = poll(&p, 1, now - active_at < 1000 ? AWAKE : ASLEEP);
        if (n > 0 && !receive()) {
            ended = sa_now_ms();
            close(SA_KEEP_FD);
            if (held.nledgers) prune();
        }
        if (held.nledgers) sweep();
        bool waiting = ended < 0 && !held.nledgers; /* for the first hand-over */
        if (held.ntickets ? ended >= 0 && (uint64_t)(sa_now_ms() - ended) >= held.linger : !waiting) {
            struct pollfd more = {ended < 0 ? SA_KEEP_FD : -1, POLLIN, 0};
            if (poll(&more, 1, 0) <= 0) break;
        }
    }
    sa_serve_stop(); /* before the connection ends: its name is free when the sender sees that */
    drop_all(&held);
    return 0;
}
