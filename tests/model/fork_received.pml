/* A process that holds another one's block forks: what it holds is counted once more, for the child,
   in an entry that the child takes over. Process 0 made the block, 1 received it, 2 is forked from 1
   and 3 from 2. Which function is which step stands in docs/model.md.

   Configuration, by -D:
     FORKS    1 or 2: is there a grandchild
     KILLS    how many processes are killed, at any step
     OPENS    how often the block is received in all
     FAULT_*  a rule broken on purpose: the search must find it */
#ifndef FORKS
#define FORKS 1
#endif
#ifndef KILLS
#define KILLS 1
#endif
#ifndef OPENS
#define OPENS 3
#endif
#define PROCESSES (FORKS + 2)
#define LAST (FORKS + 1)
#define ENTRIES (OPENS + FORKS)
#define NO_ENTRY 255
#define NOBODY 255
#define FORKING 128 /* an entry's owner: the child of process who - FORKING, which has not entered itself yet */

/* ---- the creator's ledger ---- */
byte word_serial = 0, word_attached = 0;
bool word_creator = 0;
typedef Hold { byte who = NOBODY; bool names = 0; byte number = 0 }
Hold hold[ENTRIES];
bool pending = 0;              /* the creator's one ticket */
byte ticket_serial = 0;

/* ---- private memory ---- */
bool alive[PROCESSES];
bool has[PROCESSES];           /* an array over the block */
byte held_serial[PROCESSES];
byte entry[PROCESSES] = NO_ENTRY, spare[PROCESSES] = NO_ENTRY, child_entry[PROCESSES] = NO_ENTRY;
bool unused = 1, own = 0, limbo = 0, ticket_held = 0; /* the creator's block and its references */
byte serial = 0, opens = 0;

/* The lock on a byte of the ledger, taken before the fork: it lasts while the parent or the child
   has its description open. */
bool forked[PROCESSES];
bool locked_by_parent[PROCESSES], locked_by_child[PROCESSES];

byte window[PROCESSES];
byte leaked = 0, kills = 0, running = 0;

inline recycle() {
  i = 1;
  do
  :: i < PROCESSES -> assert(!has[i] || !alive[i]); i++
  :: else -> break
  od;
  i = 0; limbo = 0; unused = 1
}

inline uncount(s) {
  if :: word_serial == s && word_attached > 0 -> word_attached-- :: else fi
}

inline claim(to, owner) {
  do
  :: hold[i].who != NOBODY -> i++; assert(i < ENTRIES)
  :: else -> break
  od;
  hold[i].who = owner; to = i; i = 0
}

#define OF(p) ((p) - FORKING)
#define LIVES(p) ((p) < FORKING -> alive[p] : (locked_by_parent[OF(p)] || locked_by_child[OF(p) + 1]))

#ifdef FAULT_TAKE_OVER
#define SAME_WHO skip
#else
#define SAME_WHO if :: hold[i].who != who -> i++; who = 0; goto next :: else fi
#endif

/* The look for the dead: read who, ask the kernel, take the entry over only if it still is his. */
inline reclaim() {
  do
  :: atomic { i < ENTRIES ->
     do
     :: i < ENTRIES && hold[i].who == NOBODY -> i++
     :: else -> break
     od;
     if :: i < ENTRIES -> who = hold[i].who :: else -> break fi };
     if
     :: atomic { LIVES(who) -> i++; who = 0 }
     :: atomic { !LIVES(who) -> SAME_WHO; hold[i].who = 0 };
        atomic { if :: hold[i].names -> hold[i].names = 0 :: else -> goto free fi };
        atomic { uncount(hold[i].number) };
free:   atomic { hold[i].who = NOBODY; i++; who = 0 }
     fi;
next: skip
  :: i == ENTRIES -> break
  od;
  i = 0
}

proctype creator() {
  byte i, who; bool closing = 0;
  do
  :: atomic { unused && serial < 2 -> unused = 0; serial++; own = 1 }
  :: atomic { own && !pending && !ticket_held && opens < OPENS ->
     ticket_held = 1; pending = 1; ticket_serial = serial; word_serial = serial; word_creator = 1 }
  :: atomic { own && word_serial != serial -> own = 0; recycle() }       /* never published */
  :: atomic { own && word_serial == serial -> own = 0; if :: !ticket_held -> goto release :: else fi }
  :: atomic { ticket_held && (!pending || running == 0) -> ticket_held = 0; pending = 0;
     if :: !own -> goto release :: else fi }
  :: limbo ->
look:
     closing = (running == 0);
     reclaim();
release:
     atomic {
       if
       :: word_serial == serial && word_attached == 0 ->
          word_serial = 0; word_creator = 0; recycle()
       :: else -> word_creator = 0; limbo = 1
       fi
     }
  :: running == 0 && !own && !ticket_held && (!limbo || closing) -> break
  od;
  assert(leaked <= kills); assert(leaked == word_attached); assert(unused == (leaked == 0))
}

