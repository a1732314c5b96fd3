// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/extension/sampler.hpp"

#include <sched.h>

#include <utility>

#include "base/error.hpp"
#include "mpi/extension/extension.hpp"
#include "mpi/process/environment.hpp"
#include "mpi/process/process.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {
namespace {

/// A function of the other file here, so that linkers, which take from an archive what is asked for, take it.
[[gnu::used]] void (*const declares)(double) noexcept = &orrery_compute;

using channel::SampledPlace;
using channel::Site;
using channel::SiteKind;
using channel::Times;

constexpr double outside = 0.05;  ///< of the interval that a precision is about
constexpr std::uint64_t look_again_ns = 1'000'000;

bool has_enough(const Times& executed, const Wanted& wanted) {
  if (executed.count < static_cast<std::uint64_t>(wanted.executions)) return false;
  return wanted.precision == 0 || executed.half_width_s(0, outside) <= wanted.precision * executed.mean_s;
}

/// Ranks hold it for a few instructions; one that is killed meanwhile ends the run.
class PlaceLock {
 public:
  explicit PlaceLock(SampledPlace& place) : lock_(place.lock) {
    while (lock_.exchange(1, std::memory_order_acquire) != 0) sched_yield();
  }
  PlaceLock(const PlaceLock&) = delete;
  PlaceLock& operator=(const PlaceLock&) = delete;
  ~PlaceLock() { lock_.store(0, std::memory_order_release); }

 private:
  std::atomic<std::uint32_t>& lock_;
};

Times executed_by_all(SampledPlace& place) {
  const PlaceLock held(place);
  return place.together;
}

}  // namespace

bool Sampler::begin(bool global, const char* file, std::int32_t line, const Wanted& wanted) {
  if (in_block()) end_run(concat(file, ":", line, ": a sampled block is inside of another, ", name(*site_)), 1);
  if (wanted.executions < 1 || !(wanted.precision >= 0)) {
    end_run(concat(file, ":", line, ": a block is sampled ", wanted.executions, " times with precision ",
                   wanted.precision, ": expected at least once, and a precision of 0 or more"),
            1);
  }
  const Site& site = site_of(global, file, line);
  if (rank_.settings().execute_all != 0 || executes(site, wanted)) {
    computed_before_s_ = rank_.computed_s();
    site_ = &site;
    return true;
  }
  const double mean_s = global ? executed_by_all(place(site)).mean_s : own(site).executed.mean_s;
  ++own(site).skipped;
  rank_.add_computation(mean_s);
  return false;
}

void Sampler::end() {
  if (!in_block()) return;
  const double took_s = rank_.computed_s() - computed_before_s_;
  const Site& site = *std::exchange(site_, nullptr);
  own(site).executed.add(took_s);
  if (site.kind != SiteKind::SampledByAll) return;
  const PlaceLock held(place(site));
  place(site).together.add(took_s);
}

void Sampler::refuse_call() const {
  end_run(concat("MPI was called in the sampled block ", name(*site_),
                 ", or that was left by break, return or goto: a rank that skips it would not do the same"),
          1);
}

const Site& Sampler::site_of(bool global, const char* file, std::int32_t line) {
  const Site*& known = known_[{file, line}];
  if (known == nullptr) known = &channel::sampled_place(rank_.memory(), file, line, global);
  return *known;
}

SampledPlace& Sampler::place(const Site& site) const { return *rank_.memory().as<SampledPlace>(site.what); }

channel::SampledByRank& Sampler::own(const Site& site) const {
  return rank_.memory().as<channel::SampledByRank>(place(site).ranks)[rank_.world_rank()];
}

bool Sampler::executes(const Site& site, const Wanted& wanted) {
  if (site.kind == SiteKind::SampledByAll) return executes_together(place(site), wanted);
  return !has_enough(own(site).executed, wanted);
}

bool Sampler::executes_together(SampledPlace& place, const Wanted& wanted) {
  for (;;) {
    {
      const PlaceLock held(place);
      const bool begins = place.begun < static_cast<std::uint64_t>(wanted.executions) ||
                          (place.together.count >= static_cast<std::uint64_t>(wanted.executions) &&
                           !has_enough(place.together, wanted));
      if (begins) ++place.begun;
      if (begins || place.together.count > 0) return begins;
    }
    rank_.pause(look_again_ns);
  }
}

std::string Sampler::name(const Site& site) const { return concat(rank_.memory().as<char>(site.file), ":", site.line); }

}  // namespace orrery::mpi

// --- what the program calls ------------------------------------------------------------------------------------------

using namespace orrery::mpi;

ORRERY_EXTENDS int orrery_sample_begin(int global, const char* file, int line, long executions,
                                       double precision) noexcept {
  Rank* rank = rank_if_running();
  // Alone, or no rank: what the program computes is what it is for.
  if (rank == nullptr || process().alone) return 1;
  return rank->sampler().begin(global != 0, file, line, {executions, precision}) ? 1 : 0;
}

ORRERY_EXTENDS void orrery_sample_end() noexcept {
  Rank* rank = rank_if_running();
  if (rank != nullptr && !process().alone) rank->sampler().end();
}
