// SPDX-License-Identifier: BSD-3-Clause
// Waits that nothing ends before their limit, of 1000 s, and clocks around a sleep that long. Prints for each what it
// is and how many seconds have passed by MPI_Wtime, or by the clock. They would take the host most of a day.
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <threads.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>

extern "C" {
int __poll_chk(pollfd*, nfds_t, int, size_t);
int __ppoll_chk(pollfd*, nfds_t, const timespec*, const sigset_t*, size_t);
ssize_t __read_chk(int, void*, size_t, size_t);
ssize_t __recv_chk(int, void*, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void*, size_t, size_t, int, sockaddr*, socklen_t*);
}

namespace {

constexpr int limit_s = 1000;
constexpr int limit_ms = limit_s * 1000;
constexpr timespec limit{limit_s, 0};
constexpr auto limit_chrono = std::chrono::seconds(limit_s);

void print(const char* name, double seconds) { std::printf("%s: %.6f\n", name, seconds); }

/// `wait` gives whether it ended as it should.
template <class Wait>
void show(const char* name, Wait&& wait) {
  errno = 0;
  const double begun = MPI_Wtime();
  const bool well = wait();
  print(name, MPI_Wtime() - begun);
  if (!well) std::printf("%s ended otherwise: errno %d\n", name, errno);
}

timespec deadline(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  now.tv_sec += limit_s;
  return now;
}

template <class Read>
void show_clock(const char* name, Read&& read) {
  const double begun = read();
  sleep(limit_s);
  print(name, read() - begun);
}

double seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

void clocks() {
  show_clock("clock_gettime", [] {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return seconds(now);
  });
  show_clock("timespec_get", [] {
    timespec now{};
    return timespec_get(&now, TIME_UTC) == TIME_UTC ? seconds(now) : 0;
  });
  show_clock("gettimeofday", [] {
    timeval now{};
    gettimeofday(&now, nullptr);
    return static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_usec);
  });
  show_clock("time", [] { return static_cast<double>(time(nullptr)); });
  show_clock("times", [] {
    tms processor{};
    return static_cast<double>(times(&processor)) / static_cast<double>(sysconf(_SC_CLK_TCK));
  });
  show_clock("steady_clock",
             [] { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); });
}

void sleeps() {
  show("clock_nanosleep", [] {
    const timespec until = deadline(CLOCK_MONOTONIC);
    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == 0;
  });
  show("nanosleep", [] { return nanosleep(&limit, nullptr) == 0; });
  show("thrd_sleep", [] { return thrd_sleep(&limit, nullptr) == 0; });
  show("usleep", [] { return usleep(limit_s * 1'000'000U) == 0; });
  show("sleep", [] { return sleep(limit_s) == 0; });
  show("sleep_for", [] {
    std::this_thread::sleep_for(limit_chrono);
    return true;
  });
  show("sleep_until", [] {
    std::this_thread::sleep_until(std::chrono::system_clock::now() + limit_chrono);
    return true;
  });
}

void descriptors() {
  int ends[2], pair[2];
  if (pipe(ends) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  pollfd of_pipe{ends[0], POLLIN, 0}, of_socket{pair[0], POLLIN, 0}, of_counter{eventfd(0, 0), POLLIN, 0};
  show("poll", [] { return poll(nullptr, 0, limit_ms) == 0; });
  show("poll of a pipe", [&] { return poll(&of_pipe, 1, limit_ms) == 0; });
  show("poll of a socket", [&] { return poll(&of_socket, 1, limit_ms) == 0; });
  show("poll of a counter", [&] { return poll(&of_counter, 1, limit_ms) == 0; });
  show("__poll_chk", [&] { return __poll_chk(&of_pipe, 1, limit_ms, sizeof of_pipe) == 0; });
  show("ppoll", [&] { return ppoll(&of_pipe, 1, &limit, nullptr) == 0; });
  show("__ppoll_chk", [&] { return __ppoll_chk(&of_pipe, 1, &limit, nullptr, sizeof of_pipe) == 0; });
  fd_set set;
  FD_ZERO(&set);
  show("select", [] {
    timeval time{limit_s, 0};
    return select(0, nullptr, nullptr, nullptr, &time) == 0;
  });
  show("select of a pipe", [&] {
    FD_SET(ends[0], &set);
    timeval time{limit_s, 0};
    return select(ends[0] + 1, &set, nullptr, nullptr, &time) == 0 && !FD_ISSET(ends[0], &set) && time.tv_sec == 0;
  });
  show("pselect", [&] {
    FD_SET(ends[0], &set);
    return pselect(ends[0] + 1, &set, nullptr, nullptr, &limit, nullptr) == 0;
  });
  const int epoll = epoll_create1(0);
  epoll_event event{EPOLLIN, {}};
  epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);
  epoll_ctl(epoll, EPOLL_CTL_ADD, pair[0], &event);
  show("epoll_wait", [&] { return epoll_wait(epoll, &event, 1, limit_ms) == 0; });
  show("epoll_pwait", [&] { return epoll_pwait(epoll, &event, 1, limit_ms, nullptr) == 0; });
  show("epoll_pwait2", [&] { return epoll_pwait2(epoll, &event, 1, &limit, nullptr) == 0; });
}

