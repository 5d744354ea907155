/* Preloaded before libc: lets chosen calls fail that come from chosen libraries, and refuses system
 * calls to the whole process by a seccomp filter. Calls of everybody else pass through. */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

/* ---- what is to fail ---- */

#define CALLS(X)                                                                                   \
    X(accept4) X(bind) X(calloc) X(close) X(connect) X(fallocate) X(fcntl) X(fopen) X(fstat)       \
    X(fstatfs) X(ftruncate) X(getrandom) X(getsockopt) X(kill) X(listen) X(madvise)                \
    X(memfd_create) X(mmap) X(munmap) X(nanosleep) X(open) X(poll) X(prctl) X(pthread_create)      \
    X(pthread_setspecific) X(read) X(readlink) X(realloc) X(recv) X(recvmsg) X(send) X(sendmsg)    \
    X(shutdown) X(socket) X(stat)

#define NUMBER(name) N_##name,
enum { CALLS(NUMBER) N_CALLS };
#define NAME(name) #name,
static const char *const names[] = {CALLS(NAME)};

static struct {
    uintptr_t low, high;
} library[64];
static int libraries;

#define RULES 8
static struct rule {
    int call, error;
    long first, last; /* of the calls since the rule was made, from 1 */
    char path[64];    /* begin of the path, for calls with one */
    _Atomic long seen;
} rule[RULES];
static _Atomic int rules;
static _Atomic long calls[N_CALLS], failed[N_CALLS];

