// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/clock.hpp"

#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <future>
#include <memory>
#include <mutex>
#include <thread>

#include "catch.hpp"
#include "mpi/ranks_fixture.test.hpp"

using namespace orrery;
using namespace orrery::mpi;
using namespace orrery::mpi::testing;
using op::Kind;

namespace {

constexpr double epoch_s = 1'700'000'000;

/// A kernel in which the rank's own computation, `factor` for a second of it, and sleeps are all that takes time, from
/// second 50 on.
Answers clock_at(double factor = 1) {
  auto now_s = std::make_shared<double>(50);
  auto seen = std::make_shared<std::size_t>(0);
  return [=](int, const Sent& sent) -> op::Reply {
    *now_s += factor * sent.operation.compute_s + 1e-9 * static_cast<double>(sent.operation.bytes.count);
    return {.now = {*now_s}};
  };
}

void simulated(channel::Memory& memory) {
  memory.header().simulated_clock = 1;
  memory.header().epoch_s = epoch_s;
}

void simulated_and_measured(channel::Memory& memory) {
  simulated(memory);
  memory.header().measure_compute = 1;
}

double read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void compute(double seconds) {
  const auto until = host_clock::thread_cpu_ns() + static_cast<std::int64_t>(seconds * 1e9);
  while (host_clock::thread_cpu_ns() < until) {
  }
}

}  // namespace

TEST_CASE("outside of a rank the clocks are the host's") {
  const double before_s = static_cast<double>(host_clock::monotonic_ns()) * 1e-9;
  const double now_s = read_clock(CLOCK_MONOTONIC);
  CHECK(now_s >= before_s);
  CHECK(now_s < before_s + 1);
  usleep(2000);
  CHECK(read_clock(CLOCK_MONOTONIC) >= now_s + 0.002);
  timeval today{};
  gettimeofday(&today, nullptr);
  CHECK(std::abs(static_cast<double>(today.tv_sec) - read_clock(CLOCK_REALTIME)) < 2);
}

TEST_CASE("in a rank the clocks of the C library follow simulated time") {
  const RunRecord record = run(
      1,
      [](int) {
        timeval day{};
        gettimeofday(&day, nullptr);
        expect(day.tv_sec == static_cast<time_t>(epoch_s) + 50, "gettimeofday");
        expect(time(nullptr) == static_cast<time_t>(epoch_s) + 50, "time");
        expect(std::abs(read_clock(CLOCK_REALTIME) - epoch_s - 50) < 1e-3, "CLOCK_REALTIME");
        const double host_s = static_cast<double>(host_clock::monotonic_ns()) * 1e-9;
        expect(read_clock(CLOCK_MONOTONIC) > host_s + 40, "CLOCK_MONOTONIC does not run backwards at the start");
        expect(read_clock(CLOCK_PROCESS_CPUTIME_ID) < 10, "processor time stays real");
      },
      clock_at(), simulated);
  CHECK(record.all_ended_well());
}

