// SPDX-License-Identifier: BSD-3-Clause
#include "computation/estimator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"

using namespace orrery::computation;

namespace {

constexpr int ranks = 64, usual_steps = 240;
constexpr double unit_s = 1e-4;

using Random = std::mt19937_64;
/// Units of work of a rank in a step.
using Work = std::function<double(int rank, int step, Random&)>;

/// What a host adds to work: all samples differ a little, some were interrupted, few for long. The first one is half as
/// long again, as its memory is cold.
struct Noise {
  double deviation, interrupted, interruption, long_ones;

  double measured(double work, int step, Random& random) const {
    std::normal_distribution<> normal;
    std::uniform_real_distribution<> uniform;
    double units = work * std::exp(deviation * normal(random));
    if (uniform(random) < interrupted) units += std::exponential_distribution<>(1 / interruption)(random);
    if (uniform(random) < long_ones) units += 1 + 3 * uniform(random);
    return step == 0 ? 1.5 * units : units;
  }
};
constexpr Noise light{0.03, 0.015, 0.2, 0.001};
constexpr Noise heavy{0.07, 0.04, 0.25, 0.002};

/// All ranks wait for the slowest in each step: the time of the program, in units.
struct Times {
  double exact = 0, raw = 0, charged = 0, at_end = 0;
  Sums sums = {};
};

Times times_of(const Work& work, const Noise& noise, unsigned seed, bool counted = false, int steps = usual_steps) {
  constexpr double instructions_of_unit = 250'000;
  Random random(seed);
  std::vector<Estimator> estimators(ranks);
  Times times;
  for (int step = 0; step < steps; ++step) {
    double exact = 0, raw = 0, charged_s = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const double units = work(rank, step, random);
      const double measured = noise.measured(units, step, random);
      const auto instructions = counted ? static_cast<std::uint64_t>(instructions_of_unit * units) : 0;
      const auto place = static_cast<std::size_t>(rank);
      charged_s = std::max(charged_s, estimators[place].charge({measured * unit_s, 0, instructions}));
      exact = std::max(exact, units);
      raw = std::max(raw, measured);
    }
    times.exact += exact;
    times.raw += raw;
    times.charged += charged_s / unit_s;
  }
  double at_end_s = 0;
  for (Estimator& estimator : estimators) {
    at_end_s = std::max(at_end_s, estimator.settle());
    times.sums += estimator.sums();
  }
  times.at_end = at_end_s / unit_s;
  return times;
}

/// A cycle of a multigrid method goes down from the finest of six grids and up again, and exchanges three faces of
/// each: there is work before the first of them, an eighth of it on the next grid.
double work_of_multigrid(int /*rank*/, int step, Random& /*random*/) {
  constexpr int grids = 6, faces = 3, finest = 20;
  const int stage = (step + 1) / faces % (4 * grids);  // two exchanges on each grid, each way
  const int grid = stage < 2 * grids ? stage / 2 : (4 * grids - 1 - stage) / 2;
  return 0.02 + ((step + 1) % faces == 0 ? finest * std::pow(8.0, -grid) : 0);
}

struct Pattern {
  const char* name;
  Work work;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> all{
      {"equal", [](int, int, Random&) { return 1.0; }},
      {"triangular", [](int rank, int, Random&) { return 2.0 * (rank + 1) / ranks; }},
      {"drifting", [](int, int step, Random&) { return 1 + 2.0 * step / usual_steps; }},
      {"alternating", [](int, int step, Random&) { return step % 2 == 0 ? 1.0 : 3.0; }},
      {"every tenth step ten times as much", [](int, int step, Random&) { return step % 10 == 9 ? 10.0 : 1.0; }},
      {"the same of one rank", [](int rank, int step, Random&) { return step % 10 == 9 && rank == 3 ? 10.0 : 1.0; }},
      {"one slow rank", [](int rank, int, Random&) { return rank == 5 ? 2.0 : 1.0; }},
      {"one rank a little slower", [](int rank, int, Random&) { return rank == 5 ? 1.1 : 1.0; }},
      {"work that doubles", [](int, int step, Random&) { return step < usual_steps / 2 ? 1.0 : 2.0; }},
      {"work of one rank that doubles",
       [](int rank, int step, Random&) { return rank != 7 || step < usual_steps / 2 ? 1.0 : 2.0; }},
      {"drawn", [](int, int, Random& random) { return std::uniform_real_distribution<>(0.5, 1.5)(random); }},
  };
  return all;
}

}  // namespace

