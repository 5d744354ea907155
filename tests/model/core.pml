/* One block of memory, its word, its tickets and its holds: send, open, open again, forward, drop,
   collect, recycle, kill. Process 0 made the block; which function is which step stands in
   docs/model.md. Everything is reused: the memory (each use has its serial), the word, one ticket
   slot for each process, the hold entries.

   Configuration, by -D:
     RECEIVERS  processes beside the creator
     THREADS0, THREADS1  threads of the creator and of process 1; the others have one
     SERIALS    how often the memory is used
     MESSAGES   how many are sent in all
     KILLS      how many processes are killed, at any step
     RESPAWN    a killed process's pid is given to a new one
     PURGE      the creator's ledger is unmapped when a receiver holds nothing
     FAULT_*    a rule broken on purpose: the search must find it */
#ifndef RECEIVERS
#define RECEIVERS 1
#endif
#ifndef THREADS0
#define THREADS0 1
#endif
#ifndef THREADS1
#define THREADS1 1
#endif
#ifndef SERIALS
#define SERIALS 2
#endif
#ifndef MESSAGES
#define MESSAGES 3
#endif
#ifndef KILLS
#define KILLS 0
#endif
#define PROCESSES (RECEIVERS + 1)
#define MAX_THREADS (PROCESSES * 2)
#define ENTRIES (RECEIVERS + KILLS)
#define NOBODY 255
#define NO_ENTRY 255
#define WHO(p) ((p) * 4 + generation[p])
#define PID(who) ((who) / 4)
#define START(who) ((who) % 4)

/* ---- shared memory: the creator's ledger ---- */
byte word_serial = 0;
bool word_creator = 0;
byte word_attached = 0;
typedef Hold { byte who = NOBODY; bool names = 0; byte number = 0 }
Hold hold[ENTRIES];
/* ... and the ledger of each sender: one ticket slot */
mtype = { NONE, PENDING, OPENED, CANCELLED };
byte ticket_sequence[PROCESSES];
mtype ticket_state[PROCESSES] = NONE;

/* ---- messages on their way; each can be opened any number of times, at any time ---- */
typedef Message { byte sender; byte born; byte sequence; byte number; bool excused }
Message message[MESSAGES];
byte messages = 0;

/* ---- private memory of each process ---- */
bool alive[PROCESSES] = 1;
byte generation[PROCESSES];        /* stands for the start time */
bool lock[PROCESSES];
byte refs[PROCESSES];              /* references to the block: arrays and pending tickets */
byte held_serial[PROCESSES];
byte entry[PROCESSES] = NO_ENTRY;
byte spare[PROCESSES] = NO_ENTRY;
bool pending[PROCESSES];           /* the ticket slot is in use */
byte sequence[PROCESSES];          /* of its message */
bool published = 0, limbo = 0, unused = 1; /* the creator's block */
byte serial = 0;
#ifdef PURGE
bool mapped[PROCESSES];            /* the creator's ledger */
#define MAP(p) mapped[p] = 1
#define MAPPED(p) mapped[p]
#else
#define MAP(p) skip
#define MAPPED(p) true
#endif

/* ---- for the assertions alone ---- */
bool has[MAX_THREADS];             /* this thread has an array over the block */
byte window[PROCESSES];            /* counted without an entry */
byte leaked = 0, kills = 0, running = 0;
bool closing = 0;

#ifdef FAULT_NO_LOCK
#define UNLOCKED(p) true
#define LOCK(p) skip
#else
#define UNLOCKED(p) (!lock[p])
#define LOCK(p) lock[p] = 1
#endif
#define UNLOCK(p) lock[p] = 0
#ifdef FAULT_NO_SEQUENCE
#define SAME_SEQUENCE(p, s) true
#else
#define SAME_SEQUENCE(p, s) (ticket_sequence[p] == s)
#endif
#ifdef FAULT_NO_SERIAL
#define SAME_SERIAL(s) (word_serial != 0)
#else
#define SAME_SERIAL(s) (word_serial == s)
#endif
#ifdef FAULT_NO_START
#define LIVES(who) alive[PID(who)]
#else
#define LIVES(who) (alive[PID(who)] && generation[PID(who)] == START(who))
#endif
#define SENDER message[m].sender
#define SENDER_LIVES (alive[SENDER] && generation[SENDER] == message[m].born)

/* A message that a living sender sent, and that nobody had opened or collected, can be opened. */
inline refused() { assert(message[m].excused || !SENDER_LIVES) }