TEST_CASE("sleeping takes simulated time and none of the host's") {
  const RunRecord record = run(
      1,
      [](int) {
        const auto started_ns = host_clock::monotonic_ns();
        usleep(500'000);
        sleep(3600);
        const timespec more{2, 500};
        nanosleep(&more, nullptr);
        clock_nanosleep(CLOCK_MONOTONIC, 0, &more, nullptr);
        expect(host_clock::monotonic_ns() - started_ns < 2'000'000'000, "it returned at once");
        const timespec wrong{0, -1};
        expect(nanosleep(&wrong, nullptr) == -1 && errno == EINVAL, "nonsense is refused");
      },
      clock_at(), simulated);
  REQUIRE(record.all_ended_well());
  REQUIRE(record.kinds(0) == std::vector(4, Kind::Sleep));
  CHECK(record.sent[0][0].operation.bytes.count == 500'000'000);
  CHECK(record.sent[0][1].operation.bytes.count == 3'600'000'000'000);
  CHECK(record.sent[0][2].operation.bytes.count == 2'000'000'500);
}

TEST_CASE("sleeping until a time lets pass what is left") {
  const RunRecord record = run(
      1,
      [](int) {
        timespec until{};
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += 7;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
        until.tv_sec -= 7;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);  // is past
      },
      clock_at(), simulated);
  REQUIRE(record.all_ended_well());
  std::vector<std::int64_t> slept;
  for (const Sent& sent : record.sent[0]) {
    if (sent.operation.kind == Kind::Sleep) slept.push_back(sent.operation.bytes.count);
  }
  REQUIRE(slept.size() == 1);
  CHECK(static_cast<double>(slept[0]) == Approx(7e9).epsilon(1e-5));
}

TEST_CASE("a clock that is polled moves, measured or not") {
  const auto settings = GENERATE(simulated, simulated_and_measured);
  const RunRecord record = run(
      1,
      [](int) {
        const auto read_it = [] {
          const Call call(9);
          return wtime();
        };
        const double start_s = read_it();
        double last_s = start_s;
        while (last_s < start_s + 1e-2) {
          const double now_s = read_it();
          expect(now_s >= last_s, "it runs backwards");
          last_s = now_s;
        }
      },
      clock_at(), settings);
  CHECK(record.all_ended_well());
  // 10 ms, and an answer serves for 1 ms; not one question for each of 200,000 readings.
  CHECK(record.kinds(0).size() < 1000);
}

TEST_CASE("the clock shows what was computed, as fast as the simulated host computes it") {
  // The simulated host is three times slower than this one.
  const RunRecord record = run(
      1,
      [](int) {
        for (int i = 0; i < 3; ++i) {
          double start_s = 0;
          {
            const Call call(9);
            start_s = wtime();
          }
          compute(0.02);
          const Call call(9);
          const double took_s = wtime() - start_s;
          expect(took_s > 0.055 && took_s < 0.12, "took " + std::to_string(took_s));
        }
      },
      clock_at(3),
      [](channel::Memory& memory) {
        simulated_and_measured(memory);
        memory.set_compute_factors(std::vector<double>{3});
      });
  CHECK(record.all_ended_well());
}

TEST_CASE("what others take of a processor is seen once, not as its speed") {
  const auto now_s = std::make_shared<double>(50);
  const auto asked = std::make_shared<int>(0);
  const RunRecord record = run(
      1,
      [](int) {
        const auto read_it = [] {
          const Call call(9);
          return wtime();
        };
        const double begin_s = read_it();
        compute(0.002);
        const double first_s = read_it();
        expect(first_s - begin_s > 0.1, "something was taken");
        while (read_it() - first_s < 0.02) compute(2e-5);
      },
      [=](int, const Sent& sent) -> op::Reply {
        *now_s += sent.operation.compute_s;
        if (++*asked == 2) *now_s += 0.1;
        return {.now = {*now_s}};
      },
      simulated_and_measured);
  REQUIRE(record.all_ended_well());
  // An answer serves for 1 ms of computation.
  CHECK(record.kinds(0).size() >= 15);
}

TEST_CASE("repeated readings with little computation between ask the kernel seldom") {
  const RunRecord record = run(
      1,
      [](int) {
        {
          const Call call(9);
          (void)wtime();
        }
        compute(0.001);
        for (int i = 0; i < 1000; ++i) {
          const Call call(9);
          (void)wtime();
        }
      },
      clock_at(), simulated_and_measured);
  REQUIRE(record.all_ended_well());
  CHECK(record.kinds(0).size() < 50);
}

TEST_CASE("computation is reported, as measured, with the next operation, if it is measured") {
  const bool measured = GENERATE(true, false);
  const RunRecord record = run(
      1,
      [](int) {
        compute(0.01);
        const Call call(3);
        const int value = 1;
        send(&value, 1, int_type(), 0, 0, comm_world());
        send(&value, 1, int_type(), 0, 0, comm_world());
      },
      clock_at(),
      [measured](channel::Memory& memory) {
        memory.header().measure_compute = measured ? 1 : 0;
        memory.header().compute_scale = 2;
      });
  REQUIRE(record.all_ended_well());
  const double computed_s = record.sent[0][0].operation.compute_s;
  if (measured) {
    CHECK(computed_s >= 0.01);
    CHECK(computed_s < 0.02);
  } else {
    CHECK(computed_s == 0);
  }
  CHECK(record.sent[0][1].operation.compute_s == 0);
}

TEST_CASE("other threads see time pass without asking") {
  const RunRecord record = run(
      1,
      [](int) {
        expect(time(nullptr) == static_cast<time_t>(epoch_s) + 50, "main thread");
        std::thread([] {
          const double first_s = read_clock(CLOCK_REALTIME);
          expect(first_s >= epoch_s + 50 && first_s < epoch_s + 60, "near the simulated time");
          while (read_clock(CLOCK_REALTIME) < first_s + 0.01) {
          }
        }).join();
      },
      clock_at(), simulated);
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).size() == 1);
}

