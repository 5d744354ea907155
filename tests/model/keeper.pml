/* A sender ends normally while messages of it are unopened: a keeper counts itself, takes over the
   descriptors, and stays. Process 0 made the block, 1 sends it on and ends, 2 is its keeper, 3
   receives. Which function is which step stands in docs/model.md.

   Configuration, by -D:
     INHERITED  process 1 is a forked child of process 0 (not counted: the fork witness keeps the
                block); else it had received the block and is counted
     CREATOR_ENDS  process 0 may end, before or after process 1
     KILLS      how many processes are killed, at any step
     MESSAGES   how many process 1 sends, all through one ticket slot
     FAULT_*    a rule broken on purpose: the search must find it */
#ifndef KILLS
#define KILLS 0
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#define SERIALS 2
#define ENTRIES 5
#define NOBODY 255
#define NO_ENTRY 255

/* ---- the ledger of process 0 ---- */
byte word_serial = 1, word_attached = 0;
typedef Hold { byte who = NOBODY; bool names = 0 }
Hold hold[ENTRIES];

/* ---- the ledger of process 1: one slot ---- */
mtype = { FREE, PENDING, OPENED, CANCELLED };
mtype state = FREE;
byte sequence = 0;

/* ---- messages: the n-th has the sequence n + 1, and names serial 1 ---- */
bool excused[MESSAGES];
byte messages = 0;

/* ---- private memory; the keepers are processes 2, 4 and 5, one after the other ---- */
byte k = 2;                    /* the keeper that is running or was last */
bool runs = 0;
bool alive[6];
byte entry[4] = NO_ENTRY;
bool has[6];                   /* an array over serial 1; the keeper: its hold */
bool pending = 0;              /* process 1: the slot is in use */
byte told = 0;                 /* process 1: newest sequence when it told the keeper last */
byte order_entry = NO_ENTRY, order_sequence = 0; /* what it tells the keeper ... */
bool order_counted = 0, ordered = 0, ready = 0; /* ... that it does so, and the answer */
byte kept_sequence = 0, kept_entry = NO_ENTRY;  /* the keeper holds this message; 0: none */
bool kept_counted = 0;
bool serves = 0;               /* the keeper's socket is bound, its table full */
bool ended = 0;                /* process 1 has ended normally */
bool over = 0;                 /* the keeper's time is over */
bool ledger_mapped = 0;        /* process 3 has the ledger of process 1 */
byte serial = 1;               /* process 0 */
bool own = 1, unused = 0;
byte kills = 0, window[6], leaked = 0;

#define LIVES(p) alive[p]
#ifdef FAULT_TAKE_OVER
#define SAME_WHO skip
#else
#define SAME_WHO if :: hold[i].who != who -> i++; who = 0; goto next :: else fi
#endif
/* The block has another reference than counted ones: the fork witness of process 0. */
#ifdef INHERITED
#define SEEN (serial == 1 && alive[1])
#else
#define SEEN false
#endif

inline recycle() {
  assert(serial != 1 || ((!has[3] || !alive[3]) && (!has[1] || !alive[1])));
  unused = 1; word_serial = 0
}

inline uncount() {
  if :: word_serial == 1 && word_attached > 0 -> word_attached-- :: else fi
}

inline claim(to, owner) {
  do
  :: hold[i].who != NOBODY -> i++; assert(i < ENTRIES)
  :: else -> break
  od;
  hold[i].who = owner; to = i; i = 0
}

proctype creator() {
  byte i, who; bool looked;
  {
    do
    :: atomic { own -> own = 0 }
    :: atomic { unused && serial < SERIALS -> serial++; unused = 0; own = 1; word_serial = 0 }
    :: atomic { !own && !unused && serial == 1 ->
       looked = !alive[1] && !alive[k] && !alive[3] };
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
             atomic { uncount() };
free:        atomic { hold[i].who = NOBODY; i++; who = 0 }
          fi;
next:     skip
       :: i == ENTRIES -> break
       od;
       i = 0;
       if
       :: SEEN
       :: else -> atomic { if :: word_attached == 0 -> recycle() :: else fi }
       fi
    :: atomic { serial == 2 && !own && !unused -> unused = 1 }
    :: !own && (unused || (looked && serial == 1)) && !alive[1] && !alive[k] && !alive[3] -> break
    od;
    assert(leaked <= kills); assert(unused == (leaked == 0)); assert(leaked == word_attached)
  } unless { !alive[0] }
}

