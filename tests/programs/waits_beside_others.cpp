// SPDX-License-Identifier: BSD-3-Clause
// Three ranks; the first waits, with a limit, for what others may end: a child, a thread, another rank. Prints for each
// wait what it is, whether something came, and how many simulated seconds have passed.
#include <aio.h>
#include <fcntl.h>
#include <mpi.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <string>
#include <thread>

namespace {

constexpr int long_ms = 1'000'000;
constexpr timespec short_limit{0, 200'000'000};

template <class Wait>
void show(const char* name, Wait&& wait) {
  const double begun = MPI_Wtime();
  const bool came = wait();
  std::printf("%s: %s %.6f\n", name, came ? "came" : "nothing", MPI_Wtime() - begun);
}

timespec soon(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  now.tv_nsec += short_limit.tv_nsec;
  if (now.tv_nsec >= 1'000'000'000) {
    now.tv_nsec -= 1'000'000'000;
    ++now.tv_sec;
  }
  return now;
}

struct Pipe {
  int out, in;
  Pipe() {
    int ends[2];
    if (pipe(ends) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    out = ends[0];
    in = ends[1];
  }
  void write_byte() const {
    if (write(in, "x", 1) != 1) _exit(1);
  }
};

void children() {
  const Pipe ends;
  pollfd one{ends.out, POLLIN, 0};
  pid_t child = fork();
  if (child == 0) {
    usleep(50'000);
    ends.write_byte();
    _exit(0);
  }
  close(ends.in);
  show("poll until a child writes", [&] { return poll(&one, 1, long_ms) == 1; });
  waitpid(child, nullptr, 0);
  const Pipe silent;
  child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  close(silent.in);
  one.fd = silent.out;
  show("poll of what a child holds", [&] { return poll(&one, 1, 200) == 1; });
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

void threads() {
  const Pipe ends;
  pollfd one{ends.out, POLLIN, 0};
  std::thread writer([&] {
    usleep(20'000);
    ends.write_byte();
  });
  show("poll until a thread writes", [&] { return poll(&one, 1, long_ms) == 1; });
  writer.join();

  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable condition;
  bool ready = false;
  std::thread signaller([&] {
    const std::lock_guard own(mutex);
    ready = true;
    condition.notify_one();
  });
  show("condition that a thread signals",
       [&] { return condition.wait_for(lock, std::chrono::seconds(1000), [&] { return ready; }); });
  signaller.join();

  std::promise<int> promise;
  auto future = promise.get_future();
  std::thread fulfiller([&] {
    usleep(20'000);
    promise.set_value(1);
  });
  show("future that a thread fulfils",
       [&] { return future.wait_for(std::chrono::seconds(1000)) == std::future_status::ready; });
  fulfiller.join();

  const Pipe silent;
  std::thread reader([&] {
    char byte;
    if (read(silent.out, &byte, 1) != 1) _exit(1);
  });
  show("pthread_timedjoin_np", [&] {
    const timespec at = soon(CLOCK_REALTIME);
    return pthread_timedjoin_np(reader.native_handle(), nullptr, &at) != ETIMEDOUT;
  });
  show("pthread_clockjoin_np", [&] {
    const timespec at = soon(CLOCK_MONOTONIC);
    return pthread_clockjoin_np(reader.native_handle(), nullptr, CLOCK_MONOTONIC, &at) != ETIMEDOUT;
  });
  silent.write_byte();
  reader.join();
}

void queues() {
  const int set = semget(IPC_PRIVATE, 1, 0600);
  sembuf take{0, -1, 0};
  show("semtimedop", [&] { return semtimedop(set, &take, 1, &short_limit) == 0; });
  semctl(set, 0, IPC_RMID);

  const std::string name = "/orrery-test-" + std::to_string(getpid());
  mq_attr attributes{};
  attributes.mq_maxmsg = 1;
  attributes.mq_msgsize = 8;
  const mqd_t queue = mq_open(name.c_str(), O_CREAT | O_RDWR, 0600, &attributes);
  mq_unlink(name.c_str());
  if (queue < 0) {
    std::puts("no message queues");
  } else {
    char text[8] = {};
    show("mq_timedreceive", [&] {
      const timespec at = soon(CLOCK_REALTIME);
      return mq_timedreceive(queue, text, sizeof text, nullptr, &at) >= 0 || errno != ETIMEDOUT;
    });
    mq_send(queue, text, sizeof text, 0);
    show("mq_timedsend", [&] {
      const timespec at = soon(CLOCK_REALTIME);
      return mq_timedsend(queue, text, sizeof text, 0, &at) == 0 || errno != ETIMEDOUT;
    });
  }

  const Pipe silent;
  char byte;
  aiocb request{};
  request.aio_fildes = silent.out;
  request.aio_buf = &byte;
  request.aio_nbytes = 1;
  aio_read(&request);
  const aiocb* const list[] = {&request};
  show("aio_suspend", [&] { return aio_suspend(list, 1, &short_limit) == 0 || errno != EAGAIN; });
  silent.write_byte();
  while (aio_error(&request) == EINPROGRESS) usleep(1000);
}

/// The second rank posts after it was told by the third, which has slept for 50 s before; and it cannot be told before
/// simulated time has come there for the first, too.
void ranks(int rank) {
  char name[64] = {};
  if (rank == 0) std::snprintf(name, sizeof name, "/orrery-test-%d", getpid());
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  sem_t* semaphore = sem_open(name, O_CREAT, 0600, 0);
  if (semaphore == SEM_FAILED) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  sem_unlink(name);
  int token = 0;
  if (rank == 0) {
    show("semaphore of another rank", [&] {
      timespec at{};
      clock_gettime(CLOCK_REALTIME, &at);
      at.tv_sec += 1000;
      return sem_timedwait(semaphore, &at) == 0;
    });
  } else if (rank == 1) {
    MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sem_post(semaphore);
  } else {
    sleep(50);
    MPI_Send(&token, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ranks(rank);
  if (rank == 0) {
    children();
    threads();
    queues();
  }
  MPI_Finalize();
}
