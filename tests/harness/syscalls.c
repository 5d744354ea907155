/* Counts the system calls of other processes: syscalls FILE PID...
 *
 * Attaches to every thread of each process, then writes a byte to its standard output. FILE is an
 * array of 64-bit numbers, LIMIT for each process in turn: how often it entered the call of that
 * number. It runs until it is killed, which lets the others run on.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT 1024
#define THREADS 4096

/* The start of struct ptrace_syscall_info, which some systems declare under another name. */
struct info {
    uint8_t op;
    uint8_t pad[3];
    uint32_t arch;
    uint64_t instruction, stack, number, arguments[6];
};

static struct {
    pid_t thread;
    int process;
} threads[THREADS];
static int nthreads;

static void die(const char *what) {
    perror(what);
    exit(1);
}

static void add(pid_t thread, int process) {
    if (nthreads == THREADS) {
        fprintf(stderr, "too many threads\n");
        exit(1);
    }
    threads[nthreads].thread = thread;
    threads[nthreads++].process = process;
}

static int process_of(pid_t thread) {
    for (int i = 0; i < nthreads; i++)
        if (threads[i].thread == thread)
            return threads[i].process;
    return -1;
}

static void attach(pid_t pid, int process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    if (!folder)
        die(path);
    for (struct dirent *entry; (entry = readdir(folder));) {
        pid_t thread = atoi(entry->d_name);
        if (!thread)
            continue;
        long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE;
        if (ptrace(PTRACE_SEIZE, thread, NULL, options) || ptrace(PTRACE_INTERRUPT, thread, 0, 0))
            die("ptrace");
        add(thread, process);
    }
    closedir(folder);
}

int main(int argc, char **argv) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nprocesses = argc - 2, fd = open(argv[1], O_RDWR);
    size_t size = sizeof(uint64_t) * LIMIT * (size_t)nprocesses;
    if (fd < 0 || ftruncate(fd, (off_t)size))
        die(argv[1]);
    volatile uint64_t *counts = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        die("mmap");
    for (int i = 0; i < nprocesses; i++)
        attach(atoi(argv[i + 2]), i);
    int waiting = nthreads; /* threads that have not stopped for the first time */
    for (;;) {
        int status;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == ECHILD)
            return 0;
        if (thread < 0 || !WIFSTOPPED(status))
            continue;
        int process = process_of(thread), number = WSTOPSIG(status), event = status >> 16;
        int pass = event ? 0 : number;
        if (number == (SIGTRAP | 0x80)) {
            struct info info;
            pass = 0;
            if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0 &&
                info.op == PTRACE_SYSCALL_INFO_ENTRY && process >= 0 && info.number < LIMIT)
                counts[LIMIT * process + (int)info.number]++;
        } else if (event == PTRACE_EVENT_CLONE && process >= 0) {
            unsigned long child;
            if (!ptrace(PTRACE_GETEVENTMSG, thread, 0, &child) && process_of((pid_t)child) < 0)
                add((pid_t)child, process);
        } else if (event == PTRACE_EVENT_STOP && waiting > 0 && !--waiting) {
            if (write(STDOUT_FILENO, "!", 1) != 1)
                die("write");
        }
        if (event == PTRACE_EVENT_STOP && number != SIGTRAP)
            ptrace(PTRACE_LISTEN, thread, 0, 0); /* a stop of the whole group */
        else
            ptrace(PTRACE_SYSCALL, thread, 0, pass);
    }
}
