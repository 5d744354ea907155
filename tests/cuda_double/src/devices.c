/* The machine's devices, which of them this process sees, and what they say of themselves. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "double.h"

struct config config;

static char refused[256];
static int overrides[64][2]; /* attribute, value */
static int override_count;

static const char *setting(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

const char *refusal(void)
{
    return *refused ? refused : NULL;
}

/* Not beside a real driver: one of the paths of CUDA_DOUBLE_REAL (joined by ':') exists. */
static bool real_driver(void)
{
    const char *text = getenv("CUDA_DOUBLE_REAL");
    char paths[1024];
    snprintf(paths, sizeof paths, "%s", text ? text : "/dev/nvidiactl:/proc/driver/nvidia/version");
    for (char *rest, *path = strtok_r(paths, ":", &rest); path; path = strtok_r(NULL, ":", &rest))
        if (!access(path, F_OK)) {
            snprintf(refused, sizeof refused,
                     "the driver double refuses to run beside a real NVIDIA driver (%.100s exists); "
                     "take its folder off LD_LIBRARY_PATH",
                     path);
            return true;
        }
    return false;
}

CUuuid uuid_of(int number)
{
    CUuuid uuid = {{0, 0, (unsigned char)((number + 1) >> 8), (unsigned char)(number + 1), 0xda, 0x0b,
                    0x40, 0, 0x80, 0, 0xd0, 0xb1, 0xec, 0xda, 0, 0}};
    return uuid;
}

static void uuid_digits(int number, bool dashes, char text[37])
{
    CUuuid uuid = uuid_of(number);
    for (int i = 0; i < 16; i++) {
        if (dashes && (i == 4 || i == 6 || i == 8 || i == 10))
            *text++ = '-';
        text += sprintf(text, "%02x", uuid.bytes[i]);
    }
}

int number_of_uuid(const char *hex)
{
    char text[37];
    for (int i = 0; i < MAX_DEVICES; i++) {
        uuid_digits(i, false, text);
        if (!memcmp(text, hex, 32))
            return i;
    }
    return -1;
}

int ordinal_of(int number)
{
    for (int i = 0; i < config.count; i++)
        if (config.visible[i] == number)
            return i;
    return -1;
}

/* Number of the device that one entry of CUDA_VISIBLE_DEVICES names, or -1. */
static int named(const char *entry)
{
    if (!strncmp(entry, "GPU-", 4)) {
        int found = -1;
        for (int i = 0; i < config.devices; i++) {
            char text[37];
            uuid_digits(i, true, text);
            if (!entry[4] || strncasecmp(text, entry + 4, strlen(entry + 4)))
                continue;
            if (found >= 0)
                return -1; /* an abbreviation of two */
            found = i;
        }
        return found;
    }
    char *end;
    long number = strtol(entry, &end, 10);
    return end == entry || *end || number < 0 || number >= config.devices ? -1 : (int)number;
}

static void see(void)
{
    const char *text = getenv("CUDA_VISIBLE_DEVICES");
    config.count = 0;
    if (!text) {
        for (; config.count < config.devices; config.count++)
            config.visible[config.count] = config.count;
        return;
    }
    while (*text) {
        char entry[64];
        size_t length = strcspn(text, ",");
        const char *start = text;
        text += length + (text[length] == ',');
        while (length && isspace((unsigned char)*start))
            start++, length--;
        while (length && isspace((unsigned char)start[length - 1]))
            length--;
        snprintf(entry, sizeof entry, "%.*s", (int)length, start);
        int number = named(entry);
        if (number < 0 || ordinal_of(number) >= 0)
            return; /* what follows the first invalid entry is invisible */
        config.visible[config.count++] = number;
    }
}

/* "all", "none", or pairs "0-1,1-0": the first device can reach the second. */
static bool set_peers(const char *text)
{
    if (!strcmp(text, "none"))
        return true;
    bool all = !strcmp(text, "all");
    for (int i = 0; all && i < MAX_DEVICES; i++)
        for (int j = 0; j < MAX_DEVICES; j++)
            config.peer[i][j] = i != j;
    while (!all && *text) {
        int i, j, length;
        if (sscanf(text, "%d-%d%n", &i, &j, &length) != 2 || i < 0 || j < 0 || i == j ||
            i >= MAX_DEVICES || j >= MAX_DEVICES)
            return false;
        config.peer[i][j] = true;
        text += length;
        text += *text == ',';
    }
    return true;
}

/* "102=0,103=0" */
static bool set_attributes(const char *text)
{
    while (*text && override_count < 64) {
        int length, *pair = overrides[override_count++];
        if (sscanf(text, "%d=%d%n", &pair[0], &pair[1], &length) != 2)
            return false;
        text += length;
        text += *text == ',';
    }
    return !*text;
}

CUresult configure(void)
{
    if (real_driver())
        return SYSTEM_DRIVER_MISMATCH;
    const char *text = setting("CUDA_DOUBLE_DEVICES");
    memset(&config, 0, sizeof config);
    override_count = 0;
    config.devices = text ? atoi(text) : 2;
    text = setting("CUDA_DOUBLE_MEMORY");
    config.memory = text ? strtoull(text, NULL, 10) : (size_t)4 << 30;
    text = setting("CUDA_DOUBLE_READ_ACCESS");
    config.read_access = !text || *text != '0';
    text = setting("CUDA_DOUBLE_DELAY");
    config.delay = text && *text != '0';
    text = setting("CUDA_DOUBLE_PEERS");
    bool right = set_peers(text ? text : "all");
    text = setting("CUDA_DOUBLE_ATTRIBUTES");
    right = right && (!text || set_attributes(text));
    if (config.devices < 0 || config.devices > MAX_DEVICES || !right)
        return INVALID_VALUE;
    see();
    return config.count ? SUCCESS : NO_DEVICE;
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    ENTER(cuDeviceGet);
    if (!device)
        return INVALID_VALUE;
    CHECK_DEVICE(ordinal);
    *device = ordinal;
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetCount(int *count)
{
    ENTER(cuDeviceGetCount);
    if (!count)
        return INVALID_VALUE;
    *count = config.count;
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    ENTER(cuDeviceGetName);
    if (!name || size <= 0)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    snprintf(name, (size_t)size, "Driver Double %d", config.visible[device]);
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device)
{
    ENTER(cuDeviceGetUuid);
    if (!uuid)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    *uuid = uuid_of(config.visible[device]);
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    ENTER(cuDeviceGetUuid_v2);
    if (!uuid)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    *uuid = uuid_of(config.visible[device]);
    return SUCCESS;
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    ENTER(cuDeviceTotalMem_v2);
    if (!bytes)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    *bytes = config.memory;
    return SUCCESS;
}

static const int attributes[][2] = {
    {1, 1024}, {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535}, {8, 49152},
    {9, 65536}, {10, 32}, {11, 2147483647}, {12, 65536}, {13, 1980000}, {14, 512}, {15, 1},
    {16, 132}, {19, 1}, {31, 1}, {32, 1}, {34, 0}, {36, 2619000}, {37, 5120}, {38, 52428800},
    {39, 2048}, {40, 3}, {41, 1}, {50, 0}, {51, 32}, {75, 9}, {76, 0}, {78, 1}, {79, 1}, {80, 1},
    {81, 233472}, {82, 65536}, {90, 1}, {91, 1}, {95, 1}, {97, 232448}, {99, 1}, {102, 1},
    {103, 1}, {106, 32}, {113, 1}, {120, 1}, {125, 1}, {130, 0}, {131, -1}, {134, -1}};

EXPORT CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    ENTER(cuDeviceGetAttribute);
    if (!value || attribute < 1 || attribute > 160)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    *value = attribute == 33 ? config.visible[device] + 1 : 0;
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i][0] == attribute)
            *value = attributes[i][1];
    for (int i = 0; i < override_count; i++)
        if (overrides[i][0] == attribute)
            *value = overrides[i][1];
    return SUCCESS;
}

