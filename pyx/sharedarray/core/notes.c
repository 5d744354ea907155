/* What this process tells about itself in its ledger, for tools that look from outside: who it is,
   and which segments it made; those it let go of, which others may hold, until the place is needed.
   Written here, read by nobody in this library. All need the lock. */
#include "ledger.h"

#include <string.h>

#define PLACES 256 /* a page; more when so many segments live at once */

static sa_ledger *notes;
static bool lives[SA_MADE];
static uint32_t places, at;

void sa_note_made(sa_segment *seg) {
    if (!notes) return;
    uint32_t k = 0;
    while (k < places && lives[at]) {
        at = (at + 1) % places;
        k++;
    }
    if (k == places) {
        if (places == SA_MADE) return;
        at = places;
        places *= 2;
    }
    notes->made[at][0] = seg->id[0];
    notes->made[at][1] = seg->id[1];
    lives[at] = true;
    seg->note = at + 1;
    at = (at + 1) % places;
}

void sa_note_gone(sa_segment *seg) {
    if (notes && seg->note && !seg->inherited) lives[seg->note - 1] = false;
}

void sa_notes_begin(sa_ledger *map) {
    notes = map;
    places = PLACES;
    at = 0;
    memset(lives, 0, sizeof lives);
    map->pid = (uint64_t)sa_pid;
    map->start = sa_start;
    __atomic_store_n(&map->magic, SA_LEDGER_MAGIC, __ATOMIC_RELEASE);
    for (sa_segment *s = sa_segments; s; s = s->next)
        if (s->kind != SA_ATTACHED && !s->inherited) sa_note_made(s);
}

/* In a forked child: the notes are its parent's. */
void sa_notes_end(void) { notes = NULL; }