/// Two ends of a connection that give up after the limit; the second is full.
struct Limited {
  int empty, full, listening;

  Limited() {
    int pair[2];
    const timeval time{limit_s, 0};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    empty = pair[0];
    full = pair[0];
    char bytes[4096] = {};
    while (send(full, bytes, sizeof bytes, MSG_DONTWAIT) > 0) {
    }
    // An address without a name: nobody else can connect.
    listening = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un nowhere{};
    nowhere.sun_family = AF_UNIX;
    bind(listening, reinterpret_cast<sockaddr*>(&nowhere), sizeof(sa_family_t));
    listen(listening, 1);
    setsockopt(empty, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
    setsockopt(full, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    const timeval short_time{0, 300'000};
    setsockopt(listening, SOL_SOCKET, SO_RCVTIMEO, &short_time, sizeof short_time);
  }
};

void sockets() {
  const Limited limited;
  char bytes[8];
  iovec part{bytes, sizeof bytes};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  const auto again = [](ssize_t result) { return result == -1 && errno == EAGAIN; };
  const int in = limited.empty, out = limited.full;
  show("read", [&] { return again(read(in, bytes, 8)); });
  show("__read_chk", [&] { return again(__read_chk(in, bytes, 8, 8)); });
  show("readv", [&] { return again(readv(in, &part, 1)); });
  show("recv", [&] { return again(recv(in, bytes, 8, 0)); });
  show("__recv_chk", [&] { return again(__recv_chk(in, bytes, 8, 8, 0)); });
  show("recvfrom", [&] { return again(recvfrom(in, bytes, 8, 0, nullptr, nullptr)); });
  show("__recvfrom_chk", [&] { return again(__recvfrom_chk(in, bytes, 8, 8, 0, nullptr, nullptr)); });
  show("recvmsg", [&] { return again(recvmsg(in, &message, 0)); });
  show("accept", [&] { return again(accept(limited.listening, nullptr, nullptr)); });
  show("accept4", [&] { return again(accept4(limited.listening, nullptr, nullptr, 0)); });
  show("write", [&] { return again(write(out, bytes, 8)); });
  show("writev", [&] { return again(writev(out, &part, 1)); });
  show("send", [&] { return again(send(out, bytes, 8, 0)); });
  show("sendto", [&] { return again(sendto(out, bytes, 8, 0, nullptr, 0)); });
  show("sendmsg", [&] { return again(sendmsg(out, &message, 0)); });
}

void timers_that_are_read() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const itimerspec once{{0, 0}, limit};
  std::uint64_t fired = 0;
  const auto fires = [&] { return read(timer, &fired, sizeof fired) == sizeof fired && fired == 1; };
  show("timerfd, read", [&] { return timerfd_settime(timer, 0, &once, nullptr) == 0 && fires(); });
  show("timerfd, poll", [&] {
    pollfd one{timer, POLLIN, 0};
    const itimerspec at{{0, 0}, deadline(CLOCK_MONOTONIC)};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, nullptr) == 0 && poll(&one, 1, -1) == 1 && fires();
  });
  show("timerfd, epoll", [&] {
    const int epoll = epoll_create1(0);
    epoll_event event{EPOLLIN, {}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, timer, &event);
    return timerfd_settime(timer, 0, &once, nullptr) == 0 && epoll_wait(epoll, &event, 1, 2 * limit_ms) == 1 && fires();
  });
  const itimerspec often{{1, 0}, {1, 0}};
  timerfd_settime(timer, 0, &often, nullptr);
  timespec more{limit_s, 500'000'000};
  nanosleep(&more, nullptr);
  itimerspec left{};
  timerfd_gettime(timer, &left);
  fired = 0;
  if (read(timer, &fired, sizeof fired) != sizeof fired) std::puts("timerfd is not readable");
  print("timerfd_gettime",
        static_cast<double>(fired) + (left.it_interval.tv_sec == 1 ? 0.5 - seconds(left.it_value) : 0));
  close(timer);
}

volatile sig_atomic_t signals = 0;
void on_signal(int) { signals = signals + 1; }

void arm(int s) {
  const itimerval once{{0, 0}, {s, 0}};
  setitimer(ITIMER_REAL, &once, nullptr);
}

void signals_and_timers() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: calls that it interrupts end
  sigaction(SIGALRM, &action, nullptr);
  sigset_t blocked, none;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigaddset(&blocked, SIGALRM);
  const auto interrupted = [](int result) { return result == -1 && errno == EINTR; };
  show("setitimer", [&] {
    arm(limit_s);
    return interrupted(pause()) && signals == 1;
  });
  show("setitimer again and again", [&] {
    const itimerval often{{limit_s / 10, 0}, {limit_s / 10, 0}};
    setitimer(ITIMER_REAL, &often, nullptr);
    signals = 0;
    while (signals < 10) pause();
    arm(0);
    return true;
  });
  arm(2 * limit_s);
  sleep(limit_s);
  itimerval left{};
  getitimer(ITIMER_REAL, &left);
  print("getitimer", static_cast<double>(left.it_value.tv_sec) + 1e-6 * static_cast<double>(left.it_value.tv_usec));
  arm(0);
  show("pause", [&] {
    arm(limit_s);
    return interrupted(pause());
  });
  show("sigsuspend", [&] {
    arm(limit_s);
    return interrupted(sigsuspend(&none));
  });
  show("alarm", [&] { return alarm(limit_s) == 0 && interrupted(pause()) && alarm(0) == 0; });
  show("ualarm", [&] {
    ualarm(limit_s * 1'000'000U, 0);
    return interrupted(pause());
  });
  show("an alarm ends a sleep", [&] {
    alarm(limit_s);
    return sleep(3 * limit_s) == 2 * limit_s;
  });
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  show("sigtimedwait", [&] { return sigtimedwait(&blocked, nullptr, &limit) == -1 && errno == EAGAIN; });
  show("sigwaitinfo", [&] {
    arm(limit_s);
    return sigwaitinfo(&blocked, nullptr) == SIGALRM;
  });
  show("sigwait", [&] {
    arm(limit_s);
    int signal = 0;
    return sigwait(&blocked, &signal) == 0 && signal == SIGALRM;
  });
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  event.sigev_value.sival_int = 17;
  timer_t timer{};
  timer_create(CLOCK_REALTIME, &event, &timer);
  show("timer_create", [&] {
    const itimerspec at{{0, 0}, deadline(CLOCK_REALTIME)};
    siginfo_t info{};
    return timer_settime(timer, TIMER_ABSTIME, &at, nullptr) == 0 && sigwaitinfo(&blocked, &info) == SIGUSR1 &&
           info.si_code == SI_TIMER && info.si_value.sival_int == 17;
  });
  const itimerspec often{{1, 0}, {2 * limit_s, 0}};
  timer_settime(timer, 0, &often, nullptr);
  sleep(limit_s);
  itimerspec setting{};
  timer_gettime(timer, &setting);
  print("timer_gettime", seconds(setting.it_value));
  sigwaitinfo(&blocked, nullptr);  // what it has sent
  const itimerspec thrice{{300, 0}, {300, 0}};
  timer_settime(timer, 0, &thrice, nullptr);
  sleep(limit_s);  // it fires thrice meanwhile, and one signal is kept
  print("timer_getoverrun", timer_getoverrun(timer) * limit_s / 2.0);
  timer_delete(timer);
  sigwaitinfo(&blocked, nullptr);
  sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
}

