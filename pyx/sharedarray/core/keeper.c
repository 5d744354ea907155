/* The sender's side of the keeper: what is in flight goes to a process of its own, which stays when
   this one has ended normally. See keeper.h and keeper_main.c. */
#include "device.h"
#include "keeper.h"
#include "ledger.h"
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char *program;
static uint64_t linger; /* ms */
static int channel = -1; /* to a keeper that runs */
static sa_file channel_file;
static uint64_t handed;  /* newest sequence when it was told last */

int sa_keeper_configure(const char *path, uint64_t linger_ms) {
    char *copy = strdup(path);
    if (!copy) return -ENOMEM;
    sa_lock();
    char *former = program;
    program = copy;
    linger = linger_ms;
    sa_unlock();
    free(former);
    return 0;
}

void sa_keeper_after_fork_child(void) {
    sa_file_close(channel, &channel_file);
    channel = -1;
}

/* ---- starting it ---- */

static int hear(sa_keep_reply *a) {
    ssize_t n;
    do n = recv(channel, a, sizeof *a, 0);
    while (n < 0 && errno == EINTR);
    if (n < 0) return errno == EAGAIN ? -ETIMEDOUT : -errno;
    return n != sizeof *a || a->magic != SA_KEEP_MAGIC ? -ECONNRESET : a->status;
}

/* posix_spawn() is vfork and exec: no fork handlers, no copy of this process's page tables. */
static int spawn(int end) {
    static char *const environment[] = {NULL};
    char creator[16], *const argv[] = {SA_KEEPER_PROGRAM, creator, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attr;
    sigset_t none, all;
    pid_t pid;
    snprintf(creator, sizeof creator, "%d", (int)sa_pid); /* for who lists processes */
    sigemptyset(&none);
    sigfillset(&all);
    int rc = posix_spawn_file_actions_init(&actions);
    if (rc) return -rc;
    rc = posix_spawnattr_init(&attr);
    if (!rc) {
        posix_spawnattr_setsigmask(&attr, &none);
        posix_spawnattr_setsigdefault(&attr, &all);
        posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        rc = posix_spawn_file_actions_adddup2(&actions, end, SA_KEEP_FD);
        if (!rc) rc = posix_spawn(&pid, program, &actions, &attr, argv, environment);
        posix_spawnattr_destroy(&attr);
    }
    posix_spawn_file_actions_destroy(&actions);
    return -rc;
}

#define STACK ((size_t)64 << 10)

typedef struct {
    int end, rc;
} order;

/* In a process that shares this one's memory and ends at once, so that the keeper is an orphan. */
__attribute__((no_sanitize_address)) static int between(void *arg) {
    order *o = arg;
    o->rc = spawn(o->end);
    _exit(0);
}

/* The process between has no exit signal: no SIGCHLD comes here, and no wait() of the program's
   sees it. See clone(2), "the child termination signal", and __WCLONE in wait(2). */
static int spawn_orphan(int end) {
    order o = {end, -EAGAIN};
    sigset_t all, before;
    char *stack = malloc(STACK);
    if (!stack) return -ENOMEM;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid_t pid = clone(between, (char *)((uintptr_t)(stack + STACK) & ~(uintptr_t)63), CLONE_VM | CLONE_VFORK, &o);
    if (pid < 0) o.rc = -errno;
    else
        while (waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR) {}
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(stack);
    return o.rc;
}

static int start(sa_keep_reply *hello) {
    struct timeval patience = {.tv_sec = SA_KEEP_PATIENCE};
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) return -errno;
    channel = pair[0];
    sa_file_note(channel, &channel_file);
    setsockopt(channel, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(channel, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    /* dup2() of a descriptor onto itself would leave it to be closed by exec */
    int end = pair[1] == SA_KEEP_FD ? fcntl(pair[1], F_DUPFD_CLOEXEC, SA_KEEP_FD + 1) : pair[1];
    int rc = end < 0 ? -errno : spawn_orphan(end);
    if (end != pair[1]) sa_close(end);
    close(pair[1]);
    return rc ? rc : hear(hello);
}

/* ---- telling it ---- */

#define UNTOLD UINT32_MAX

/* Numbers of what was told already, by address; open addressing. */
typedef struct {
    const void **key;
    uint32_t *number;
    size_t mask;
} numbers;

static int numbers_new(numbers *t, size_t n) {
    size_t room = 16;
    while (room < 4 * n) room *= 2;
    t->mask = room - 1;
    t->key = calloc(room, sizeof *t->key);
    t->number = malloc(room * sizeof *t->number);
    return t->key && t->number ? 0 : -ENOMEM;
}

static void numbers_free(numbers *t) {
    free(t->key);
    free(t->number);
}

/* Where the number of `key` is; *new if it has none yet. */
static uint32_t *number_of(numbers *t, const void *key, bool *new) {
    size_t i = (((uintptr_t)key >> 4) * 0x9e3779b97f4a7c15u >> 20) & t->mask;
    while (t->key[i] && t->key[i] != key) i = (i + 1) & t->mask;
    *new = !t->key[i];
    t->key[i] = key;
    return &t->number[i];
}

typedef struct {
    sa_keep_record record[SA_KEEP_RECORDS];
    int fd[SA_KEEP_RECORDS];
    int n, nfds;
    uint32_t ledgers, segments, blocks;
    numbers known; /* segments, blocks and ledgers */
    uint64_t who_pid, who_start;
} batch;

static int flush(batch *b) {
    struct iovec data = {b->record, (size_t)b->n * sizeof b->record[0]};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(SA_KEEP_RECORDS * sizeof(int))];
    } control;
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};
    if (b->nfds) {
        size_t bytes = (size_t)b->nfds * sizeof(int);
        memset(&control, 0, sizeof control);
        m.msg_control = &control;
        m.msg_controllen = CMSG_SPACE(bytes);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(bytes);
        memcpy(CMSG_DATA(&control.header), b->fd, bytes);
    }
    while (sendmsg(channel, &m, MSG_NOSIGNAL) < 0)
        if (errno != EINTR) return errno == EAGAIN ? -ETIMEDOUT : -errno;
    b->n = b->nfds = 0;
    return 0;
}