proctype sender() {
  byte i;
  {
loop:
    do
    :: atomic { has[1] && !pending && messages < MESSAGES ->
       sequence++; state = PENDING; pending = 1; messages++ }
    :: atomic { pending && state == OPENED -> pending = 0 }
    :: atomic { pending -> /* collect */
       if :: state == PENDING -> state = CANCELLED; excused[sequence - 1] = 1 :: else fi;
       pending = 0 }
    :: atomic { has[1] && !pending -> goto drop }
    :: pending && told != sequence && !ordered -> goto hand_over
    :: atomic { pending && told == sequence -> goto end }
    :: !has[1] && !pending -> goto end
    od;

drop:
#ifndef INHERITED
    atomic { hold[entry[1]].names = 0; window[1]++; has[1] = 0 };
    atomic { uncount(); window[1]--; entry[1] = NO_ENTRY };
#else
    has[1] = 0;
#endif
    goto loop;

hand_over:
    if
    :: alive[k]
    :: atomic { !alive[k] && !runs -> if :: sequence > 1 -> k = k + 1 + (k == 2 -> 1 : 0) :: else fi;
       alive[k] = 1; runs = 1; run keeper(k) }
    fi;
#ifndef FAULT_NOT_INHERITED
    atomic { assert(word_serial == 1); word_attached++; window[1]++ };
    atomic { claim(order_entry, 1) };
    atomic { hold[order_entry].names = 1; window[1]--; order_counted = 1 };
#ifndef FAULT_KEEP_WHO
    hold[order_entry].who = k;
#endif
#endif
    atomic { order_sequence = sequence; ready = 0; ordered = 1 };
#ifndef FAULT_READY_EARLY
    if
    :: atomic { ready -> told = sequence }
            :: !alive[k] /* it was killed: the end of the connection */
    fi;
#else
    told = sequence;
#endif
    atomic { order_counted = 0; order_entry = NO_ENTRY };
    if :: !alive[k] && told != sequence -> ordered = 0; goto lost :: else -> goto loop fi;

lost:  /* no keeper: what is unopened is lost, as by a crash */
    atomic { if :: pending -> excused[sequence - 1] = 1; pending = 0 :: else fi };
    goto loop;

end: skip
  } unless { !alive[1] };
  atomic { ended = alive[1]; alive[1] = 0; has[1] = 0 }
}

proctype keeper(byte me) {
  byte i; byte former_entry = NO_ENTRY; bool former_counted;
  {
loop:
    do
    /* a hand-over, which replaces the former one */
    :: atomic { ordered ->
       former_entry = kept_entry; former_counted = kept_counted;
       kept_entry = order_entry; kept_counted = order_counted; kept_sequence = order_sequence;
       serves = 1; ready = 1; ordered = 0 };
       if :: former_counted -> goto let_go :: else fi
    /* it was opened or taken back, or the time is over: only when the sender has ended */
    :: atomic { kept_sequence && (state != PENDING || sequence != kept_sequence || (over && !alive[1])) ->
       if :: state == PENDING && sequence == kept_sequence -> excused[kept_sequence - 1] = 1 :: else fi;
       former_entry = kept_entry; former_counted = kept_counted;
       kept_sequence = 0; kept_entry = NO_ENTRY; kept_counted = 0 };
       if :: former_counted -> goto let_go :: else fi
    :: atomic { !kept_sequence && !ordered && (serves || !alive[1]) -> goto end }
    od;

let_go:
    atomic { if :: hold[former_entry].who == me -> hold[former_entry].names = 0; window[me]++
                :: else -> former_counted = 0; former_entry = NO_ENTRY fi };
    if
    :: former_counted ->
       atomic { uncount(); window[me]-- };
       atomic { hold[former_entry].who = NOBODY; former_entry = NO_ENTRY; former_counted = 0 }
    :: else
    fi;
    goto loop;
end: skip
  } unless { !alive[me] };
  atomic { serves = 0; alive[me] = 0; runs = 0; kept_sequence = 0; kept_entry = NO_ENTRY; kept_counted = 0 }
}

proctype receiver() {
  byte i, m;
  {
loop:
    do
    :: atomic { messages > 0 && !has[3] ->
       if :: m = 0 :: messages > 1 -> m = 1 fi;
       /* a descriptor: of process 1, of its keeper, of process 0 */
       if
       :: alive[1] || serves || alive[0] -> if :: alive[1] || serves -> ledger_mapped = 1 :: else fi
       :: else -> assert(excused[m]); m = 0; goto loop
       fi };
       atomic {
         if
         :: word_serial == 1 -> word_attached++; window[3]++
         :: word_serial != 1 -> assert(excused[m]); m = 0; goto loop
         fi };
       atomic { if :: entry[3] == NO_ENTRY -> claim(entry[3], 3) :: else fi };
       atomic { hold[entry[3]].names = 1; window[3]--; has[3] = 1 };
       atomic {
         excused[m] = 1;
         if :: state == PENDING && sequence == m + 1 && ledger_mapped -> state = OPENED :: else fi;
         m = 0 }
    :: atomic { has[3] -> has[3] = 0; hold[entry[3]].names = 0; window[3]++ };
       atomic { uncount(); window[3]-- }
    :: !has[3] -> break
    od
  } unless { !alive[3] };
  alive[3] = 0
}

inline lose() {
  excused[0] = 1;
#if MESSAGES > 1
  excused[1] = 1
#endif
}

inline kill(p) {
  atomic { kills < KILLS && alive[p] && p != 0 ->
    alive[p] = 0; kills++; leaked = leaked + window[p]; window[p] = 0; has[p] = 0;
    /* a sender that is killed, or a keeper */
    if :: p != 3 -> serves = (serves && p == 1); lose() :: else fi }
}

init {
  atomic {
    alive[0] = 1; alive[1] = 1; alive[3] = 1; has[1] = 1;
#ifndef INHERITED
    hold[0].who = 1; hold[0].names = 1; entry[1] = 0; word_attached = 1;
#endif
    run creator(); run sender(); run receiver()
  };
  do
#if KILLS
  :: kill(1)
  :: kill(k)
  :: kill(3)
#endif
  :: over = 1; break
#ifdef CREATOR_ENDS
  :: atomic { alive[0] && !own -> alive[0] = 0 }
#endif
  od
}