/// Times that the host has to pass, as far as it takes.
void alarms_beside_work() {
  signals = 0;
  show("an alarm ends a computation", [] {
    const itimerval once{{0, 0}, {0, 200'000}};
    setitimer(ITIMER_REAL, &once, nullptr);
    while (signals == 0) {
    }
    return true;
  });
  int ends[2];
  if (pipe(ends) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  show("an alarm ends a read", [&] {
    const itimerval once{{0, 0}, {0, 200'000}};
    setitimer(ITIMER_REAL, &once, nullptr);
    char byte;
    return read(ends[0], &byte, 1) == -1 && errno == EINTR;
  });
}

/// What another thread, which has ended, has locked.
template <class Lock>
void locked_by_another(Lock&& lock) {
  std::thread(std::forward<Lock>(lock)).join();
}

void locks() {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  show("pthread_mutex_timedlock", [&] {
    const timespec at = deadline(CLOCK_REALTIME);
    return pthread_mutex_timedlock(&mutex, &at) == ETIMEDOUT;
  });
  show("pthread_mutex_clocklock", [&] {
    const timespec at = deadline(CLOCK_MONOTONIC);
    return pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &at) == ETIMEDOUT;
  });
  pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
  locked_by_another([&] { pthread_rwlock_wrlock(&written); });
  show("pthread_rwlock_timedrdlock", [&] {
    const timespec at = deadline(CLOCK_REALTIME);
    return pthread_rwlock_timedrdlock(&written, &at) == ETIMEDOUT;
  });
  show("pthread_rwlock_timedwrlock", [&] {
    const timespec at = deadline(CLOCK_REALTIME);
    return pthread_rwlock_timedwrlock(&written, &at) == ETIMEDOUT;
  });
  show("pthread_rwlock_clockrdlock", [&] {
    const timespec at = deadline(CLOCK_MONOTONIC);
    return pthread_rwlock_clockrdlock(&written, CLOCK_MONOTONIC, &at) == ETIMEDOUT;
  });
  show("pthread_rwlock_clockwrlock", [&] {
    const timespec at = deadline(CLOCK_MONOTONIC);
    return pthread_rwlock_clockwrlock(&written, CLOCK_MONOTONIC, &at) == ETIMEDOUT;
  });
  mtx_t plain;
  mtx_init(&plain, mtx_timed);
  mtx_lock(&plain);
  show("mtx_timedlock", [&] {
    const timespec at = deadline(CLOCK_REALTIME);
    return mtx_timedlock(&plain, &at) == thrd_timedout;
  });
  std::timed_mutex timed;
  locked_by_another([&] { timed.lock(); });
  show("timed_mutex", [&] { return !timed.try_lock_for(limit_chrono); });
  std::shared_timed_mutex shared;
  locked_by_another([&] { shared.lock(); });
  show("shared_timed_mutex", [&] { return !shared.try_lock_shared_for(limit_chrono); });
}

void conditions_and_semaphores() {
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mutex);
  show("pthread_cond_timedwait", [&] {
    const timespec at = deadline(CLOCK_REALTIME);
    return pthread_cond_timedwait(&condition, &mutex, &at) == ETIMEDOUT;
  });
  show("pthread_cond_clockwait", [&] {
    const timespec at = deadline(CLOCK_MONOTONIC);
    return pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &at) == ETIMEDOUT;
  });
  cnd_t plain;
  mtx_t of_plain;
  cnd_init(&plain);
  mtx_init(&of_plain, mtx_timed);
  mtx_lock(&of_plain);
  show("cnd_timedwait", [&] {
    timespec at{};
    timespec_get(&at, TIME_UTC);
    at.tv_sec += limit_s;
    return cnd_timedwait(&plain, &of_plain, &at) == thrd_timedout;
  });
  show("condition_variable", [] {
    std::mutex own;
    std::unique_lock lock(own);
    std::condition_variable nobody;
    return nobody.wait_for(lock, limit_chrono) == std::cv_status::timeout;
  });
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  show("sem_timedwait", [&] {
    const timespec at = deadline(CLOCK_REALTIME);
    return sem_timedwait(&semaphore, &at) == -1 && errno == ETIMEDOUT;
  });
  show("sem_clockwait", [&] {
    const timespec at = deadline(CLOCK_MONOTONIC);
    return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &at) == -1 && errno == ETIMEDOUT;
  });
  std::counting_semaphore<4> counting(0);
  show("counting_semaphore", [&] { return !counting.try_acquire_for(limit_chrono); });
  std::promise<int> promise;
  const std::future<int> future = promise.get_future();
  show("future::wait_for", [&] { return future.wait_for(limit_chrono) == std::future_status::timeout; });
  show("future::wait_until", [&] {
    return future.wait_until(std::chrono::system_clock::now() + limit_chrono) == std::future_status::timeout;
  });
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0 && std::freopen("/dev/null", "w", stdout) == nullptr) MPI_Abort(MPI_COMM_WORLD, 1);
  clocks();
  sleeps();
  descriptors();
  sockets();
  timers_that_are_read();
  locks();
  conditions_and_semaphores();
  signals_and_timers();
  alarms_beside_work();
  MPI_Finalize();
}