TEST_CASE("work that is known is charged, whatever the host adds") {
  for (const auto& [name, work] : patterns()) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      CAPTURE(name, seed);
      const Times quiet = times_of(work, {}, seed);
      CHECK(std::abs(quiet.charged / quiet.exact - 1) < 0.03);
      const Times little = times_of(work, light, seed);
      CHECK(std::abs(little.charged / little.exact - 1) < 0.05);
      const Times much = times_of(work, heavy, seed);
      const bool drawn = std::string(name) == "drawn";  // of each draw it is not known what the host has added
      CHECK(std::abs(much.charged / much.exact - 1) < (drawn ? 0.2 : 0.1));
      CHECK(much.charged < much.raw);
    }
  }
}

TEST_CASE("counted instructions tell work from noise, however the work is drawn") {
  const std::vector<Pattern> more{
      {"exponential", [](int, int, Random& random) { return 0.01 + std::exponential_distribution<>(1)(random); }},
      {"alternating by ranks", [](int rank, int step, Random&) { return (rank + step) % 2 == 0 ? 1.0 : 1.3; }},
  };
  for (const auto* list : {&patterns(), &more}) {
    for (const auto& [name, work] : *list) {
      CAPTURE(name);
      const Times little = times_of(work, light, 1, true);
      CHECK(std::abs(little.charged / little.exact - 1) < 0.05);
      const Times much = times_of(work, heavy, 1, true);
      CHECK(std::abs(much.charged / much.exact - 1) < 0.1);
    }
  }
}

TEST_CASE("the sum of a region stays, but for what is said to be removed") {
  for (const auto& [name, work] : patterns()) {
    CAPTURE(name);
    Sums sums = times_of(work, heavy, 4).sums;
    CHECK(std::abs(sums.charged_s + sums.removed_s - sums.measured_s) < 0.03 * sums.measured_s);
    CHECK(sums.removed_s < 0.05 * sums.measured_s);
    CHECK(sums.repeated_s > 0.95 * sums.measured_s);
  }
}

