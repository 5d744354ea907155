#include "serve.h"
#include "serve_wire.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LONGEST 900 /* ms */
#define RETRY_PAUSE 2
#define ATTEMPTS 3 /* a server under siege drops its oldest connection */

static int failed(int reason, int error, int *err)
{
    *err = error;
    return reason;
}

static int os_failed(int error, int *err)
{
    return failed(error == EMFILE || error == ENFILE ? SA_E_LIMIT : SA_E_OS, error, err);
}

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

/* Wait for `events`; 1, 0 when time is up, or -errno. */
static int wait_for(int fd, short events, int64_t deadline)
{
    struct pollfd p = {fd, events, 0};

    for (;;) {
        int64_t left = deadline - sa_now_ms();
        int r = poll(&p, 1, left > 0 ? (int)left : 0);

        if (r >= 0) {
            return r;
        }
        if (errno != EINTR) {
            return -errno;
        }
    }
}

static int connect_to(const char *name, int64_t deadline, int *out, int *err)
{
    struct sockaddr_un address;
    socklen_t length = sa_abstract_address(name, &address);
    uid_t peer;
    int r, fd;

    if (length == 0) {
        return failed(SA_E_NOSERVER, ENAMETOOLONG, err);
    }
    fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) {
        return os_failed(errno, err);
    }
    while (connect(fd, (struct sockaddr *)&address, length) < 0) {
        int error = errno;

        /* EAGAIN: its queue is full. */
        if ((error == EAGAIN || error == EINTR) && sa_now_ms() < deadline) {
            pause_ms(RETRY_PAUSE);
            continue;
        }
        close(fd);
        switch (error) {
        case EAGAIN:
        case EINTR:
            return failed(SA_E_TIMEOUT, 0, err);
        case ECONNREFUSED:
        case EPROTOTYPE:
            return failed(SA_E_NOSERVER, error, err);
        case EACCES:
        case EPERM:
            return failed(SA_E_DENIED, error, err);
        default:
            return os_failed(error, err);
        }
    }
    r = sa_peer_uid(fd, &peer);
    if (r < 0 || !sa_same_user(peer)) {
        close(fd);
        return r < 0 ? os_failed(-r, err) : failed(SA_E_OWNER, 0, err);
    }
    *out = fd;
    return SA_OK;
}

/* Take the reply and at most one descriptor.  SA_E_NOSERVER: closed without a word. */
static int receive(int from, struct sa_reply *a, int *fd, int *err)
{
    struct iovec data = {a, sizeof *a};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    /* CMSG_LEN, not CMSG_SPACE: the padding would have room for a second descriptor. */
    struct msghdr m = {.msg_iov = &data,
                       .msg_iovlen = 1,
                       .msg_control = &control,
                       .msg_controllen = CMSG_LEN(sizeof(int))};
    struct cmsghdr *c;
    ssize_t n;

    *fd = -1;
    n = recvmsg(from, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (n < 0) {
        int error = errno;

        return error == ECONNRESET || error == EPIPE ? failed(SA_E_NOSERVER, error, err)
                                                     : os_failed(error, err);
    }
    c = CMSG_FIRSTHDR(&m);
    if (c != NULL && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
        c->cmsg_len == CMSG_LEN(sizeof(int))) {
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    }
    if (n == 0) {
        return failed(SA_E_NOSERVER, ECONNRESET, err);
    }
    if (n != sizeof *a || m.msg_flags & MSG_TRUNC || a->magic != SA_WIRE_MAGIC) {
        return failed(SA_E_PROTOCOL, 0, err);
    }
    if (m.msg_flags & MSG_CTRUNC) {
        /* Either more was sent than one, or there was no room here for the one. */
        if (*fd < 0) {
            int probe = fcntl(from, F_DUPFD_CLOEXEC, 0);

            if (probe < 0) {
                return os_failed(errno, err);
            }
            close(probe);
        }
        return failed(SA_E_PROTOCOL, 0, err);
    }
    return SA_OK;
}

static int judge(const struct sa_reply *a, const struct sa_request *q, int fd, int *err)
{
    if (a->status == -EPROTONOSUPPORT || a->version != SA_WIRE_VERSION) {
        return failed(SA_E_PROTOCOL, EPROTONOSUPPORT, err);
    }
    if (a->kind != q->kind || a->id[0] != q->id[0] || a->id[1] != q->id[1]) {
        return failed(SA_E_PROTOCOL, 0, err);
    }
    if (a->status == -ENOENT) {
        return failed(SA_E_GONE, ENOENT, err);
    }
    if (a->status < 0) {
        return failed(SA_E_SERVER, -a->status, err);
    }
    if (a->status > 0 || fd < 0) {
        return failed(SA_E_PROTOCOL, 0, err);
    }
    return SA_OK;
}

static int ask(int server, const struct sa_request *q, int64_t deadline, int *fd, int *err)
{
    struct sa_reply a;
    int r;

    *fd = -1;
    while (send(server, q, sizeof *q, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
        if (errno == EPIPE || errno == ECONNRESET) {
            return failed(SA_E_NOSERVER, errno, err);
        }
        if (errno != EAGAIN && errno != EINTR) {
            return os_failed(errno, err);
        }
        r = sa_now_ms() < deadline ? wait_for(server, POLLOUT, deadline) : 0;
        if (r <= 0) {
            return r < 0 ? os_failed(-r, err) : failed(SA_E_TIMEOUT, 0, err);
        }
    }
    r = wait_for(server, POLLIN, deadline);
    if (r <= 0) {
        return r < 0 ? os_failed(-r, err) : failed(SA_E_TIMEOUT, 0, err);
    }
    r = receive(server, &a, fd, err);
    return r == SA_OK ? judge(&a, q, *fd, err) : r;
}

int sa_fetch_served(const char *socket_name, uid_t uid, const char *memfd_name,
                    const uint64_t id[2], uint64_t size, int writable, int timeout_ms, int *out_fd,
                    int *err)
{
    struct sa_request q = {.magic = SA_WIRE_MAGIC,
                           .version = SA_WIRE_VERSION,
                           .kind = SA_WIRE_MEMFD,
                           .id = {id[0], id[1]},
                           .size = size,
                           .writable = writable != 0};
    int64_t deadline =
        sa_now_ms() + (timeout_ms <= 0 || timeout_ms > LONGEST ? LONGEST : timeout_ms);
    int r = SA_OK, fd = -1;

    *out_fd = -1;
    *err = 0;
    if (!sa_same_user(uid)) {
        return failed(SA_E_OWNER, 0, err);
    }
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        int server;

        r = connect_to(socket_name, deadline, &server, err);
        if (r != SA_OK) {
            return r;
        }
        r = ask(server, &q, deadline, &fd, err);
        close(server);
        if (r != SA_E_NOSERVER || sa_now_ms() >= deadline) {
            break;
        }
        pause_ms(RETRY_PAUSE);
    }
    if (r == SA_E_NOSERVER) {
        /* The socket is there, and closed every connection: it refuses this client. */
        r = failed(SA_E_SERVER, ECONNRESET, err);
    }
    if (r == SA_OK && memfd_name != NULL) {
        r = sa_verify(fd, memfd_name, size, writable, err);
    }
    if (r != SA_OK) {
        sa_close(fd);
        return r;
    }
    *out_fd = fd;
    return SA_OK;
}
