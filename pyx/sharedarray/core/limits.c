#include "limits.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM 1024
#define FILE_ROOM 4096 /* small stacks: a thread may have 32 KiB */

struct limit {
    const char *root;
    uint64_t avail;
    char *which;
    bool active; /* file pages in use count as free */
};

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t subtract(uint64_t a, uint64_t b)
{
    return a == UINT64_MAX ? a : a > b ? a - b : 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void bound(struct limit *l, uint64_t avail, const char *what, const char *path)
{
    if (avail < l->avail) {
        l->avail = avail;
        snprintf(l->which, SA_LIMIT_NAME, "%s%s", what, path);
    }
}

static bool read_below(const struct limit *l, const char *folder, const char *name, char *out,
                       size_t room)
{
    char path[PATH_ROOM];

    return snprintf(path, sizeof path, "%s%s/%s", l->root, folder, name) < (int)sizeof path &&
           sa_read_file(path, out, room) >= 0;
}

/* The number after `key` at the start of a line, or `missing`. */
static uint64_t field(const char *text, const char *key, uint64_t missing)
{
    size_t n = strlen(key);

    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0 && (line[n] == ' ' || line[n] == ':')) {
            return strtoull(line + n + 1, NULL, 10);
        }
    }
    return missing;
}

/* A file of one number; `missing` if it cannot be read.  "max", and version 1's largest multiple of
 * the page size, mean no limit. */
static uint64_t number(const struct limit *l, const char *folder, const char *name,
                       uint64_t missing)
{
    char text[64];
    uint64_t n;

    if (!read_below(l, folder, name, text, sizeof text)) {
        return missing;
    }
    if (text[0] < '0' || text[0] > '9') {
        return UINT64_MAX;
    }
    n = strtoull(text, NULL, 10);
    return n >= (uint64_t)INT64_MAX - 0xffff ? UINT64_MAX : n;
}

/* ---- the machine ---- */

static uint64_t kibibytes(const char *meminfo, const char *key, uint64_t missing)
{
    uint64_t n = field(meminfo, key, UINT64_MAX);

    return n == UINT64_MAX ? missing : n * 1024;
}

static void machine(struct limit *l, uint64_t *swap_free)
{
    char text[FILE_ROOM];
    uint64_t free_memory;

    *swap_free = 0;
    if (!read_below(l, "/proc", "meminfo", text, sizeof text)) {
        return;
    }
    *swap_free = kibibytes(text, "SwapFree", 0);
    free_memory = kibibytes(text, "MemAvailable", UINT64_MAX);
    bound(l, add(free_memory, *swap_free), "this machine's memory", "");
    if (number(l, "/proc/sys/vm", "overcommit_memory", 0) == 2) {
        bound(l,
              subtract(kibibytes(text, "CommitLimit", UINT64_MAX),
                       kibibytes(text, "Committed_AS", 0)),
              "this machine's commit limit (vm.overcommit_memory=2)", "");
    }
}

/* ---- control groups ---- */

static void version2(struct limit *l, const char *folder, const char *name, uint64_t swap_free)
{
    char text[FILE_ROOM];
    uint64_t limit = number(l, folder, "memory.max", UINT64_MAX), used, swap;

    if (limit == UINT64_MAX || !read_below(l, folder, "memory.stat", text, sizeof text)) {
        return;
    }
    used = number(l, folder, "memory.current", 0);
    used = subtract(used, add(field(text, "inactive_file", 0), field(text, "slab_reclaimable", 0)));
    used = subtract(used, l->active ? field(text, "active_file", 0) : 0);
    swap = subtract(number(l, folder, "memory.swap.max", 0),
                    number(l, folder, "memory.swap.current", 0));
    bound(l, add(subtract(limit, used), least(swap, swap_free)), "memory cgroup ", name);
}

static void version1(struct limit *l, const char *folder, const char *name, uint64_t swap_free)
{
    char text[FILE_ROOM];
    uint64_t limit = number(l, folder, "memory.limit_in_bytes", UINT64_MAX), reclaimable, both;

    if (!read_below(l, folder, "memory.stat", text, sizeof text)) {
        return;
    }
    /* The least limit of all ancestors, those out of sight too. */
    limit = least(limit, field(text, "hierarchical_memory_limit", UINT64_MAX));
    reclaimable = field(text, "total_inactive_file", 0);
    reclaimable = add(reclaimable, l->active ? field(text, "total_active_file", 0) : 0);
    if (limit < (uint64_t)INT64_MAX - 0xffff) {
        uint64_t used = number(l, folder, "memory.usage_in_bytes", 0);

        bound(l, add(subtract(limit, subtract(used, reclaimable)), swap_free), "memory cgroup ",
              name);
    }
    both = number(l, folder, "memory.memsw.limit_in_bytes", UINT64_MAX);
    if (both != UINT64_MAX) {
        uint64_t used = number(l, folder, "memory.memsw.usage_in_bytes", 0);

        bound(l, subtract(both, subtract(used, reclaimable)), "memory and swap cgroup ", name);
    }
}

struct hierarchy {
    int version; /* 1 or 2 */
    char path[PATH_ROOM];  /* of this process, from /proc/self/cgroup */
    char mount[PATH_ROOM]; /* where it is mounted */
    char top[PATH_ROOM];   /* which group the mount shows */
    bool found, mounted;
};

static bool in_list(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = list; (at = strstr(at, word)) != NULL; at += n) {
        if ((at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ',')) {
            return true;
        }
    }
    return false;
}

static FILE *open_below(const struct limit *l, const char *name)
{
    char path[PATH_ROOM];

    if (snprintf(path, sizeof path, "%s%s", l->root, name) >= (int)sizeof path) {
        return NULL;
    }
    return fopen(path, "re");
}

