// SPDX-License-Identifier: BSD-3-Clause
#include "trace/goal/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "trace/scanner.hpp"

namespace orrery::trace::goal {
namespace {

constexpr std::size_t base = 8;  ///< what the places of graphs are counted from
constexpr std::size_t table = base + 4 + 2;

}  // namespace

bool Schedule::is_binary(std::string_view bytes) {
  return bytes.size() >= 8 && Scanner(std::as_bytes(std::span(bytes.data(), 8))).fixed<std::uint64_t>() == magic;
}

Schedule Schedule::open(const std::string& path) {
  Schedule made;
  made.mapped_ = std::make_shared<const Mapped>(path);
  made.bytes_ = made.mapped_->bytes();
  if (!is_binary(made.mapped_->text())) return of(translate(made.mapped_->text(), path), path);
  made.index(path);
  return made;
}

Schedule Schedule::of(std::vector<std::byte> bytes, const std::string& name) {
  Schedule made;
  made.translated_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  made.bytes_ = *made.translated_;
  made.index(name);
  return made;
}

void Schedule::index(const std::string& path) {
  const auto damaged = [&](const std::string& what) { throw InputError(concat(path, ": is damaged: ", what)); };
  if (bytes_.size() < table) damaged("its head is not complete");
  Scanner head(bytes_.subspan(base));
  const auto ranks = head.fixed<std::uint32_t>();
  cpus_ = head.byte() + 1u;
  nics_ = head.byte() + 1u;
  if (ranks == 0 || ranks > head.left() / 16) damaged(concat("it is too short for ", ranks, " ranks"));
  const std::uint64_t room = bytes_.size() - base;
  graphs_.reserve(ranks);
  first_node_.assign(1, 0);
  first_node_.reserve(ranks + std::size_t{1});
  std::vector<std::pair<std::uint64_t, std::uint64_t>> extents;
  extents.reserve(ranks);
  std::vector<std::uint64_t> list_entries;
  list_entries.reserve(ranks);
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    const auto begin = head.fixed<std::uint64_t>();
    const auto end = head.fixed<std::uint64_t>();
    if (begin > end || end > room || end - begin < 8)
      damaged(concat("the graph of rank ", rank, " lies outside of it"));
    const auto graph_bytes = bytes_.subspan(base + begin, end - begin);
    Scanner scanner(graph_bytes);
    Graph graph{.start = graph_bytes.data(), .nodes = scanner.fixed<std::uint32_t>(), .roots = 0, .list = 0};
    graph.roots = scanner.fixed<std::uint32_t>();
    graph.list = 8 + 4 * std::uint64_t{graph.roots} + node_bytes * std::uint64_t{graph.nodes};
    if (graph.list > graph_bytes.size()) damaged(concat("rank ", rank, " has more nodes than bytes"));
    graphs_.push_back(graph);
    extents.emplace_back(begin, end);
    first_node_.push_back(first_node_.back() + graph.nodes);
    list_entries.push_back((graph_bytes.size() - graph.list) / 4);
  }
  // What a schedule costs is bounded by its size only where no two ranks have the same bytes.
  std::sort(extents.begin(), extents.end());
  for (std::size_t i = 1; i < extents.size(); ++i) {
    if (extents[i].first < extents[i - 1].second)
      damaged(concat("graphs of two ranks have the byte ", base + extents[i].first,
                     " in common; write a graph for each rank"));
  }
  for (std::uint32_t rank = 0; rank < ranks; ++rank) check(path, rank, list_entries[rank]);
}

/// Every number that is used as a place later.
void Schedule::check(const std::string& path, std::uint32_t rank, std::uint64_t list_entries) const {
  const auto refuse = [&](const std::string& what) {
    throw InputError(concat(path, ": is damaged: ", what, " of rank ", rank));
  };
  const std::uint32_t count = nodes(rank);
  for (std::uint32_t i = 0; i < roots(rank); ++i) {
    if (root(rank, i) >= count) refuse("there is no such first node");
  }
  for (std::uint64_t i = 0; i < list_entries; ++i) {
    if (dependent(rank, static_cast<std::uint32_t>(i)) >= count) refuse("there is no such dependent node");
  }
  std::vector<std::uint32_t> required(count);  // by how many others each is named as what waits for them
  std::uint64_t entries_left = list_entries;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Node node = this->node(rank, i);
    if (node.kind < Kind::Send || node.kind > Kind::Compute) refuse(concat("unknown kind of node ", i));
    if (node.cpu >= cpus_ || node.nic >= nics_) refuse(concat("no such processor of node ", i));
    if (node.kind != Kind::Compute && node.size > most_bytes)
      refuse(concat("a message of ", node.size, " bytes, more than ", most_bytes, ", at node ", i));
    const bool wildcard = node.kind == Kind::Receive && node.peer == any;
    if (node.kind != Kind::Compute && !wildcard && node.peer >= ranks()) refuse(concat("no such peer of node ", i));
    const auto fits = [&](std::uint64_t first, std::uint64_t entries) {
      return entries == 0 || (first <= list_entries && entries <= list_entries - first);
    };
    if (!fits(node.first_after_end, node.after_end) || !fits(node.first_after_begin, node.after_begin))
      refuse(concat("no such dependents of node ", i));
    const std::uint64_t entries = std::uint64_t{node.after_end} + node.after_begin;
    if (entries > entries_left) refuse(concat("node ", i, " shares its list of dependents with another one,"));
    entries_left -= entries;
    for (std::uint32_t k = 0; k < node.after_end; ++k) ++required[dependent(rank, node.first_after_end + k)];
    for (std::uint32_t k = 0; k < node.after_begin; ++k) ++required[dependent(rank, node.first_after_begin + k)];
  }
  check_requirements(required, rank, refuse);
}

