/* How much memory a request may still have, and what sets the bound. */
#ifndef SHAREDARRAY_CORE_LIMITS_H
#define SHAREDARRAY_CORE_LIMITS_H

#include "os.h"

enum {
    SA_LIMIT_MACHINE = 1, /* MemAvailable + SwapFree; under vm.overcommit_memory=2 also what is left
                           * to commit */
    SA_LIMIT_CGROUP = 2,  /* least over the visible ancestors, version 1 and 2: the limit less what
                           * is used and cannot be reclaimed, swap that may be used added */
    SA_LIMIT_ADDRESS = 4, /* RLIMIT_AS less the address space in use.  A reservation counts as used,
                           * so this bounds what is mapped outside it */
    SA_LIMIT_ACTIVE = 8   /* no limit: in a cgroup, file pages in use count as free too, which the
                           * kernel takes before it kills */
};

#define SA_LIMIT_NAME 64

/* The least of the asked `kinds`, in bytes, and its name ("this machine's memory", "memory cgroup
 * /a/b", ...; cut to the room).  Files are read below `root` ("" for the real ones).  0, or -ENOENT
 * where nothing bounds or nothing is readable (*avail is UINT64_MAX then). Estimates: others
 * allocate at the same time. */
int sa_memory_limit(const char *root, unsigned kinds, uint64_t *avail, char which[SA_LIMIT_NAME]);

#endif
