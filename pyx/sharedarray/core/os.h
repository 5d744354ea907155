/* System calls of the core, each declared once.  All return 0 or -errno unless said otherwise,
 * are thread-safe and hold no lock. */
#ifndef SHAREDARRAY_CORE_OS_H
#define SHAREDARRAY_CORE_OS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SA_NAME_PREFIX "sharedarray-"
#define SA_NAME_MAX 64 /* room for a segment's or a socket's name, terminator included */

/* "sharedarray-<32 hex>": the memfd name that binds a descriptor to a segment's id. */
void sa_segment_name(const uint64_t id[2], char out[SA_NAME_MAX]);

/* A sealed memfd of `size` bytes (SHRINK and GROW sealed; never executable where the kernel knows
 * MFD_NOEXEC_SEAL, Linux 6.3).  -EFBIG beyond RLIMIT_FSIZE, without SIGXFSZ.  *fd is -1 on failure. */
int sa_memfd(const char *name, uint64_t size, int *fd);

/* 128 random bits from the kernel. */
int sa_random_id(uint64_t id[2]);

/* The identity of this boot of this machine. */
int sa_boot_id(unsigned char out[16]);

/* Inode number of this process's namespace `which`: "pid", "net", "user", "time", ... */
int sa_namespace(const char *which, uint64_t *ino);

/* Start of a process in clock ticks since boot; with the pid it names a process for good.
 * -ENOENT, -EPERM or -EACCES where /proc shows no such process or hides it. */
int sa_start_time(pid_t pid, uint64_t *ticks);

/* Whether that very process runs still (a zombie does not).  True when in doubt: hidden processes,
 * a /proc of another pid namespace, a process that could not learn its own start (0). */
bool sa_alive(pid_t pid, uint64_t start_time);

/* Whether /proc shows this process under its own pid (false: not mounted, or of another pid
 * namespace). */
bool sa_proc_ours(void);

/* Whether `uid`, as the kernel reports it, is the effective user of this process.  The overflow uid
 * stands for every user without a name in this user namespace and is taken only where all have one. */
bool sa_same_user(uid_t uid);

/* What a descriptor leads to, by /proc/self/fd; terminated, cut at `room`. */
int sa_fd_path(int fd, char *out, size_t room);

/* Whether a descriptor (O_PATH will do) is a regular file of the kernel's shared memory. */
bool sa_is_shmem(int fd);

/* A whole small file: bytes read (at most room - 1, terminated) or -errno. */
ssize_t sa_read_file(const char *path, char *out, size_t room);

/* Monotonic milliseconds. */
int64_t sa_now_ms(void);

/* A new descriptor of the same file, or -errno: a duplicate for writing; for reading a description of
 * its own, so that a read-only opener never gets a writable one. */
int sa_fd_again(int fd, bool writable);

/* close() that keeps errno and takes -1. */
void sa_close(int fd);

/* The file behind a descriptor that is kept: a program may close any number (os.closerange(), dup2())
 * and have another file there, which is not ours to write, seal or close. */
typedef struct {
    uint64_t dev, ino;
} sa_file;

void sa_file_note(int fd, sa_file *file);
bool sa_file_at(int fd, const sa_file *file); /* true in doubt */
void sa_file_close(int fd, const sa_file *file);

#endif