TEST_CASE("a cycle of many lengths of work is none of this host's noise") {
  for (const bool counted : {false, true}) {
    for (const unsigned seed : {1U, 2U, 3U}) {
      CAPTURE(counted, seed);
      const Times quiet = times_of(work_of_multigrid, {}, seed, counted, 1'440);
      CHECK(std::abs((quiet.charged + quiet.at_end) / quiet.exact - 1) < 0.03);
      const Times little = times_of(work_of_multigrid, light, seed, counted, 1'440);
      CHECK(std::abs((little.charged + little.at_end) / little.exact - 1) < 0.1);
      CHECK(little.sums.removed_s < 0.01 * little.sums.measured_s);
      const Times much = times_of(work_of_multigrid, heavy, seed, counted, 1'440);
      CHECK(much.charged + much.at_end - much.exact < 0.5 * (much.raw - much.exact));
      CHECK(much.sums.removed_s < 0.02 * much.sums.measured_s);
    }
  }
}

TEST_CASE("of three cycles of many lengths of work little is held back for good") {
  for (const Noise& noise : {light, heavy}) {
    const Times times = times_of(work_of_multigrid, noise, 5);
    CHECK(times.charged + times.at_end < times.raw);
    CHECK(times.charged + times.at_end > times.exact);
    CHECK(times.sums.removed_s < 0.03 * times.sums.measured_s);
  }
}

TEST_CASE("an outlier that nothing confirms is not charged, and is counted") {
  Estimator estimator;
  double charged_s = 0;
  for (int step = 0; step < 100; ++step) charged_s += estimator.charge({step == 50 ? 900e-6 : 100e-6, 0, 0});
  CHECK(charged_s == Approx(100 * 100e-6).epsilon(0.01));
  CHECK(estimator.sums().outliers == 1);
  CHECK(estimator.sums().removed_s == Approx(800e-6).epsilon(0.01));
}

TEST_CASE("work that comes every fortieth time is charged once it has come three times") {
  Estimator estimator;
  double charged_s = 0;
  for (int step = 0; step < 200; ++step) charged_s += estimator.charge({step % 40 == 39 ? 900e-6 : 100e-6, 0, 0});
  charged_s += estimator.settle();
  CHECK(charged_s == Approx(195 * 100e-6 + 5 * 900e-6).epsilon(0.02));
  CHECK(estimator.sums().outliers == 0);
}

TEST_CASE("rare work of one length is charged, however many short disturbances come between") {
  Random random(7);
  std::uniform_real_distribution<> uniform;
  Estimator estimator;
  double charged_s = 0, work_s = 0;
  for (int step = 0, next = 80; step < 2'000; ++step) {
    const bool rare = step == next;
    if (rare) next += 80 + static_cast<int>(6 * uniform(random));
    const double work = rare ? 2.6e-3 : 16e-6;
    const double noise = uniform(random) < 0.1 ? 30e-6 * uniform(random) : 0;
    charged_s += estimator.charge({work * (1 + 0.03 * uniform(random)) + noise, 0, 0});
    work_s += work;
  }
  charged_s += estimator.settle();
  CHECK(charged_s == Approx(work_s).epsilon(0.1));
}

TEST_CASE("rare disturbances of all lengths are removed") {
  double removed_s = 0, added_s = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::uniform_real_distribution<> uniform;
    Estimator estimator;
    for (int step = 0; step < 2'000; ++step) {
      const double noise = uniform(random) < 1.0 / 60 ? 50e-6 * std::exp(4 * uniform(random)) : 0;
      (void)estimator.charge({100e-6 * (1 + 0.03 * uniform(random)) + noise, 0, 0});
      added_s += noise;
    }
    removed_s += estimator.sums().removed_s;
  }
  CHECK(removed_s > 0.8 * added_s);
}

TEST_CASE("what takes much longer than any disturbance is work") {
  Estimator estimator;
  for (int step = 0; step < 50; ++step) (void)estimator.charge({1e-3, 0, 0});
  CHECK(estimator.charge({0.5, 0, 0}) == 0.5);
  CHECK(estimator.sums().outliers == 0);
}

TEST_CASE("memory that is touched first is charged where that happens") {
  Estimator estimator;
  for (int step = 0; step < 20; ++step) {
    const bool touches = step == 0 || step == 12;
    const double measured_s = touches ? 400e-6 : 100e-6;
    const double charged_s = estimator.charge({measured_s, touches ? 300U : 0U, 0});
    CHECK(charged_s == Approx(measured_s).epsilon(0.06));
  }
}

TEST_CASE("a region that maps its memory anew each time is steady all the same") {
  Estimator estimator;
  double largest_s = 0;
  for (int step = 0; step < 60; ++step) {
    const double charged_s = estimator.charge({step % 7 == 6 ? 250e-6 : 100e-6, 64, 0});
    if (step > 3) largest_s = std::max(largest_s, charged_s);
  }
  CHECK(largest_s < 260e-6);
}

TEST_CASE("short regions are charged as measured, but for interruptions") {
  Estimator estimator;
  for (int step = 0; step < 20; ++step) CHECK(estimator.charge({300e-9, 0, 0}) == 300e-9);
  CHECK(estimator.charge({1900e-9, 0, 0}) == Approx(300e-9));
  CHECK(estimator.sums().outliers == 1);
  for (int step = 0; step < 3; ++step) (void)estimator.charge({1900e-9, 0, 0});
  CHECK(estimator.charge({1900e-9, 0, 0}) == 1900e-9);
}

TEST_CASE("short regions whose work comes in two lengths keep it") {
  Estimator estimator;
  double charged_s = 0;
  for (int step = 0; step < 4'000; ++step) charged_s += estimator.charge({step % 4 == 3 ? 1900e-9 : 300e-9, 0, 0});
  CHECK(charged_s > 0.78 * 1'000 * (3 * 300e-9 + 1900e-9));
}

TEST_CASE("the first interruption of a short region is none of its work") {
  Estimator estimator;
  for (int step = 0; step < 40; ++step) (void)estimator.charge({(20 + 10 * (step % 5)) * 1e-9, 0, 0});
  CHECK(estimator.charge({8e-6, 0, 0}) < 100e-9);
  CHECK(estimator.sums().removed_s == Approx(8e-6).epsilon(0.02));
  double charged_s = 0;
  for (int step = 0; step < 400; ++step) charged_s += estimator.charge({(20 + 10 * (step % 5)) * 1e-9, 0, 0});
  CHECK(charged_s == Approx(400 * 40e-9).epsilon(0.1));
}

TEST_CASE("a short region whose every tenth work is long, or all of it from a step on, keeps that") {
  for (const bool at_times : {true, false}) {
    Estimator estimator;
    double charged_s = 0, work_s = 0;
    for (int step = 0; step < 600; ++step) {
      const bool is_long = at_times ? step % 10 == 9 : step >= 100;
      const double work = is_long ? 12e-6 : 50e-9;
      charged_s += estimator.charge({work, 0, 0});
      work_s += work;
    }
    charged_s += estimator.settle();
    CHECK(charged_s == Approx(work_s).epsilon(0.03));
  }
}

TEST_CASE("work that takes the same time each time is charged that, however its caches were, and other work its part") {
  Estimator estimator;
  const auto measured_s = [](int step) { return 100e-6 + 3e-6 * (step % 9); };  // 112 µs in the mean
  for (int step = 0; step < 36; ++step) (void)estimator.charge({measured_s(step), 0, 0});
  estimator.takes_always(0.5);
  for (int step = 36; step < 100; ++step)
    CHECK(estimator.charge({measured_s(step), 0, 0}) == Approx(56e-6).epsilon(0.01));
  double charged_s = 0;
  for (int step = 0; step < 20; ++step) charged_s = estimator.charge({2 * measured_s(step), 0, 0});
  CHECK(charged_s == Approx(2 * 56e-6).epsilon(0.06));
}

TEST_CASE("a part that is known of usual work is none of much longer work, and follows work that grows") {
  Estimator estimator;
  for (int step = 0; step < 4'000; ++step) (void)estimator.charge({step % 4 == 3 ? 800e-6 : 10e-6, 0, 0});
  estimator.takes_with_warm_caches(0.1);
  double charged_s = 0;
  for (int step = 0; step < 40; ++step) charged_s += estimator.charge({step % 4 == 3 ? 800e-6 : 10e-6, 0, 0});
  CHECK(charged_s == Approx(10 * 800e-6 + 30 * 1e-6).epsilon(0.02));
  Estimator grows;
  for (int step = 0; step < 40; ++step) (void)grows.charge({10e-6, 0, 0});
  grows.takes_with_warm_caches(0.5);
  double last_s = 0;
  for (int step = 0; step < 400; ++step) last_s = grows.charge({10e-6 * (1 + step * 0.025), 0, 0});
  CHECK(last_s == Approx(0.5 * 110e-6).epsilon(0.05));
}

TEST_CASE("filling caches costs work that is short the same, however long it is") {
  Estimator estimator;
  const auto measured_s = [](int step) { return step % 10 == 9 ? 1.9e-6 : 1e-6; };
  for (int step = 0; step < 40; ++step) (void)estimator.charge({measured_s(step), 0, 0});
  estimator.takes_with_warm_caches(0.7);
  for (int step = 0; step < 40; ++step) {
    const double charged_s = estimator.charge({measured_s(step), 0, 0});
    if (step < 10) CHECK(charged_s == Approx(measured_s(step) - 0.3e-6).epsilon(0.05));
  }
}

TEST_CASE("samples whose pages were copied back are charged as usual, and are no kind of work however many there are") {
  Estimator estimator;
  for (int step = 0; step < 12; ++step) (void)estimator.charge({100e-6, 0, 0});
  for (int step = 0; step < 8; ++step) CHECK(estimator.charge_after_copy({.seconds = 400e-6}) == Approx(100e-6));
  CHECK(estimator.charge_after_copy({.seconds = 90e-6}) < 101e-6);
  CHECK(estimator.charge({100e-6, 0, 0}) == Approx(100e-6).epsilon(0.02));
  CHECK(estimator.sums().removed_s == Approx(8 * 300e-6));
  CHECK(estimator.charge_after_copy({.seconds = 20e-3}) == Approx(20e-3).epsilon(0.001));  // other work
}
