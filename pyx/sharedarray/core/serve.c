#include "serve.h"
#include "serve_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#define CONNECTIONS 32    /* at once; the oldest gives way */
#define PATIENCE 1000     /* ms for a client to say what it wants */
#define BACKLOG 128
#define EXHAUSTED_PAUSE 20 /* ms before accepting again when no descriptor is left */
#define REFUSED_PAUSE 1000
#define STACK_BYTES (256 * 1024)

struct connection {
    int fd;
    int64_t deadline;
};

/* `life` orders start, stop and fork.  `busy` is held by the thread except while it polls, so that
 * whoever holds it sees every descriptor of the thread in this table. */
static struct {
    pthread_mutex_t life, busy;
    bool running;
    pid_t pid;
    uid_t uid;
    uint64_t token[2];
    pthread_t thread;
    sa_lookup lookup;
    _Atomic bool stop, ended;
    int listener, spare;
    sa_file file; /* of both */
    int64_t resume;
    struct connection conn[CONNECTIONS];
    int count;
} S = {.life = PTHREAD_MUTEX_INITIALIZER,
       .busy = PTHREAD_MUTEX_INITIALIZER,
       .listener = -1,
       .spare = -1};

void sa_socket_name(uid_t uid, const uint64_t token[2], char out[SA_NAME_MAX])
{
    snprintf(out, SA_NAME_MAX, SA_NAME_PREFIX "%u-%016" PRIx64 "%016" PRIx64, (unsigned)uid,
             token[0], token[1]);
}

socklen_t sa_abstract_address(const char *name, struct sockaddr_un *out)
{
    size_t n = strlen(name);

    if (n == 0 || n > sizeof out->sun_path - 1) {
        return 0;
    }
    memset(out, 0, sizeof *out);
    out->sun_family = AF_UNIX;
    memcpy(out->sun_path + 1, name, n);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + n);
}

int sa_peer_uid(int fd, uid_t *uid)
{
    struct ucred peer;
    socklen_t n = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0) {
        return -errno;
    }
    *uid = peer.uid;
    return 0;
}

/* ---- the thread ---- */

static void drop(int i)
{
    /* A forked child that got hold of it in transit must not keep the client waiting. */
    shutdown(S.conn[i].fd, SHUT_RDWR);
    close(S.conn[i].fd);
    S.count--;
    memmove(&S.conn[i], &S.conn[i + 1], (size_t)(S.count - i) * sizeof S.conn[0]);
}