EXPORT CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
    ENTER(cuDeviceComputeCapability);
    if (!major || !minor)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    *major = 9;
    *minor = 0;
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetPCIBusId(char *name, int size, CUdevice device)
{
    ENTER(cuDeviceGetPCIBusId);
    if (!name || size <= 0)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    snprintf(name, (size_t)size, "0000:%02X:00.0", config.visible[device] + 1);
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *name)
{
    ENTER(cuDeviceGetByPCIBusId);
    unsigned domain, bus, slot, function = 0;
    if (!device || !name)
        return INVALID_VALUE;
    if (sscanf(name, "%x:%x:%x.%x", &domain, &bus, &slot, &function) < 3) {
        domain = 0;
        if (sscanf(name, "%x:%x.%x", &bus, &slot, &function) < 2)
            return INVALID_VALUE;
    }
    int ordinal = domain || slot || function || !bus ? -1 : ordinal_of((int)bus - 1);
    if (ordinal < 0)
        return INVALID_DEVICE;
    *device = ordinal;
    return SUCCESS;
}

EXPORT CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
    ENTER(cuDeviceCanAccessPeer);
    if (!can)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    CHECK_DEVICE(peer);
    *can = config.peer[config.visible[device]][config.visible[peer]];
    return SUCCESS;
}

EXPORT CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice device, CUdevice peer)
{
    ENTER(cuDeviceGetP2PAttribute);
    if (!value || attribute < 1 || attribute > 5)
        return INVALID_VALUE;
    CHECK_DEVICE(device);
    CHECK_DEVICE(peer);
    if (device == peer)
        return INVALID_DEVICE;
    *value = attribute != 1 && config.peer[config.visible[device]][config.visible[peer]];
    return SUCCESS;
}
