/* Descriptors by way of an abstract Unix socket, for processes whose /proc entry is closed to their
 * peers.  One thread without Python answers; it waits for nobody longer than a second. */
#ifndef SHAREDARRAY_CORE_SERVE_H
#define SHAREDARRAY_CORE_SERVE_H

#include "open.h"

/* "sharedarray-<uid>-<32 hex>", the abstract socket's name without its leading zero byte. */
void sa_socket_name(uid_t uid, const uint64_t token[2], char out[SA_NAME_MAX]);

/* Gives a fresh descriptor of segment `id`, writable or not, which the server sends and closes; or
 * -errno (-ENOENT: not held any more).  Called in the server's thread, with all signals blocked. */
typedef int (*sa_lookup)(const uint64_t id[2], uint64_t size, int writable);

/* Start the server of this process; 0 also if it runs already.  Call it without holding a lock that
 * `lookup` takes. */
int sa_serve_start(sa_lookup lookup);

/* The same under a name that peers know already; `token` NULL: a random one. */
int sa_serve_start_as(sa_lookup lookup, const uint64_t token[2]);

/* What a handle must carry to name this process's socket; -ENOTCONN if none is served. */
int sa_serve_token(uint64_t token[2]);

/* End the thread and close the socket.  Nothing happens if none runs. */
void sa_serve_stop(void);

/* Around fork(): `before` waits until the thread holds no descriptor in transit (bounded: the
 * thread never waits while busy) and must come before taking any lock that `lookup` takes.  The
 * child closes what it inherited and may start a server of its own; it also may be called alone. */
void sa_serve_before_fork(void);
void sa_serve_after_fork_parent(void);
void sa_serve_after_fork_child(void);

/* Whether peers need the socket: SHAREDARRAY_SERVE=1, or /proc/PID/fd of this process is closed to
 * other processes of the same user.  (hidepid alone closes nothing to them.) */
bool sa_serve_needed(void);

/* Ask the socket `socket_name` of user `uid` for segment `id` and verify the answer as
 * sa_open_foreign does; `memfd_name` NULL: a descriptor of device memory, which its driver verifies.
 * Returns enum sa_reason within `timeout_ms` (at most 900). */
int sa_fetch_served(const char *socket_name, uid_t uid, const char *memfd_name,
                    const uint64_t id[2], uint64_t size, int writable, int timeout_ms, int *out_fd,
                    int *err);

#endif
