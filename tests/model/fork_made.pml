/* The process that made a block forks. Its descendants see the block without being counted: a fork
   witness tells whether one lives. They send it on, counted in their ancestor's ledger if a handle
   named the block before the fork, else pinned: never used again. Process 0 made the block, 1 is
   forked from 0, 2 from 1; process 3 receives. Which function is which step stands in docs/model.md.

   Configuration, by -D:
     FORKS     1 or 2: is there a grandchild
     KILLS     how many processes are killed, at any step
     MESSAGES  how many are sent in all
     FAULT_*   a rule broken on purpose: the search must find it */
#ifndef FORKS
#define FORKS 1
#endif
#ifndef KILLS
#define KILLS 0
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#define SERIALS 2
#define RECEIVER 3
#define IDLE 255

/* ---- the ledger of process 0 ---- */
byte word_serial = 0, word_attached = 0;
bool word_creator = 0;
bool pinned[SERIALS + 1];

/* ---- messages on their way, and in them the state of their tickets ---- */
typedef Message { byte sender; byte number; bool counted; bool opened }
Message message[MESSAGES];
byte messages = 0;

/* ---- private memory ---- */
bool alive[4];
byte has[4];                   /* serial of the array that this process has over the memory */
byte ticket[4] = IDLE;         /* its pending message */
bool attached[4];              /* it is counted in the word */
bool knows_word[4];            /* a forked process: the handle of its inherited block has been made before */
bool forked[4];
mtype = { UNUSED, USED, LIMBO, LOST };
mtype block = UNUSED;          /* of process 0 */
byte serial = 0;
bool published = 0, lost = 0;
byte fork_serial = 0;          /* blocks up to it may be seen by descendants, as far as process 0 knows */
byte kills = 0, running = 0;

/* What the kernel says of the fork witness: one step, whatever the number of descendants. */
#ifdef FAULT_NO_GRANDCHILD
#define DESCENDANT_LIVES alive[1]
#else
#define DESCENDANT_LIVES (alive[1] || alive[2])
#endif

/* The memory serves another array from now on: nobody may have one over it. */
inline recycle() {
  i = 0;
  do
  :: i < 4 -> assert(has[i] != serial || !alive[i]); i++
  :: else -> break
  od;
  i = 0; published = 0; block = UNUSED
}

inline uncount(s) {
  if :: word_serial == s && word_attached > 0 -> word_attached-- :: else fi
}

inline choose_message() {
  if
  :: m = 0
#if MESSAGES > 1
  :: messages > 1 -> m = 1
#endif
#if MESSAGES > 2
  :: messages > 2 -> m = 2
#endif
  fi
}

inline new_message(by, in_word) {
  message[messages].sender = by; message[messages].number = has[by]; message[messages].counted = in_word;
  ticket[by] = messages; messages++
}

/* A message that a living sender sent, and that nobody had opened, can be opened. */
inline refused() { assert(message[m].opened || !alive[message[m].sender]) }

inline ask_witness() {
#ifdef FAULT_NO_WITNESS
  fork_serial = 0
#else
  if :: DESCENDANT_LIVES :: else -> fork_serial = 0 fi
#endif
}

inline child(parent, new) {
  forked[parent] = 1; has[new] = has[parent]; alive[new] = 1; running++;
  knows_word[new] = (parent == 0 -> published : knows_word[parent]);
  attached[new] = attached[parent];
  if :: attached[new] -> word_attached++ :: else fi;
  run process(new)
}

