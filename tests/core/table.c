/* A process that serves segments from a table: the smallest caller of core/serve.c. */
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#define ROOM 64

static struct {
    uint64_t id[2], size;
    int fd;
} table[ROOM];
static _Atomic int filled;
static _Atomic int delay_ms;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int lookup(const uint64_t id[2], uint64_t size, int writable)
{
    char link[32];
    int r = -ENOENT, n = filled;

    if (delay_ms) {
        nanosleep(&(struct timespec){delay_ms / 1000, delay_ms % 1000 * 1000000L}, NULL);
    }
    pthread_mutex_lock(&lock);
    for (int i = 0; i < n; i++) {
        if (table[i].id[0] == id[0] && table[i].id[1] == id[1] && table[i].size == size) {
            snprintf(link, sizeof link, "/proc/self/fd/%d", table[i].fd);
            r = open(link, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
            if (r < 0) {
                r = -errno;
            }
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    return r;
}

void table_put(const uint64_t id[2], uint64_t size, int fd)
{
    int n = filled;

    table[n].id[0] = id[0];
    table[n].id[1] = id[1];
    table[n].size = size;
    table[n].fd = fd;
    filled = n + 1;
}

void table_delay(int ms)
{
    delay_ms = ms;
}

int table_serve(void)
{
    return sa_serve_start(lookup);
}

void table_before_fork(void)
{
    sa_serve_before_fork();
    pthread_mutex_lock(&lock);
}

void table_after_fork_parent(void)
{
    pthread_mutex_unlock(&lock);
    sa_serve_after_fork_parent();
}

void table_after_fork_child(void)
{
    pthread_mutex_unlock(&lock);
    sa_serve_after_fork_child();
}
