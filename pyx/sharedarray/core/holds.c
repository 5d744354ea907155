/* Blocks of other processes that this one holds: each is counted once in its creator's ledger,
   however many arrays, handles and tickets here refer to it. All need the lock. */
#include "ledger.h"

#include <errno.h>
#include <stdlib.h>

#define BUCKETS ((size_t)1 << 14)

typedef struct held {
    char *p;
    uint64_t serial;
    sa_peer *peer; /* NULL: not counted, its creator is gone or gave it to its forked children */
    uint32_t word, entry, child_entry, refs;
    bool child_counted;
    struct held *next;
} held;

static held *bucket[BUCKETS];

static held **find(const void *p) {
    held **at = &bucket[((uintptr_t)p >> 6) % BUCKETS];
    while (*at && (*at)->p != p) at = &(*at)->next;
    return at;
}

/* Take a reference to the block at p. The first one counts this process, if the block still is the
   one that the handle means. */
int sa_held_take(char *p, const uint64_t ledger[2], uint32_t word, uint64_t serial) {
    held **at = find(p);
    if (*at) {
        if ((*at)->serial != serial) return -ESTALE;
        (*at)->refs++;
        return 0;
    }
    held *h = calloc(1, sizeof *h);
    if (!h) return -ENOMEM;
    h->p = p;
    h->serial = serial;
    h->word = word;
    h->refs = 1;
    h->peer = ledger ? sa_peer_find(ledger) : NULL;
    if (ledger && !h->peer) { /* another thread has unmapped it meanwhile: never hold uncounted */
        free(h);
        return -EAGAIN;
    }
    if (h->peer) {
        int rc = sa_count_in(h->peer, word, serial, &h->entry);
        if (rc) {
            free(h);
            return rc;
        }
    }
    *at = h;
    return 0;
}

/* One more reference to a block held already; false: it is not. */
bool sa_held_again(char *p, sa_peer **peer, uint32_t *word) {
    held *h = *find(p);
    if (!h) return false;
    h->refs++;
    *peer = h->peer;
    *word = h->peer ? h->word : SA_NOWORD;
    return true;
}

void sa_held_drop(char *p) {
    held **at = find(p), *h = *at;
    if (!h || --h->refs) return;
    if (h->peer) sa_count_out(h->peer, h->word, h->serial, h->entry);
    *at = h->next;
    free(h);
}

bool sa_held_info(const void *p, sa_peer **peer, uint32_t *word, uint64_t *serial) {
    held *h = *find(p);
    if (!h) return false;
    *peer = h->peer;
    *word = h->word;
    *serial = h->serial;
    return true;
}

/* Before a fork each held block is counted once more, for the child. Not in its parent's name: the
   parent may be killed before the child has entered itself. */
void sa_holds_before_fork(void) {
    for (size_t i = 0; i < BUCKETS; i++)
        for (held *h = bucket[i]; h; h = h->next)
            if (h->peer && sa_count_in(h->peer, h->word, h->serial, &h->child_entry) == 0) {
                h->peer->users--;
                h->child_counted = true;
                if (h->child_entry != SA_NOWORD)
                    __atomic_store_n(&h->peer->map->row[h->child_entry].hold.who, sa_fork_who(h->peer), __ATOMIC_RELEASE);
            } else {
                h->child_counted = false;
            }
}

void sa_holds_after_fork_parent(void) { sa_fork_who_end(); }

void sa_holds_after_fork_child(void) {
    for (size_t i = 0; i < BUCKETS; i++)
        for (held *h = bucket[i]; h; h = h->next) {
            h->entry = h->child_entry;
            if (!h->peer) continue;
            if (!h->child_counted) { /* then it must not uncount: there were 65,535 holders */
                h->peer->users--;
                h->peer = NULL;
            } else if (h->entry != SA_NOWORD) {
                __atomic_store_n(&h->peer->map->row[h->entry].hold.who, sa_who_in(h->peer->map), __ATOMIC_RELEASE);
            }
        }
    sa_fork_who_end(); /* now the entries name the child */
}
