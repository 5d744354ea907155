/* What this process tells about itself in its ledger, for tools that look from outside: who it is,
   and which segments it made. Written here, read by nobody in this library. All need the lock. */
#include "ledger.h"

static sa_ledger *notes;
static uint32_t at;

void sa_note_made(sa_segment *seg) {
    if (!notes) return;
    for (uint32_t k = 0; k < SA_MADE; k++) {
        uint32_t i = at;
        at = (at + 1) % SA_MADE;
        if (notes->made[i][0] || notes->made[i][1]) continue;
        notes->made[i][0] = seg->id[0];
        notes->made[i][1] = seg->id[1];
        seg->note = i + 1;
        return;
    }
}

void sa_note_gone(sa_segment *seg) {
    if (!notes || !seg->note || seg->inherited) return;
    notes->made[seg->note - 1][0] = notes->made[seg->note - 1][1] = 0;
    seg->note = 0;
}

void sa_notes_begin(sa_ledger *map) {
    notes = map;
    at = 0;
    map->pid = (uint64_t)sa_pid;
    map->start = sa_start;
    __atomic_store_n(&map->magic, SA_LEDGER_MAGIC, __ATOMIC_RELEASE);
    for (sa_segment *s = sa_segments; s; s = s->next)
        if (s->kind != SA_ATTACHED && !s->inherited) sa_note_made(s);
}

/* In a forked child: the notes are its parent's. */
void sa_notes_end(void) { notes = NULL; }
