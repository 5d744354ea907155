#include <stdint.h>
#include <string.h>
#include <sys/sysinfo.h>
#include "limits.h"
int sa_memory_limit(uint64_t *avail, char which[64]) { struct sysinfo i; sysinfo(&i); *avail=(i.freeram+i.bufferram)*i.mem_unit; strcpy(which,"machine"); return 0; }