proctype creator() {
  byte i, m; bool looked;
  do
  :: atomic { block == UNUSED && serial < SERIALS -> block = USED; serial++; has[0] = serial }
  :: atomic { has[0] && messages < MESSAGES && ticket[0] == IDLE ->
     if :: !published && !lost -> published = 1; word_serial = serial; word_creator = 1 :: else fi;
     new_message(0, !lost) }
  :: atomic { !forked[0] && serial > 0 && running > 0 -> fork_serial = serial; child(0, 1) }

  /* ---- open: its own block comes back ---- */
  :: atomic { has[0] == 0 && messages > 0 && running > 0 -> choose_message();
     if
#ifdef FAULT_LOST
     :: block != UNUSED && block != LOST && serial == message[m].number ->
#else
     :: block != UNUSED && serial == message[m].number ->
#endif
        if :: block == LIMBO && published -> word_creator = 1 :: else fi;
        block = USED; has[0] = serial; message[m].opened = 1
     :: else -> refused()
     fi;
     m = 0 }

  /* ---- drop, sweep ---- */
  :: atomic { has[0] -> has[0] = 0; if :: ticket[0] == IDLE -> goto release :: else fi }
  :: atomic { ticket[0] != IDLE && (message[ticket[0]].opened || running == 0) ->
     message[ticket[0]].opened = 1; ticket[0] = IDLE; if :: has[0] == 0 -> goto release :: else fi }

  /* ---- look again ---- */
  :: atomic { block == LIMBO -> looked = (running == 0) };
release:
#ifdef FAULT_PIN_FIRST
     if :: pinned[serial] -> atomic { block = LOST; lost = 1; published = 0; goto next } :: else fi;
     atomic { ask_witness() };
#else
     atomic { ask_witness() };
     if :: pinned[serial] && (block == USED || serial > fork_serial) -> atomic { block = LOST; lost = 1; published = 0; goto next } :: else fi;
#endif
     if
     :: serial <= fork_serial -> block = LIMBO
     :: serial > fork_serial && !published -> atomic { recycle() }
     :: serial > fork_serial && published ->
        atomic {
          if
          :: word_serial == serial && word_attached == 0 -> word_serial = 0; word_creator = 0; recycle()
          :: else -> word_creator = 0; block = LIMBO
          fi }
     fi;
next: skip
  :: atomic { running == 0 && has[0] == 0 && ticket[0] == IDLE && (block != LIMBO || looked) -> break }
  od;
  assert(kills > 0 || block == UNUSED || block == LOST);
  assert(block != LOST || pinned[serial])
}

/* 1 and 2 are forked, 3 receives. */
proctype process(byte me) {
  byte m;
  {
loop:
    do
    :: atomic { me == 1 && !forked[1] && FORKS == 2 -> child(1, 2) }

    /* ---- send, or send on ---- */
    :: atomic { has[me] && messages < MESSAGES && ticket[me] == IDLE ->
       if
       :: attached[me] -> new_message(me, 1); goto loop
       :: !attached[me] && me != RECEIVER && knows_word[me] -> new_message(me, 1); goto loop
       :: !attached[me] && me == RECEIVER -> new_message(me, 0); goto loop
       :: !attached[me] && me != RECEIVER && !knows_word[me]
       fi };
#ifndef FAULT_NO_PIN
       atomic { pinned[has[me]] = 1 };
#endif
       atomic { if :: messages < MESSAGES -> new_message(me, 0) :: else fi }

    /* ---- open: count, then mark ---- */
    :: atomic { has[me] == 0 && messages > 0 -> choose_message();
       if
       :: !message[m].counted
       :: message[m].counted && word_serial == message[m].number -> word_attached++; attached[me] = 1
       :: message[m].counted && word_serial != message[m].number -> refused(); m = 0; goto loop
       fi;
       has[me] = message[m].number };
       atomic { message[m].opened = 1; m = 0 }

    /* ---- drop, sweep, collect ---- */
    :: atomic { has[me] && ticket[me] == IDLE ->
       if :: attached[me] -> uncount(has[me]); attached[me] = 0 :: else fi;
       has[me] = 0 }
    :: atomic { ticket[me] != IDLE && message[ticket[me]].opened -> ticket[me] = IDLE }
    :: atomic { ticket[me] != IDLE -> message[ticket[me]].opened = 1; ticket[me] = IDLE }
    :: atomic { has[me] == 0 && ticket[me] == IDLE -> break }
    od
  } unless { !alive[me] };
  atomic { alive[me] = 0; has[me] = 0; running-- }
}

inline kill(p) { atomic { kills < KILLS && alive[p] -> kills++; alive[p] = 0; has[p] = 0 } }

init {
  atomic { alive[0] = 1; alive[3] = 1; running = 1; run process(3); run creator() };
#if KILLS
  do
  :: kill(1)
  :: kill(2)
  :: kill(3)
  :: break
  od
#endif
}
