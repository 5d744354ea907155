/* Memory in use on the devices, counted over all processes of one machine.
 *
 * CUDA_DOUBLE_MACHINE names a folder that processes of one machine share; without it a process is
 * a machine of its own. Its file "memory" holds a table of slots, one for each allocation. Every
 * process that has the allocation holds a read lock on the slot's byte, by one open file
 * description of its own: when the process ends, however it ends, the kernel takes its locks away,
 * and a slot on which nobody holds a lock is free. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "double.h"

#define SLOTS 16384
#define GUARD_BYTE SLOTS /* held while the table is read or changed */

static struct slot {
    uint64_t inode, size;
    uint32_t number, used;
} *slots;
static unsigned own[SLOTS]; /* how often this process has it */
static int file = -1;

CUresult machine_open(void)
{
    const char *folder = getenv("CUDA_DOUBLE_MACHINE");
    char path[4096];
    if (slots)
        return SUCCESS;
    if (folder && *folder) {
        snprintf(path, sizeof path, "%s/memory", folder);
        file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    } else {
        file = memfd_create(MARK ":machine", MFD_CLOEXEC);
    }
    if (file < 0 || ftruncate(file, SLOTS * sizeof *slots))
        return OPERATING_SYSTEM;
    void *table = mmap(NULL, SLOTS * sizeof *slots, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (table == MAP_FAILED)
        return OPERATING_SYSTEM;
    madvise(table, SLOTS * sizeof *slots, MADV_DONTFORK);
    slots = table;
    return SUCCESS;
}

static void hold(int command, short type, off_t byte)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    while (fcntl(file, command, &range) < 0 && errno == EINTR)
        ;
}

static bool held_by_others(off_t byte)
{
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    return !fcntl(file, F_OFD_GETLK, &range) && range.l_type != F_UNLCK;
}

/* Bytes in use; slots that nobody holds any more are freed on the way. The guard is held. */
static size_t count(int number)
{
    size_t used = 0;
    for (int i = 0; i < SLOTS; i++) {
        if (!slots[i].used)
            continue;
        if (!own[i] && !held_by_others(i))
            slots[i].used = 0;
        else if ((int)slots[i].number == number)
            used += slots[i].size;
    }
    return used;
}

size_t machine_used(int number)
{
    if (!slots)
        return 0;
    hold(F_OFD_SETLKW, F_WRLCK, GUARD_BYTE);
    size_t used = count(number);
    hold(F_OFD_SETLK, F_UNLCK, GUARD_BYTE);
    return used;
}

/* Count an allocation, or one more user of it; `limited`: only if the device has that much left. */
CUresult machine_take(int number, size_t size, uint64_t inode, bool limited, int *slot)
{
    CUresult rc = SUCCESS;
    int found = -1;
    hold(F_OFD_SETLKW, F_WRLCK, GUARD_BYTE);
    size_t used = count(number);
    for (int i = 0; i < SLOTS; i++) {
        if (slots[i].used && slots[i].inode == inode) {
            found = i;
            break;
        }
        if (!slots[i].used && found < 0)
            found = i;
    }
    if (found < 0 || (limited && (size > config.memory || used > config.memory - size))) {
        rc = OUT_OF_MEMORY;
    } else {
        slots[found] = (struct slot){inode, size, (uint32_t)number, 1};
        if (!own[found]++)
            hold(F_OFD_SETLK, F_RDLCK, found);
        *slot = found;
    }
    hold(F_OFD_SETLK, F_UNLCK, GUARD_BYTE);
    return rc;
}

void machine_drop(int slot)
{
    hold(F_OFD_SETLKW, F_WRLCK, GUARD_BYTE);
    if (--own[slot] == 0) {
        hold(F_OFD_SETLK, F_UNLCK, slot);
        if (!held_by_others(slot))
            slots[slot].used = 0;
    }
    hold(F_OFD_SETLK, F_UNLCK, GUARD_BYTE);
}
