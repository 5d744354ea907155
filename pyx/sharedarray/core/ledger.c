/* Words and tickets: see ledger.h. Rules, each of which a model showed to be needed:
   - attaching is one compare-and-swap that counts only if the serial still matches, and the ticket
     is marked opened after it, never before;
   - a ticket is marked by compare-and-swap on its exact sequence;
   - taking or dropping the last local reference and changing the count happen under one lock;
   - dropping clears the hold entry before it uncounts: a crash leaves a count too high. */
#include "ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_ASKED 4096 /* processes asked for at once whether they live */
#define PEERS_KEPT 32 /* ledgers of peers without a held block that stay mapped */

typedef struct {
    sa_segment *seg;
    char *p;           /* the block */
    uint64_t sequence;
    double made;       /* sa_now() */
    uint32_t next;     /* free list */
} slot;

static sa_peer *own;   /* this process's ledger */
static sa_peer *peers; /* others', newest first */
static sa_peer *ancestor[16]; /* of the processes this one was forked from */
static uint64_t ancestor_serial[16];
static int32_t ancestor_pid[16];
static int nancestors;
static uint64_t peer_clock;

static slot *slots;
static uint32_t nslots, slots_cap, first_free = UINT32_MAX;
static uint32_t *pending, npending, pending_cap, cursor;
static uint64_t last_sequence;

static uint32_t *free_words, nfree_words, free_words_cap, next_word;

static uint64_t own_pidns(void) {
    static uint64_t ns;
    static int32_t of;
    if (of != sa_pid || !ns) {
        if (sa_namespace("pid", &ns)) ns = 0;
        of = sa_pid;
    }
    return ns;
}

uint64_t sa_who_in(const sa_ledger *map) {
    uint64_t ns = own_pidns();
    return ns && ns == map->pidns ? sa_who(sa_pid, sa_start) : SA_FOREIGN;
}

/* Locked by a description that is open somewhere: see fcntl(2), "Open file description locks". */
static struct flock fork_byte(uint64_t who) {
    return (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = (off_t)(SA_LEDGER_BYTES(SA_ROWS) + who), .l_len = 1};
}

/* Of a hold or child in this process's own ledger. */
bool sa_who_alive(uint64_t who) {
    if (who == SA_FOREIGN) return true;
    if (who >> 42 == 0) { /* being forked */
        struct flock l = fork_byte(who);
        return !own || !sa_file_at(own->fd, &own->file) || fcntl(own->fd, F_OFD_GETLK, &l) || l.l_type != F_UNLCK;
    }
    pid_t pid = (pid_t)(who >> 42);
    uint64_t start;
    if (kill(pid, 0) && errno == ESRCH) return false;
    if (sa_start_time(pid, &start)) return true; /* in doubt */
    uint64_t then = who & (((uint64_t)1 << 42) - 1); /* 0: it could not learn its own */
    return (!then || (start & (((uint64_t)1 << 42) - 1)) == then) && sa_alive(pid, start);
}

