#include "open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const TEXT[SA_REASONS] = {
    [SA_OK] = "no error",
    [SA_E_DEAD] = "the process that held the memory has ended",
    [SA_E_GONE] = "the process no longer holds this memory",
    [SA_E_DENIED] = "the kernel denies access to the process that holds the memory",
    [SA_E_IDENTITY] = "another segment stands in its place",
    [SA_E_OWNER] = "the memory belongs to another user",
    [SA_E_SIZE] = "the segment has another size",
    [SA_E_SEALS] = "the segment is not sealed",
    [SA_E_LIMIT] = "no file descriptor is left",
    [SA_E_OS] = "a system call failed",
    [SA_E_NOSERVER] = "the process that held the memory has ended or lives in another network namespace",
    [SA_E_TIMEOUT] = "the process that holds the memory did not answer in time",
    [SA_E_SERVER] = "the process that holds the memory refused to pass it on",
    [SA_E_PROTOCOL] = "the process that holds the memory gave an unknown answer",
};

const char *sa_reason_text(int reason)
{
    return reason >= 0 && reason < SA_REASONS ? TEXT[reason] : "unknown reason";
}

static int failed(int reason, int error, int *err)
{
    *err = error;
    return reason;
}

static int os_failed(int error, int *err)
{
    return failed(error == EMFILE || error == ENFILE ? SA_E_LIMIT : SA_E_OS, error, err);
}

/* The kernel's text for the memfd `name`.  A file of that name in the root directory reads the same,
 * so the text is necessary and not sufficient. */
static int compare_path(const char *path, const char *name, int *err)
{
    char wanted[SA_NAME_MAX + 32];

    snprintf(wanted, sizeof wanted, "/memfd:%s (deleted)", name);
    if (strcmp(path, wanted) == 0) {
        return SA_OK;
    }
    if (strncmp(path, "/memfd:" SA_NAME_PREFIX, sizeof "/memfd:" SA_NAME_PREFIX - 1) == 0) {
        return failed(SA_E_IDENTITY, 0, err);
    }
    return failed(SA_E_GONE, 0, err);
}

static bool size_fits(const struct stat *st, uint64_t size)
{
    return size == SA_ANY_SIZE || (uint64_t)st->st_size == size;
}

/* Name, kind, owner and size; right for O_PATH descriptors too. */
static int check_object(int fd, const char *name, uint64_t size, int *err)
{
    char path[256];
    struct stat st;
    int r = sa_fd_path(fd, path, sizeof path);

    if (r < 0) {
        return os_failed(-r, err);
    }
    r = compare_path(path, name, err);
    if (r != SA_OK) {
        return r;
    }
    if (!sa_is_shmem(fd)) {
        return failed(SA_E_GONE, 0, err);
    }
    if (fstat(fd, &st) < 0) {
        return os_failed(errno, err);
    }
    if (!sa_same_user(st.st_uid)) {
        return failed(SA_E_OWNER, 0, err);
    }
    return size_fits(&st, size) ? SA_OK : failed(SA_E_SIZE, 0, err);
}

/* Access, seals, and the size once more: only a sealed size stays what it was found to be. */
static int check_opened(int fd, uint64_t size, int writable, int *err)
{
    struct stat st;
    int flags = fcntl(fd, F_GETFL), seals;

    if (flags < 0) {
        return os_failed(errno, err);
    }
    if (flags & O_PATH || (flags & O_ACCMODE) == O_WRONLY ||
        (writable && (flags & O_ACCMODE) != O_RDWR)) {
        return failed(SA_E_DENIED, EACCES, err);
    }
    seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW)) {
        return failed(SA_E_SEALS, seals < 0 ? errno : 0, err);
    }
    if (fstat(fd, &st) < 0) {
        return os_failed(errno, err);
    }
    return size_fits(&st, size) ? SA_OK : failed(SA_E_SIZE, 0, err);
}

int sa_verify(int fd, const char *name, uint64_t size, int writable, int *err)
{
    int r;

    *err = 0;
    r = check_object(fd, name, size, err);
    return r == SA_OK ? check_opened(fd, size, writable, err) : r;
}

/* What a failure to find the descriptor means, by the state of the process. */
static int explain(pid_t pid, uint64_t start_time, int reason, int error, int *err)
{
    uint64_t start;
    int r;

    if (pid == getpid() && sa_proc_ours()) {
        r = sa_start_time(pid, &start);
        return failed(r == 0 && start_time && start != start_time ? SA_E_DEAD : reason, error, err);
    }
    if (!sa_alive(pid, start_time)) {
        return failed(SA_E_DEAD, 0, err);
    }
    /* Alive but not where /proc should show it: hidden, or a /proc of another pid namespace. */
    if (sa_start_time(pid, &start) < 0 || !sa_proc_ours()) {
        return failed(SA_E_DENIED, error, err);
    }
    return failed(reason, error, err);
}

static int explain_errno(pid_t pid, uint64_t start_time, int error, int *err)
{
    switch (error) {
    case ENOENT:
    case ESRCH:
    case ENOTDIR:
        return explain(pid, start_time, SA_E_GONE, error, err);
    case EACCES:
    case EPERM:
        return explain(pid, start_time, SA_E_DENIED, error, err);
    default:
        return os_failed(error, err);
    }
}

int sa_open_foreign(pid_t pid, uint64_t start_time, int fdnum, const char *name, uint64_t size,
                    int writable, int *out_fd, int *err)
{
    char link[64], path[256];
    int pinned, fd, r;
    ssize_t n;

    *out_fd = -1;
    *err = 0;
    if (pid <= 0) {
        return failed(SA_E_DEAD, 0, err);
    }
    if (fdnum < 0) {
        return failed(SA_E_GONE, 0, err);
    }
    if (pid == getpid()) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", fdnum);
    }
    else {
        snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)pid, fdnum);
    }
    /* Even O_PATH can wait for a file server behind the link; reading the link cannot. */
    n = readlink(link, path, sizeof path - 1);
    if (n < 0) {
        return explain_errno(pid, start_time, errno, err);
    }
    path[n] = 0;
    r = compare_path(path, name, err);
    if (r != SA_OK) {
        return explain(pid, start_time, r, *err, err);
    }
    pinned = open(link, O_PATH | O_CLOEXEC);
    if (pinned < 0) {
        return explain_errno(pid, start_time, errno, err);
    }
    r = check_object(pinned, name, size, err);
    if (r != SA_OK) {
        close(pinned);
        return r == SA_E_GONE || r == SA_E_IDENTITY ? explain(pid, start_time, r, *err, err) : r;
    }
    /* O_NONBLOCK: a lease on the file would make a plain open wait. */
    snprintf(link, sizeof link, "/proc/self/fd/%d", pinned);
    fd = open(link, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        int error = errno;

        close(pinned);
        return error == EACCES || error == EPERM ? failed(SA_E_DENIED, error, err)
                                                 : os_failed(error, err);
    }
    close(pinned);
    r = check_opened(fd, size, writable, err);
    if (r != SA_OK) {
        close(fd);
        return r;
    }
    *out_fd = fd;
    return SA_OK;
}