static int call_named(const char *name)
{
    for (int i = 0; i < N_CALLS; i++) {
        if (strcmp(names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

/* Calls from [low, high) are looked at from now on. */
int shim_library(uintptr_t low, uintptr_t high)
{
    if (libraries == 64) {
        return -1;
    }
    library[libraries].low = low;
    library[libraries++].high = high;
    return 0;
}

int shim_fail(const char *name, long first, long last, int error, const char *path)
{
    int call = call_named(name);

    if (call < 0 || rules == RULES || strlen(path) >= sizeof rule[0].path) {
        return -1;
    }
    rule[rules] = (struct rule){call, error, first, last, "", 0};
    strcpy(rule[rules].path, path);
    rules++;
    return 0;
}

void shim_clear(void)
{
    rules = 0;
    for (int i = 0; i < N_CALLS; i++) {
        calls[i] = failed[i] = 0;
    }
}

/* Calls so far, or those that were made to fail. */
long shim_count(const char *name, int which)
{
    int call = call_named(name);

    return call < 0 ? -1 : which ? failed[call] : calls[call];
}

/* Name number `i`, or NULL. */
const char *shim_name(int i) { return i < N_CALLS ? names[i] : NULL; }

static int hit(int call, uintptr_t from, const char *path)
{
    int found = 0;

    for (int i = 0; i < libraries; i++) {
        found |= from >= library[i].low && from < library[i].high;
    }
    if (!found) {
        return 0;
    }
    calls[call]++;
    for (int i = 0; i < rules; i++) {
        struct rule *r = &rule[i];

        if (r->call != call || (path && strncmp(path, r->path, strlen(r->path)) != 0)) {
            continue;
        }
        long n = ++r->seen;

        if (n >= r->first && n <= r->last) {
            failed[call]++;
            errno = r->error;
            return r->error;
        }
    }
    return 0;
}

#define FROM ((uintptr_t)__builtin_return_address(0))
#define REAL(name) ((__typeof__(&name))real(N_##name))

static void *real(int call)
{
    static void *_Atomic known[N_CALLS];
    void *f = known[call];

    if (f == NULL) {
        known[call] = f = dlsym(RTLD_NEXT, names[call]);
    }
    return f;
}

#define WRAP(result, name, bad, parameters, arguments)                                             \
    result name parameters                                                                         \
    {                                                                                              \
        return hit(N_##name, FROM, NULL) ? (result)(bad) : REAL(name) arguments;                   \
    }
#define WRAP_PATH(result, name, bad, parameters, arguments)                                        \
    result name parameters                                                                         \
    {                                                                                              \
        return hit(N_##name, FROM, path) ? (result)(bad) : REAL(name) arguments;                   \
    }

WRAP(int, accept4, -1, (int fd, struct sockaddr *a, socklen_t *n, int f), (fd, a, n, f))
WRAP(int, bind, -1, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
WRAP(int, connect, -1, (int fd, const struct sockaddr *a, socklen_t n), (fd, a, n))
WRAP(int, fallocate, -1, (int fd, int mode, off_t at, off_t n), (fd, mode, at, n))
WRAP_PATH(FILE *, fopen, NULL, (const char *path, const char *mode), (path, mode))
WRAP(int, fstat, -1, (int fd, struct stat *st), (fd, st))
WRAP(int, fstatfs, -1, (int fd, struct statfs *st), (fd, st))
WRAP(int, ftruncate, -1, (int fd, off_t n), (fd, n))
WRAP(ssize_t, getrandom, -1, (void *p, size_t n, unsigned f), (p, n, f))
WRAP(int, getsockopt, -1, (int fd, int l, int o, void *p, socklen_t *n), (fd, l, o, p, n))
WRAP(int, kill, -1, (pid_t pid, int s), (pid, s))
WRAP(int, listen, -1, (int fd, int n), (fd, n))
WRAP(int, madvise, -1, (void *p, size_t n, int advice), (p, n, advice))
WRAP(int, memfd_create, -1, (const char *name, unsigned f), (name, f))
WRAP(void *, mmap, MAP_FAILED, (void *p, size_t n, int prot, int f, int fd, off_t at),
     (p, n, prot, f, fd, at))
WRAP(int, munmap, -1, (void *p, size_t n), (p, n))
WRAP(int, nanosleep, -1, (const struct timespec *t, struct timespec *left), (t, left))
WRAP(int, poll, -1, (struct pollfd *p, nfds_t n, int ms), (p, n, ms))
WRAP(ssize_t, read, -1, (int fd, void *p, size_t n), (fd, p, n))
WRAP_PATH(ssize_t, readlink, -1, (const char *path, char *to, size_t n), (path, to, n))
WRAP(ssize_t, recv, -1, (int fd, void *p, size_t n, int f), (fd, p, n, f))
WRAP(ssize_t, recvmsg, -1, (int fd, struct msghdr *m, int f), (fd, m, f))
WRAP(ssize_t, send, -1, (int fd, const void *p, size_t n, int f), (fd, p, n, f))
WRAP(ssize_t, sendmsg, -1, (int fd, const struct msghdr *m, int f), (fd, m, f))
WRAP(int, shutdown, -1, (int fd, int how), (fd, how))
WRAP(int, socket, -1, (int d, int t, int p), (d, t, p))
WRAP_PATH(int, stat, -1, (const char *path, struct stat *st), (path, st))

/* These two return the error. */
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *arg)
{
    int error = hit(N_pthread_create, FROM, NULL);

    return error ? error : REAL(pthread_create)(t, a, f, arg);
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
    int error = hit(N_pthread_setspecific, FROM, NULL);

    return error ? error : REAL(pthread_setspecific)(key, value);
}

static int forgetful;

/* Let the library forget to close from now on: what the checks of the tests must see. */
void shim_forget(int on) { forgetful = on; }

/* The descriptor is closed whatever close() says. */
int close(int fd)
{
    long before = calls[N_close];
    int error = hit(N_close, FROM, NULL);
    int r = forgetful && calls[N_close] != before ? 0 : REAL(close)(fd);

    if (error) {
        errno = error;
    }
    return error ? -1 : r;
}

/* dlsym() allocates, so these come from the C library by name. */
extern void *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);

void *calloc(size_t n, size_t size)
{
    return libraries && hit(N_calloc, FROM, NULL) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return libraries && hit(N_realloc, FROM, NULL) ? NULL : __libc_realloc(p, n);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    mode_t mode;

    va_start(more, flags);
    mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
    va_end(more);
    return hit(N_open, FROM, path) ? -1 : REAL(open)(path, flags, mode);
}

int fcntl(int fd, int command, ...)
{
    va_list more;
    void *argument;

    va_start(more, command);
    argument = va_arg(more, void *);
    va_end(more);
    return hit(N_fcntl, FROM, NULL) ? -1 : REAL(fcntl)(fd, command, argument);
}

int prctl(int option, ...)
{
    va_list more;
    unsigned long a, b, c, d;

    va_start(more, option);
    a = va_arg(more, unsigned long);
    b = va_arg(more, unsigned long);
    c = va_arg(more, unsigned long);
    d = va_arg(more, unsigned long);
    va_end(more);
    return hit(N_prctl, FROM, NULL) ? -1 : REAL(prctl)(option, a, b, c, d);
}

/* ---- seccomp: what Docker's and others' profiles do ---- */

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#endif

#ifdef THIS_ARCH
/* `argument` & `mask` must be `value` for the call to be refused; mask 0: always. */
static const struct refusal {
    const char *name;
    int number, argument;
    uint32_t mask, value;
} refusals[] = {
    {"memfd_create", SYS_memfd_create, 0, 0, 0},
    {"ftruncate", SYS_ftruncate, 0, 0, 0},
    {"add_seals", SYS_fcntl, 1, UINT32_MAX, F_ADD_SEALS},
    {"get_seals", SYS_fcntl, 1, UINT32_MAX, F_GET_SEALS},
    {"dupfd", SYS_fcntl, 1, UINT32_MAX, F_DUPFD_CLOEXEC},
    {"mmap_shared", SYS_mmap, 3, MAP_TYPE, MAP_SHARED},
    {"fallocate", SYS_fallocate, 0, 0, 0},
    {"madvise", SYS_madvise, 0, 0, 0},
    {"open_path", SYS_openat, 2, O_PATH, O_PATH},
    {"statfs", SYS_fstatfs, 0, 0, 0},
    {"kill", SYS_kill, 0, 0, 0},
    {"prctl", SYS_prctl, 0, 0, 0},
    {"getrandom", SYS_getrandom, 0, 0, 0},
    {"socket", SYS_socket, 0, 0, 0},
    {"bind", SYS_bind, 0, 0, 0},
    {"listen", SYS_listen, 0, 0, 0},
    {"accept4", SYS_accept4, 0, 0, 0},
    {"connect", SYS_connect, 0, 0, 0},
    {"getsockopt", SYS_getsockopt, 0, 0, 0},
    {"sendto", SYS_sendto, 0, 0, 0},
    {"recvfrom", SYS_recvfrom, 0, 0, 0},
    {"sendmsg", SYS_sendmsg, 0, 0, 0},
    {"recvmsg", SYS_recvmsg, 0, 0, 0},
    {"threads", SYS_clone, 0, 0x00010000 /* CLONE_THREAD */, 0x00010000},
#ifdef SYS_readlink
    {"readlink", SYS_readlink, 0, 0, 0},
#else
    {"readlink", SYS_readlinkat, 0, 0, 0},
#endif
};

static int install(struct sock_filter *code, unsigned short n)
{
    struct sock_fprog program = {n, code};

    if (REAL(prctl)(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
        return -errno;
    }
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ? -errno : 0;
}

/* clone3 hides its flags in memory; told that there is none, libc takes clone. */
static int hide_clone3(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };

    return install(code, sizeof code / sizeof *code);
}
#endif

/* Refuse one system call to this process from now on; 0 or -errno. */
int shim_refuse(const char *name, int error)
{
#ifdef THIS_ARCH
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *r = &refusals[i];
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 0, 6),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->number, 0, 4),
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                     (uint32_t)offsetof(struct seccomp_data, args) + 8 * (uint32_t)r->argument),
            BPF_STMT(BPF_ALU | BPF_AND | BPF_K, r->mask),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r->value, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)error),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };

        if (strcmp(r->name, name) == 0) {
            int rc = strcmp(name, "threads") == 0 ? hide_clone3() : 0;

            return rc ? rc : install(code, sizeof code / sizeof *code);
        }
    }
    return -ENOENT;
#else
    (void)name;
    return -ENOSYS;
#endif
}

/* What shim_refuse() knows, or NULL. */
const char *shim_refusal(int i)
{
#ifdef THIS_ARCH
    return (size_t)i < sizeof refusals / sizeof *refusals ? refusals[i].name : NULL;
#else
    (void)i;
    return NULL;
#endif
}
