/* Everything that core/serve.c and fetch.c allow at once, for the sanitizers. */
#include "serve.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLIENTS 3
#define ROUNDS 300
#define SIZE 4096

void table_put(const uint64_t id[2], uint64_t size, int fd);
int table_serve(void);
void table_before_fork(void);
void table_after_fork_parent(void);
void table_after_fork_child(void);

static uint64_t id[2];
static char name[SA_NAME_MAX];
static _Atomic int answered, refused, failures;
static _Atomic bool over;

static void *ask(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        char socket_name[SA_NAME_MAX];
        uint64_t token[2];
        int fd, err, r;

        if (table_serve() < 0 || sa_serve_token(token) < 0) {
            refused++; /* stopped in between */
            continue;
        }
        sa_socket_name(geteuid(), token, socket_name);
        r = sa_fetch_served(socket_name, geteuid(), name, id, SIZE, i % 2, 900, &fd, &err);
        if (r == SA_OK) {
            answered++;
            close(fd);
        }
        else if (r == SA_E_NOSERVER || r == SA_E_SERVER) {
            refused++;
        }
        else {
            fprintf(stderr, "%s (%d)\n", sa_reason_text(r), err);
            failures++;
        }
    }
    return NULL;
}

static void *stop(void *unused)
{
    (void)unused;
    while (!over) {
        usleep(20000);
        sa_serve_stop();
    }
    return NULL;
}

int main(void)
{
    pthread_t clients[CLIENTS], stopper;
    int fd;

    if (sa_random_id(id) < 0) {
        return 1;
    }
    sa_segment_name(id, name);
    if (sa_memfd(name, SIZE, &fd) < 0) {
        return 1;
    }
    table_put(id, SIZE, fd);
    for (int i = 0; i < CLIENTS; i++) {
        pthread_create(&clients[i], NULL, ask, NULL);
    }
    pthread_create(&stopper, NULL, stop, NULL);
    for (int i = 0; i < 20; i++) {
        int status;
        pid_t child;

        usleep(5000);
        table_before_fork();
        child = fork();
        if (child == 0) {
            uint64_t token[2];

            table_after_fork_child();
            _exit(sa_serve_token(token) == 0);
        }
        table_after_fork_parent();
        if (waitpid(child, &status, 0) != child || status != 0) {
            fprintf(stderr, "child: %d\n", status);
            failures++;
        }
    }
    for (int i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i], NULL);
    }
    over = true;
    pthread_join(stopper, NULL);
    sa_serve_stop();
    printf("answered %d refused %d\n", answered, refused);
    return failures != 0 || answered == 0;
}
