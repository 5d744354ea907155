/* The last way to a descriptor: whoever holds the segment has it open under its name. A look at
   the descriptors of every process of this user; for handles whose makers are gone. */
#include "open.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where process `pid` has it; -1: nowhere that we may see. */
static int place_of(const char *pid, const char *target) {
    char path[300], link[SA_NAME_MAX + 32];
    int found = -1;
    snprintf(path, sizeof path, "/proc/%s/fd", pid);
    DIR *d = opendir(path);
    if (!d) return -1;
    for (struct dirent *e; found < 0 && (e = readdir(d));) {
        ssize_t n = readlinkat(dirfd(d), e->d_name, link, sizeof link - 1);
        if (n < 0) continue;
        link[n] = 0;
        if (strcmp(link, target) == 0) found = atoi(e->d_name);
    }
    closedir(d);
    return found;
}

int sa_open_anywhere(const char *name, uint64_t size, int writable, int64_t deadline, int *out_fd, int *err) {
    char target[SA_NAME_MAX + 32];
    int reason = SA_E_GONE;
    *out_fd = -1;
    *err = 0;
    snprintf(target, sizeof target, "/memfd:%s (deleted)", name);
    DIR *d = opendir("/proc");
    if (!d) {
        *err = errno;
        return errno == EMFILE || errno == ENFILE ? SA_E_LIMIT : SA_E_GONE;
    }
    for (struct dirent *e; *out_fd < 0 && (e = readdir(d));) {
        uint64_t start;
        if (!isdigit((unsigned char)e->d_name[0])) continue;
        if (sa_now_ms() >= deadline) {
            reason = SA_E_TIMEOUT;
            break;
        }
        int fd = place_of(e->d_name, target);
        if (fd < 0) continue;
        pid_t pid = (pid_t)atoi(e->d_name);
        if (sa_start_time(pid, &start) == 0) reason = sa_open_foreign(pid, start, fd, name, size, writable, out_fd, err);
        if (reason == SA_E_LIMIT) break;
    }
    closedir(d);
    return reason;
}
