/* What the files of the double share. All state is guarded by one lock, which ENTER takes. */
#ifndef DOUBLE_H
#define DOUBLE_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

#include "driver.h"

#define EXPORT __attribute__((visibility("default")))
#define GRANULARITY ((size_t)2 << 20)
#define MAX_DEVICES 64
#define MARK "sharedarray-cuda-double"

/* entry.c: the way into every function. */

enum call {
#define FUNCTION(name, suffix, version) CALL_##name##suffix,
#include "functions.h"
#undef FUNCTION
    CALLS
};

struct guard {
    CUresult rc;
    bool locked;
};

struct guard enter(enum call call, bool early);
void leave(struct guard *guard);

#define GUARD(symbol, early)                                                          \
    __attribute__((cleanup(leave))) struct guard guard_ = enter(CALL_##symbol, early); \
    if (guard_.rc)                                                                    \
    return guard_.rc
#define ENTER(symbol) GUARD(symbol, false)
#define ENTER_EARLY(symbol) GUARD(symbol, true) /* callable before cuInit */

void lock(void);
void unlock(void);
extern pthread_mutex_t mutex;
extern _Thread_local bool in_host_function;
bool forked(void);
uint64_t now(void); /* nanoseconds */

/* procaddr.c: calls by name. */

int call_of(const char *name, size_t length); /* -1: there is none */
CUresult call_count(enum call call);          /* counts it; the code to fail with, or 0 */
bool set_failures(const char *text);
extern unsigned long long counts[CALLS];
int first_version(int call);
CUresult function_named(const char *name, void **function, int version, uint64_t flags,
                        int *status);

/* devices.c */

struct config {
    int devices;                /* of the machine */
    int visible[MAX_DEVICES];   /* ordinal -> number in the machine */
    int count;                  /* visible ones */
    size_t memory;
    bool read_access, delay;
    bool peer[MAX_DEVICES][MAX_DEVICES];
};
extern struct config config;
CUresult configure(void);
const char *refusal(void); /* why cuInit was refused beside a real driver, or NULL */
int ordinal_of(int number);
CUuuid uuid_of(int number);
int number_of_uuid(const char *hex); /* 32 digits; -1 */
#define CHECK_DEVICE(device)                      \
    if ((device) < 0 || (device) >= config.count) \
    return INVALID_DEVICE

/* objects.c: handles are numbers; what they stand for is looked up. */

enum kind { KIND_CONTEXT, KIND_STREAM, KIND_EVENT, KIND_MEMORY, KINDS };
struct object {
    struct object *next;
    uint64_t handle;
    enum kind kind;
};
void object_add(struct object *object, enum kind kind);
void object_remove(struct object *object);
void *object_find(enum kind kind, uint64_t handle);
void *object_next(enum kind kind, const void *after); /* in the order of their making */
size_t object_count(enum kind kind);

/* contexts.c */

struct context {
    struct object object;
    int device;
    bool primary, active;
    unsigned flags, refs;
    uint64_t peers; /* bit by device */
    struct stream *legacy;
};
CUresult current_context(struct context **context);
struct context *primary_context(int device);
struct context *find_context(CUcontext handle);
size_t contexts_active(void);
#define CURRENT(context)                                  \
    struct context *context;                              \
    {                                                     \
        CUresult current_rc_ = current_context(&context); \
        if (current_rc_)                                  \
            return current_rc_;                           \
    }

/* machine.c: memory in use on the devices, by all processes of the machine. */

CUresult machine_open(void);
CUresult machine_take(int number, size_t size, uint64_t inode, bool limited, int *slot);
void machine_drop(int slot);
size_t machine_used(int number);

/* ranges.c: what lies at which address. */

enum range_kind { RANGE_RESERVED, RANGE_MAPPED, RANGE_ALLOCATED, RANGE_IPC, RANGE_PINNED,
                  RANGE_REGISTERED };
struct backing {
    int fd, number, slot;
    uint64_t inode;
    size_t size;
    unsigned refs;
};
struct range {
    uint64_t start;
    size_t size;
    enum range_kind kind;
    int device; /* ordinal where the memory is */
    struct backing *backing;
    struct memory *memory;   /* of a mapping */
    uint64_t context;        /* of what is no mapping */
    unsigned flags;
    uint64_t id;
    unsigned char access[MAX_DEVICES]; /* by ordinal, of a mapping */
};
enum table { TABLE_RESERVED, TABLE_DEVICE, TABLE_HOST, TABLES };
struct range *range_find(enum table table, uint64_t address);
struct range *range_first(enum table table, uint64_t address, size_t size); /* that overlaps */
struct range *range_after(enum table table, const struct range *range);
CUresult range_add(enum table table, struct range *range);
void range_remove(enum table table, struct range *range);
size_t range_count(int kind);
bool device_access(uint64_t address, size_t size, int device, bool write); /* -1: any device */
struct backing *backing_new(int number, size_t size, CUresult *rc);
struct backing *backing_add(int fd, int number, size_t size, bool limited, CUresult *rc);
struct backing *backing_of(int fd, CUresult *rc); /* of a foreign descriptor, with one more ref */
void backing_drop(struct backing *backing);
size_t backing_count(void);

/* memory.c, vmm.c */

struct memory {
    struct object object;
    struct backing *backing;
    CUmemAllocationProp prop;
    unsigned handles, maps;
};
void memory_release_context(uint64_t context);
CUresult memory_open(int fd, int number, size_t size, struct context *context,
                     CUdeviceptr *address); /* of another process; takes the descriptor over */
CUresult memory_close(CUdeviceptr address);
int open_of_process(int pid, int fd, const char *name, uint64_t inode);

/* streams.c, work.c, events.c */

struct stream {
    struct object object;
    struct context *context;
    unsigned flags;
    int priority;
    pid_t thread; /* of a per-thread stream */
    bool named;   /* made by cuStreamCreate */
    uint64_t tail;
    uint64_t *waits; /* what the next entry waits for besides the tail */
    size_t wait_count;
};
struct event {
    struct object object;
    uint64_t context;
    unsigned flags, refs;
    uint64_t last;  /* entry of the queue that records it, 0 before the first */
    uint64_t ticket; /* of that record among all processes' */
    uint64_t time;  /* when it was reached, ns; 0 before */
    struct shared_event *shared; /* of an interprocess event */
    int fd;
};
enum work_kind { WORK_COPY, WORK_STAGED, WORK_FILL, WORK_HOST, WORK_EVENT, WORK_REMOTE,
                 WORK_NOTHING };
struct work {
    uint64_t seq, context;
    enum work_kind kind;
    bool running, dropped;
    uint64_t target, source; /* addresses */
    size_t size;
    unsigned value, width; /* of a fill */
    int reader, writer;    /* ordinals that read the source and write the target, -1: any */
    void *staged;
    void (*function)(void *);
    void *argument;
    struct event *event;
    uint64_t ticket, since;
    unsigned polls, mark;
    uint64_t *deps;
    size_t dep_count;
};

CUresult find_stream(CUstream handle, struct context *current, struct stream **stream);
struct stream *stream_new(struct context *context, unsigned flags, int priority);
void stream_free(struct stream *stream);
void streams_release_context(struct context *context);
size_t streams_named(void);

struct work *work_new(enum work_kind kind);
uint64_t work_submit(struct stream *stream, struct work *work); /* owns the work from here on */
uint64_t work_submit_barrier(struct stream *stream, struct work *work, struct context *others[2]);
void work_run(uint64_t seq);            /* and all that it waits for; may drop the lock meanwhile */
void work_run_stream(struct stream *stream);
void work_run_context(struct context *context);
void work_run_all(void);
void work_poll(uint64_t seq);           /* somebody asks in a loop whether it is done */
bool work_pending(uint64_t seq);
bool work_pending_stream(struct stream *stream);
void work_wait(struct stream *stream, uint64_t seq); /* the next entries come after seq */
size_t work_count(void);
void work_dropped(uint64_t start, size_t size, const char *verb, bool host);

struct event *find_event(CUevent handle);
void event_reached(struct event *event, uint64_t ticket);
void event_drop(struct event *event);
CUresult event_wait(struct stream *stream, struct event *event);
bool event_wanted(const struct event *event, uint64_t ticket);
void event_await(struct event *event, uint64_t ticket); /* of another process; without the lock */
void events_release_context(uint64_t context);

/* control.c */

void fault(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
