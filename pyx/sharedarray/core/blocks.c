/* References to blocks, own ones and other processes', and what can be asked about them. */
#include "pool.h"

#include <errno.h>
#include <string.h>

sa_block *sa_block_lookup(sa_segment *seg, const void *p, sa_span **span) {
    sa_span *s = *span = sa_span_of(seg, p);
    if (!s) return NULL;
    size_t offset = (size_t)((const char *)p - s->base);
    if (s->nblocks == 1) return offset < s->size ? s->blocks : NULL;
    /* Spans of several blocks are small: 32 bits, whose division takes a third of the time. */
    uint32_t i = (uint32_t)offset / (uint32_t)s->size;
    return i < s->nblocks ? &s->blocks[i] : NULL;
}

void sa_unref(sa_segment *seg, void *p) {
    if (!is_own(seg)) {
        sa_held_drop(p);
        sa_segment_unref(seg);
        return;
    }
    sa_span *s;
    sa_block *b = sa_block_lookup(seg, p, &s);
    if (!b || !sa_refs(b)) return;
    sa_refs_set(b, sa_refs(b) - 1);
    if (!sa_refs(b)) sa_block_release(seg, s, b);
}

void sa_free(void *p) {
    sa_segment *seg = sa_segment_at(p);
    if (!seg) return;
    if (seg->kind == SA_SPANS && !seg->inherited) {
        sa_span *s;
        sa_block *b = sa_block_lookup(seg, p, &s);
        if (b && s->nblocks > 1 && sa_refs(b) == 1 && !b->published && !b->device && b->serial > fork_mark() && sa_local_put(s->cls, s->size, p, b)) return;
    }
    sa_lock();
    sa_ticket_sweep_of(p); /* a message opened meanwhile must not keep this very block */
    sa_unref(seg, p);
    sa_unlock();
}

/* Bytes of a block (of an attached segment: all of it); 0 if it is marked as counted already. */
uint64_t sa_bytes_at(sa_segment *seg, void *p, bool mark) {
    uint64_t bytes = seg->size;
    bool *counted = &seg->counted;
    if (is_own(seg)) {
        sa_span *s;
        sa_block *b = sa_block_lookup(seg, p, &s);
        if (!b) return 0;
        bytes = charge_of(s);
        counted = &b->counted;
    }
    if (*counted && mark) return 0;
    *counted = mark;
    return bytes;
}

int sa_ref(void *p) {
    sa_segment *seg = sa_segment_at(p);
    if (!seg) return -EINVAL;
    int rc = 0;
    sa_lock();
    if (is_own(seg)) {
        sa_span *s;
        sa_block *b = sa_block_lookup(seg, p, &s);
        if (b && sa_refs(b)) sa_refs_set(b, sa_refs(b) + 1);
        else rc = -EINVAL;
    } else {
        struct sa_peer *peer;
        uint32_t word;
        (void)sa_held_again(p, &peer, &word);
        seg->refs++;
    }
    sa_unlock();
    return rc;
}

/* A handle names the block from now on. */
static void publish(sa_span *s, sa_block *b) {
    if (b->published) return;
    b->published = true;
    b->word = sa_word_new(b->serial);
    sa_pool.stats.published += charge_of(s);
}

/* A reference for a message, and where the holders of the block are counted. */
int sa_ref_for_ticket(sa_segment *seg, void *p, sa_ticket *out) {
    sa_span *s;
    sa_block *b;
    struct sa_peer *peer = NULL;
    out->creator[0] = out->creator[1] = 0;
    out->creator_fd = out->creator_fd_here = -1;
    out->word = UINT32_MAX;
    out->own = is_own(seg);
    if (!sa_segment_names_fd(seg)) return -EBADF;
    if (out->own) {
        b = sa_block_lookup(seg, p, &s);
        if (!b || !sa_refs(b)) return -EINVAL;
        sa_refs_set(b, sa_refs(b) + 1);
        publish(s, b);
        out->word = b->word;
        return 0;
    }
    seg->refs++;
    if (sa_held_again(p, &peer, &out->word)) {
        if (peer) sa_peer_names(peer, out->creator, &out->creator_fd, &out->creator_fd_here);
    } else if (seg->inherited && (b = sa_block_lookup(seg, p, &s))) {
        if (b->published && b->word != UINT32_MAX && sa_ancestor_ledger(seg->creator_pid, out->creator, &out->creator_fd)) {
            out->word = b->word;
            out->creator_fd_here = out->creator_fd;
        } else {
            sa_ancestor_pin(seg->creator_pid, b->serial);
        }
    }
    return 0;
}