/* The child has a copy of its parent's memory. */
inline child(parent, me_too) {
  alive[me_too] = 1; running++; has[me_too] = has[parent]; held_serial[me_too] = held_serial[parent];
#ifdef FAULT_CHILD_UNCOUNTS
  entry[me_too] = entry[parent];
#else
  entry[me_too] = child_entry[parent];
#endif
#ifdef FAULT_SPARE
  spare[me_too] = spare[parent];
#endif
  locked_by_child[me_too] = 1;
  run process(me_too)
}

proctype process(byte me) {
  byte i;
  {
    /* ---- what a forked child does first ---- */
    if
    :: me > 1 ->
       if
       :: entry[me] != NO_ENTRY -> hold[entry[me]].who = me
       :: else
       fi;
       locked_by_child[me] = 0
    :: else
    fi;
loop:
    do
    /* ---- open: count, then enter, then mark ---- */
    :: atomic { !has[me] && opens < OPENS && ticket_serial != 0 ->
       opens++;
       if
       :: word_serial == ticket_serial -> word_attached++; window[me]++; held_serial[me] = ticket_serial
       :: else -> assert(!pending); goto loop
       fi };
       if
       :: spare[me] != NO_ENTRY -> atomic { entry[me] = spare[me]; spare[me] = NO_ENTRY }
       :: else -> atomic { claim(entry[me], me) }
       fi;
       atomic { hold[entry[me]].number = held_serial[me]; hold[entry[me]].names = 1; window[me]--; has[me] = 1 };
       atomic { if :: ticket_serial == held_serial[me] -> pending = 0 :: else fi }

    /* ---- drop ---- */
    :: atomic { has[me] -> has[me] = 0;
       if
       :: entry[me] != NO_ENTRY -> hold[entry[me]].names = 0
       :: else
       fi;
       window[me]++ };
       atomic { uncount(held_serial[me]); window[me]--; held_serial[me] = 0;
                spare[me] = entry[me]; entry[me] = NO_ENTRY }

    /* ---- fork: before, with the lock held; the fork; after ---- */
#ifndef FAULT_CHILD_UNCOUNTS
    :: atomic { has[me] && me < LAST && !forked[me + 1] ->
       locked_by_parent[me] = 1; word_attached++; window[me]++ };
#ifdef FAULT_PARENT_NAME
       atomic { claim(child_entry[me], me) };
#else
       atomic { claim(child_entry[me], me + FORKING) };
#endif
       atomic { hold[child_entry[me]].number = held_serial[me]; hold[child_entry[me]].names = 1; window[me]-- };
       if
       :: atomic { forked[me + 1] = 1; child(me, me + 1) }
       :: forked[me + 1] = 1 /* the fork is refused */
       fi;
       atomic { locked_by_parent[me] = 0; child_entry[me] = NO_ENTRY }
#else
    :: atomic { has[me] && me < LAST && !forked[me + 1] -> forked[me + 1] = 1; child(me, me + 1) }
#endif
    :: atomic { !has[me] && me < LAST && !forked[me + 1] -> forked[me + 1] = 1; child(me, me + 1) }
    :: !has[me] -> break
    od
  } unless { !alive[me] };
  atomic { alive[me] = 0; running-- }
}

/* At any step: what it wrote into the ledger stays. */
inline kill(p) {
  atomic { kills < KILLS && alive[p] ->
    alive[p] = 0; kills++; leaked = leaked + window[p]; window[p] = 0;
    locked_by_parent[p] = 0; locked_by_child[p] = 0; held_serial[p] = 0; has[p] = 0;
    entry[p] = NO_ENTRY; spare[p] = NO_ENTRY; child_entry[p] = NO_ENTRY }
}

init {
  atomic { alive[1] = 1; running = 1; run process(1); run creator() };
#if KILLS
  do
  :: kill(1)
  :: kill(2)
#if FORKS > 1
  :: kill(3)
#endif
  :: break
  od
#endif
}
