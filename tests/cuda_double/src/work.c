/* The queue of asynchronous work.
 *
 * Each entry knows which earlier entries it waits for; streams, events and the legacy default
 * stream are nothing but such edges. Delayed, an entry runs when something waits for it, and with
 * it just what it waits for; a program that forgot to wait therefore always sees the old bytes.
 * What others than this program's waits can see (host functions, events that another process
 * waits for, and entries that are asked about again and again) is run by a thread of its own. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "double.h"

#define HOST_FUNCTION_AFTER 5000000u /* ns */
#define PERIOD 2000000               /* ns between two looks of the thread */
#define POLLS 3                      /* so often asked about, an entry runs */

static struct work **queue; /* by seq */
static size_t length, room;
static uint64_t last_seq;
static pthread_cond_t ended = PTHREAD_COND_INITIALIZER, added = PTHREAD_COND_INITIALIZER;
static bool thread_runs;

struct work *work_new(enum work_kind kind)
{
    struct work *work = calloc(1, sizeof *work);
    if (work) {
        work->kind = kind;
        work->reader = work->writer = -1;
    }
    return work;
}

static void work_free(struct work *work)
{
    if (work->event)
        event_drop(work->event);
    free(work->staged);
    free(work->deps);
    free(work);
}

static size_t index_of(uint64_t seq)
{
    size_t low = 0, high = length;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (queue[middle]->seq < seq)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct work *find(uint64_t seq)
{
    size_t i = index_of(seq);
    return i < length && queue[i]->seq == seq ? queue[i] : NULL;
}

bool work_pending(uint64_t seq)
{
    return find(seq) != NULL;
}

size_t work_count(void)
{
    return length;
}

static void depend(struct work *work, uint64_t seq)
{
    if (!find(seq))
        return;
    uint64_t *deps = realloc(work->deps, (work->dep_count + 1) * sizeof *deps);
    if (!deps)
        abort();
    work->deps = deps;
    deps[work->dep_count++] = seq;
}

static void depend_on_stream(struct work *work, struct stream *stream)
{
    depend(work, stream->tail);
    for (size_t i = 0; i < stream->wait_count; i++)
        depend(work, stream->waits[i]);
}

void work_wait(struct stream *stream, uint64_t seq)
{
    uint64_t *waits = realloc(stream->waits, (stream->wait_count + 1) * sizeof *waits);
    if (!waits)
        abort();
    stream->waits = waits;
    waits[stream->wait_count++] = seq;
}

static void append(struct work *work)
{
    if (length == room) {
        room = room ? 2 * room : 64;
        queue = realloc(queue, room * sizeof *queue);
        if (!queue)
            abort();
    }
    queue[length++] = work;
}

static bool blocking(const struct stream *stream)
{
    return !(stream->flags & STREAM_NON_BLOCKING);
}

static void *run_what_others_see(void *unused);

static void start_thread(void)
{
    sigset_t all, before;
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_cond_signal(&added);
    if (thread_runs)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    thread_runs = !pthread_create(&thread, &attributes, run_what_others_see, NULL);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static uint64_t finish_submit(struct stream *stream, struct work *work)
{
    uint64_t seq = work->seq;
    free(stream->waits);
    stream->waits = NULL;
    stream->wait_count = 0;
    stream->tail = seq;
    append(work);
    if (!config.delay)
        work_run(seq);
    else if (work->kind == WORK_HOST || (work->kind == WORK_EVENT && work->event->shared))
        start_thread();
    return seq;
}

static void prepare(struct stream *stream, struct work *work)
{
    struct context *context = stream->context;
    work->seq = ++last_seq;
    work->context = context->object.handle;
    work->since = now();
    depend_on_stream(work, stream);
    if (!blocking(stream))
        return;
    if (stream != context->legacy) {
        depend_on_stream(work, context->legacy);
        return;
    }
    for (struct stream *other = NULL; (other = object_next(KIND_STREAM, other));)
        if (other->context == context && blocking(other) && other != stream)
            depend_on_stream(work, other);
}

uint64_t work_submit(struct stream *stream, struct work *work)
{
    prepare(stream, work);
    return finish_submit(stream, work);
}

/* After all that is in the contexts, and before all that will be. */
uint64_t work_submit_barrier(struct stream *stream, struct work *work, struct context *others[2])
{
    prepare(stream, work);
    for (struct stream *other = NULL; (other = object_next(KIND_STREAM, other));)
        if (other->context == stream->context || other->context == others[0] ||
            other->context == others[1])
            depend_on_stream(work, other);
    for (struct stream *other = NULL; (other = object_next(KIND_STREAM, other));)
        if (other != stream && (other->context == stream->context || other->context == others[0] ||
                                other->context == others[1]))
            work_wait(other, work->seq);
    return finish_submit(stream, work);
}

static void fill(unsigned char *target, const struct work *work)
{
    if (work->width == 1) {
        memset(target, (int)work->value, work->size);
        return;
    }
    for (size_t i = 0; i < work->size; i += work->width)
        memcpy(target + i, &work->value, work->width);
}

/* Device memory that was there when the entry was queued may have lost its access since. */
static bool reachable(const struct work *work)
{
    if (range_find(TABLE_DEVICE, work->target) &&
        !device_access(work->target, work->size, work->writer, true))
        return false;
    return work->kind != WORK_COPY || !range_find(TABLE_DEVICE, work->source) ||
           device_access(work->source, work->size, work->reader, false);
}

static void execute(struct work *work)
{
    unsigned char *target = (void *)(uintptr_t)work->target;
    bool bytes = work->kind <= WORK_FILL;
    if (bytes && !work->dropped && !reachable(work)) {
        fault("queued work on %#llx lost its access before it ran",
              (unsigned long long)work->target);
        work->dropped = true;
    }
    work->running = true;
    if (work->dropped) {
        ;
    } else if (work->kind == WORK_COPY) {
        memmove(target, (void *)(uintptr_t)work->source, work->size);
    } else if (work->kind == WORK_STAGED) {
        memcpy(target, work->staged, work->size);
    } else if (work->kind == WORK_FILL) {
        fill(target, work);
    } else if (work->kind == WORK_EVENT) {
        event_reached(work->event, work->ticket);
    } else if (work->kind == WORK_HOST) {
        unlock();
        in_host_function = true;
        work->function(work->argument);
        in_host_function = false;
        lock();
    } else if (work->kind == WORK_REMOTE) {
        unlock();
        event_await(work->event, work->ticket);
        lock();
    }
    size_t i = index_of(work->seq);
    memmove(queue + i, queue + i + 1, (--length - i) * sizeof *queue);
    work_free(work);
    pthread_cond_broadcast(&ended);
}

/* Mark the entry and what it waits for, and give the first of them. */
static struct work *first_needed(struct work *work)
{
    static unsigned mark;
    struct work *first = work;
    work->mark = ++mark;
    for (size_t i = index_of(work->seq) + 1; i-- > 0;) {
        if (queue[i]->mark != mark)
            continue;
        first = queue[i];
        for (size_t j = 0; j < first->dep_count; j++) {
            struct work *dep = find(first->deps[j]);
            if (dep)
                dep->mark = mark;
        }
    }
    return first;
}

void work_run(uint64_t seq)
{
    struct work *work;
    while ((work = find(seq))) {
        struct work *first = first_needed(work);
        if (first->running)
            pthread_cond_wait(&ended, &mutex);
        else
            execute(first);
    }
}

static void run_all_of(uint64_t context)
{
    uint64_t last = last_seq;
    for (size_t i = 0; i < length && queue[i]->seq <= last;) {
        uint64_t seq = queue[i]->seq;
        if (context && queue[i]->context != context) {
            i++;
            continue;
        }
        work_run(seq);
        i = index_of(seq);
    }
}

void work_run_context(struct context *context)
{
    run_all_of(context->object.handle);
}

void work_run_all(void)
{
    run_all_of(0);
}

/* The stream's tail and, for the legacy stream, that of all that it is ordered with. */
static size_t ends_of(struct stream *stream, uint64_t **ends)
{
    struct work probe = {0};
    depend_on_stream(&probe, stream);
    if (stream == stream->context->legacy)
        for (struct stream *other = NULL; (other = object_next(KIND_STREAM, other));)
            if (other->context == stream->context && blocking(other))
                depend_on_stream(&probe, other);
    *ends = probe.deps;
    return probe.dep_count;
}

void work_run_stream(struct stream *stream)
{
    uint64_t *ends;
    size_t count = ends_of(stream, &ends);
    for (size_t i = 0; i < count; i++)
        work_run(ends[i]);
    free(ends);
}

bool work_pending_stream(struct stream *stream)
{
    uint64_t *ends;
    size_t count = ends_of(stream, &ends);
    for (size_t i = 0; i < count; i++)
        work_poll(ends[i]);
    free(ends);
    return count > 0;
}

void work_poll(uint64_t seq)
{
    struct work *work = find(seq);
    if (!work)
        return;
    work->polls++;
    start_thread();
}

/* Device memory goes, or pinned memory: queued work on it runs into nothing. */
void work_dropped(uint64_t start, size_t size, const char *verb, bool host)
{
    for (size_t i = 0; i < length; i++) {
        struct work *work = queue[i];
        bool target = work->target < start + size && start < work->target + work->size;
        bool source = work->kind == WORK_COPY && work->source < start + size &&
                      start < work->source + work->size;
        if (work->kind > WORK_FILL || work->dropped || !(target || source))
            continue;
        work->dropped = true;
        fault("%s of %#llx (%zu bytes of %s memory) while queued work %s it", verb,
              (unsigned long long)start, size, host ? "pinned" : "device",
              target ? "writes" : "reads");
    }
}

static bool due(const struct work *work)
{
    if (work->running)
        return false;
    if (work->polls >= POLLS)
        return true;
    if (work->kind == WORK_HOST)
        return now() - work->since > HOST_FUNCTION_AFTER;
    return work->kind == WORK_EVENT && event_wanted(work->event, work->ticket);
}

static void *run_what_others_see(void *unused)
{
    lock();
    for (;;) {
        struct timespec until;
        if (!length)
            pthread_cond_wait(&added, &mutex);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PERIOD;
        if (until.tv_nsec >= 1000000000) {
            until.tv_sec++;
            until.tv_nsec -= 1000000000;
        }
        pthread_cond_timedwait(&ended, &mutex, &until);
        for (size_t i = 0; i < length; i++)
            if (due(queue[i])) {
                work_run(queue[i]->seq);
                break;
            }
    }
    return unused;
}
