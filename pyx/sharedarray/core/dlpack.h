/* DLPack 1.0, the in-memory exchange format of arrays (https://dmlc.github.io/dlpack). */
#ifndef SHAREDARRAY_DLPACK_H
#define SHAREDARRAY_DLPACK_H

#include <stdint.h>

#define SA_DL_MAJOR 1
#define SA_DL_MINOR 0

enum { SA_DL_CPU = 1, SA_DL_CUDA = 2, SA_DL_CUDA_HOST = 3, SA_DL_ROCM_HOST = 11, SA_DL_MANAGED = 13 };
enum { SA_DL_INT = 0, SA_DL_UINT = 1, SA_DL_FLOAT = 2, SA_DL_COMPLEX = 5, SA_DL_BOOL = 6 };

#define SA_DL_READ_ONLY ((uint64_t)1)
#define SA_DL_IS_COPIED ((uint64_t)2)

typedef struct { uint32_t major, minor; } sa_dl_version;
typedef struct { int32_t type, id; } sa_dl_device;
typedef struct { uint8_t code, bits; uint16_t lanes; } sa_dl_dtype;

typedef struct {
    void *data;
    sa_dl_device device;
    int32_t ndim;
    sa_dl_dtype dtype;
    int64_t *shape;     /* elements */
    int64_t *strides;   /* elements; NULL: C-contiguous */
    uint64_t byte_offset;
} sa_dl_tensor;

typedef struct sa_dl_legacy {
    sa_dl_tensor tensor;
    void *manager;
    void (*deleter)(struct sa_dl_legacy *);
} sa_dl_legacy;

typedef struct sa_dl_versioned {
    sa_dl_version version;
    void *manager;
    void (*deleter)(struct sa_dl_versioned *);
    uint64_t flags;
    sa_dl_tensor tensor;
} sa_dl_versioned;

#endif