TEST_CASE("while all wait for a thread that sleeps, simulated time passes") {
  const RunRecord record = run(
      1,
      [](int) {
        const double start_s = read_clock(CLOCK_MONOTONIC);
        std::thread([] { usleep(50'000); }).join();
        const double passed_s = read_clock(CLOCK_MONOTONIC) - start_s;
        expect(passed_s > 0.0499, "as much as it slept, not " + std::to_string(passed_s));
      },
      clock_at(), simulated);
  REQUIRE(record.all_ended_well());
  CHECK(std::ranges::count(record.kinds(0), Kind::Sleep) == 1);
}

TEST_CASE("while another thread computes, that one sleeps does not move the clock") {
  const RunRecord record = run(
      1,
      [](int) {
        const double start_s = read_clock(CLOCK_MONOTONIC);
        std::atomic<bool> slept{false};
        std::thread sleeper([&] {
          usleep(20'000);
          slept = true;
        });
        while (!slept) {
        }
        sleeper.join();
        expect(read_clock(CLOCK_MONOTONIC) < start_s + 0.001, "the computation is what takes time");
      },
      clock_at(), simulated);
  CHECK(record.all_ended_well());
}

TEST_CASE("a wait that nobody ends takes simulated time until its limit, and none of the host's") {
  const RunRecord record = run(
      1,
      [](int) {
        constexpr auto day = std::chrono::hours(24);
        const double start_s = read_clock(CLOCK_MONOTONIC);
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable nobody;
        expect(nobody.wait_for(lock, day) == std::cv_status::timeout, "timeout");
        expect(nobody.wait_until(lock, std::chrono::system_clock::now() + day) == std::cv_status::timeout,
               "timeout by the other clock");
        timespec until{};
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += 86'400;
        sem_t semaphore{};
        sem_init(&semaphore, 0, 0);
        expect(sem_timedwait(&semaphore, &until) == -1 && errno == ETIMEDOUT, "a semaphore's");
        std::promise<int> promise;
        expect(promise.get_future().wait_for(day) == std::future_status::timeout, "a future's");
        const double passed_s = read_clock(CLOCK_MONOTONIC) - start_s;
        expect(passed_s >= 4 * 86'400 && passed_s < 4 * 86'400 + 1, "simulated " + std::to_string(passed_s));
      },
      clock_at(), simulated);
  CHECK(record.all_ended_well());
}

TEST_CASE("a wait while the process has another thread takes as long on the host") {
  const RunRecord record = run(
      1,
      [](int) {
        sem_t end{}, semaphore{};
        sem_init(&end, 0, 0);
        sem_init(&semaphore, 0, 0);
        std::thread idle([&] { sem_wait(&end); });
        const double start_s = read_clock(CLOCK_MONOTONIC);
        const auto started_ns = host_clock::monotonic_ns();
        timespec until{};
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += 1;
        expect(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == -1 && errno == ETIMEDOUT, "timeout");
        expect(read_clock(CLOCK_MONOTONIC) - start_s >= 1, "simulated");
        expect(host_clock::monotonic_ns() - started_ns >= 999'000'000, "on the host");
        sem_post(&end);
        idle.join();
      },
      clock_at(), simulated);
  CHECK(record.all_ended_well());
}

TEST_CASE("a timer fires in the middle of a sleep, whose rest is told") {
  const RunRecord record = run(
      1,
      [](int) {
        static volatile sig_atomic_t came = 0;
        struct sigaction action {};
        action.sa_handler = [](int) { came = 1; };
        sigaction(SIGALRM, &action, nullptr);
        alarm(3600);
        expect(sleep(86'400) == 86'400 - 3600, "what is left of the sleep");
        expect(came == 1, "the handler has run");
        expect(alarm(0) == 0, "it fires once");
      },
      clock_at(), simulated);
  CHECK(record.all_ended_well());
}

TEST_CASE("an alarm comes after as much computation as it was set to") {
  const bool measured = GENERATE(true, false);
  const RunRecord record = run(
      1,
      [](int) {
        static volatile sig_atomic_t came = 0;
        struct sigaction action {};
        action.sa_handler = [](int) { came = 1; };
        sigaction(SIGALRM, &action, nullptr);
        const double start_s = read_clock(CLOCK_MONOTONIC);
        const itimerval soon{{0, 0}, {0, 50'000}};
        setitimer(ITIMER_REAL, &soon, nullptr);
        while (came == 0) {
        }
        expect(read_clock(CLOCK_MONOTONIC) - start_s >= 0.0499, "the clock has come as far");
      },
      clock_at(), measured ? Settings(simulated_and_measured) : Settings(simulated));
  CHECK(record.all_ended_well());
}

TEST_CASE("a wait that another thread ends is over then") {
  const RunRecord record = run(
      1,
      [](int) {
        sem_t semaphore{};
        sem_init(&semaphore, 0, 0);
        timespec until{};
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += 3600;
        std::thread other([&] { sem_post(&semaphore); });
        expect(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &until) == 0, "posted");
        other.join();
      },
      clock_at(), simulated);
  REQUIRE(record.all_ended_well());
  CHECK(std::ranges::count(record.kinds(0), Kind::Sleep) == 0);
}

TEST_CASE("waiting for no descriptor is sleeping") {
  const RunRecord record = run(
      1,
      [](int) {
        timeval hour{3600, 500};
        expect(select(0, nullptr, nullptr, nullptr, &hour) == 0, "select");
        expect(poll(nullptr, 0, 60'000) == 0, "poll");
      },
      clock_at(), simulated);
  REQUIRE(record.all_ended_well());
  REQUIRE(record.kinds(0) == std::vector(2, Kind::Sleep));
  CHECK(record.sent[0][0].operation.bytes.count == 3'600'000'500'000);
  CHECK(record.sent[0][1].operation.bytes.count == 60'000'000'000);
}

TEST_CASE("with the host's clock nothing is asked") {
  const RunRecord record = run(1, [](int) {
    expect(std::abs(read_clock(CLOCK_MONOTONIC) - static_cast<double>(host_clock::monotonic_ns()) * 1e-9) < 1, "real");
    usleep(10);
  });
  CHECK(record.all_ended_well());
  CHECK(record.kinds(0).empty());
}