/* Lines "ID:CONTROLLERS:PATH"; version 2 has ID 0 and no controllers. */
static void read_groups(const struct limit *l, struct hierarchy h[2])
{
    char line[PATH_ROOM];
    FILE *file = open_below(l, "/proc/self/cgroup");

    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *controllers = strchr(line, ':'), *path;
        struct hierarchy *to;

        if (controllers == NULL || (path = strchr(controllers + 1, ':')) == NULL) {
            continue;
        }
        *path++ = 0;
        controllers++;
        path[strcspn(path, "\n")] = 0;
        to = *controllers == 0 ? &h[1] : &h[0];
        if (to == &h[1] || in_list(controllers, "memory")) {
            to->found = true;
            strcpy(to->path, path);
        }
    }
    fclose(file);
}

/* mountinfo writes blanks, line ends and backslashes as three octal digits. */
static void unescape(char *text)
{
    char *to = text;

    for (const char *from = text; *from; to++) {
        if (from[0] == '\\' && from[1] && from[2] && from[3]) {
            *to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
            from += 4;
        }
        else {
            *to = *from++;
        }
    }
    *to = 0;
}

/* The part of `path` below `top`: "" for top itself; NULL if it does not lie there. */
static const char *below(const char *path, const char *top)
{
    size_t n = strcmp(top, "/") == 0 ? 0 : strlen(top);

    if (strncmp(path, top, n) != 0 || (path[n] != 0 && path[n] != '/')) {
        return NULL;
    }
    return strcmp(path + n, "/") == 0 ? "" : path + n;
}

/* Lines "ID PARENT DEVICE TOP MOUNT OPTIONS [FIELD...] - TYPE SOURCE SUPEROPTIONS". */
static void read_mounts(const struct limit *l, struct hierarchy h[2])
{
    char line[2 * PATH_ROOM];
    FILE *file = open_below(l, "/proc/self/mountinfo");

    if (file == NULL) {
        return;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        char *end = strstr(line, " - "), *save, *top, *mount, *type, *options;
        struct hierarchy *to;

        if (end == NULL) {
            continue;
        }
        *end = 0;
        type = strtok_r(end + 3, " \n", &save);
        (void)strtok_r(NULL, " \n", &save);
        options = strtok_r(NULL, " \n", &save);
        if (type == NULL || (strcmp(type, "cgroup") != 0 && strcmp(type, "cgroup2") != 0)) {
            continue;
        }
        to = strcmp(type, "cgroup2") == 0 ? &h[1] : &h[0];
        if (to == &h[0] && (options == NULL || !in_list(options, "memory"))) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            (void)strtok_r(i ? NULL : line, " ", &save);
        }
        top = strtok_r(NULL, " ", &save);
        mount = strtok_r(NULL, " ", &save);
        if (top == NULL || mount == NULL || strlen(top) >= PATH_ROOM ||
            strlen(mount) >= PATH_ROOM) {
            continue;
        }
        unescape(top);
        unescape(mount);
        /* A mount that shows the group itself goes before one that does not. */
        if (!to->mounted ||
            (below(to->path, to->top) == NULL && below(to->path, top) != NULL)) {
            to->mounted = true;
            strcpy(to->top, top);
            strcpy(to->mount, mount);
        }
    }
    fclose(file);
}

static void groups(struct limit *l, uint64_t swap_free)
{
    struct hierarchy h[2] = {{.version = 1}, {.version = 2}};

    read_groups(l, h);
    read_mounts(l, h);
    for (int i = 0; i < 2; i++) {
        char folder[2 * PATH_ROOM];
        const char *rest;
        size_t stop = strlen(h[i].mount);

        if (!h[i].found || !h[i].mounted) {
            continue;
        }
        rest = below(h[i].path, h[i].top);
        snprintf(folder, sizeof folder, "%s%s", h[i].mount, rest ? rest : "");
        for (;;) {
            const char *name = folder[stop] ? folder + stop : "/";
            char *slash;

            (h[i].version == 2 ? version2 : version1)(l, folder, name, swap_free);
            slash = strrchr(folder + stop, '/');
            if (slash == NULL) {
                break;
            }
            *slash = 0;
        }
    }
}

/* ---- this process ---- */

static void addresses(struct limit *l)
{
    char text[FILE_ROOM], *line;
    uint64_t limit, pages;

    if (!read_below(l, "/proc/self", "limits", text, sizeof text)) {
        return;
    }
    line = strstr(text, "Max address space");
    if (line == NULL || sscanf(line, "Max address space %" SCNu64, &limit) != 1) {
        return;
    }
    if (!read_below(l, "/proc/self", "statm", text, sizeof text)) {
        return;
    }
    pages = strtoull(text, NULL, 10);
    bound(l, subtract(limit, pages * (uint64_t)sysconf(_SC_PAGESIZE)), "RLIMIT_AS (ulimit -v)",
          "");
}

int sa_memory_limit(const char *root, unsigned kinds, uint64_t *avail, char which[SA_LIMIT_NAME])
{
    struct limit l = {.root = root,
                      .avail = UINT64_MAX,
                      .which = which,
                      .active = kinds & SA_LIMIT_ACTIVE};
    struct limit unused = l;
    char ignored[SA_LIMIT_NAME];
    uint64_t swap_free;

    which[0] = 0;
    unused.which = ignored;
    machine(kinds & SA_LIMIT_MACHINE ? &l : &unused, &swap_free);
    if (kinds & SA_LIMIT_CGROUP) {
        groups(&l, swap_free);
    }
    if (kinds & SA_LIMIT_ADDRESS) {
        addresses(&l);
    }
    *avail = l.avail;
    return l.avail == UINT64_MAX ? -ENOENT : 0;
}
