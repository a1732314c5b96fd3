/* SPDX-License-Identifier: BSD-3-Clause
 * Null where functions of the C library that MPI libraries replace take a pointer: what each gives, a line each. Without
 * MPI (-DWITHOUT_MPI) the lines are those of the C library. A function that may not be given null at all shows "crash". */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#ifndef WITHOUT_MPI
#include <mpi.h>
#endif

static void *volatile hidden; /* so that compilers do not see it */
static sigjmp_buf before_crash;

static void crashed(int signal) { siglongjmp(before_crash, signal); }

/* What is asked of a function: its result's sign, or the result itself where that tells something, and errno. */
#define SHOW(name, call)                                                                             \
  do {                                                                                               \
    errno = 0;                                                                                       \
    if (sigsetjmp(before_crash, 1) == 0) {                                                           \
      const long result = (long)(call);                                                              \
      const int error = errno;                                                                       \
      printf("%s: %s, %s\n", name, result < 0 ? "-1" : result == 0 ? "0" : "more", strerror(error)); \
    } else {                                                                                         \
      printf("%s: crash\n", name);                                                                   \
    }                                                                                                \
    fflush(stdout);                                                                                  \
  } while (0)
#define SHOW_ERROR(name, call) SHOW(name, (errno = (call), errno != 0 ? -1 : 0))

static void clocks_and_sleeps(void) {
  SHOW("clock_gettime", clock_gettime(CLOCK_REALTIME, hidden));
  SHOW("clock_gettime of processor time", clock_gettime(CLOCK_THREAD_CPUTIME_ID, hidden));
  SHOW("timespec_get", timespec_get(hidden, TIME_UTC) > 0);
  SHOW("gettimeofday", gettimeofday(hidden, NULL));
  SHOW("time", time(hidden) > 0);
  SHOW("times", times(hidden) != 0);
  SHOW("nanosleep", nanosleep(hidden, NULL));
  SHOW_ERROR("clock_nanosleep", clock_nanosleep(CLOCK_MONOTONIC, 0, hidden, NULL));
  SHOW_ERROR("clock_nanosleep until", clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, hidden, NULL));
  SHOW("thrd_sleep", thrd_sleep(hidden, NULL));
}

static void descriptors(void) {
  struct timespec soon = {0, 1000000};
  struct timeval soon_us = {0, 1000};
  int ends[2], epoll = epoll_create1(0);
  struct epoll_event writable = {.events = EPOLLOUT};
  if (pipe(ends) != 0) return;
  writable.data.fd = ends[1];
  SHOW("poll", poll(hidden, 1, 1));
  SHOW("poll, nothing", poll(hidden, 0, 1));
  SHOW("poll, at once", poll(hidden, 1, 0));
  SHOW("ppoll", ppoll(hidden, 1, &soon, hidden));
  SHOW("ppoll, nothing", ppoll(hidden, 0, &soon, hidden));
  SHOW("select", select(0, hidden, hidden, hidden, &soon_us));
  SHOW("select, a descriptor in no set", select(ends[0] + 1, hidden, hidden, hidden, &soon_us));
  SHOW("pselect", pselect(ends[0] + 1, hidden, hidden, hidden, &soon, hidden));
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[1], &writable);
  SHOW("epoll_wait", epoll_wait(epoll, hidden, 1, 1));
  SHOW("epoll_pwait", epoll_pwait(epoll, hidden, 1, 1, hidden));
  SHOW("epoll_pwait2", epoll_pwait2(epoll, hidden, 1, &soon, hidden));
  if (write(ends[1], "12345678", 8) != 8) return;
  SHOW("read", read(ends[0], hidden, 8));
  SHOW("readv", readv(ends[0], hidden, 1));
  SHOW("write", write(ends[1], hidden, 8));
  SHOW("writev", writev(ends[1], hidden, 1));
  close(ends[0]), close(ends[1]), close(epoll);
}

static void sockets(void) {
  struct timeval limit = {0, 1000};
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return;
  SHOW("setsockopt", setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, hidden, sizeof limit));
  setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (write(pair[1], "12345678", 8) != 8) return;
  SHOW("recv", recv(pair[0], hidden, 8, 0));
  SHOW("recvfrom", recvfrom(pair[0], hidden, 8, 0, hidden, hidden));
  SHOW("recvmsg", recvmsg(pair[0], hidden, 0));
  SHOW("accept", accept(pair[0], hidden, hidden));
  SHOW("accept4", accept4(pair[0], hidden, hidden, 0));
  SHOW("send", send(pair[0], hidden, 8, 0));
  SHOW("sendto", sendto(pair[0], hidden, 8, 0, hidden, 0));
  SHOW("sendmsg", sendmsg(pair[0], hidden, 0));
  close(pair[0]), close(pair[1]);
}