/// Each node begins once: when as many others as it requires have said so, or as one of the first nodes.
/// @param named  by how many others each node is named as one that waits for them
template <class Refuse>
void Schedule::check_requirements(const std::vector<std::uint32_t>& named, std::uint32_t rank,
                                  const Refuse& refuse) const {
  std::uint32_t without = 0;
  for (std::uint32_t i = 0; i < named.size(); ++i) {
    if (const std::uint32_t said = required(rank, i); said != named[i])
      refuse(concat("node ", i, " requires ", said, " others, and ", named[i], " name it as what waits for them,"));
    without += named[i] == 0 ? 1 : 0;
  }
  std::vector<bool> seen(named.size());
  for (std::uint32_t i = 0; i < roots(rank); ++i) {
    const std::uint32_t node = root(rank, i);
    if (named[node] != 0 || seen[node]) refuse(concat("node ", node, " is no first node, or named twice as one,"));
    seen[node] = true;
  }
  if (without != roots(rank)) refuse(concat("its list of first nodes lacks ", without - roots(rank)));
}

BinaryWriter::BinaryWriter(std::uint32_t ranks) : ranks_(ranks) {
  put(Schedule::magic, 8);
  put(ranks, 4);
  put(0, 2);
  out_.resize(out_.size() + 16 * std::size_t{ranks});
}

void BinaryWriter::put(std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out_.push_back(static_cast<std::byte>(value >> (8 * i)));
}

void BinaryWriter::add(const Draft& draft) {
  const auto count = draft.nodes.size();
  const std::uint64_t begin = out_.size() - base;
  // Dependents of each node, in the order in which they were named: first those of its end, then of its begin.
  std::vector<std::uint32_t> required(count), after_end(count), after_begin(count);
  for (const Draft::Edge& edge : draft.after_end) ++after_end[edge.from], ++required[edge.to];
  for (const Draft::Edge& edge : draft.after_begin) ++after_begin[edge.from], ++required[edge.to];
  std::vector<std::uint32_t> first_end(count), first_begin(count);
  std::uint32_t entries = 0;
  for (std::size_t i = 0; i < count; ++i) {
    first_end[i] = entries;
    first_begin[i] = first_end[i] + after_end[i];
    entries = first_begin[i] + after_begin[i];
  }
  std::vector<std::uint32_t> list(entries);
  std::vector<std::uint32_t> next_end = first_end, next_begin = first_begin;
  for (const Draft::Edge& edge : draft.after_end) list[next_end[edge.from]++] = edge.to;
  for (const Draft::Edge& edge : draft.after_begin) list[next_begin[edge.from]++] = edge.to;

  put(count, 4);
  put(static_cast<std::uint64_t>(std::count(required.begin(), required.end(), 0u)), 4);
  for (std::size_t i = 0; i < count; ++i) {
    if (required[i] == 0) put(i, 4);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Node& node = draft.nodes[i];
    cpu_ = std::max(cpu_, node.cpu);
    nic_ = std::max(nic_, node.nic);
    put(required[i], 4);
    put(static_cast<std::uint64_t>(node.kind), 1);
    put(node.peer, 4);
    put(node.size, 8);
    put(node.tag, 4);
    put(node.cpu, 1);
    put(node.nic, 1);
    put(after_end[i], 4);
    put(first_end[i], 4);
    put(after_begin[i], 4);
    put(first_begin[i], 4);
  }
  for (const std::uint32_t entry : list) put(entry, 4);
  const std::uint64_t end = out_.size() - base;
  const std::size_t place = table + 16 * std::size_t{added_++};
  std::memcpy(&out_[place], &begin, sizeof begin);
  std::memcpy(&out_[place + 8], &end, sizeof end);
}

std::vector<std::byte> BinaryWriter::take() {
  while (added_ < ranks_) add({});
  out_[base + 4] = static_cast<std::byte>(cpu_);
  out_[base + 5] = static_cast<std::byte>(nic_);
  return std::move(out_);
}

}  // namespace orrery::trace::goal
