/* Legacy interprocess memory handles, and descriptors of other processes. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "double.h"

struct memory_handle {
    char mark[8];
    int32_t pid, fd;
    uint64_t inode, size;
    int32_t number;
};

/* Reopen a memfd of another process, if it is the one of that name and inode. */
int open_of_process(int pid, int fd, const char *name, uint64_t inode)
{
    char link[64], found[256];
    struct stat status;
    snprintf(link, sizeof link, "/proc/%d/fd/%d", pid, fd);
    ssize_t length = readlink(link, found, sizeof found - 1);
    if (pid <= 0 || length <= 0)
        return -1;
    found[length] = 0;
    if (strncmp(found, "/memfd:", 7) || strncmp(found + 7, name, strlen(name)))
        return -1;
    int own = open(link, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (own >= 0 && (fstat(own, &status) || status.st_ino != inode)) {
        close(own);
        own = -1;
    }
    return own;
}

EXPORT CUresult cuIpcGetMemHandle(CUipc *handle, CUdeviceptr address)
{
    ENTER(cuIpcGetMemHandle);
    struct range *range = range_find(TABLE_DEVICE, address);
    if (!handle || !range || range->kind != RANGE_ALLOCATED)
        return INVALID_VALUE; /* also for memory of cuMemCreate */
    struct memory_handle held = {"DBMEMORY", getpid(), range->backing->fd, range->backing->inode,
                                 range->size, range->backing->number};
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &held, sizeof held);
    return SUCCESS;
}

EXPORT CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *address, CUipc given, unsigned flags)
{
    ENTER(cuIpcOpenMemHandle_v2);
    CURRENT(context);
    struct memory_handle held;
    if (!address || flags & ~1u)
        return INVALID_VALUE;
    memcpy(&held, &given, sizeof held);
    if (memcmp(held.mark, "DBMEMORY", 8))
        return INVALID_VALUE;
    if (held.pid == getpid())
        return INVALID_CONTEXT;
    int fd = open_of_process(held.pid, held.fd, MARK ":", held.inode);
    struct stat status;
    if (fd < 0 || fstat(fd, &status) || !held.size || (uint64_t)status.st_size < held.size) {
        if (fd >= 0)
            close(fd);
        return INVALID_VALUE;
    }
    return memory_open(fd, held.number, (size_t)held.size, context, address);
}

EXPORT CUresult cuIpcCloseMemHandle(CUdeviceptr address)
{
    ENTER(cuIpcCloseMemHandle);
    return memory_close(address);
}
