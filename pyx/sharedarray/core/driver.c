/* Loading the driver, devices and their primary contexts. See driver.h. */
#include "driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

sa_cuda_table sa_cuda;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *library;
static bool loaded;             /* the table is full */
static const char *missing;
static bool twin;               /* the test double */
static _Atomic pid_t user;      /* the process that called cuInit() here; 0: none */
static int ndevices;
static void *context[SA_CUDA_DEVICES];

static bool starting; /* under the lock */

/* No lock is inherited held; a driver that was forked while it started is of no use to the child. */
static void in_child(void) {
    pthread_mutex_init(&lock, NULL);
    if (starting && !user) user = getppid();
    starting = false;
}

/* Before the lock is first held: a fork meanwhile lets nothing be registered. */
__attribute__((constructor)) static void at_import(void) { (void)pthread_atfork(NULL, NULL, in_child); }

static int load(void) {
    if (loaded) return missing ? SA_CUDA_OLD_LIBRARY : 0;
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return SA_CUDA_NO_LIBRARY;
    twin = dlsym(library, "sharedarray_cuda_double") != NULL;
#define FIND(name, symbol, parameters) \
    *(void **)&sa_cuda.name = dlsym(library, symbol); \
    if (!sa_cuda.name && !missing) missing = symbol;
    SA_CUDA_FUNCTIONS(FIND)
#undef FIND
    loaded = true;
    return missing ? SA_CUDA_OLD_LIBRARY : 0;
}

int sa_cuda_start(void) {
    pid_t me = getpid(), was = user;
    if (was == me) return 0;
    if (was) return SA_CUDA_FORKED;
    pthread_mutex_lock(&lock);
    int rc = load();
    starting = !rc;
    if (!rc && !user) {
        rc = sa_cuda.cuInit(0);
        if (rc == SA_CUDA_NOT_INITIALIZED) rc = SA_CUDA_FORKED; /* somebody else used CUDA before the fork */
        if (!rc) rc = sa_cuda.cuDeviceGetCount(&ndevices);
        if (ndevices > SA_CUDA_DEVICES) ndevices = SA_CUDA_DEVICES;
        if (!rc) user = me;
    }
    starting = false;
    pthread_mutex_unlock(&lock);
    return rc;
}

bool sa_cuda_started(void) { return user == getpid(); }
bool sa_cuda_untouched(void) { return !user; }
bool sa_cuda_is_double(void) { return twin; }
int sa_cuda_count(void) { return ndevices; }
const char *sa_cuda_missing(void) { return missing ? missing : ""; }

void sa_cuda_words(int rc, const char **name, const char **text) {
    *name = *text = NULL;
    if (rc > 0 && library && sa_cuda.cuGetErrorName && sa_cuda.cuGetErrorString) {
        (void)sa_cuda.cuGetErrorName(rc, name);
        (void)sa_cuda.cuGetErrorString(rc, text);
    }
    if (!*name) *name = "unknown error";
    if (!*text) *text = "no description";
}

static int device_of(int index, int *device) {
    int rc = sa_cuda_start();
    if (rc) return rc;
    return index < 0 || index >= ndevices ? SA_CUDA_INVALID_DEVICE : sa_cuda.cuDeviceGet(device, index);
}

int sa_cuda_context(int index, void **out) {
    int device, rc = device_of(index, &device);
    if (rc) return rc;
    pthread_mutex_lock(&lock);
    if (!context[index]) rc = sa_cuda.cuDevicePrimaryCtxRetain(&context[index], device);
    *out = context[index];
    pthread_mutex_unlock(&lock);
    return rc;
}

int sa_cuda_enter(int index) {
    void *c;
    int rc = sa_cuda_context(index, &c);
    return rc ? rc : sa_cuda.cuCtxPushCurrent(c);
}

void sa_cuda_leave(void) {
    void *c;
    (void)sa_cuda.cuCtxPopCurrent(&c);
}

int sa_cuda_uuid(int index, unsigned char uuid[16]) {
    int device, rc = device_of(index, &device);
    return rc ? rc : sa_cuda.cuDeviceGetUuid(uuid, device);
}

int sa_cuda_memory(int index, uint64_t *available, uint64_t *total) {
    size_t a = 0, t = 0;
    int rc = sa_cuda_enter(index);
    if (rc) return rc;
    rc = sa_cuda.cuMemGetInfo(&a, &t);
    sa_cuda_leave();
    *available = a;
    *total = t;
    return rc;
}

int sa_cuda_synchronize(int index) {
    int rc = sa_cuda_enter(index);
    if (rc) return rc;
    rc = sa_cuda.cuCtxSynchronize();
    sa_cuda_leave();
    return rc;
}
