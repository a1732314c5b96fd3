/* SPDX-License-Identifier: BSD-3-Clause */
/* before_init ACT: does something before MPI_Init that belongs to one process. Each rank then says whether it has it for
   itself: "own", or "shared". */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { numbers = 20000 };

static const char *act;
static FILE *file;
static volatile int *mapped;
static int ends[2];
static pid_t child;
static pthread_t thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char value[64]; /* that differs from rank to rank */

static int is(const char *name) { return strcmp(act, name) == 0; }

static int next_number(void) {
  int number = -1;
  return fscanf(file, "%d", &number) == 1 ? number : -1;
}

static void *wait_for_main(void *unused) {
  pthread_mutex_lock(&mutex);
  return unused;
}

static void before(void) {
  if (is("file")) file = fopen("numbers", "r");
  if (is("standard input")) file = freopen("numbers", "r", stdin);
  if (file != NULL) next_number();
  if (is("closed")) {
    file = fopen("numbers", "r");
    for (int i = 0; i < numbers; ++i) next_number();
    fclose(file);
  }
  if (is("map")) mapped = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (is("pipe") && pipe(ends) != 0) abort();
  if (is("child") && (child = fork()) == 0) _exit(7);
  if (is("thread")) {
    pthread_mutex_lock(&mutex);
    if (pthread_create(&thread, NULL, wait_for_main, NULL) != 0) abort();
  }
  if (is("timer")) setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {3600, 0}}, NULL);
  if (is("clock")) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(value, sizeof value, "%ld.%09ld", (long)now.tv_sec, now.tv_nsec);
  }
  if (is("number")) snprintf(value, sizeof value, "/tmp/scratch.%d", (int)getpid());
  if (is("random")) {
    unsigned long long drawn = 0;
    if (getrandom(&drawn, sizeof drawn, 0) != sizeof drawn) abort();
    snprintf(value, sizeof value, "%llx", drawn);
  }
  if (is("device")) {
    unsigned long long drawn = 0;
    FILE *device = fopen("/dev/urandom", "rb");
    if (device == NULL || fread(&drawn, sizeof drawn, 1, device) != 1) abort();
    fclose(device);
    snprintf(value, sizeof value, "%llx", drawn);
  }
  if (is("name")) {
    strcpy(value, "nameXXXXXX");
    close(mkstemp(value));
  }
  if (is("output")) {
    puts("before");
    fflush(stdout);
  }
}

static int differs_on_all_ranks(int size) {
  char *all = malloc((size_t)size * sizeof value);
  int same = 0;
  MPI_Allgather(value, sizeof value, MPI_CHAR, all, sizeof value, MPI_CHAR, MPI_COMM_WORLD);
  for (int i = 0; i < size; ++i) same += strcmp(all + (size_t)i * sizeof value, value) == 0;
  free(all);
  return same == 1;
}

static int is_own(int rank, int size) {
  if (is("closed") || is("output") || is("nothing")) return 1;
  if (file != NULL) {
    for (int i = 1; i < numbers; ++i) {
      if (next_number() != i) return 0;
    }
    return 1;
  }
  if (is("map")) {
    *mapped = rank;
    MPI_Barrier(MPI_COMM_WORLD);
    return *mapped == rank;
  }
  if (is("pipe")) {
    int got = -1;
    if (write(ends[1], &rank, sizeof rank) != sizeof rank) return 0;
    MPI_Barrier(MPI_COMM_WORLD);
    return read(ends[0], &got, sizeof got) == sizeof got && got == rank;
  }
  if (is("child")) {
    int status = 0;
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7;
  }
  if (is("thread")) {
    pthread_mutex_unlock(&mutex);
    return pthread_join(thread, NULL) == 0;
  }
  if (is("timer")) {
    struct itimerval timer = {{0, 0}, {0, 0}};
    getitimer(ITIMER_REAL, &timer);
    return timer.it_value.tv_sec > 0;
  }
  return differs_on_all_ranks(size);
}

int main(int argc, char **argv) {
  int rank, size;
  act = argv[1];
  before();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  puts(is_own(rank, size) ? "own" : "shared");
  MPI_Finalize();
  return 0;
}
