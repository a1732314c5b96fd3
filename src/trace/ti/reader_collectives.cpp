// SPDX-License-Identifier: BSD-3-Clause
/// Lines of collectives: how many elements go where, and which datatypes these are.
#include <algorithm>

#include "trace/ti/reader.hpp"

namespace orrery::trace::ti {

void Reader::collective(Action action, op::Operation& operation) {
  begin(operation, action, op::Kind::Collective, op::Blocking | op::Commutative);
  operation.collective = *collective_of(action);
  operation.tag = collectives_++;
  switch (action) {
    case Action::Barrier: break;
    case Action::Bcast:
      operation.bytes.count = count("how many elements");
      operation.peer = optional_root();
      operation.bytes.count *= operation.element = datatype();
      break;
    case Action::Reduce:
    case Action::Allreduce:
    case Action::ReduceScatter:
    case Action::Scan:
    case Action::Exscan: reduction(action, operation); break;
    case Action::Alltoallv: all_to_all_v(operation); break;
    case Action::Gatherv:
    case Action::Scatterv:
    case Action::Allgatherv: rooted_vector(action, operation); break;
    default: equal_blocks(action, operation); break;
  }
  operation.element = std::max<std::int64_t>(1, operation.element);
}

/// Elements, then the flops of combining them, which SMPI charges after the messages.
void Reader::reduction(Action action, op::Operation& operation) {
  const bool scatters = action == Action::ReduceScatter;
  operation.bytes.count = scatters ? read_counts() : count("how many elements");
  after_s_ = seconds_of_flops();
  if (action == Action::Reduce) operation.peer = optional_root();
  operation.bytes.count *= operation.element = datatype();
  if (!scatters) return;
  scale_counts(0, operation.element);
  operation.counts = counts_;
}

/// gather, scatter, allgather, alltoall. Not all ranks give both sizes.
void Reader::equal_blocks(Action action, op::Operation& operation) {
  const std::int64_t sent = count("how many elements go to each rank");
  const std::int64_t received = count("how many elements come from each rank");
  if (action == Action::Gather || action == Action::Scatter) operation.peer = optional_root();
  const std::int64_t sent_bytes = sent * datatype();
  operation.bytes.count = std::max(sent_bytes, received * datatype());
}

/// gatherv and allgatherv: what the rank sends, then what comes from each; scatterv: what goes to each, then its own.
void Reader::rooted_vector(Action action, op::Operation& operation) {
  const bool scatters = action == Action::Scatterv;
  if (!scatters) operation.bytes.count = count("how many elements it sends");
  read_counts();
  if (scatters) operation.bytes.count = count("how many elements it receives");
  if (action != Action::Allgatherv) operation.peer = optional_root();
  const std::int64_t first = datatype(), second = datatype();
  operation.bytes.count *= scatters ? second : first;
  scale_counts(0, scatters ? first : second);
  if (action == Action::Allgatherv || operation.peer == static_cast<std::int32_t>(rank_)) operation.counts = counts_;
}

/// Size of the buffer and what goes to each, size of the buffer and what comes from each.
void Reader::all_to_all_v(op::Operation& operation) {
  (void)number("the size of the send buffer");
  read_counts();
  (void)number("the size of the receive buffer");
  const std::size_t ranks = files_->ranks();
  for (std::size_t i = 0; i < ranks; ++i) counts_.push_back(count("how many elements come from each rank"));
  const std::int64_t sent = datatype(), received = datatype();
  scale_counts(ranks, received);
  for (std::size_t i = 0; i < ranks; ++i) counts_[i] *= sent;
  operation.counts = counts_;
}

std::int64_t Reader::read_counts() {
  counts_.clear();
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < files_->ranks(); ++i) {
    counts_.push_back(count("a number of elements for each rank"));
    sum = std::min(sum + counts_.back(), most_elements);
  }
  return sum;
}

void Reader::scale_counts(std::size_t from, std::int64_t by) {
  for (std::size_t i = from; i < counts_.size(); ++i) counts_[i] *= by;
}

}  // namespace orrery::trace::ti