/* Another process's block: a reference to its segment is taken already. -EAGAIN: the ledger is not
   mapped (any more); the reference is kept. */
int sa_block_attach(sa_segment *seg, char *p, const uint64_t ledger[2], uint32_t word, uint64_t number) {
    sa_lock();
    sa_ticket_sweep(64); /* who only receives and answers comes by nowhere else */
    int rc = sa_held_take(p, ledger, word, number);
    if (rc && rc != -EAGAIN) sa_segment_unref(seg);
    sa_unlock();
    return rc;
}

/* Let go of messages that nobody opened; the bytes of blocks that nobody here holds any more. */
uint64_t sa_collect(double older_than) {
    sa_lock();
    sa_ticket_sweep(UINT32_MAX);
    uint64_t had = sa_pool.stats.allocated;
    sa_ticket_cancel_until(sa_now() - older_than);
    uint64_t freed = had - sa_pool.stats.allocated;
    sa_unlock();
    return freed;
}

/* How many other processes hold the block. */
uint32_t sa_block_others(void *p) {
    uint32_t n = 0, word;
    uint64_t number;
    struct sa_peer *peer;
    sa_segment *seg = sa_segment_at(p);
    if (!seg) return 0;
    sa_lock();
    sa_span *s;
    sa_block *b;
    if (is_own(seg)) {
        if ((b = sa_block_lookup(seg, p, &s))) n = sa_others_own(b->published ? b->word : UINT32_MAX, b->serial);
    } else if (sa_held_info(p, &peer, &word, &number)) {
        if (peer) n = sa_others_peer(peer, word, number, true);
    } else if (seg->inherited && (b = sa_block_lookup(seg, p, &s))) {
        n = sa_others_inherited(seg->creator_pid, b->published ? b->word : UINT32_MAX, b->serial);
    }
    sa_unlock();
    return n;
}

/* A block of ours that comes back by handle: a reference to it, if it still is that block. */
void *sa_block_hold(const uint64_t id[2], uint64_t offset, uint64_t want) {
    void *p = NULL;
    sa_lock();
    sa_segment *seg = sa_segment_find(id);
    if (seg && is_own(seg) && offset < seg->size) {
        sa_span *s;
        sa_block *b = sa_block_lookup(seg, seg->base + offset, &s);
        if (want && b && b->serial == want && s->base + (size_t)(b - s->blocks) * s->size == seg->base + offset) {
            if (!sa_refs(b)) sa_block_revive(seg, s, b);
            sa_refs_set(b, sa_refs(b) + 1);
            p = seg->base + offset;
        }
    }
    sa_unlock();
    return p;
}

bool sa_block_find(const void *p, sa_segment **seg, char **start, size_t *size, uint64_t *number) {
    sa_segment *g = sa_segment_at(p);
    if (!g) return false;
    *seg = g;
    sa_lock();
    sa_span *s;
    sa_block *b = g->kind == SA_ATTACHED ? NULL : sa_block_lookup(g, p, &s);
    if (b) {
        *start = s->base + (size_t)(b - s->blocks) * s->size;
        *size = s->size;
        *number = b->serial;
    }
    sa_unlock();
    return b != NULL;
}

size_t sa_capacity(void *p) {
    sa_segment *seg;
    char *start;
    size_t size = 0;
    uint64_t s;
    return sa_block_find(p, &seg, &start, &size, &s) ? size - (size_t)((char *)p - start) : 0;
}

void *sa_realloc(void *p, size_t n) {
    size_t had = sa_capacity(p);
    if (!had) return NULL;
    if (n <= had) return p;
    /* Shared memory never moves: not when published, re-opened, or seen by a forked child. */
    sa_segment *seg = sa_segment_at(p);
    sa_span *s;
    sa_lock();
    sa_block *b = is_own(seg) ? sa_block_lookup(seg, p, &s) : NULL;
    bool fixed = !b || b->published || sa_refs(b) != 1 || b->serial <= fork_mark();
    sa_unlock();
    void *q = fixed ? NULL : sa_alloc(n, false, false);
    if (!q) {
        if (fixed) sa_failure = EBUSY;
        return NULL;
    }
    memcpy(q, p, had);
    sa_free(p);
    return q;
}
