#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef F_ADD_SEALS
#include <linux/fcntl.h>
#endif
#define TMPFS_MAGIC_NUMBER 0x01021994

void sa_segment_name(const uint64_t id[2], char out[SA_NAME_MAX])
{
    snprintf(out, SA_NAME_MAX, SA_NAME_PREFIX "%016" PRIx64 "%016" PRIx64, id[0], id[1]);
}

void sa_close(int fd)
{
    int saved = errno;

    if (fd >= 0) {
        close(fd);
    }
    errno = saved;
}

int sa_memfd(const char *name, uint64_t size, int *fd)
{
    struct rlimit limit;
    unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int made, r = 0;

    *fd = -1;
    if (size > INT64_MAX) {
        return -EFBIG;
    }
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        size > limit.rlim_cur) {
        return -EFBIG;
    }
    made = memfd_create(name, flags | MFD_NOEXEC_SEAL);
    if (made < 0 && errno == EINVAL) {
        made = memfd_create(name, flags);
    }
    if (made < 0) {
        return -errno;
    }
    while ((r = ftruncate(made, (off_t)size)) < 0 && errno == EINTR) {
    }
    if (r == 0) {
        r = fcntl(made, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
    }
    if (r < 0) {
        r = -errno;
        close(made);
        return r;
    }
    *fd = made;
    return 0;
}

int sa_random_id(uint64_t id[2])
{
    unsigned char *at = (unsigned char *)id;
    size_t got = 0;

    while (got < 16) {
        ssize_t n = getrandom(at + got, 16 - got, 0);

        if (n < 0 && errno != EINTR) {
            return -errno;
        }
        if (n > 0) {
            got += (size_t)n;
        }
    }
    return 0;
}

ssize_t sa_read_file(const char *path, char *out, size_t room)
{
    size_t got = 0;
    ssize_t r = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0) {
        return -errno;
    }
    while (got < room - 1) {
        r = read(fd, out + got, room - 1 - got);
        if (r < 0 && errno == EINTR) {
            continue;
        }
        if (r <= 0) {
            break;
        }
        got += (size_t)r;
    }
    if (r < 0) {
        r = -errno;
    }
    close(fd);
    out[got] = 0;
    return r < 0 ? r : (ssize_t)got;
}

int sa_boot_id(unsigned char out[16])
{
    char text[64];
    int digits = 0;
    ssize_t n = sa_read_file("/proc/sys/kernel/random/boot_id", text, sizeof text);

    if (n < 0) {
        return (int)n;
    }
    memset(out, 0, 16);
    for (const char *c = text; *c && digits < 32; c++) {
        int v = *c >= '0' && *c <= '9' ? *c - '0' : *c >= 'a' && *c <= 'f' ? *c - 'a' + 10 : -1;

        if (v >= 0) {
            out[digits / 2] = (unsigned char)(out[digits / 2] << 4 | v);
            digits++;
        }
    }
    return digits == 32 ? 0 : -EPROTO;
}

static int namespace_of(const char *process, const char *which, uint64_t *ino)
{
    char path[64];
    struct stat st;

    if (snprintf(path, sizeof path, "/proc/%s/ns/%s", process, which) >= (int)sizeof path) {
        return -ENAMETOOLONG;
    }
    if (stat(path, &st) < 0) {
        return -errno;
    }
    *ino = st.st_ino;
    return 0;
}

int sa_namespace(const char *which, uint64_t *ino)
{
    return namespace_of("self", which, ino);
}

struct process_stat {
    char state;
    long threads;
    uint64_t start;
};

static int process_stat(pid_t pid, struct process_stat *out)
{
    char path[32], text[1536], *at;
    ssize_t n;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    n = sa_read_file(path, text, sizeof text);
    if (n < 0) {
        return (int)n;
    }
    /* The command, field 2, stands in parentheses and may hold any byte; numbers follow it. */
    at = strrchr(text, ')');
    if (at == NULL ||
        sscanf(at + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %ld %*s %" SCNu64,
               &out->state, &out->threads, &out->start) != 3) {
        return -ESRCH;
    }
    return 0;
}

