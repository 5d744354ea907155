/* Fork witnesses: does any descendant live that was forked while a block existed? A tiny memfd is
   mapped shared and writable while a process forks; the parent unmaps it, its descendants keep it.
   F_SEAL_WRITE is refused (EBUSY) while such a mapping exists, in whatever process, and vanishes
   with the last of them, also by SIGKILL or exec. Source: fcntl(2), "File sealing". Lock held. */
#include "core.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 8 /* later forks share the newest one */

static struct {
    int fd;
    sa_file file;
    uint64_t serial; /* last block that these descendants know */
} witness[MOST];
static int nwitnesses;
static uint64_t forever; /* without a witness, or where the child could not tell what it sends on */
static void *mapped;
static double asked;

static void unmap(void) {
    if (mapped && munmap(mapped, SA_PAGE) == 0) mapped = NULL;
}

void sa_witness_before_fork(uint64_t serial, bool always) {
    if (!serial) return;
    (void)sa_witness_serial(); /* whatever is left has its descriptor */
    mapped = NULL;
    int fd = -1;
    if (nwitnesses < MOST && sa_memfd("fork-witness", SA_PAGE, &fd)) fd = -1;
    if (fd < 0 && nwitnesses) {
        witness[nwitnesses - 1].serial = serial;
        fd = witness[nwitnesses - 1].fd;
    } else if (fd >= 0) {
        witness[nwitnesses].fd = fd;
        sa_file_note(fd, &witness[nwitnesses].file);
        witness[nwitnesses++].serial = serial;
    }
    if (fd >= 0) mapped = mmap(NULL, SA_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED) mapped = NULL;
    if (!mapped || always) forever = serial;
}

void sa_witness_after_fork_parent(void) {
    unmap(); /* if that fails, it is tried again by whoever asks */
}

/* The mapping stays: it is what is asked for. */
void sa_witness_after_fork_child(void) {
    for (int i = 0; i < nwitnesses; i++) sa_file_close(witness[i].fd, &witness[i].file);
    nwitnesses = 0;
    forever = 0;
    mapped = NULL;
}

uint64_t sa_witness_forever(void) { return forever; }

uint64_t sa_witness_serial(void) {
    unmap();
    uint64_t last = forever;
    int n = 0;
    for (int i = 0; i < nwitnesses; i++) {
        if (!sa_file_at(witness[i].fd, &witness[i].file)) { /* the program has closed it: nothing tells any more */
            if (witness[i].serial > forever) forever = witness[i].serial;
            if (forever > last) last = forever;
            continue;
        }
        if (fcntl(witness[i].fd, F_ADD_SEALS, F_SEAL_WRITE) == 0) {
            close(witness[i].fd);
            continue;
        }
        if (witness[i].serial > last) last = witness[i].serial;
        witness[n++] = witness[i];
    }
    nwitnesses = n;
    asked = sa_now();
    return last;
}

/* As sa_witness_serial(), from memory if the kernel was asked within this tick of its clock. */
bool sa_witness_due(void) { return nwitnesses && sa_now() != asked; }
