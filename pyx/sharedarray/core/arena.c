/* Arenas: segments cut into spans of pages. Runs of free pages are kept by page number; spans with
   free blocks, and free spans of one block, in a list per size class. */
#include "pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ARENA_MIN ((size_t)64 << 20) /* bytes of the first one */
#define ARENA_MAX ((size_t)4 << 30)

/* ---- lists of spans ---- */

void sa_list_push(sa_span *s) {
    s->prev = NULL;
    s->next = sa_pool.avail[s->cls];
    if (s->next) s->next->prev = s;
    sa_pool.avail[s->cls] = s;
    s->listed = true;
}

void sa_list_remove(sa_span *s) {
    if (s->prev) s->prev->next = s->next;
    else sa_pool.avail[s->cls] = s->next;
    if (s->next) s->next->prev = s->prev;
    s->listed = false;
}

/* ---- free runs of pages in an arena, by page number ---- */

static int run_insert(sa_segment *seg, uint32_t first, uint32_t npages, bool clean) {
    uint32_t at = 0, hi = seg->nruns;
    while (at < hi) {
        uint32_t mid = (at + hi) / 2;
        if (seg->runs[mid].first < first) at = mid + 1;
        else hi = mid;
    }
    sa_run *r = seg->runs;
    bool left = at > 0 && r[at - 1].first + r[at - 1].npages == first && r[at - 1].clean == clean;
    bool right = at < seg->nruns && first + npages == r[at].first && r[at].clean == clean;
    if (left) {
        r[at - 1].npages += npages;
        if (right) {
            r[at - 1].npages += r[at].npages;
            memmove(r + at, r + at + 1, (--seg->nruns - at) * sizeof *r);
        }
        return 0;
    }
    if (right) {
        r[at].first = first;
        r[at].npages += npages;
        return 0;
    }
    if (seg->nruns == seg->runs_cap) {
        uint32_t c = seg->runs_cap ? seg->runs_cap * 2 : 16;
        r = realloc(seg->runs, c * sizeof *r);
        if (!r) return -ENOMEM;
        seg->runs = r;
        seg->runs_cap = c;
    }
    memmove(r + at + 1, r + at, (seg->nruns - at) * sizeof *r);
    r[at] = (sa_run){first, npages, clean};
    seg->nruns++;
    return 0;
}

/* First fit; pages aligned to `align` pages. */
static bool run_take(sa_segment *seg, uint32_t npages, uint32_t align, uint32_t *first, bool *clean) {
    for (uint32_t i = 0; i < seg->nruns; i++) {
        sa_run r = seg->runs[i];
        uint32_t start = (r.first + align - 1) / align * align;
        if (start + npages > r.first + r.npages) continue;
        uint32_t head = start - r.first, tail = r.first + r.npages - start - npages;
        if (head && tail) {
            seg->runs[i].npages = head;
            if (run_insert(seg, start + npages, tail, r.clean)) {
                seg->runs[i].npages = r.npages;
                return false;
            }
        } else if (head) {
            seg->runs[i].npages = head;
        } else if (tail) {
            seg->runs[i].first = start + npages;
            seg->runs[i].npages = tail;
        } else {
            memmove(seg->runs + i, seg->runs + i + 1, (--seg->nruns - i) * sizeof r);
        }
        *first = start;
        *clean = r.clean;
        return true;
    }
    return false;
}

/* ---- spans ---- */

sa_span *sa_span_new(sa_segment *seg, uint32_t cls, uint32_t nblocks) {
    sa_span *s = calloc(1, sizeof *s + nblocks * sizeof(sa_block) + nblocks * sizeof(uint32_t));
    if (!s) return NULL;
    s->seg = seg;
    s->cls = cls;
    s->size = class_size(cls);
    s->nblocks = s->nfree = nblocks;
    s->blocks = (sa_block *)(s + 1);
    s->stack = (uint32_t *)(s->blocks + nblocks);
    for (uint32_t i = 0; i < nblocks; i++) s->stack[i] = nblocks - 1 - i;
    s->clean = s->cold = true;
    return s;
}

bool sa_span_delete(sa_span *s) { /* back to its arena's runs */
    sa_segment *seg = s->seg;
    if (run_insert(seg, s->first, s->npages, s->clean)) return false; /* no heap: it stays as it is */
    if (s->listed) sa_list_remove(s);
    for (uint32_t i = 0; i < s->npages; i++) seg->pagemap[s->first + i] = NULL;
    free(s);
    return true;
}

void sa_arena_release(sa_segment *seg) { /* nothing in it can be reached from here any more */
    for (uint32_t i = 0; i < seg->npages;) {
        sa_span *s = seg->pagemap[i];
        if (!s) {
            i++;
            continue;
        }
        i = s->first + s->npages;
        if (s->listed) sa_list_remove(s);
        if (s->nblocks == 1 && s->nfree) sa_pool.stats.cached -= s->touched;
        free(s);
    }
    for (uint32_t i = 0; i < sa_pool.narenas; i++)
        if (sa_pool.arenas[i] == seg) {
            sa_pool.arenas[i] = sa_pool.arenas[--sa_pool.narenas];
            break;
        }
    sa_pool.arena_bytes -= seg->size;
    sa_segment_release(seg, true);
}

