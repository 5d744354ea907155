/* Reserved address space for segments: PROT_NONE, MAP_NORESERVE; segments are mapped into it with
   MAP_FIXED and given back by mapping PROT_NONE over them, never by munmap, so that no foreign
   mapping can ever slip in between. */
#include "core.h"
#include "limits.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

sa_range sa_ranges[SA_RANGES];
int sa_nranges;

typedef struct {
    char *base;
    size_t nslots;
} gap;
static gap *gaps; /* free runs of slots, by address */
static size_t ngaps, gaps_cap;

static int gap_insert(size_t at, char *base, size_t nslots) {
    if (ngaps == gaps_cap) {
        size_t cap = gaps_cap ? gaps_cap * 2 : 64;
        gap *g = realloc(gaps, cap * sizeof *g);
        if (!g) return -ENOMEM;
        gaps = g;
        gaps_cap = cap;
    }
    memmove(gaps + at + 1, gaps + at, (ngaps - at) * sizeof *gaps);
    gaps[at] = (gap){base, nslots};
    ngaps++;
    return 0;
}

static void gap_remove(size_t at) {
    ngaps--;
    memmove(gaps + at, gaps + at + 1, (ngaps - at) * sizeof *gaps);
}

size_t sa_range_share(void) {
    uint64_t left;
    char which[SA_LIMIT_NAME];
    return sa_memory_limit("", SA_LIMIT_ADDRESS, &left, which) ? SIZE_MAX : (size_t)(left / 8);
}

static int reserve(size_t nslots) {
    if (sa_nranges == SA_RANGES) return -ENOMEM;
    size_t want = (size_t)1 << 40;
    for (size_t share = sa_range_share(); want > share && want > SA_SLOT;) want /= 2;
    size_t need = nslots * SA_SLOT;
    if (want < need) want = need;
    for (;;) {
        char *raw = mmap(NULL, want + SA_SLOT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (raw != MAP_FAILED) {
            char *base = (char *)(((uintptr_t)raw + SA_SLOT - 1) & ~(SA_SLOT - 1));
            size_t n = want / SA_SLOT;
            void *slot = mmap(NULL, n * sizeof(sa_segment *), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (slot != MAP_FAILED) {
                size_t at = 0;
                while (at < ngaps && gaps[at].base < base) at++;
                int rc = gap_insert(at, base, n);
                if (rc) {
                    munmap(slot, n * sizeof(sa_segment *));
                    munmap(raw, want + SA_SLOT);
                    return rc;
                }
                sa_ranges[sa_nranges] = (sa_range){base, n, slot};
                __atomic_store_n(&sa_nranges, sa_nranges + 1, __ATOMIC_RELEASE);
                return 0;
            }
            munmap(raw, want + SA_SLOT);
        }
        if (want == need) return -ENOMEM;
        want = want / 2 > need ? want / 2 : need;
    }
}

int sa_range_take(size_t nslots, char **base) {
    sa_range_retry();
    for (int tries = 0;; tries++) {
        for (size_t i = 0; i < ngaps; i++)
            if (gaps[i].nslots >= nslots) {
                *base = gaps[i].base;
                gaps[i].base += nslots * SA_SLOT;
                gaps[i].nslots -= nslots;
                if (!gaps[i].nslots) gap_remove(i);
                return 0;
            }
        if (tries) return -ENOMEM;
        int rc = reserve(nslots);
        if (rc) return rc;
    }
}

void sa_range_mark(char *base, size_t nslots, sa_segment *seg) {
    for (int i = 0; i < sa_nranges; i++) {
        size_t k = (size_t)(base - sa_ranges[i].base) / SA_SLOT;
        if (base >= sa_ranges[i].base && k < sa_ranges[i].nslots) {
            for (size_t j = 0; j < nslots; j++)
                __atomic_store_n(&sa_ranges[i].slot[k + j], seg, __ATOMIC_RELEASE);
            return;
        }
    }
}

static bool same_range(const char *a, const char *b) {
    for (int i = 0; i < sa_nranges; i++) {
        const char *lo = sa_ranges[i].base, *hi = lo + sa_ranges[i].nslots * SA_SLOT;
        if (a >= lo && a < hi) return b >= lo && b < hi;
    }
    return false;
}

static bool unmap(char *base, size_t nslots) {
    return mmap(base, nslots * SA_SLOT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
}

/* Mappings that could not be replaced (the process has vm.max_map_count of them, or the kernel no
   memory for one more): they keep their memory until that succeeds. */
#define LATE 256
static gap late[LATE];
static int nlate;

static void give(char *base, size_t nslots) {
    size_t at = 0;
    while (at < ngaps && gaps[at].base < base) at++;
    bool left = at > 0 && gaps[at - 1].base + gaps[at - 1].nslots * SA_SLOT == base && same_range(gaps[at - 1].base, base);
    bool right = at < ngaps && base + nslots * SA_SLOT == gaps[at].base && same_range(base, gaps[at].base);
    if (left) {
        gaps[at - 1].nslots += nslots;
        if (right) {
            gaps[at - 1].nslots += gaps[at].nslots;
            gap_remove(at);
        }
    } else if (right) {
        gaps[at].base = base;
        gaps[at].nslots += nslots;
    } else {
        (void)gap_insert(at, base, nslots); /* on want of heap the addresses are lost */
    }
}

void sa_range_give(char *base, size_t nslots) {
    sa_range_mark(base, nslots, NULL);
    if (unmap(base, nslots)) give(base, nslots);
    else if (nlate < LATE) late[nlate++] = (gap){base, nslots};
}

void sa_range_retry(void) {
    while (nlate && unmap(late[nlate - 1].base, late[nlate - 1].nslots)) {
        nlate--;
        give(late[nlate].base, late[nlate].nslots);
    }
}
