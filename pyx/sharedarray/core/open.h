/* How a process obtains the descriptor of another process's segment without ever touching anything
 * else that may stand behind that number by now. */
#ifndef SHAREDARRAY_CORE_OPEN_H
#define SHAREDARRAY_CORE_OPEN_H

#include "os.h"

/* Why a descriptor could not be had.  Everything beyond SA_OK comes with an errno (0: none). */
enum sa_reason {
    SA_OK = 0,
    SA_E_DEAD,     /* no such process, or its pid belongs to another one by now */
    SA_E_GONE,     /* the process closed that descriptor, or uses the number for something else */
    SA_E_DENIED,   /* its /proc entry is closed or hidden: ask its socket */
    SA_E_IDENTITY, /* another segment stands there */
    SA_E_OWNER,    /* of another user */
    SA_E_SIZE,     /* not of the size the handle tells */
    SA_E_SEALS,    /* could be truncated under its users: not sealed */
    SA_E_LIMIT,    /* this process (EMFILE) or machine (ENFILE) has no descriptor left */
    SA_E_OS,       /* any other failure of a system call */
    SA_E_NOSERVER, /* no such socket in this network namespace: its process ended, or is elsewhere */
    SA_E_TIMEOUT,  /* the serving process did not answer in time */
    SA_E_SERVER,   /* the serving process refused; errno is its own */
    SA_E_PROTOCOL, /* the answer was not one of this library's, or of another version */
    SA_REASONS
};

/* For a size that the caller judges by itself, once the descriptor is verified to be sealed. */
#define SA_ANY_SIZE UINT64_MAX

/* One phrase for a reason, for messages. */
const char *sa_reason_text(int reason);

/* Open descriptor `fdnum` of process `pid` (this process too): only if it is the sealed memfd `name`
 * of `size` bytes and of this user.  Reads the link first, pins it by O_PATH, checks, and only then
 * opens.  Never blocks.  The name holds 128 random bits, so it alone decides; `start_time` tells on
 * failure whether the process is gone.  Returns enum sa_reason; *out_fd is -1 and *err an errno (or
 * 0) on failure.  O_NONBLOCK is set on the result and means nothing for memory. */
int sa_open_foreign(pid_t pid, uint64_t start_time, int fdnum, const char *name, uint64_t size,
                    int writable, int *out_fd, int *err);

/* The same, wherever in this pid namespace a process of this user has the segment open. Until
 * `deadline` (sa_now_ms); SA_E_GONE: nobody has. */
int sa_open_anywhere(const char *name, uint64_t size, int writable, int64_t deadline, int *out_fd,
                     int *err);

/* The same checks on a descriptor already here, which must be open for reading and, if asked,
 * writing. */
int sa_verify(int fd, const char *name, uint64_t size, int writable, int *err);

#endif
