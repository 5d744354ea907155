/* What a fork needs: no lock is inherited held, the child starts with an empty pool and an empty
   ledger, and the parent recycles no block that lived at that moment. */
#include "core.h"
#include "device.h"
#include "keeper.h"
#include "serve.h"

#include <errno.h>
#include <unistd.h>

__thread int sa_scope;
int32_t sa_pid;
uint64_t sa_start;

static uint64_t inherited; /* serial of the last block that the child has */

static void prepare(void) {
    sa_serve_before_fork(); /* before the lock: its thread takes it to look segments up */
    sa_lock();
    inherited = sa_pool_fork_mark();
    bool told = !inherited || sa_ledger_before_fork();
    sa_witness_before_fork(inherited, !told);
    sa_holds_before_fork();
}

static void in_parent(void) {
    sa_witness_after_fork_parent();
    sa_holds_after_fork_parent();
    sa_unlock();
    sa_serve_after_fork_parent();
}

static void in_child(void) {
    int32_t parent = sa_pid;
    pthread_mutex_init(&sa_mutex, NULL);
    sa_scope = 0;
    sa_witness_after_fork_child();
    sa_pool_after_fork_child(); /* inherited segments name the parent as their creator */
    sa_pid = getpid();
    if (sa_start_time(sa_pid, &sa_start)) sa_start = 0;
    sa_holds_after_fork_child(); /* first: what the ledger lets go of is counted by the child now */
    sa_ledger_after_fork_child(inherited, parent);
    sa_device_after_fork_child();
    sa_serve_after_fork_child();
    sa_keeper_after_fork_child(); /* last: its end tells the keeper that this child is in the ledger */
}

int sa_fork_init(void) {
    sa_pid = getpid();
    if (sa_start_time(sa_pid, &sa_start)) sa_start = 0;
    int rc = sa_local_init();
    return rc ? rc : -pthread_atfork(prepare, in_parent, in_child);
}
