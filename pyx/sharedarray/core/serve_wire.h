/* What client and server say to each other: one request, one reply, each a single packet. */
#ifndef SHAREDARRAY_CORE_SERVE_WIRE_H
#define SHAREDARRAY_CORE_SERVE_WIRE_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

#define SA_WIRE_MAGIC 0x53414658u
#define SA_WIRE_VERSION 1
#define SA_WIRE_MEMFD 0 /* kind of descriptor */

struct sa_request {
    uint32_t magic;
    uint16_t version, kind;
    uint64_t id[2], size;
    uint32_t writable, reserved;
};

struct sa_reply {
    uint32_t magic;
    uint16_t version, kind;
    uint64_t id[2];
    int32_t status; /* 0, one descriptor attached; or -errno of the server */
    uint32_t reserved;
};

/* Fills an abstract address; the length for bind() and connect(), or 0 if the name does not fit. */
socklen_t sa_abstract_address(const char *name, struct sockaddr_un *out);

/* The uid at the other end, as seen from this user namespace. */
int sa_peer_uid(int fd, uid_t *uid);

#endif
