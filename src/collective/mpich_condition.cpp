// SPDX-License-Identifier: BSD-3-Clause
#include "collective/mpich_condition.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

namespace orrery::collective {
namespace {

using enum op::CollectiveKind;

std::int64_t sum(std::span<const std::int64_t> counts) {
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
}

std::span<const std::int64_t> per_rank(const Call& call) {
  return call.counts.first(static_cast<std::size_t>(call.size));
}

std::int64_t elements(const Call& call, std::int64_t bytes) { return bytes / call.element; }

/// "count": that of the call; of v-collectives the sum.
std::int64_t count(const Call& call) {
  if (call.kind == Allgatherv || call.kind == ReduceScatter) return elements(call, sum(per_rank(call)));
  return elements(call, call.bytes.count);
}

/// "total_msg_size": all that all ranks give, or the sum of the counts. MPICH forgets the size of an element in the
/// immediate reduce_scatter_block.
std::int64_t total(const Call& call) {
  switch (call.kind) {
    case Allgatherv:
    case ReduceScatter:
    case Alltoallv:
    case Alltoallw: return sum(per_rank(call));
    case ReduceScatterBlock:
      if (call.immediate) return elements(call, call.bytes.count) * call.size;
      [[fallthrough]];
    default: return call.bytes.count * call.size;
  }
}

bool regular(const Call& call) {
  const auto counts = per_rank(call);
  return std::ranges::adjacent_find(counts, std::ranges::not_equal_to{}) == counts.end();
}

/// Null where nobody knows, or each rank has a node of its own: to MPICH a flat communicator.
const Nodes* nodes_of(const Call& call) {
  const Nodes* nodes = call.places == nullptr ? nullptr : call.places->nodes();
  return nodes == nullptr || nodes->one_each() ? nullptr : nodes;
}
bool has_nodes(const Call& call) { return nodes_of(call) != nullptr; }
bool on_one_node(const Call& call) { return has_nodes(call) && nodes_of(call)->count() == 1; }
bool has_consecutive_nodes(const Call& call) { return has_nodes(call) && nodes_of(call)->consecutive(); }
std::int64_t node_count(const Call& call) { return has_nodes(call) ? nodes_of(call)->count() : call.size; }

bool always(const Call&, std::int64_t, bool) { return true; }
bool never(const Call&, std::int64_t, bool) { return false; }

}  // namespace

struct MpichCondition::Form {
  std::string_view text;  ///< a number follows if it ends in < or <=
  Predicate holds;
  bool on_message = false;
};

namespace {

constexpr bool per_message = true;  // the condition is on a message

}  // namespace

std::optional<MpichCondition> MpichCondition::parse(std::string_view text) {
  static constexpr Form forms[] = {
      {"comm_type=intra", always},
      {"comm_type=inter", never},
      {"comm_size<=", [](const Call& call, std::int64_t limit, bool) { return call.size <= limit; }},
      {"comm_size<",
       [](const Call& call, std::int64_t limit, bool at_call) { return call.size < limit + (at_call ? 1 : 0); }},
      {"comm_size=pow2",
       [](const Call& call, std::int64_t, bool) { return std::has_single_bit(static_cast<unsigned>(call.size)); }},
      {"comm_size=node_comm_size", [](const Call& call, std::int64_t, bool) { return on_one_node(call); }},
      {"comm_hierarchy=parent", [](const Call& call, std::int64_t, bool) { return has_nodes(call); }},
      {"comm_hierarchy=node_roots", never},
      {"comm_hierarchy=node", never},
      {"comm_hierarchy=flat", [](const Call& call, std::int64_t, bool) { return !has_nodes(call); }},
      {"is_node_consecutive=yes", [](const Call& call, std::int64_t, bool) { return has_consecutive_nodes(call); }},
      {"is_node_consecutive=no", [](const Call& call, std::int64_t, bool) { return !has_consecutive_nodes(call); }},
      {"comm_avg_ppn<=",
       [](const Call& call, std::int64_t limit, bool) { return call.size <= limit * node_count(call); }},
      {"comm_avg_ppn<",
       [](const Call& call, std::int64_t limit, bool) { return call.size < limit * node_count(call); }},
      {"is_multi_threaded=yes", never, per_message},
      {"is_multi_threaded=no", always, per_message},
      {"avg_msg_size<=", [](const Call& call, std::int64_t limit, bool) { return call.bytes.count <= limit; },
       per_message},
      {"avg_msg_size<", [](const Call& call, std::int64_t limit, bool) { return call.bytes.count < limit; },
       per_message},
      {"total_msg_size<=", [](const Call& call, std::int64_t limit, bool) { return total(call) <= limit; },
       per_message},
      {"total_msg_size<", [](const Call& call, std::int64_t limit, bool) { return total(call) < limit; }, per_message},
      {"count<=", [](const Call& call, std::int64_t limit, bool) { return count(call) <= limit; }, per_message},
      {"count<pow2",
       [](const Call& call, std::int64_t, bool) {
         return count(call) < std::int64_t{std::bit_floor(static_cast<unsigned>(call.size))};
       },
       per_message},
      {"is_sendbuf_inplace=yes", [](const Call& call, std::int64_t, bool) { return call.in_place; }, per_message},
      {"is_sendbuf_inplace=no", [](const Call& call, std::int64_t, bool) { return !call.in_place; }, per_message},
      {"is_op_built_in=yes", [](const Call& call, std::int64_t, bool) { return call.built_in; }, per_message},
      {"is_op_built_in=no", [](const Call& call, std::int64_t, bool) { return !call.built_in; }, per_message},
      {"is_commutative=yes", [](const Call& call, std::int64_t, bool) { return call.commutative; }, per_message},
      {"is_commutative=no", [](const Call& call, std::int64_t, bool) { return !call.commutative; }, per_message},
      {"is_block_regular=yes", [](const Call& call, std::int64_t, bool) { return regular(call); }, per_message},
      {"is_block_regular=no", [](const Call& call, std::int64_t, bool) { return !regular(call); }, per_message},
      {"comm_size=any", always},
      {"comm_hierarchy=any", always},
      {"any", always},
      {"avg_msg_size=any", always, per_message},
      {"total_msg_size=any", always, per_message},
      {"count=any", always, per_message},
  };
  for (const Form& form : forms) {
    if (!form.text.ends_with('<') && !form.text.ends_with("<=")) {
      if (form.text == text) return MpichCondition(&form, 0);
      continue;
    }
    if (!text.starts_with(form.text)) continue;
    std::int64_t limit = 0;
    const std::string_view number = text.substr(form.text.size());
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), limit);
    if (error == std::errc{} && end == number.data() + number.size()) return MpichCondition(&form, limit);
  }
  return std::nullopt;
}

bool MpichCondition::holds(const Call& call, bool at_call) const { return form_->holds(call, limit_, at_call); }
bool MpichCondition::on_message() const { return form_->on_message; }

}  // namespace orrery::collective
