/* What a handle's bytes are: this header, then shape, strides (int64 each), the dtype's text, with
   SA_HANDLE_DEVICE an sa_device_part, and a 64-bit checksum of all before it. In native order: it never leaves the machine. No addresses. */
#ifndef SA_WIRE_H
#define SA_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#define SA_HANDLE_MAGIC 0x31484153u /* "SAH1" */
enum { SA_HANDLE_READONLY = 1, SA_HANDLE_STORAGE = 2, SA_HANDLE_SERVED = 4, SA_HANDLE_DEVICE = 8 };

typedef struct {
    uint32_t magic;
    uint8_t flags, ndim;
    uint16_t dtype_len;
    unsigned char boot[16];
    uint64_t pidns, netns;
    uint32_t uid, ticket;              /* ticket: this message's place in the sender's ledger */
    uint64_t segment[2], segment_size; /* the memfd */
    uint64_t serial, block, nbytes;    /* its block: serial, offset, bytes */
    int32_t pid, fd;                   /* the sender, its descriptor of the segment */
    uint64_t start;
    int32_t creator_pid, creator_fd;   /* the creator's */
    uint64_t creator_start;
    uint64_t ledger[2];                /* the sender's */
    uint64_t sequence;
    int32_t ledger_fd;
    uint32_t word;                     /* the block's, in its creator's ledger */
    uint64_t creator_ledger[2];        /* zero: nobody counts the holders of this block */
    int32_t creator_ledger_fd, creator_ledger_here; /* at the creator, at the sender */
    uint64_t token[2];                 /* the sender's socket, with SA_HANDLE_SERVED */
    int64_t offset;                    /* of the first element in the block, bytes */
} sa_handle;
_Static_assert(sizeof(sa_handle) == 208, "a handle has no padding");

/* With SA_HANDLE_DEVICE the header's block is a control block of the CPU's memory, and this says where
   the array lies: device numbers differ between processes, so the device goes by its UUID. */
typedef struct {
    unsigned char uuid[16];
    uint64_t segment[2], segment_size; /* device memory; size in bytes */
    uint64_t block, nbytes;            /* offset and size, bytes */
    uint64_t token[2];                 /* the creator's socket; zero: not known */
    int32_t index;                     /* the device's number at the sender, for messages */
    uint32_t reserved;
} sa_device_part;
_Static_assert(sizeof(sa_device_part) == 80, "a handle has no padding");

/* FNV-1a over 8-byte words and the rest: against accidents, it is no authentication. */
static inline uint64_t sa_checksum(const unsigned char *p, uint64_t n) {
    uint64_t h = 0xcbf29ce484222325u, w;
    for (; n >= 8; n -= 8, p += 8) {
        __builtin_memcpy(&w, p, 8);
        h = (h ^ w) * 0x100000001b3u;
        h ^= h >> 32;
    }
    for (; n; n--, p++) h = (h ^ *p) * 0x100000001b3u;
    return h;
}

/* Whether all elements of such a view lie within nbytes; true for an empty one. */
static inline bool sa_view_fits(int64_t offset, int64_t itemsize, int ndim, const int64_t *shape,
                                const int64_t *strides, uint64_t nbytes) {
    int64_t low = offset, high = offset, reach;
    if (offset < 0 || itemsize < 0 || nbytes > INT64_MAX) return false;
    for (int i = 0; i < ndim; i++)
        if (shape[i] < 0) return false;
    for (int i = 0; i < ndim; i++)
        if (shape[i] == 0) return (uint64_t)offset <= nbytes;
    for (int i = 0; i < ndim; i++) {
        if (__builtin_mul_overflow(shape[i] - 1, strides[i], &reach)) return false;
        if (reach < 0 ? __builtin_add_overflow(low, reach, &low) : __builtin_add_overflow(high, reach, &high))
            return false;
    }
    return low >= 0 && !__builtin_add_overflow(high, itemsize, &high) && (uint64_t)high <= nbytes;
}

/* Whether an array may have this shape: NumPy counts its bytes, with no regard to strides and to
   axes of length 0, and has to be able to. */
static inline bool sa_shape_counts(int64_t itemsize, int ndim, const int64_t *shape) {
    for (int i = 0; i < ndim; i++)
        if (shape[i] != 0 && __builtin_mul_overflow(itemsize, shape[i], &itemsize)) return false;
    return true;
}
#endif
