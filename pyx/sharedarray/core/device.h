/* Descriptors of device memory, as far as processes without that device's driver deal with them:
   served to receivers, and handed to the keeper. Blocks of device memory have a control block in an
   ordinary segment, which tickets name and holders are counted for; here stands which descriptor
   goes with which. */
#ifndef SA_DEVICE_H
#define SA_DEVICE_H

#include "core.h"

/* The owner of the descriptor keeps it open until sa_device_remove(). */
int sa_device_put(const uint64_t id[2], uint64_t size, int fd);
void sa_device_remove(const uint64_t id[2], int fd);

/* The control block at `p` with that serial stands for memory of device segment `id`. Of a block of
   this process it is told when nobody can reach it any more. */
int sa_device_note(void *p, uint64_t serial, const uint64_t id[2]);
void sa_device_forget(const void *p, uint64_t serial);
bool sa_device_in_flight(const void *p); /* a message names the control block */
bool sa_device_unreachable(const void *p, uint64_t serial);

/* The next ones need the lock. */
int sa_device_fd(const uint64_t id[2], uint64_t size); /* -1: none, or the program closed it */
int sa_device_of(const void *p, uint64_t id[2], uint64_t *size);
void sa_device_recycled(const void *p, uint64_t serial);
void sa_device_after_fork_child(void);

#endif