/* The memory serves another array from now on: nobody may have one over it. */
inline recycle() {
  i = 0;
  do
  :: i < MAX_THREADS -> assert(!has[i] || !alive[i / 2]); i++
  :: else -> break
  od;
  i = 0; published = 0; limbo = 0; unused = 1; UNLOCK(0)
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
#if MESSAGES > 3
  :: messages > 3 -> m = 3
#endif
  fi
}

inline mark() {
  if
  :: ticket_state[SENDER] == PENDING && SAME_SEQUENCE(SENDER, message[m].sequence) && SENDER_LIVES ->
     ticket_state[SENDER] = OPENED
  :: else
  fi
}

/* One reference less; the last one leads to `release`, where the lock is let go. */
inline unref() {
  refs[me]--;
  if
  :: refs[me] > 0 -> UNLOCK(me); goto loop
  :: refs[me] == 0 && me == 0 -> goto release_own
  :: refs[me] == 0 && me != 0 -> goto release_held
  fi
}

proctype thread(byte me; byte id; byte born) {
  byte i, m, who; bool looked;
  {
loop:
    do
    /* ---- the creator makes an array ---- */
    :: atomic { !closing && me == 0 && unused && serial < SERIALS && UNLOCKED(me) && !has[id] ->
       unused = 0; serial++; refs[0] = 1; has[id] = 1 }

    /* ---- send ---- */
    :: atomic { has[id] && messages < MESSAGES && !pending[me] && UNLOCKED(me) ->
       refs[me]++;
       if
       :: me == 0 && !published -> published = 1; word_serial = serial; word_creator = 1
       :: else
       fi;
       sequence[me]++;
       pending[me] = 1;
       ticket_sequence[me] = sequence[me];
       ticket_state[me] = PENDING;
       message[messages].sender = me;
       message[messages].born = born;
       message[messages].sequence = sequence[me];
       message[messages].number = (me == 0 -> serial : held_serial[me]);
       messages++ }

    /* ---- open: its own block ---- */
    :: atomic { !closing && me == 0 && !has[id] && messages > 0 && UNLOCKED(me) -> choose_message();
#ifdef FAULT_EARLY_MARK
       mark();
#endif
       if
       :: !unused && serial == message[m].number ->
          if :: refs[me] == 0 -> limbo = 0; word_creator = 1 :: else fi;
          refs[me]++; has[id] = 1; message[m].excused = 1
       :: else -> refused(); m = 0; goto loop
       fi };
       atomic { mark(); m = 0 }

    /* ---- open: another process's block ---- */
    :: atomic { !closing && me != 0 && !has[id] && messages > 0 -> choose_message();
#ifdef FAULT_EARLY_MARK
       mark();
#endif
       MAP(me) };
again:
       atomic { UNLOCKED(me) ->
       if
       :: refs[me] > 0 && held_serial[me] == message[m].number ->
          refs[me]++; has[id] = 1; message[m].excused = 1; goto opened
       :: refs[me] > 0 && held_serial[me] != message[m].number ->
          refused(); m = 0; goto loop
       :: refs[me] == 0 && !MAPPED(me) ->
#ifdef FAULT_PURGE
          refs[me] = 1; held_serial[me] = message[m].number; has[id] = 1; goto opened
#else
          MAP(me); goto again
#endif
       :: refs[me] == 0 && MAPPED(me) -> LOCK(me)
       fi };
       atomic {
         if
         :: SAME_SERIAL(message[m].number) -> word_attached++; window[me]++; message[m].excused = 1
         :: else -> refused(); m = 0; UNLOCK(me); goto loop
         fi
       };
       atomic {
         if
         :: spare[me] != NO_ENTRY -> entry[me] = spare[me]; spare[me] = NO_ENTRY
         :: else ->
            do
            :: hold[i].who != NOBODY -> i++; assert(i < ENTRIES)
            :: else -> break
            od;
            hold[i].who = WHO(me); entry[me] = i; i = 0
         fi
       };
       atomic {
         hold[entry[me]].number = message[m].number; hold[entry[me]].names = 1; window[me]--;
         held_serial[me] = message[m].number; refs[me] = 1; has[id] = 1; UNLOCK(me)
       };
opened:
       atomic { mark(); m = 0 }

    /* ---- drop, sweep, collect ---- */
    :: atomic { has[id] && UNLOCKED(me) -> LOCK(me); has[id] = 0; unref() }
    :: atomic { pending[me] && ticket_state[me] == OPENED && SAME_SEQUENCE(me, sequence[me]) &&
       UNLOCKED(me) -> LOCK(me); pending[me] = 0; unref() }
    :: atomic { pending[me] && UNLOCKED(me) -> LOCK(me);
       if
       :: ticket_state[me] == PENDING && SAME_SEQUENCE(me, sequence[me]) ->
          ticket_state[me] = CANCELLED;
          do
          :: message[m].sender == me && message[m].born == born && message[m].sequence == sequence[me] -> break
          :: else -> m++
          od;
          message[m].excused = 1; m = 0
       :: else
       fi;
       pending[me] = 0; unref() }

    /* ---- the creator looks again at a block that only others hold ---- */
    :: atomic { me == 0 && limbo && UNLOCKED(0) -> LOCK(0); looked = closing };
#if KILLS
       do
       :: i < ENTRIES ->
          atomic {
            who = hold[i].who;
            if
            :: who == NOBODY || LIVES(who) -> i++; who = 0
            :: else
            fi
          };
          if
          :: who ->
             atomic { if :: hold[i].names -> hold[i].names = 0 :: else -> goto free fi };
             atomic { uncount(hold[i].number) };
free:        atomic { hold[i].who = NOBODY; i++; who = 0 }
          :: else
          fi
       :: else -> break
       od;
       i = 0;
#endif
       goto release_own

#ifdef PURGE
    :: atomic { me != 0 && MAPPED(me) && UNLOCKED(me) && refs[me] == 0 ->
       if :: spare[me] != NO_ENTRY -> hold[spare[me]].who = NOBODY; spare[me] = NO_ENTRY :: else fi;
       mapped[me] = 0 }
#endif
    :: atomic { !has[id] && (!closing || (!pending[me] && (!limbo || me != 0))) -> break }
    od;
    goto ended;

    /* ---- the last reference here is gone; lock held ---- */
release_own:
    if
    :: !published -> atomic { recycle(); goto loop }
    :: else
    fi;
    atomic { if :: word_serial == serial && word_creator && word_attached == 0 ->
                   word_serial = 0; word_creator = 0; recycle(); goto loop
                :: else fi };
    atomic { if :: word_serial == serial && !word_creator && word_attached == 0 ->
                   word_serial = 0; recycle(); goto loop
                :: else fi };
    atomic { if :: word_serial == serial -> word_creator = 0 :: else fi; limbo = 1; UNLOCK(0);
             if :: looked -> goto ended :: else -> goto loop fi };

release_held:
#ifdef FAULT_UNCOUNT_FIRST
    atomic { uncount(held_serial[me]) };
    atomic { if :: entry[me] != NO_ENTRY -> hold[entry[me]].names = 0 :: else fi;
#else
    atomic { if :: entry[me] != NO_ENTRY -> hold[entry[me]].names = 0 :: else fi; window[me]++ };
    atomic { uncount(held_serial[me]); window[me]--;
#endif
             spare[me] = entry[me]; entry[me] = NO_ENTRY; held_serial[me] = 0; UNLOCK(me); goto loop }
  } unless { !alive[me] || generation[me] != born };
ended:
  running--
}

/* At any step: what it wrote into a ledger stays. */
inline kill(p) {
  atomic { kills < KILLS && alive[p] ->
    alive[p] = 0; kills++; leaked = leaked + window[p]; window[p] = 0;
    lock[p] = 0; refs[p] = 0; held_serial[p] = 0; entry[p] = NO_ENTRY; spare[p] = NO_ENTRY;
    pending[p] = 0; sequence[p] = 0; has[p * 2] = 0; has[p * 2 + 1] = 0 }
}

init {
  byte i;
  atomic {
    for (i : 0 .. RECEIVERS) {
      run thread(i, i * 2, 0); running++
#if THREADS0 == 2
      ; if :: i == 0 -> run thread(0, 1, 0); running++ :: else fi
#endif
#if THREADS1 == 2
      ; if :: i == 1 -> run thread(1, 3, 0); running++ :: else fi
#endif
    }
  };
#if KILLS
  do
  :: kill(0)
  :: kill(1)
#if RECEIVERS > 1
  :: kill(2)
#endif
#ifdef RESPAWN
  :: atomic { kills > 0 && !alive[1] ->
     alive[1] = 1; generation[1]++; ticket_state[1] = NONE; ticket_sequence[1] = 0;
     run thread(1, 2, generation[1]); running++ }
#endif
  :: break
  od;
#endif
  /* All is idle: what was not opened is collected, and the block must be free. */
  running == 0;
  closing = 1;
  for (i : 1 .. RECEIVERS) {
    if :: alive[i] -> atomic { run thread(i, i * 2, generation[i]); running++ } :: else fi;
    running == 0
  };
  if
  :: alive[0] ->
     atomic { run thread(0, 0, 0); running++ };
     running == 0;
     assert(leaked <= kills); assert(leaked == word_attached); assert(unused == (leaked == 0))
  :: else
  fi
}
