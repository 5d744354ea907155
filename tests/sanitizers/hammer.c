/* All that the pool and the ledger allow at once, for the sanitizers: threads of two processes
   allocate, free, send, open, forward, drop and hand blocks on, while one of them forks.

   hammer SECONDS          prints what was done; 0 if every block held what was written into it
   hammer peer SOCKET END  the second process */
#include "ledger.h"
#include "open.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 3
#define HELD 24
#define SHELF 64

typedef struct {
    uint64_t segment[2], size, offset, serial;
    int32_t pid, fd, creator_pid, creator_fd;
    uint64_t start, creator_start;
    sa_ticket ticket;
    uint64_t tag, nbytes;
} message;

typedef struct {
    char *p;
    uint64_t tag, nbytes, serial; /* serial: of a received one */
} item;

static int wire; /* to the other process and back; one packet a message */
static _Atomic bool over;
static _Atomic uint64_t made, sent, opened, own_opened, faults, handed, forks;

/* Blocks that one thread lays down and another takes. */
static struct {
    pthread_mutex_t lock;
    item item[SHELF];
    int n;
} shelf = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t chance(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void complain(const char *what, long value) {
    fprintf(stderr, "%s: %ld (%s)\n", what, value, strerror(errno));
    faults++;
}

/* The first and last word, and one of each page. */
static void fill(item *it) {
    uint64_t *w = (uint64_t *)it->p, n = it->nbytes / 8;
    for (uint64_t i = 0; i < n; i += 512) w[i] = it->tag + i;
    w[n - 1] = it->tag + n - 1;
}

static void look(const item *it) {
    const uint64_t *w = (const uint64_t *)it->p;
    uint64_t n = it->nbytes / 8;
    for (uint64_t i = 0; i < n; i += 512)
        if (w[i] != it->tag + i) {
            complain("a block holds what was not written into it", (long)i);
            return;
        }
    if (w[n - 1] != it->tag + n - 1) complain("a block's end was overwritten", (long)n);
}

static size_t random_size(uint64_t *state) {
    uint64_t kind = chance(state) % 100;
    int bits = kind < 60 ? 4 + (int)(chance(state) % 8) : kind < 97 ? 11 + (int)(chance(state) % 7) : 21;
    return (((size_t)1 << bits) + chance(state) % ((size_t)1 << bits)) / 8 * 8;
}

static bool make(item *it, uint64_t *state) {
    *it = (item){.tag = chance(state), .nbytes = random_size(state)};
    it->p = sa_alloc(it->nbytes, chance(state) % 4 == 0, false);
    if (!it->p) {
        complain("no memory", (long)it->nbytes);
        return false;
    }
    fill(it);
    made++;
    return true;
}

static uint64_t serial_of(const item *it) {
    sa_segment *seg;
    char *start;
    size_t size;
    uint64_t serial = it->serial;
    (void)sa_block_find(it->p, &seg, &start, &size, &serial);
    return serial;
}

static bool pack(message *m, const item *it) {
    sa_segment *seg = sa_segment_at(it->p);
    memset(m, 0, sizeof *m);
    int rc = sa_ticket_new(it->p, &m->ticket);
    if (rc) {
        complain("no ticket", rc);
        return false;
    }
    m->segment[0] = seg->id[0];
    m->segment[1] = seg->id[1];
    m->size = seg->size;
    m->offset = (uint64_t)(it->p - seg->base);
    m->pid = sa_pid;
    m->start = sa_start;
    m->fd = seg->fd;
    m->creator_pid = seg->creator_pid ? seg->creator_pid : sa_pid;
    m->creator_start = seg->creator_pid ? seg->creator_start : sa_start;
    m->creator_fd = seg->creator_pid ? seg->creator_fd : seg->fd;
    m->serial = serial_of(it);
    m->tag = it->tag;
    m->nbytes = it->nbytes;
    return true;
}

static int ledger_at(const uint64_t id[2], pid_t pid, uint64_t start, int fdnum) {
    char name[SA_NAME_MAX];
    int fd, err;
    if (sa_ledger_known(id)) return 0;
    sa_segment_name(id, name);
    int r = sa_open_foreign(pid, start, fdnum, name, SA_ANY_SIZE, 1, &fd, &err);
    return r == SA_OK ? sa_ledger_map(id, fd, fdnum) : -ENOENT;
}

/* As sharedarray.from_handle() does it. */
static bool open_message(const message *m, item *it, bool stale) {
    int rc, fd, err;
    char name[SA_NAME_MAX];
    *it = (item){.tag = m->tag, .nbytes = m->nbytes, .serial = m->serial};
    sa_segment *seg = sa_attached_hold(m->segment, m->size, true, &rc);
    if (rc == 1) {
        it->p = sa_block_hold(m->segment, m->offset, m->serial);
        own_opened++;
    } else if (rc == 0) {
        if (!seg) {
            sa_segment_name(m->segment, name);
            int r = sa_open_foreign(m->pid, m->start, m->fd, name, m->size, 1, &fd, &err);
            if (r != SA_OK && stale) return false;
            if (r != SA_OK) {
                complain(sa_reason_text(r), err);
                return false;
            }
            rc = sa_attach_fd(m->segment, m->size, fd, true, m->creator_pid, m->creator_fd, m->creator_start, &seg);
        }
        for (int tries = 0; !rc && !it->p && tries < 8; tries++) { /* another thread may unmap the ledger */
            rc = ledger_at(m->ticket.creator, m->creator_pid, m->creator_start, m->ticket.creator_fd);
            if (!rc) rc = sa_block_attach(seg, seg->base + m->offset, m->ticket.creator, m->ticket.word, m->serial);
            if (!rc) it->p = seg->base + m->offset;
            if (rc == -EAGAIN) rc = 0;
        }
    }
    if (!it->p && stale) return false;
    if (!it->p) {
        complain("a message could not be opened", rc);
        return false;
    }
    for (int tries = 0; tries < 8; tries++) {
        (void)ledger_at(m->ticket.id, m->pid, m->start, m->ticket.fd);
        if (sa_ticket_opened(m->ticket.id, m->ticket.index, m->ticket.sequence)) break;
    }
    opened++;
    return true;
}

/* The next message, or an old one again: its memory may serve another block by now. */
static bool receive(item *it, bool again) {
    static _Thread_local message m;
    if (again && m.size) {
        if (open_message(&m, it, true)) return true;
        m.size = 0;
    }
    message next;
    if (recv(wire, &next, sizeof next, MSG_DONTWAIT) != sizeof next) return false;
    m = next;
    return open_message(&m, it, false);
}

/* A message to the other process, or to this one, which opens it at once. */
static void dispatch(const item *it, bool home) {
    message m;
    item again;
    if (!pack(&m, it)) return;
    if (!home && send(wire, &m, sizeof m, MSG_DONTWAIT) == sizeof m) {
        sent++;
    } else if (home && open_message(&m, &again, false)) {
        look(&again);
        sa_free(again.p);
    } else {
        sa_ticket_cancel(m.ticket.index, m.ticket.sequence);
    }
}

static void swap_on_shelf(item *it, uint64_t *state) {
    pthread_mutex_lock(&shelf.lock);
    int at = (int)(chance(state) % SHELF);
    item other = {0};
    if (at < shelf.n) {
        other = shelf.item[at];
        shelf.item[at] = *it;
    } else if (shelf.n < SHELF) {
        shelf.item[shelf.n++] = *it;
    } else {
        other = *it;
    }
    pthread_mutex_unlock(&shelf.lock);
    *it = other;
    handed++;
}

static void act(item *held, uint64_t *state) {
    item *it = &held[chance(state) % HELD];
    uint64_t what = chance(state) % 100;
    if (!it->p) {
        if (what < 30 || !receive(it, what < 50)) make(it, state);
        return;
    }
    look(it);
    if (what < 35) {
        sa_free(it->p);
        it->p = NULL;
    } else if (what < 60) {
        dispatch(it, what < 42);
    } else if (what < 80) {
        swap_on_shelf(it, state);
    } else if (what < 85) {
        if (sa_ref(it->p) == 0) sa_free(it->p);
    } else if (what < 88) {
        (void)sa_block_others(it->p);
    } else if (what < 92 && !it->serial) {
        void *p = sa_realloc(it->p, it->nbytes + 8 * (chance(state) % 100));
        if (p) it->p = p;
    } else if (what == 98) {
        sa_stats stats;
        sa_pool_stats(&stats);
    } else if (what == 99 && chance(state) % 10 == 0) {
        (void)sa_pool_trim();
    }
}

static void let_go(item *held, int n) {
    for (int i = 0; i < n; i++)
        if (held[i].p) {
            look(&held[i]);
            sa_free(held[i].p);
            held[i].p = NULL;
        }
}

static void *work(void *seed) {
    uint64_t state = (uint64_t)(uintptr_t)seed * 0x9e3779b97f4a7c15u + 1;
    item held[HELD] = {{0}};
    while (!over) act(held, &state);
    let_go(held, HELD);
    return NULL;
}

/* A child knows what its parent had, makes arrays of its own, and ends without a word. */
static int child(uint64_t state) {
    item held[HELD] = {{0}};
    for (int i = 0; i < shelf.n; i++) look(&shelf.item[i]);
    for (int i = 0; i < 200; i++) {
        item *it = &held[chance(&state) % HELD];
        if (it->p) {
            look(it);
            if (i % 7 == 0) dispatch(it, true);
            sa_free(it->p);
            it->p = NULL;
        } else {
            make(it, &state);
        }
    }
    let_go(shelf.item, shelf.n);
    let_go(held, HELD);
    return faults != 0;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fork_once(uint64_t *state) {
    int status;
    pthread_mutex_lock(&shelf.lock); /* the child looks at it */
    pid_t pid = fork();
    if (pid == 0) _exit(child(chance(state)));
    pthread_mutex_unlock(&shelf.lock);
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status) complain("a child ended badly", pid < 0 ? pid : status);
    forks++;
}

static int run(double seconds, bool forking, uint64_t seed) {
    pthread_t thread[THREADS];
    uint64_t state = seed | 1;
    double end = now() + seconds;
    item it;
    sa_stats stats;
    for (uint64_t i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, work, (void *)(uintptr_t)(seed + i));
    while (now() < end && !faults) {
        usleep(20000);
        if (forking) fork_once(&state);
    }
    over = true;
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    let_go(shelf.item, shelf.n);
    /* What is under way is opened, until the other process has ended its part as well. */
    shutdown(wire, SHUT_WR);
    for (struct pollfd poll_for = {wire, POLLIN, 0};;) {
        message m;
        poll(&poll_for, 1, 5000);
        ssize_t n = recv(wire, &m, sizeof m, MSG_DONTWAIT);
        if (n == sizeof m && open_message(&m, &it, false)) sa_free(it.p);
        if (n == 0) break;
        if (n < 0) {
            complain("the other process is silent", n);
            break;
        }
    }
    end = now() + 20; /* and this process stays until its own messages are */
    do {
        usleep(1000);
        sa_pool_stats(&stats);
    } while ((stats.in_flight || stats.allocated) && now() < end);
    if (stats.in_flight || stats.allocated) complain("bytes left", (long)stats.allocated);
    printf("made %lu sent %lu opened %lu at home %lu handed on %lu forks %lu\n", made, sent, opened,
           own_opened, handed, forks);
    fflush(stdout);
    return faults != 0;
}

int main(int argc, char **argv) {
    setvbuf(stderr, NULL, _IONBF, 0);
    if (sa_fork_init()) return 2;
    sa_pool_set_cap((uint64_t)64 << 20);
    if (argc == 4) {
        wire = atoi(argv[2]);
        return run(atof(argv[3]), false, 99);
    }
    int ends[2], status;
    double seconds = atof(argv[1]);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends)) return 2;
    pid_t peer = vfork();
    if (peer == 0) {
        char number[16];
        close(ends[0]);
        snprintf(number, sizeof number, "%d", ends[1]);
        execl("/proc/self/exe", "hammer", "peer", number, argv[1], (char *)NULL);
        _exit(3);
    }
    close(ends[1]);
    wire = ends[0];
    int failed = run(seconds, true, 7);
    close(wire);
    if (waitpid(peer, &status, 0) != peer || status) complain("the second process ended badly", status);
    return failed || faults != 0;
}
