/* What a fork needs: no lock is inherited held, the child starts with an empty pool and an empty
   ledger, and the parent recycles no block that lived at that moment. */
#include "core.h"
#include "serve.h"

#include <errno.h>
#include <unistd.h>

__thread int sa_scope;
int32_t sa_pid;
uint64_t sa_start;

static void prepare(void) {
    sa_serve_before_fork(); /* before the lock: its thread takes it to look segments up */
    sa_lock();
    sa_pool_fork_mark();
}

static void in_parent(void) {
    sa_unlock();
    sa_serve_after_fork_parent();
}

static void in_child(void) {
    pthread_mutex_init(&sa_mutex, NULL);
    sa_scope = 0;
    sa_ledger_after_fork_child();
    sa_pool_after_fork_child(); /* its inherited segments still name the parent as creator */
    sa_pid = getpid();
    if (sa_start_time(sa_pid, &sa_start)) sa_start = 0;
    sa_serve_after_fork_child();
}

int sa_fork_init(void) {
    sa_pid = getpid();
    if (sa_start_time(sa_pid, &sa_start)) sa_start = 0;
    return -pthread_atfork(prepare, in_parent, in_child);
}