int sa_arena_new(size_t need) {
    size_t size = sa_pool.arena_bytes / 2;
    if (size < ARENA_MIN) size = ARENA_MIN;
    if (size > ARENA_MAX) size = ARENA_MAX;
    for (size_t share = sa_range_share(); size > share && size > SA_SLOT;) size /= 2;
    int rc = -ENOMEM;
    if (sa_pool.narenas == MOST_ARENAS) return rc;
    sa_segment *seg = NULL;
    for (size = round_up(size, SA_SLOT);; size = round_up(size / 2, size / 2 < SA_SLOT ? SA_PAGE : SA_SLOT)) {
        if (size < need) size = need;
        rc = sa_segment_create(size, SA_SPANS, &seg);
        if (!rc || size <= need || (rc != -EFBIG && rc != -ENOMEM)) break; /* smaller: ulimit -f, -v */
    }
    if (rc) return rc;
    seg->npages = (uint32_t)(seg->size / SA_PAGE);
    seg->pagemap = calloc(seg->npages, sizeof *seg->pagemap);
    if (!seg->pagemap || run_insert(seg, 0, seg->npages, true)) {
        sa_segment_release(seg, false);
        return -ENOMEM;
    }
    sa_pool.arenas[sa_pool.narenas++] = seg;
    sa_pool.arena_bytes += seg->size;
    return 0;
}

sa_span *sa_span_from_arenas(uint32_t cls, uint32_t nblocks, size_t bytes) {
    uint32_t npages = (uint32_t)(bytes / SA_PAGE);
    uint32_t align = bytes >= SA_SLOT ? (uint32_t)(SA_SLOT / SA_PAGE) : 1, first;
    bool clean;
    for (uint32_t i = 0; i < sa_pool.narenas; i++) {
        sa_segment *seg = sa_pool.arenas[i];
        if (!run_take(seg, npages, align, &first, &clean)) continue;
        sa_span *s = sa_span_new(seg, cls, nblocks);
        if (!s) {
            (void)run_insert(seg, first, npages, clean);
            return NULL;
        }
        s->first = first;
        s->npages = npages;
        s->base = seg->base + (size_t)first * SA_PAGE;
        s->clean = s->cold = clean;
        for (uint32_t k = 0; k < npages; k++) seg->pagemap[first + k] = s;
        return s;
    }
    return NULL;
}

sa_span *sa_span_of(sa_segment *seg, const void *p) {
    if (seg->whole) return seg->whole;
    if (!seg->pagemap) return NULL;
    size_t k = (size_t)((const char *)p - seg->base) / SA_PAGE;
    return k < seg->npages ? seg->pagemap[k] : NULL;
}

/* ---- giving back ---- */

/* Cached spans of one block go back to their sa_pool.arenas; with `age`, only those unused so long. */
size_t sa_flush_cached(double age) {
    size_t bytes = 0;
    double now = sa_now();
    for (uint32_t c = 0; c < NCLASSES; c++)
        for (sa_span *s = sa_pool.avail[c], *next; s; s = next) {
            next = s->next;
            if (s->nfree != s->nblocks || s->lost || now - s->freed_at < age) continue;
            if (s->nblocks > 1) {
                sa_span_delete(s);
                continue;
            }
            size_t touched = s->touched;
            if (s->seg->kind == SA_WHOLE) { /* receivers and children may have it mapped, unused */
                sa_list_remove(s);
                (void)sa_segment_punch(s->seg, 0, s->seg->size);
                sa_segment_release(s->seg, true);
            } else if (!sa_span_delete(s)) {
                continue;
            }
            bytes += touched;
            sa_pool.stats.cached -= touched;
        }
    return bytes;
}

/* Free pages of arenas go back to the system; the memory of peers and children that cannot reach
   them either. */
void sa_punch_runs(void) {
    for (uint32_t i = 0; i < sa_pool.narenas; i++) {
        sa_segment *seg = sa_pool.arenas[i];
        for (uint32_t k = 0; k < seg->nruns; k++) {
            sa_run *r = &seg->runs[k];
            if (r->clean) continue;
            if (sa_segment_punch(seg, (size_t)r->first * SA_PAGE, (size_t)r->npages * SA_PAGE) == 0) r->clean = true;
        }
        uint32_t n = 0; /* join clean neighbours */
        for (uint32_t k = 0; k < seg->nruns; k++) {
            sa_run r = seg->runs[k];
            if (n && seg->runs[n - 1].first + seg->runs[n - 1].npages == r.first && seg->runs[n - 1].clean == r.clean)
                seg->runs[n - 1].npages += r.npages;
            else
                seg->runs[n++] = r;
        }
        seg->nruns = n;
    }
}