static void timers(void) {
  const struct itimerval long_us = {{0, 0}, {1000, 0}};
  const struct itimerspec short_ns = {{0, 0}, {0, 1}};
  struct itimerval before;
  timer_t timer;
  int descriptor = timerfd_create(CLOCK_MONOTONIC, 0);
  SHOW("timerfd_settime", timerfd_settime(descriptor, 0, hidden, NULL));
  SHOW("timerfd_gettime", timerfd_gettime(descriptor, hidden));
  timerfd_settime(descriptor, 0, &short_ns, hidden);
  SHOW("read of a timer", read(descriptor, hidden, 8));
  close(descriptor);
  setitimer(ITIMER_REAL, &long_us, hidden);
  SHOW("getitimer", getitimer(ITIMER_REAL, hidden));
  SHOW("setitimer", setitimer(ITIMER_REAL, hidden, &before));
  SHOW("setitimer, what it was", before.it_value.tv_sec > 0);
  getitimer(ITIMER_REAL, &before);
  SHOW("setitimer, what it is", before.it_value.tv_sec > 0);
  SHOW("timer_create", timer_create(CLOCK_MONOTONIC, hidden, &timer));
  SHOW("timer_settime", timer_settime(timer, 0, hidden, NULL));
  SHOW("timer_gettime", timer_gettime(timer, hidden));
  timer_delete(timer);
}

static void signals(void) {
  const struct timespec soon = {0, 1000000};
  const struct itimerval long_us = {{0, 0}, {1000, 0}}, none = {{0, 0}, {0, 0}};
  SHOW("sigtimedwait", sigtimedwait(hidden, hidden, &soon));
  SHOW("sigwaitinfo", sigwaitinfo(hidden, hidden));
  SHOW("sigsuspend", sigsuspend(hidden));
  setitimer(ITIMER_REAL, &long_us, NULL); /* these go another way beside a timer */
  SHOW("sigwaitinfo beside a timer", sigwaitinfo(hidden, hidden));
  SHOW("sigsuspend beside a timer", sigsuspend(hidden));
  SHOW("poll beside a timer", poll(hidden, 1, 0));
  setitimer(ITIMER_REAL, &none, NULL);
}

static void locks(void) {
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  sem_t semaphore;
  struct timespec soon = {0, 1000000};
  int word = 1, set = semget(IPC_PRIVATE, 1, 0600);
  sem_init(&semaphore, 0, 2);
  SHOW_ERROR("pthread_mutex_timedlock", pthread_mutex_timedlock(&mutex, hidden));
  SHOW("sem_timedwait", sem_timedwait(&semaphore, hidden));
  SHOW("sem_clockwait", sem_clockwait(&semaphore, CLOCK_MONOTONIC, hidden));
  if (set >= 0) SHOW("semtimedop", semtimedop(set, hidden, 1, &soon));
  if (set >= 0) semctl(set, 0, IPC_RMID);
  SHOW("futex, no word", syscall(SYS_futex, hidden, FUTEX_WAIT, 0, &soon, NULL, 0));
  SHOW("futex, no limit", syscall(SYS_futex, &word, FUTEX_WAIT, 0, hidden, NULL, 0));
  SHOW("aio_suspend", aio_suspend((const struct aiocb *const *)&hidden, 1, &soon));
}

static void node(void) {
  cpu_set_t set;
  unsigned int number;
  pthread_attr_t attributes;
  struct addrinfo *found = NULL;
  pthread_attr_init(&attributes);
  SHOW("gethostname", gethostname(hidden, 64));
  SHOW("uname", uname(hidden));
  SHOW("getaddrinfo", getaddrinfo(hidden, "80", hidden, &found));
  SHOW("getaddrinfo, nothing", getaddrinfo(hidden, hidden, hidden, &found) != 0);
  SHOW("sched_getaffinity", sched_getaffinity(0, sizeof set, hidden));
  SHOW("sched_setaffinity", sched_setaffinity(0, sizeof set, hidden));
  SHOW_ERROR("pthread_getaffinity_np", pthread_getaffinity_np(pthread_self(), sizeof set, hidden));
  SHOW_ERROR("pthread_setaffinity_np", pthread_setaffinity_np(pthread_self(), sizeof set, hidden));
  SHOW_ERROR("pthread_attr_setaffinity_np", pthread_attr_setaffinity_np(&attributes, 0, hidden));
  SHOW("getcpu", getcpu(hidden, hidden));
  SHOW("getcpu, the node alone", getcpu(hidden, &number));
}

static void files(void) {
  SHOW("open", open(hidden, O_RDONLY));
  SHOW("open, to create", open(hidden, O_CREAT | O_RDWR, 0600));
  SHOW("openat", openat(AT_FDCWD, hidden, O_RDONLY));
  SHOW("fopen", fopen(hidden, "r") != NULL);
  SHOW("getrandom", getrandom(hidden, 8, 0));
  SHOW("getentropy", getentropy(hidden, 8));
}

int main(void) {
#ifndef WITHOUT_MPI
  MPI_Init(NULL, NULL);
#endif
  signal(SIGSEGV, crashed);
  clocks_and_sleeps();
  descriptors();
  sockets();
  timers();
  signals();
  locks();
  node();
  files();
  signal(SIGSEGV, SIG_DFL);
#ifndef WITHOUT_MPI
  MPI_Finalize();
#endif
  return 0;
}