static int put(batch *b, sa_keep_record r, int fd) {
    b->record[b->n++] = r;
    if (fd >= 0) b->fd[b->nfds++] = fd;
    return b->n == SA_KEEP_RECORDS ? flush(b) : 0;
}

static int put_ledger(batch *b, sa_peer *p, uint32_t *number) {
    bool new;
    uint32_t *n = number_of(&b->known, p, &new);
    int rc = 0;
    if (new) {
        if (!sa_file_at(p->fd, &p->file)) return -EBADF;
        *n = b->ledgers++;
        rc = put(b, (sa_keep_record){.kind = SA_KEEP_LEDGER, .id = {p->id[0], p->id[1]}}, p->fd);
    }
    *number = *n;
    return rc;
}

/* Spans of an arena with a block that others may reach: a handle named it. */
static int put_runs(batch *b, const sa_segment *seg, uint32_t number) {
    int rc = 0;
    for (uint32_t page = 0; page < seg->npages && !rc;) {
        sa_span *s = seg->pagemap[page];
        if (!s) {
            page++;
            continue;
        }
        bool named = s->lost > 0;
        for (uint32_t i = 0; i < s->nblocks && !named; i++) named = s->blocks[i].published;
        if (named) rc = put(b, (sa_keep_record){SA_KEEP_RUN, number, {0, 0}, s->first * SA_PAGE, s->npages * SA_PAGE, 0}, -1);
        page = s->first + s->npages;
    }
    return rc;
}

/* -EBADF: the program has closed its descriptor. */
static int put_segment(batch *b, sa_segment *seg, uint32_t *number) {
    bool new;
    uint32_t *n = number_of(&b->known, seg, &new);
    if (new) *n = sa_segment_has_fd(seg) ? b->segments++ : UNTOLD;
    *number = *n;
    if (*n == UNTOLD) return -EBADF;
    if (!new) return 0;
    /* forked children know the blocks without a name too */
    bool pruned = seg->kind == SA_SPANS && is_own(seg) && !sa_witness_serial() && !sa_ledger_own()->map->npinned;
    int rc = put(b, (sa_keep_record){SA_KEEP_SEGMENT, 0, {seg->id[0], seg->id[1]}, seg->size, seg->writable, pruned}, seg->fd);
    return !rc && pruned ? put_runs(b, seg, *number) : rc;
}

/* Where else the holders of the block are counted; the keeper is counted there from now on. */
static int count_keeper(batch *b, sa_segment *seg, char *p, sa_keep_record *r) {
    sa_peer *peer = NULL;
    uint32_t word = SA_NOWORD, entry = SA_NOWORD, number;
    uint64_t serial = 0, id[2];
    int32_t fd;
    sa_span *s;
    sa_block *own;
    r->id[0] = SA_KEEP_NONE;
    if (is_own(seg)) return 0;
    if (!sa_held_info(p, &peer, &word, &serial) && seg->inherited && (own = sa_block_lookup(seg, p, &s)) && own->published &&
        sa_ancestor_ledger(seg->creator_pid, id, &fd)) {
        peer = sa_peer_find(id);
        word = own->word;
        serial = own->serial;
    }
    if (!peer || word == SA_NOWORD) return 0;
    int rc = put_ledger(b, peer, &number);
    if (rc || sa_count_in(peer, word, serial, &entry)) return rc;
    peer->users--;
    if (entry != SA_NOWORD && __atomic_load_n(&peer->map->row[entry].hold.who, __ATOMIC_ACQUIRE) != SA_FOREIGN)
        __atomic_store_n(&peer->map->row[entry].hold.who, sa_who((int32_t)b->who_pid, b->who_start), __ATOMIC_RELEASE);
    r->id[0] = number;
    r->a = word;
    r->b = serial;
    r->c = entry;
    return 0;
}