int sa_start_time(pid_t pid, uint64_t *ticks)
{
    struct process_stat st;
    int r = process_stat(pid, &st);

    if (r == 0) {
        *ticks = st.start;
    }
    return r;
}

bool sa_proc_ours(void)
{
    char text[24];
    ssize_t n = readlink("/proc/self", text, sizeof text - 1);

    if (n <= 0) {
        return false;
    }
    text[n] = 0;
    return strtol(text, NULL, 10) == (long)getpid();
}

/* Start times are shown relative to the reader's time namespace (Linux 5.5). */
static bool other_clock(pid_t pid)
{
    char process[16];
    uint64_t theirs, ours;

    snprintf(process, sizeof process, "%d", (int)pid);
    return namespace_of(process, "time", &theirs) == 0 && namespace_of("self", "time", &ours) == 0 &&
           theirs != ours;
}

bool sa_alive(pid_t pid, uint64_t start_time)
{
    struct process_stat st;

    if (pid <= 0) {
        return false;
    }
    if (process_stat(pid, &st) == 0) {
        /* A leader that ended before its threads shows as a zombie with more than one thread. */
        bool ended = (st.state == 'Z' || st.state == 'X') && st.threads <= 1;

        if ((st.start == start_time || start_time == 0) && !ended) {
            return true;
        }
        if (sa_proc_ours() && (ended || !other_clock(pid))) {
            return false;
        }
    }
    return kill(pid, 0) == 0 || errno != ESRCH;
}

static uid_t overflow_uid(void)
{
    static _Atomic int64_t known = -1;
    int64_t uid = known;

    if (uid < 0) {
        char text[24];

        uid = 65534;
        if (sa_read_file("/proc/sys/kernel/overflowuid", text, sizeof text) > 0) {
            uid = strtol(text, NULL, 10);
        }
        known = uid;
    }
    return (uid_t)uid;
}

bool sa_same_user(uid_t uid)
{
    char text[256];
    unsigned long first, outside, count;

    if (uid != geteuid()) {
        return false;
    }
    if (uid != overflow_uid()) {
        return true;
    }
    return sa_read_file("/proc/self/uid_map", text, sizeof text) > 0 &&
           sscanf(text, "%lu %lu %lu", &first, &outside, &count) == 3 && first == 0 &&
           outside == 0 && count == UINT32_MAX;
}

int sa_fd_path(int fd, char *out, size_t room)
{
    char link[32];
    ssize_t n;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    n = readlink(link, out, room - 1);
    if (n < 0) {
        return -errno;
    }
    out[n] = 0;
    return 0;
}

bool sa_is_shmem(int fd)
{
    struct stat st;
    struct statfs fs;

    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && fstatfs(fd, &fs) == 0 &&
           (unsigned long)fs.f_type == TMPFS_MAGIC_NUMBER;
}

int64_t sa_now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int sa_fd_again(int fd, bool writable)
{
    char path[40];
    int again;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    again = writable ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    return again < 0 ? -errno : again;
}

void sa_file_note(int fd, sa_file *file)
{
    struct stat st;

    *file = (sa_file){0, 0};
    if (fstat(fd, &st) == 0) {
        *file = (sa_file){(uint64_t)st.st_dev, (uint64_t)st.st_ino};
    }
}

bool sa_file_at(int fd, const sa_file *file)
{
    struct stat st;

    if (fd < 0) {
        return false;
    }
    if (fstat(fd, &st) < 0) {
        return errno != EBADF;
    }
    return file->ino == 0 || ((uint64_t)st.st_dev == file->dev && (uint64_t)st.st_ino == file->ino);
}

void sa_file_close(int fd, const sa_file *file)
{
    if (sa_file_at(fd, file)) {
        sa_close(fd);
    }
}