static void reply(int to, const struct sa_request *q, int status, int fd)
{
    struct sa_reply a = {.magic = SA_WIRE_MAGIC,
                         .version = SA_WIRE_VERSION,
                         .kind = q->kind,
                         .id = {q->id[0], q->id[1]},
                         .status = status};
    struct iovec data = {&a, sizeof a};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr m = {.msg_iov = &data, .msg_iovlen = 1};

    if (status == 0) {
        memset(&control, 0, sizeof control);
        m.msg_control = &control;
        m.msg_controllen = sizeof control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    if (sendmsg(to, &m, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && status == 0) {
        /* ETOOMANYREFS: too many of this user's descriptors are on their way. */
        a.status = errno == ETOOMANYREFS ? -ETOOMANYREFS : -EIO;
        m.msg_control = NULL;
        m.msg_controllen = 0;
        (void)!sendmsg(to, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}

/* Answer one request; whether the connection is to be kept (nothing asked yet). */
static bool answer(int to)
{
    struct sa_request q;
    ssize_t n = recv(to, &q, sizeof q, MSG_DONTWAIT | MSG_TRUNC);

    if (n < 0) {
        return errno == EAGAIN || errno == EINTR;
    }
    if (n < (ssize_t)offsetof(struct sa_request, id) || q.magic != SA_WIRE_MAGIC) {
        return false;
    }
    if (n != sizeof q || q.version != SA_WIRE_VERSION || q.kind != SA_WIRE_MEMFD) {
        if (n < (ssize_t)sizeof q) {
            memset((char *)&q + n, 0, sizeof q - (size_t)n);
        }
        reply(to, &q, -EPROTONOSUPPORT, -1);
        return false;
    }
    int fd = S.lookup(q.id, q.size, q.writable != 0);

    reply(to, &q, fd < 0 ? fd : 0, fd);
    sa_close(fd);
    return false;
}

static void admit(int fd)
{
    uid_t uid = (uid_t)-1;

    if (sa_peer_uid(fd, &uid) < 0 || !sa_same_user(uid) || !answer(fd)) {
        shutdown(fd, SHUT_RDWR);
        close(fd);
        return;
    }
    if (S.count == CONNECTIONS) {
        drop(0);
    }
    S.conn[S.count++] = (struct connection){fd, sa_now_ms() + PATIENCE};
}

static void refill_spare(void)
{
    if (S.spare < 0) {
        S.spare = fcntl(S.listener, F_DUPFD_CLOEXEC, 0);
    }
}

static void accept_all(void)
{
    for (int i = 0; i < CONNECTIONS; i++) {
        if (!sa_file_at(S.listener, &S.file)) {
            /* Not our socket any more: a program closed descriptors wholesale (daemons do). */
            S.ended = true;
            return;
        }
        int fd = accept4(S.listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd >= 0) {
            admit(fd);
        }
        else if (errno == EINTR || errno == ECONNABORTED) {
            continue;
        }
        else if (errno == EAGAIN) {
            return;
        }
        else if (errno == EBADF || errno == ENOTSOCK || errno == EINVAL || errno == EOPNOTSUPP) {
            /* Not our socket any more: a program closed descriptors wholesale (daemons do). */
            S.ended = true;
            return;
        }
        else if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) {
            /* A filter or security module refuses it: clients wait in vain, and say so. */
            S.resume = sa_now_ms() + REFUSED_PAUSE;
            return;
        }
        else {
            /* No descriptor left: a spare one lets the client have its refusal at once. */
            if (S.spare < 0) {
                S.resume = sa_now_ms() + EXHAUSTED_PAUSE;
                return;
            }
            sa_file_close(S.spare, &S.file);
            S.spare = -1;
        }
    }
}

static int wait_list(struct pollfd p[CONNECTIONS + 1], int *timeout)
{
    int64_t now = sa_now_ms(), until = INT64_MAX;
    bool paused = now < S.resume;

    p[0] = (struct pollfd){paused ? -1 : S.listener, POLLIN, 0};
    if (paused) {
        until = S.resume;
    }
    for (int i = 0; i < S.count; i++) {
        p[i + 1] = (struct pollfd){S.conn[i].fd, POLLIN, 0};
        if (S.conn[i].deadline < until) {
            until = S.conn[i].deadline;
        }
    }
    *timeout = until == INT64_MAX ? -1 : until > now ? (int)(until - now) : 0;
    return S.count;
}

static void *serve(void *unused)
{
    struct pollfd p[CONNECTIONS + 1];
    int timeout;

    (void)unused;
    pthread_mutex_lock(&S.busy);
    while (!S.stop && !S.ended) {
        refill_spare();
        int n = wait_list(p, &timeout);

        pthread_mutex_unlock(&S.busy);
        int r = poll(p, (nfds_t)n + 1, timeout);
        pthread_mutex_lock(&S.busy);
        if (S.stop) {
            break;
        }
        if (r < 0 && errno != EINTR) {
            /* ENOMEM, or EINVAL below a lowered RLIMIT_NOFILE: it may pass. */
            nanosleep(&(struct timespec){.tv_nsec = EXHAUSTED_PAUSE * 1000000L}, NULL);
        }
        if (r > 0) {
            for (int i = n - 1; i >= 0; i--) {
                if (p[i + 1].revents && !answer(S.conn[i].fd)) {
                    drop(i);
                }
            }
        }
        for (int64_t now = sa_now_ms(); S.count && S.conn[0].deadline <= now;) {
            drop(0);
        }
        if (r > 0 && p[0].revents & (POLLNVAL | POLLHUP | POLLERR)) {
            S.ended = true;
        }
        else if (r > 0 && p[0].revents) {
            accept_all();
        }
    }
    if (S.ended) {
        /* These numbers may be another's by now. */
        S.listener = S.spare = -1;
        S.count = 0;
    }
    while (S.count) {
        drop(S.count - 1);
    }
    pthread_mutex_unlock(&S.busy);
    return NULL;
}

/* ---- start, stop, fork ---- */

static int listen_on(const uint64_t token[2], int *out)
{
    char name[SA_NAME_MAX];
    struct sockaddr_un address;
    socklen_t length;
    int r, fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0) {
        return -errno;
    }
    sa_socket_name(geteuid(), token, name);
    length = sa_abstract_address(name, &address);
    if (bind(fd, (struct sockaddr *)&address, length) < 0 || listen(fd, BACKLOG) < 0) {
        r = -errno;
        close(fd);
        return r;
    }
    *out = fd;
    return 0;
}

static int start_thread(void)
{
    static const size_t stack[] = {STACK_BYTES, 4 * STACK_BYTES, 0};
    pthread_attr_t attr;
    sigset_t all, before;
    int r = EINVAL;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    /* EINVAL: the thread-local storage of the loaded libraries does not fit. */
    for (size_t i = 0; i < 3 && r == EINVAL; i++) {
        pthread_attr_init(&attr);
        if (stack[i]) {
            pthread_attr_setstacksize(&attr, stack[i]);
        }
        r = pthread_create(&S.thread, &attr, serve, NULL);
        pthread_attr_destroy(&attr);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (r == 0) {
        pthread_setname_np(S.thread, "sharedarray");
    }
    return -r;
}

static void close_all(void)
{
    for (int i = 0; i < S.count; i++) {
        close(S.conn[i].fd);
    }
    sa_file_close(S.listener, &S.file);
    sa_file_close(S.spare, &S.file);
    S.listener = S.spare = -1;
    S.count = 0;
    S.resume = 0;
    S.running = false;
}

static void stop_locked(void)
{
    if (S.running && S.pid == getpid()) {
        pthread_mutex_lock(&S.busy);
        S.stop = true;
        if (sa_file_at(S.listener, &S.file)) {
            shutdown(S.listener, SHUT_RDWR);
        }
        pthread_mutex_unlock(&S.busy);
        pthread_join(S.thread, NULL);
    }
    if (S.running) {
        close_all();
    }
}

int sa_serve_start_as(sa_lookup lookup, const uint64_t token[2])
{
    int r = 0;

    pthread_mutex_lock(&S.life);
    /* Clients trust the user who bound the socket: after a change of user, a new one. */
    if (!S.running || S.ended || S.pid != getpid() || S.uid != geteuid()) {
        stop_locked();
        S.stop = S.ended = false;
        S.lookup = lookup;
        if (token) {
            memcpy(S.token, token, sizeof S.token);
        }
        else {
            r = sa_random_id(S.token);
        }
        if (r == 0) {
            r = listen_on(S.token, &S.listener);
            sa_file_note(S.listener, &S.file);
        }
        if (r == 0) {
            refill_spare();
            S.pid = getpid();
            S.uid = geteuid();
            r = start_thread();
            if (r < 0) {
                close_all();
            }
            S.running = r == 0;
        }
    }
    pthread_mutex_unlock(&S.life);
    return r;
}

int sa_serve_start(sa_lookup lookup)
{
    return sa_serve_start_as(lookup, NULL);
}

int sa_serve_token(uint64_t token[2])
{
    int r = -ENOTCONN;

    pthread_mutex_lock(&S.life);
    if (S.running && !S.ended && S.pid == getpid()) {
        token[0] = S.token[0];
        token[1] = S.token[1];
        r = 0;
    }
    pthread_mutex_unlock(&S.life);
    return r;
}

void sa_serve_stop(void)
{
    pthread_mutex_lock(&S.life);
    stop_locked();
    pthread_mutex_unlock(&S.life);
}

void sa_serve_before_fork(void)
{
    pthread_mutex_lock(&S.life);
    pthread_mutex_lock(&S.busy);
}

void sa_serve_after_fork_parent(void)
{
    pthread_mutex_unlock(&S.busy);
    pthread_mutex_unlock(&S.life);
}

void sa_serve_after_fork_child(void)
{
    S.life = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    S.busy = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    if (S.running) {
        /* Only close: shutdown() would reach the parent's socket. */
        close_all();
    }
}

bool sa_serve_needed(void)
{
    const char *asked = getenv("SHAREDARRAY_SERVE");
    uid_t r, e, s;
    gid_t rg, eg, sg;

    if (asked != NULL && strcmp(asked, "1") == 0) {
        return true;
    }
    if (prctl(PR_GET_DUMPABLE) != 1 || !sa_proc_ours()) {
        return true;
    }
    /* The kernel compares a peer's user and group with all three of ours. */
    getresuid(&r, &e, &s);
    getresgid(&rg, &eg, &sg);
    return r != e || s != e || rg != eg || sg != eg;
}
