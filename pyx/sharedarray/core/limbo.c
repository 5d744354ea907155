/* What becomes of a block whose last reference here is gone: recycled when nobody can reach it,
   given back to the kernel when this process will never know, in limbo while others hold it. */
#include "device.h"
#include "pool.h"

#include <stdlib.h>

/* ---- limbo: blocks without a reference here that others hold or forked children may know ---- */

static struct {
    sa_segment *seg;
    sa_block *b;
    sa_span *span;
} *limbo;
static uint32_t nlimbo, limbo_cap, limbo_at;
static uint64_t limbo_bytes;

static void limbo_remove(sa_block *b, const sa_span *s) {
    uint32_t at = b->limbo - 1;
    b->limbo = 0;
    limbo_bytes -= charge_of(s);
    limbo[at] = limbo[--nlimbo];
    if (at < nlimbo) limbo[at].b->limbo = at + 1;
}

static void unpublish(const sa_span *s, sa_block *b) {
    if (b->published) sa_pool.stats.published -= charge_of(s);
    b->published = false;
}

/* Nobody can reach the block any more. */
static void recycle(sa_segment *seg, sa_span *s, sa_block *b) {
    unpublish(s, b);
    if (b->device) {
        sa_device_recycled(s->base + (size_t)(b - s->blocks) * s->size, b->serial);
        b->device = false;
    }
    b->serial = 0;
    seg->live--;
    s->stack[s->nfree++] = (uint32_t)(b - s->blocks);
    if (s->nblocks == 1) {
        s->freed_at = sa_now();
        s->cold = false;
        sa_pool.stats.cached += s->touched;
        sa_list_push(s);
        if (sa_pool.stats.cached > sa_pool.cap) {
            sa_flush_cached(sa_pool.stats.cached - s->touched > sa_pool.cap / 2 ? 1.0 : DECAY_TIME);
            if (sa_pool.stats.cached > sa_pool.cap) {
                sa_flush_cached(-1.0);
                sa_punch_runs();
            }
        }
        return;
    }
    if (!s->listed) sa_list_push(s);
    else if (s->nfree == s->nblocks && (s->prev || s->next)) sa_span_delete(s); /* one empty span a class stays */
    if (!seg->live && seg->lost) sa_arena_release(seg);
}

/* Others can reach the block and this process will never know when they cannot: its memory is the
   kernel's to free, when the last of them is gone. */
static void give_back(sa_segment *seg, sa_span *s, sa_block *b) {
    if (!b->published) b->word = UINT32_MAX;
    unpublish(s, b);
    seg->live--;
    if (seg->kind == SA_WHOLE) {
        sa_segment_release(seg, true);
        return;
    }
    b->given = true; /* with its serial: it may come back by handle */
    s->lost++;
    seg->lost++;
    if (!seg->live) sa_arena_release(seg);
}

/* Descendants may reach the block, and nothing tells when they cannot any more. */
static bool never_told(const sa_block *b) { return b->serial <= sa_witness_forever() || sa_ledger_pinned(b->serial); }

/* A block without a reference here comes back by handle from whoever holds it. */
void sa_block_revive(sa_segment *seg, sa_span *s, sa_block *b) {
    if (b->given) {
        s->lost--;
        seg->lost--;
        seg->live++;
        b->published = true;
        sa_pool.stats.published += charge_of(s);
    } else {
        limbo_remove(b, s);
    }
    if (b->published && b->word != UINT32_MAX) sa_word_creator(b->word);
    sa_count_alloc(charge_of(s));
}

/* A free block that a thread kept goes back to its span. */
void sa_block_return(char *p) {
    sa_segment *seg = sa_segment_at(p);
    sa_span *s;
    sa_block *b = sa_block_lookup(seg, p, &s);
    recycle(seg, s, b);
}

/* The last reference of an own block is gone. */
void sa_block_release(sa_segment *seg, sa_span *s, sa_block *b) {
    sa_pool.stats.allocated -= charge_of(s);
    if (b->serial <= sa_pool.fork_serial && sa_witness_due()) sa_pool.fork_serial = sa_witness_serial();
    bool seen = b->serial <= sa_pool.fork_serial; /* by forked children */
    if (b->given || (seen && seg->kind == SA_WHOLE) || (b->published && b->word == UINT32_MAX) || never_told(b)) {
        give_back(seg, s, b);
    } else if (!seen && (!b->published || sa_word_retire(b->word, b->serial))) {
        recycle(seg, s, b);
    } else {
        if (nlimbo == limbo_cap) {
            uint32_t c = limbo_cap ? limbo_cap * 2 : 64;
            void *l = realloc(limbo, c * sizeof *limbo);
            if (!l) {
                give_back(seg, s, b);
                return;
            }
            limbo = l;
            limbo_cap = c;
        }
        if (seg->kind == SA_WHOLE && limbo_bytes + sa_pool.stats.cached + s->touched > sa_pool.cap) {
            give_back(seg, s, b);
            return;
        }
        limbo[nlimbo].seg = seg;
        limbo[nlimbo].span = s;
        limbo[nlimbo].b = b;
        b->limbo = ++nlimbo;
        limbo_bytes += charge_of(s);
    }
}

/* Recycle what the last holder elsewhere has dropped; looks at `most` blocks. */
void sa_limbo_sweep(uint32_t most) {
    if (!nlimbo) return;
    sa_reclaim_dead(false);
    if (sa_witness_due()) sa_pool.fork_serial = sa_witness_serial();
    if (most > nlimbo) most = nlimbo;
    for (uint32_t k = 0; k < most && nlimbo; k++) {
        if (limbo_at >= nlimbo) limbo_at = 0;
        sa_segment *seg = limbo[limbo_at].seg;
        sa_span *s = limbo[limbo_at].span;
        sa_block *b = limbo[limbo_at].b;
        if (never_told(b)) {
            limbo_remove(b, s);
            give_back(seg, s, b);
        } else if (b->serial <= sa_pool.fork_serial) {
            limbo_at++;
        } else if (!b->published || sa_word_retire(b->word, b->serial)) {
            limbo_remove(b, s);
            recycle(seg, s, b);
        } else {
            limbo_at++;
        }
    }
}

/* Segments of their own that only others hold: nothing here needs them. */
void sa_limbo_give_back(void) {
    for (uint32_t i = nlimbo; i-- > 0;)
        if (limbo[i].seg->kind == SA_WHOLE) {
            sa_segment *seg = limbo[i].seg;
            sa_span *s = limbo[i].span;
            sa_block *b = limbo[i].b;
            limbo_remove(b, s);
            give_back(seg, s, b);
        }
}

/* The parent's limbo is the parent's. */
void sa_limbo_after_fork_child(void) {
    nlimbo = limbo_at = 0;
    limbo_bytes = 0;
}
