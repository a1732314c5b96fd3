// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/clock/compute_meter.hpp"

#include <algorithm>

namespace orrery::mpi {
namespace {

/// A call that took longer may have slept.
constexpr std::int64_t short_call_ns = 2'000;

}  // namespace

ComputeMeter::ComputeMeter(Clock monotonic_ns, Clock processor_ns)
    : monotonic_(monotonic_ns), processor_(processor_ns) {
  base_processor_ns_ = processor_();
  base_ns_ = started_ns_ = stopped_ns_ = monotonic_();
}

void ComputeMeter::start() {
  started_ns_ = monotonic_();
  if (started_ns_ - stopped_ns_ <= short_call_ns) return;
  base_processor_ns_ = processor_();
  base_ns_ = started_ns_ = monotonic_();
}

std::int64_t ComputeMeter::stop() {
  stopped_ns_ = monotonic_();
  if (stopped_ns_ - started_ns_ < short_computation_ns) return stopped_ns_ - started_ns_;
  const std::int64_t processor = processor_();
  const std::int64_t result = used(stopped_ns_, processor);
  base_ns_ = stopped_ns_;
  base_processor_ns_ = processor;
  return result;
}

std::int64_t ComputeMeter::used(std::int64_t now, std::int64_t processor) const {
  const std::int64_t since_base = processor - base_processor_ns_;
  return std::clamp<std::int64_t>(since_base - (started_ns_ - base_ns_), 0, now - started_ns_);
}

}  // namespace orrery::mpi
