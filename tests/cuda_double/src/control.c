/* What tests ask of the double, and faults that it saw. In a forked child it has nothing to say. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "double.h"

#define TEXTS 256

static char texts[TEXTS][192];
static unsigned long long faults;

void fault(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (faults < TEXTS)
        vsnprintf(texts[faults], sizeof *texts, format, arguments);
    va_end(arguments);
    faults++;
}

/* How many of them this process has now; -1 for an unknown word. */
EXPORT long long sharedarray_double_count(const char *what)
{
    long long count = -1;
    if (forked())
        return -1;
    lock();
    if (!strcmp(what, "memory"))
        count = (long long)backing_count();
    else if (!strcmp(what, "handles"))
        count = (long long)object_count(KIND_MEMORY);
    else if (!strcmp(what, "mappings"))
        count = (long long)range_count(RANGE_MAPPED);
    else if (!strcmp(what, "reservations"))
        count = (long long)range_count(RANGE_RESERVED);
    else if (!strcmp(what, "allocations"))
        count = (long long)range_count(RANGE_ALLOCATED);
    else if (!strcmp(what, "imports"))
        count = (long long)range_count(RANGE_IPC);
    else if (!strcmp(what, "pinned"))
        count = (long long)(range_count(RANGE_PINNED) + range_count(RANGE_REGISTERED));
    else if (!strcmp(what, "contexts"))
        count = (long long)contexts_active();
    else if (!strcmp(what, "streams"))
        count = (long long)streams_named();
    else if (!strcmp(what, "events"))
        count = (long long)object_count(KIND_EVENT);
    else if (!strcmp(what, "queued"))
        count = (long long)work_count();
    else if (!strcmp(what, "faults"))
        count = (long long)faults;
    unlock();
    return count;
}

/* Calls of a function so far, of all its versions, failed ones too; -1: there is none. */
EXPORT long long sharedarray_double_calls(const char *name)
{
    int call = call_of(name, strlen(name));
    if (call < 0 || forked())
        return -1;
    lock();
    long long count = (long long)counts[call];
    unlock();
    return count;
}

/* What the fault says; empty if there are not so many, or more than the double keeps. */
EXPORT const char *sharedarray_double_fault(unsigned long long index)
{
    if (forked())
        return "";
    lock();
    const char *text = index < faults && index < TEXTS ? texts[index] : "";
    unlock();
    return text;
}

EXPORT void sharedarray_double_clear_faults(void)
{
    if (forked())
        return;
    lock();
    faults = 0;
    memset(texts, 0, sizeof texts);
    unlock();
}

/* Delay from now on, or run what is queued and go on at once. */
EXPORT void sharedarray_double_set_delay(int delay)
{
    if (forked())
        return;
    lock();
    config.delay = delay;
    if (!delay)
        work_run_all();
    unlock();
}

/* In place of all failures set before; calls are counted from now on. 0, or 1: not understood. */
EXPORT int sharedarray_double_set_failures(const char *text)
{
    if (forked())
        return 1;
    lock();
    bool right = set_failures(text);
    if (right)
        memset(counts, 0, sizeof counts);
    unlock();
    return !right;
}

/* Bytes in use on a device (its number in the machine), by all processes of the machine. */
EXPORT unsigned long long sharedarray_double_used(int number)
{
    if (forked())
        return 0;
    lock();
    unsigned long long used = machine_used(number);
    unlock();
    return used;
}
