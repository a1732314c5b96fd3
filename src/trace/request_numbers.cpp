// SPDX-License-Identifier: BSD-3-Clause
#include "trace/request_numbers.hpp"

#include "op/stream.hpp"

namespace orrery::trace {

RequestNumbers::Name RequestNumbers::add(std::uint32_t number) {
  requests_.push_back({.uses = 1});
  return latest_[number] = static_cast<Name>(requests_.size());
}

/// A number that nothing has started, as in damaged files, is a request all the same.
RequestNumbers::Name RequestNumbers::find(std::uint32_t number) {
  const auto found = latest_.find(number);
  if (found == latest_.end()) return add(number);
  ++requests_[found->second - 1].uses;
  return found->second;
}

RequestNumbers::Name RequestNumbers::named(const op::Operation& operation) {
  if (operation.request == 0) return 0;
  // A part belongs to the request that Join has started.
  const bool part = operation.has(op::Part) && !op::may_wait(operation);
  if (part || operation.kind == op::Kind::Match || operation.kind == op::Kind::Arrived) return find(operation.request);
  if (!op::is_one_sided(operation.kind)) return add(operation.request);
  // Accesses to one target are one request until something waits for it.
  const auto found = latest_.find(operation.request);
  const bool under_way = found != latest_.end() && !requests_[found->second - 1].over;
  return under_way ? find(operation.request) : add(operation.request);
}

RequestNumbers::Name RequestNumbers::named_in_tag(const op::Operation& operation) {
  return op::is_one_sided(operation.kind) && operation.tag > 0 ? add(static_cast<std::uint32_t>(operation.tag)) : 0;
}

void RequestNumbers::name(op::Kind kind, std::span<std::uint32_t> requests) {
  for (std::uint32_t& request : requests) {
    if (request == 0) continue;
    request = find(request);
    requests_[request - 1].asked_about = true;
    if (kind == op::Kind::WaitAll) requests_[request - 1].over = true;
  }
}

std::uint32_t RequestNumbers::number(Name name) {
  if (name == 0) return 0;
  std::uint32_t& number = requests_[name - 1].number;
  if (number != 0) return number;
  if (free_.empty()) return number = ++numbers_;
  number = free_.back();
  free_.pop_back();
  return number;
}

void RequestNumbers::used(Name name) {
  if (name == 0) return;
  Request& request = requests_[name - 1];
  if (--request.uses == 0 && request.asked_about) free_.push_back(request.number);
}

}  // namespace orrery::trace