/* The device memory that the control block at `p` stands for, if it does. */
static int put_device(batch *b, const void *p, uint32_t block) {
    uint64_t id[2], size;
    bool new;
    int fd = sa_device_of(p, id, &size), rc = 0;
    if (fd < 0) return 0;
    /* its id serves as the key: odd, so no address */
    uint32_t *n = number_of(&b->known, (const void *)(uintptr_t)(id[0] | 1), &new);
    if (new) {
        *n = b->segments++;
        rc = put(b, (sa_keep_record){SA_KEEP_SEGMENT, 0, {id[0], id[1]}, size, 1, 0}, fd);
    }
    return rc ? rc : put(b, (sa_keep_record){SA_KEEP_DEVICE, *n, {0, 0}, block, 0, 0}, -1);
}

static int put_ticket(batch *b, uint32_t k) {
    sa_segment *seg;
    uint32_t index, segment;
    uint64_t sequence;
    bool new;
    char *p = sa_pending_at(k, &seg, &index, &sequence);
    int rc = put_segment(b, seg, &segment);
    if (rc == -EBADF) return 0; /* the program has closed it: nobody can hand it over */
    uint32_t *n = number_of(&b->known, p, &new);
    if (new && !rc) {
        sa_keep_record r = {.kind = SA_KEEP_BLOCK, .of = segment};
        *n = b->blocks++;
        rc = count_keeper(b, seg, p, &r);
        if (!rc) rc = put(b, r, -1);
        if (!rc) rc = put_device(b, p, *n);
    }
    return rc ? rc : put(b, (sa_keep_record){SA_KEEP_TICKET, *n, {0, 0}, index, sequence, 0}, -1);
}

static int tell(batch *b) {
    uint64_t newest;
    uint32_t places, number, n = sa_pending();
    sa_keep_reply a;
    sa_ticket_extent(&newest, &places);
    int rc = numbers_new(&b->known, 4 * (size_t)n + 1);
    if (!rc) rc = put_ledger(b, sa_ledger_own(), &number);
    for (uint32_t k = 0; k < n && !rc; k++) rc = put_ticket(b, k);
    if (!rc) rc = put(b, (sa_keep_record){SA_KEEP_DONE, 0, {0, 0}, linger, newest, places}, -1);
    if (!rc && b->n) rc = flush(b);
    if (!rc) rc = hear(&a);
    if (!rc) handed = newest;
    numbers_free(&b->known);
    return rc;
}

/* Lock held. */
static int hand_over(void) {
    static batch b;
    static sa_keep_reply keeper;
    int rc = 0;
    if (!sa_file_at(channel, &channel_file)) channel = -1; /* the program has closed it */
    for (int attempt = 0; attempt < 2; attempt++) {
        bool fresh = channel < 0;
        rc = fresh ? start(&keeper) : 0;
        b = (batch){.who_pid = (uint64_t)keeper.pid, .who_start = keeper.start};
        if (!rc) rc = tell(&b);
        if (!rc) break;
        sa_close(channel);
        channel = -1;
        if (fresh) break; /* else it had ended meanwhile: another one */
    }
    return rc;
}

/* No descriptor is left, and this process is about to end: segments of which nothing is in flight
   need theirs no more. */
static void make_room(void) {
    sa_segment *seg;
    uint32_t index;
    uint64_t sequence;
    for (uint32_t k = sa_pending(); k-- > 0;) {
        sa_pending_at(k, &seg, &index, &sequence);
        seg->counted = true;
    }
    for (seg = sa_segments; seg; seg = seg->next) {
        if (!seg->counted) sa_segment_forget_fd(seg);
        seg->counted = false;
    }
}

int sa_hand_over(void) {
    uint64_t newest;
    uint32_t places;
    int rc = 0;
    struct rlimit had;
    bool raised = false;
    for (int attempt = 0; attempt < 3; attempt++) {
        sa_lock();
        if (!linger || !program) {
            sa_unlock();
            return 0;
        }
        sa_ticket_sweep(UINT32_MAX);
        sa_ticket_extent(&newest, &places);
        rc = sa_pending() && (channel < 0 || handed != newest) ? hand_over() : 0;
        if (rc == -EMFILE && attempt == 1) make_room();
        sa_unlock();
        if (rc != -EMFILE) break;
        if (attempt == 0) sa_pool_trim(); /* cached segments have descriptors */
        if (attempt == 1 && !getrlimit(RLIMIT_NOFILE, &had) && had.rlim_cur != RLIM_INFINITY) {
            struct rlimit more = had;
            more.rlim_cur = had.rlim_max - had.rlim_cur > 8 ? had.rlim_cur + 8 : had.rlim_max;
            raised = !setrlimit(RLIMIT_NOFILE, &more);
        }
    }
    if (raised) (void)setrlimit(RLIMIT_NOFILE, &had);
    return rc;
}

void sa_hand_over_at_exit(void) { (void)sa_hand_over(); }