static sa_peer *peer_new(const uint64_t id[2], int fd, int *rc) {
    struct stat st;
    *rc = fstat(fd, &st) ? -errno : 0;
    uint32_t rows = *rc ? 0 : sa_ledger_rows((uint64_t)st.st_size);
    sa_peer *p = calloc(1, sizeof *p);
    if (!p || !rows) {
        if (!*rc) *rc = rows ? -ENOMEM : -EPROTO;
        free(p);
        return NULL;
    }
    void *m = mmap(NULL, SA_LEDGER_BYTES(rows), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (m == MAP_FAILED) {
        *rc = -errno;
        free(p);
        return NULL;
    }
    p->rows = rows;
    p->id[0] = id[0];
    p->id[1] = id[1];
    p->fd = fd;
    p->map = m;
    p->used = ++peer_clock;
    p->fork_fd = -1;
    sa_file_note(fd, &p->file);
    return p;
}

static void peer_delete(sa_peer *p) {
    munmap(p->map, SA_LEDGER_BYTES(p->rows));
    sa_file_close(p->fd, &p->file);
    free(p->spare);
    free(p);
}

static int ledger_ready(void) {
    if (own) {
        if (!own->map->pidns) own->map->pidns = own_pidns();
        return 0;
    }
    uint64_t id[2];
    int fd, rc = sa_random_id(id);
    if (rc < 0) return rc;
    char name[SA_NAME];
    sa_segment_name(id, name);
    /* A shorter one where a file or the address space may not be that large (ulimit -f, -v). */
    uint32_t rows = SA_ROWS;
    for (size_t share = sa_range_share(); SA_LEDGER_BYTES(rows) > share && rows > SA_ROWS_MIN;) rows /= 2;
    for (; !own && rows >= SA_ROWS_MIN; rows /= 2) {
        rc = sa_memfd(name, SA_LEDGER_BYTES(rows), &fd);
        if (!rc && !(own = peer_new(id, fd, &rc))) close(fd);
        if (rc && rc != -EFBIG && rc != -ENOMEM) break;
    }
    if (!own) return rc;
    own->map->pidns = own_pidns();
    sa_notes_begin(own->map);
    return 0;
}

/* ---- words ---- */

/* A word for a block that is named by a handle for the first time; SA_NOWORD: none is left. */
uint32_t sa_word_new(uint64_t serial) {
    if (ledger_ready()) return SA_NOWORD;
    uint32_t i;
    if (nfree_words) i = free_words[--nfree_words];
    else if (next_word < own->rows) i = next_word++;
    else return SA_NOWORD;
    __atomic_store_n(&own->map->row[i].word, serial << 18 | SA_CREATOR, __ATOMIC_RELEASE);
    return i;
}

static void word_free(uint32_t i) {
    if (nfree_words == free_words_cap) {
        uint32_t c = free_words_cap ? free_words_cap * 2 : 256;
        uint32_t *f = realloc(free_words, c * sizeof *f);
        if (!f) return; /* this word is not used again */
        free_words = f;
        free_words_cap = c;
    }
    free_words[nfree_words++] = i;
}

/* The creator has no use of the block any more: may it serve another one? */
bool sa_word_retire(uint32_t i, uint64_t serial) {
    uint64_t *w = &own->map->row[i].word;
    uint64_t was = serial << 18 | SA_CREATOR;
    if (!__atomic_compare_exchange_n(w, &was, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        was = serial << 18;
        if (!__atomic_compare_exchange_n(w, &was, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            if (SA_SERIAL(was) == serial) __atomic_fetch_and(w, ~SA_CREATOR, __ATOMIC_ACQ_REL);
            return false;
        }
    }
    word_free(i);
    return true;
}

void sa_word_creator(uint32_t i) { __atomic_fetch_or(&own->map->row[i].word, SA_CREATOR, __ATOMIC_ACQ_REL); }

/* ---- holds: this process in a peer's ledger ---- */

static uint32_t hold_claim(sa_peer *p) {
    if (p->nspare) return p->spare[--p->nspare];
    uint64_t me = sa_who_in(p->map), i = __atomic_fetch_add(&p->map->next_hold, 1, __ATOMIC_RELAXED);
    uint64_t none = 0;
    if (i < p->rows && __atomic_compare_exchange_n(&p->map->row[i].hold.who, &none, me, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return (uint32_t)i;
    for (i = 0; i < p->rows; i++) {
        none = 0;
        if (__atomic_load_n(&p->map->row[i].hold.who, __ATOMIC_RELAXED) == 0 &&
            __atomic_compare_exchange_n(&p->map->row[i].hold.who, &none, me, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return (uint32_t)i;
    }
    return SA_NOWORD; /* counted, but not to be uncounted if this process is killed */
}

static void hold_spare(sa_peer *p, uint32_t i) {
    if (i == SA_NOWORD) return;
    if (p->nspare == p->spare_cap) {
        uint32_t c = p->spare_cap ? p->spare_cap * 2 : 16;
        uint32_t *s = realloc(p->spare, c * sizeof *s);
        if (!s) {
            __atomic_store_n(&p->map->row[i].hold.who, 0, __ATOMIC_RELEASE);
            return;
        }
        p->spare = s;
        p->spare_cap = c;
    }
    p->spare[p->nspare++] = i;
}

/* Count this process as attached, if and only if the word still has that serial. */
int sa_count_in(sa_peer *p, uint32_t word, uint64_t serial, uint32_t *entry) {
    if (word >= p->rows) return -EINVAL;
    uint64_t *w = &p->map->row[word].word, was = __atomic_load_n(w, __ATOMIC_ACQUIRE);
    do {
        if (SA_SERIAL(was) != serial) return -ESTALE;
        if ((was & SA_ATTACHED_MASK) == SA_ATTACHED_MASK) return -EMLINK;
    } while (!__atomic_compare_exchange_n(w, &was, was + 1, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    uint32_t i = *entry = hold_claim(p);
    if (i != SA_NOWORD) {
        __atomic_store_n(&p->map->row[i].hold.serial, serial, __ATOMIC_RELAXED);
        __atomic_store_n(&p->map->row[i].hold.word, word, __ATOMIC_RELEASE);
    }
    p->users++;
    return 0;
}

void sa_count_out(sa_peer *p, uint32_t word, uint64_t serial, uint32_t entry) {
    if (entry != SA_NOWORD) __atomic_store_n(&p->map->row[entry].hold.word, SA_NOWORD, __ATOMIC_RELEASE);
    sa_uncount(p->map, word, serial);
    hold_spare(p, entry);
    p->users--;
}

/* Uncount the dead in this process's ledger. At most once a second, when something waits for it; a
   peer that filled the ledger with names must not keep it asking the kernel, under the lock. */
void sa_reclaim_dead(bool now) {
    static double last;
    static uint64_t from;
    uint32_t asked = 0;
    if (!own || (!now && sa_now() - last < 1.0)) return;
    last = sa_now();
    uint64_t n = __atomic_load_n(&own->map->next_hold, __ATOMIC_ACQUIRE);
    struct { uint64_t who; bool alive; } seen[64] = {{0, false}};
    if (n > own->rows) n = own->rows;
    for (uint64_t j = 0; j < n; j++) {
        uint64_t i = (from + j) % n;
        sa_hold *h = &own->map->row[i].hold;
        uint64_t who = __atomic_load_n(&h->who, __ATOMIC_ACQUIRE);
        if (!who) continue;
        int k = (int)((who >> 42) % 64);
        if (seen[k].who != who) {
            if (asked++ == MOST_ASKED) {
                from = i;
                break;
            }
            seen[k].who = who;
            seen[k].alive = sa_who_alive(who);
        }
        if (seen[k].alive) continue;
        /* only if it still is his: a forked child or a keeper may have taken the entry over */
        if (!__atomic_compare_exchange_n(&h->who, &who, SA_RECLAIMED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) continue;
        uint64_t word = __atomic_load_n(&h->word, __ATOMIC_ACQUIRE), serial = h->serial;
        __atomic_store_n(&h->word, SA_NOWORD, __ATOMIC_RELEASE);
        if (word < own->rows) sa_uncount(own->map, (uint32_t)word, serial);
        __atomic_store_n(&h->who, 0, __ATOMIC_RELEASE);
    }
    for (uint32_t i = 0; i < SA_CHILDREN; i++) {
        uint64_t who = __atomic_load_n(&own->map->child[i].who, __ATOMIC_ACQUIRE);
        if (!who) break;
        if (who != 1 && !sa_who_alive(who)) __atomic_store_n(&own->map->child[i].who, 1, __ATOMIC_RELEASE); /* ended */
    }
}

/* Other processes that hold a block of `map`, by its word (SA_NOWORD: not published). */
static uint32_t others(sa_peer *p, uint32_t word, uint64_t serial, bool mine, bool counted) {
    sa_ledger *map = p->map;
    uint32_t n = 0;
    if (word < p->rows) {
        uint64_t w = __atomic_load_n(&map->row[word].word, __ATOMIC_ACQUIRE);
        if (SA_SERIAL(w) == serial) n = (uint32_t)(w & SA_ATTACHED_MASK) + (!mine && (w & SA_CREATOR) ? 1 : 0);
        if (counted && n) n--;
    }
    uint64_t me = sa_who(sa_pid, sa_start);
    for (uint32_t i = 0; i < SA_CHILDREN; i++) {
        uint64_t who = __atomic_load_n(&map->child[i].who, __ATOMIC_ACQUIRE);
        if (!who) break;
        if (who != 1 && who != me && serial <= map->child[i].serial && sa_who_alive(who)) n++;
    }
    return n;
}

/* Lock held. */
uint32_t sa_others_own(uint32_t word, uint64_t serial) {
    if (!own) return 0;
    sa_reclaim_dead(true);
    return others(own, word, serial, true, false);
}

uint32_t sa_others_peer(sa_peer *p, uint32_t word, uint64_t serial, bool counted) {
    return others(p, word, serial, false, counted);
}

/* The nearest ancestor with that pid: the creator of inherited segments. */
static int ancestor_of(int32_t pid) {
    for (int i = nancestors; i-- > 0;)
        if (ancestor_pid[i] == pid) return i;
    return -1;
}

uint32_t sa_others_inherited(int32_t creator_pid, uint32_t word, uint64_t serial) {
    int i = ancestor_of(creator_pid);
    if (i < 0) return 0;
    uint32_t n = others(ancestor[i], word, serial, false, false);
    /* not published: whether the parent holds it still is written nowhere; it did at the fork */
    return word == SA_NOWORD ? n + 1 : n;
}

bool sa_ancestor_ledger(int32_t creator_pid, uint64_t id[2], int32_t *fd) {
    int i = ancestor_of(creator_pid);
    if (i < 0) return false;
    id[0] = ancestor[i]->id[0];
    id[1] = ancestor[i]->id[1];
    *fd = ancestor[i]->fd;
    return true;
}

/* A forked child sends a block that its parent had not named by a handle at the fork: its receivers
   are counted nowhere, so the parent must never use the block again. */
void sa_ancestor_pin(int32_t creator_pid, uint64_t serial) {
    int i = ancestor_of(creator_pid);
    if (i < 0) return;
    sa_ledger *map = ancestor[i]->map;
    uint64_t n = __atomic_load_n(&map->npinned, __ATOMIC_ACQUIRE);
    for (uint64_t k = 0; k < n && k < SA_PINNED; k++)
        if (__atomic_load_n(&map->pinned[k], __ATOMIC_ACQUIRE) == serial) return;
    n = __atomic_fetch_add(&map->npinned, 1, __ATOMIC_ACQ_REL);
    if (n < SA_PINNED) __atomic_store_n(&map->pinned[n], serial, __ATOMIC_RELEASE);
}

/* Beyond the room for them, every block that a child may have known counts as pinned. */
bool sa_ledger_pinned(uint64_t serial) {
    if (!own) return false;
    uint64_t n = __atomic_load_n(&own->map->npinned, __ATOMIC_ACQUIRE);
    if (n > SA_PINNED) return true;
    for (uint64_t k = 0; k < n; k++)
        if (__atomic_load_n(&own->map->pinned[k], __ATOMIC_ACQUIRE) == serial) return true;
    return false;
}

/* ---- tickets ---- */

static int grow(void) {
    if (first_free != UINT32_MAX) return 0;
    if (nslots == own->rows) sa_ticket_sweep(UINT32_MAX);
    if (first_free != UINT32_MAX) return 0;
    if (nslots == own->rows) return -ENOSPC;
    if (nslots == slots_cap) {
        uint32_t c = slots_cap ? slots_cap * 2 : 256;
        slot *s = realloc(slots, c * sizeof *s);
        if (!s) return -ENOMEM;
        slots = s;
        slots_cap = c;
    }
    if (pending_cap < slots_cap) {
        uint32_t *q = realloc(pending, slots_cap * sizeof *q);
        if (!q) return -ENOMEM;
        pending = q;
        pending_cap = slots_cap;
    }
    slots[nslots].next = UINT32_MAX;
    first_free = nslots++;
    return 0;
}

int sa_ticket_new(void *p, sa_ticket *out) {
    sa_lock();
    sa_ticket_sweep(64);
    int rc = ledger_ready();
    if (!rc && sa_now() - own->looked > 0.5) {
        own->looked = sa_now();
        if (!sa_file_at(own->fd, &own->file)) own->fd = -1;
    }
    if (!rc && own->fd < 0) rc = -EBADF;
    if (!rc) rc = grow();
    sa_segment *seg = sa_segment_at(p);
    if (!rc && !seg) rc = -EINVAL;
    if (!rc) rc = sa_ref_for_ticket(seg, p, out);
    if (!rc) {
        uint32_t i = first_free;
        first_free = slots[i].next;
        slots[i] = (slot){seg, p, ++last_sequence, sa_now(), 0};
        pending[npending++] = i;
        __atomic_store_n(&own->map->row[i].ticket_segment, seg->id[0], __ATOMIC_RELAXED);
        __atomic_store_n(&own->map->row[i].ticket, last_sequence << 2 | SA_PENDING, __ATOMIC_RELEASE);
        out->id[0] = own->id[0];
        out->id[1] = own->id[1];
        out->fd = own->fd;
        out->index = i;
        out->sequence = last_sequence;
        if (out->own && out->word != SA_NOWORD) { /* the creator is the sender */
            out->creator[0] = own->id[0];
            out->creator[1] = own->id[1];
            out->creator_fd = out->creator_fd_here = own->fd;
        }
    }
    sa_unlock();
    return rc;
}

static void let_go(uint32_t at) {
    uint32_t i = pending[at];
    pending[at] = pending[--npending];
    slot s = slots[i];
    slots[i].next = first_free;
    slots[i].seg = NULL;
    first_free = i;
    sa_unref(s.seg, s.p);
}

static bool opened(uint32_t k) {
    uint32_t i = pending[k];
    return __atomic_load_n(&own->map->row[i].ticket, __ATOMIC_ACQUIRE) == (slots[i].sequence << 2 | SA_OPENED);
}

/* Let go of what was opened among so many of the tickets; UINT32_MAX: among all. From the end: the
   last one takes the place of what goes. */
void sa_ticket_sweep(uint32_t most) {
    if (most >= npending) {
        for (uint32_t k = npending; k-- > 0;)
            if (opened(k)) let_go(k);
        return;
    }
    for (uint32_t n = 0; n < most && npending; n++) {
        if (cursor >= npending) cursor = 0;
        if (opened(cursor)) let_go(cursor);
        else cursor++;
    }
}

/* What was opened of the newest messages that name this block. */
void sa_ticket_sweep_of(const void *p) {
    uint32_t end = npending > 512 ? npending - 512 : 0;
    for (uint32_t k = npending; k-- > end;) {
        if (slots[pending[k]].p == p && opened(k)) let_go(k);
    }
}

bool sa_ticket_pending(const void *p) {
    for (uint32_t k = 0; k < npending; k++)
        if (slots[pending[k]].p == p) return true;
    return false;
}

/* A late receiver reads why. Who opened it meanwhile was counted before. */
static void cancel(uint32_t k) {
    uint32_t i = pending[k];
    uint64_t was = slots[i].sequence << 2 | SA_PENDING;
    __atomic_compare_exchange_n(&own->map->row[i].ticket, &was, slots[i].sequence << 2 | SA_CANCELLED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    let_go(k);
}

/* A message that will not be sent after all. */
void sa_ticket_cancel(uint32_t index, uint64_t sequence) {
    sa_lock();
    for (uint32_t k = npending; k-- > 0;)
        if (pending[k] == index && slots[index].sequence == sequence) {
            cancel(k);
            break;
        }
    sa_unlock();
}

/* Lock held. */
void sa_ticket_cancel_until(double made) {
    for (uint32_t k = npending; k-- > 0;)
        if (slots[pending[k]].made <= made) cancel(k);
}

bool sa_ticket_cancelled(const uint64_t id[2], uint32_t index, uint64_t sequence) {
    sa_lock();
    sa_peer *p = sa_peer_find(id);
    bool is = p && index < p->rows && __atomic_load_n(&p->map->row[index].ticket, __ATOMIC_ACQUIRE) == (sequence << 2 | SA_CANCELLED);
    sa_unlock();
    return is;
}

uint64_t sa_in_flight(void) {
    uint64_t sum = 0; /* each block once, however often it was sent */
    for (uint32_t k = 0; k < npending; k++) sum += sa_bytes_at(slots[pending[k]].seg, slots[pending[k]].p, true);
    for (uint32_t k = 0; k < npending; k++) (void)sa_bytes_at(slots[pending[k]].seg, slots[pending[k]].p, false);
    return sum;
}

sa_peer *sa_ledger_own(void) { return own; }

uint32_t sa_pending(void) { return npending; }

void *sa_pending_at(uint32_t k, sa_segment **seg, uint32_t *index, uint64_t *sequence) {
    *index = pending[k];
    *seg = slots[*index].seg;
    *sequence = slots[*index].sequence;
    return slots[*index].p;
}

void sa_ticket_extent(uint64_t *newest, uint32_t *places) {
    *newest = last_sequence;
    *places = nslots;
}

/* Another process may have put anything into the words: they are compared, never used. False: the
   sender's ledger is not mapped (any more). */
bool sa_ticket_opened(const uint64_t id[2], uint32_t index, uint64_t sequence) {
    sa_lock();
    sa_peer *p = sa_peer_find(id);
    if (p && index < p->rows) {
        uint64_t was = sequence << 2 | SA_PENDING;
        p->used = ++peer_clock;
        __atomic_compare_exchange_n(&p->map->row[index].ticket, &was, sequence << 2 | SA_OPENED, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    }
    sa_unlock();
    return p != NULL;
}

/* ---- ledgers of others ---- */

sa_peer *sa_peer_find(const uint64_t id[2]) {
    if (own && own->id[0] == id[0] && own->id[1] == id[1]) return own;
    for (sa_peer *p = peers; p; p = p->next)
        if (p->id[0] == id[0] && p->id[1] == id[1]) return p;
    for (int i = 0; i < nancestors; i++)
        if (ancestor[i]->id[0] == id[0] && ancestor[i]->id[1] == id[1]) return ancestor[i];
    return NULL;
}

int sa_ledger_known(const uint64_t id[2]) {
    sa_lock();
    sa_peer *p = sa_peer_find(id);
    sa_unlock();
    return p != NULL;
}

/* Unused ledgers of peers: all, or all but the most recently used ones. Lock held. */
void sa_peers_purge(bool all) {
    uint32_t n = 0;
    for (sa_peer **at = &peers; *at;) {
        sa_peer *p = *at;
        if (!p->users && (all || ++n > PEERS_KEPT)) {
            for (uint32_t i = 0; i < p->nspare; i++) __atomic_store_n(&p->map->row[p->spare[i]].hold.who, 0, __ATOMIC_RELEASE);
            *at = p->next;
            peer_delete(p);
        } else {
            at = &p->next;
        }
    }
}

int sa_ledger_map(const uint64_t id[2], int fd, int origin_fd) {
    int rc = 0;
    sa_lock();
    if (sa_peer_find(id)) {
        close(fd);
    } else {
        sa_peers_purge(false);
        sa_peer *p = peer_new(id, fd, &rc);
        if (p) {
            p->origin_fd = origin_fd;
            p->next = peers;
            peers = p;
        } else {
            close(fd);
        }
    }
    sa_unlock();
    return rc;
}

void sa_peer_names(sa_peer *p, uint64_t id[2], int32_t *origin_fd, int32_t *fd) {
    id[0] = p->id[0];
    id[1] = p->id[1];
    *origin_fd = p->origin_fd;
    *fd = p->fd;
}

int sa_ledger_fd(const uint64_t id[2]) {
    sa_peer *p = sa_peer_find(id);
    return p && sa_file_at(p->fd, &p->file) ? p->fd : -1;
}

/* ---- fork ---- */

/* A name that lasts while parent or child has the description: from before the fork until the child
   has its pid in the entries; and no longer, if the fork fails or either is killed. */
uint64_t sa_fork_who(sa_peer *p) {
    static uint32_t counter;
    char path[40];
    if (p->fork_fd >= 0 || p->fork_who) return p->fork_who;
    p->fork_who = SA_FOREIGN; /* in doubt alive */
    if (sa_who_in(p->map) == SA_FOREIGN || !sa_file_at(p->fd, &p->file)) return p->fork_who;
    snprintf(path, sizeof path, "/proc/self/fd/%d", p->fd);
    p->fork_fd = open(path, O_RDWR | O_CLOEXEC);
    for (int tries = 0; p->fork_fd >= 0 && tries < 8; tries++) {
        uint64_t who = (uint64_t)(uint32_t)sa_pid << 20 | (++counter & 0xfffff);
        struct flock l = fork_byte(who);
        if (fcntl(p->fork_fd, F_OFD_SETLK, &l) == 0) {
            p->fork_who = who;
            break;
        }
    }
    return p->fork_who;
}

static void fork_who_end(sa_peer *p) {
    if (p->fork_fd >= 0) close(p->fork_fd);
    p->fork_fd = -1;
    p->fork_who = 0;
}

void sa_fork_who_end(void) {
    for (sa_peer *p = peers; p; p = p->next) fork_who_end(p);
    for (int i = 0; i < nancestors; i++) fork_who_end(ancestor[i]);
    if (own) fork_who_end(own);
}

/* Before: a ledger for the child to enter itself in. */
bool sa_ledger_before_fork(void) { return ledger_ready() == 0; }

/* The child has sent nothing yet: its parent's tickets, words and counts are its parent's. */
void sa_ledger_after_fork_child(uint64_t inherited_serial, int32_t parent) {
    /* entries in its parent's name: two processes must not share one */
    for (sa_peer *p = peers; p; p = p->next) p->nspare = 0;
    for (int i = 0; i < nancestors; i++) ancestor[i]->nspare = 0;
    if (own) own->nspare = 0;
    while (npending) let_go(npending - 1);
    if (own) {
        if (nancestors == 16) {
            __atomic_store_n(&ancestor[0]->map->npinned, SA_PINNED + 1, __ATOMIC_RELEASE); /* all of them */
            peer_delete(ancestor[0]);
            memmove(ancestor, ancestor + 1, sizeof ancestor - sizeof *ancestor);
            memmove(ancestor_serial, ancestor_serial + 1, sizeof ancestor_serial - sizeof *ancestor_serial);
            memmove(ancestor_pid, ancestor_pid + 1, sizeof ancestor_pid - sizeof *ancestor_pid);
            nancestors--;
        }
        ancestor[nancestors] = own;
        ancestor_pid[nancestors] = parent;
        ancestor_serial[nancestors++] = inherited_serial;
        own = NULL;
        sa_notes_end();
    }
    for (int k = 0; k < nancestors; k++)
        for (uint32_t i = 0; i < SA_CHILDREN; i++) {
            sa_child *c = &ancestor[k]->map->child[i];
            uint64_t was = __atomic_load_n(&c->who, __ATOMIC_ACQUIRE);
            if (was > 1) continue;
            if (__atomic_compare_exchange_n(&c->who, &was, sa_who_in(ancestor[k]->map), false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
                __atomic_store_n(&c->serial, ancestor_serial[k], __ATOMIC_RELEASE);
                break;
            }
        }
    nslots = 0;
    first_free = UINT32_MAX;
    cursor = 0;
    nfree_words = next_word = 0;
}
