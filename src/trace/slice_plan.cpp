// SPDX-License-Identifier: BSD-3-Clause
#include "trace/slice_plan.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "op/stream.hpp"

namespace orrery::trace {

using op::Kind;

bool Window::has(std::uint32_t rank) const {
  return ranks.empty() || std::binary_search(ranks.begin(), ranks.end(), rank);
}

bool WindowReader::next() {
  for (;;) {
    const Decoder::What what = decoder_.next();
    if (what == Decoder::What::End) return false;
    if (what == Decoder::What::Operation) break;  // answers of threads are left behind
  }
  const Beside& beside = decoder_.beside();
  // Operations of one call go together.
  if (decoder_.operation().has(op::FirstOfCall) && beside.end_ns >= 0) {
    timed_ = true;
    inside_ = window_->has_time(beside.begin_ns);
  } else if (!timed_) {
    inside_ = window_->has_time(0);
  }
  answer_.reset();
  // A decoder keeps its present operation while it reads the answer.
  if (decoder_.answer_follows() && decoder_.next() == Decoder::What::Answer && decoder_.answer().thread == 0)
    answer_ = decoder_.answer();
  return true;
}

SlicePlan::SlicePlan(const File& file, const Window& window) : ranks_(file.streams()) {
  members_[0] = file.ranks();
  for (const auto& [number, known] : file.communicators()) members_[number] = known.size;
  using Pass = void (SlicePlan::*)(const File&, const Window&, std::uint32_t);
  for (const Pass pass : {&SlicePlan::read_calls_and_sends, &SlicePlan::read_choices, &SlicePlan::read_receives}) {
    for (std::uint32_t rank = 0; rank < file.streams(); ++rank) {
      if (window.has(rank)) (this->*pass)(file, window, rank);
    }
  }
}

bool SlicePlan::is_counted(const op::Operation& operation) {
  return operation.kind == Kind::Isend || operation.kind == Kind::Irecv || operation.kind == Kind::Probe ||
         operation.kind == Kind::Iprobe;
}

void SlicePlan::read_calls_and_sends(const File& file, const Window& window, std::uint32_t number) {
  WindowReader reader(file, window, number);
  Rank& rank = ranks_[number];
  bool any = false;  // of a stream whose first block is damaged nothing is left, and so no time
  while (reader.next()) {
    any = true;
    const op::Operation& operation = reader.operation();
    if (reader.inside()) {
      note_obstacle(operation);
      if (operation.kind == Kind::Collective) ++calls_[{operation.comm, operation.tag}];
    }
    Message message;
    if (operation.kind == Kind::Isend) {
      const Key key{static_cast<std::int32_t>(number), operation.peer, operation.comm, operation.tag};
      Channel& found = channel(key, message.channel);
      message.ordinal = static_cast<std::uint32_t>(found.inside.size());
      found.inside.push_back(reader.inside() ? 1 : 0);
    }
    if (reader.inside() && is_counted(operation)) rank.counted.push_back(message);
  }
  if (window.cuts_time() && any && !reader.timed())
    throw InputError(concat(file.path(), ": does not say when rank ", number, " did anything: time cannot be cut"));
}

/// What receives of any source or tag that do not block took is told when they are over.
void SlicePlan::read_choices(const File& file, const Window& window, std::uint32_t number) {
  WindowReader reader(file, window, number);
  std::unordered_map<op::RequestId, std::size_t> open;
  for (std::size_t receive = 0; reader.next();) {
    const op::Operation& operation = reader.operation();
    if (operation.kind == Kind::Irecv) {
      if (operation.has(op::WantsMatch) && operation.request != 0) open[operation.request] = receive;
      ++receive;
    }
    if (operation.kind != Kind::Match || !reader.answer()) continue;
    const auto found = open.find(operation.request);
    if (found == open.end()) continue;
    ranks_[number].chosen[found->second] = {reader.answer()->source, reader.answer()->tag};
    open.erase(found);
  }
}

void SlicePlan::read_receives(const File& file, const Window& window, std::uint32_t number) {
  WindowReader reader(file, window, number);
  Rank& rank = ranks_[number];
  std::size_t receive = 0, counted = 0;
  while (reader.next()) {
    const op::Operation& operation = reader.operation();
    if (!is_counted(operation)) continue;
    if (operation.kind != Kind::Isend) {
      const Message message = take(number, receive, reader);
      if (operation.kind == Kind::Irecv) ++receive;
      if (reader.inside()) rank.counted[counted] = message;
    }
    if (reader.inside()) ++counted;
  }
}

/// The message that a receive or probe is about; none where it found none, or comes from a rank that is not wanted.
SlicePlan::Message SlicePlan::take(std::uint32_t number, std::size_t receive, WindowReader& reader) {
  const op::Operation& operation = reader.operation();
  const bool probe = operation.kind != Kind::Irecv;
  Rank& rank = ranks_[number];
  if (!probe && operation.has(op::Take)) {
    const auto found = rank.probed.find({operation.peer, static_cast<std::uint32_t>(operation.element)});
    return found == rank.probed.end() ? Message{} : found->second;
  }
  Took took{operation.peer, operation.tag};
  if (reader.answer()) {
    if (operation.kind == Kind::Iprobe && !reader.answer()->flag) return {};
    if (probe || operation.has(op::WantsMatch)) took = {reader.answer()->source, reader.answer()->tag};
  } else if (const auto known = rank.chosen.find(receive); !probe && known != rank.chosen.end()) {
    took = known->second;
  }
  if (took.source < 0 || took.tag == op::any_tag) {
    if (reader.inside()) obstacles_.insert("of a receive of any source or tag it is not known what it took");
    return {};
  }
  Message message;
  Channel& found = channel({took.source, static_cast<std::int32_t>(number), operation.comm, took.tag}, message.channel);
  message.ordinal = found.receives;
  if (probe && !operation.has(op::Take)) return message;
  ++found.receives;
  if (message.ordinal < found.inside.size() && reader.inside()) found.inside[message.ordinal] |= 2;
  if (probe) rank.probed[{took.source, reader.answer() ? reader.answer()->sequence : 0}] = message;
  return message;
}

SlicePlan::Channel& SlicePlan::channel(const Key& key, std::uint32_t& number) {
  const auto [found, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(channels_.size()));
  if (fresh) channels_.emplace_back();
  number = found->second;
  return channels_[number];
}

bool SlicePlan::keeps(std::uint32_t rank, std::size_t number) const {
  if (number >= ranks_[rank].counted.size()) return false;
  const Message& message = ranks_[rank].counted[number];
  if (message.channel >= channels_.size()) return false;
  const std::vector<std::uint8_t>& inside = channels_[message.channel].inside;
  return message.ordinal < inside.size() && inside[message.ordinal] == 3;
}

bool SlicePlan::keeps_collective(const op::Operation& operation) const {
  const auto members = members_.find(operation.comm);
  const auto inside = calls_.find({operation.comm, operation.tag});
  return members != members_.end() && inside != calls_.end() && inside->second == members->second;
}

void SlicePlan::note_obstacle(const op::Operation& operation) {
  switch (operation.kind) {
    case Kind::Service: obstacles_.insert("ranks are started in it"); break;
    case Kind::Psend:
    case Kind::Precv: obstacles_.insert("it has partitioned messages"); break;
    default: break;
  }
  if (op::is_apart(operation)) obstacles_.insert("threads of a rank wait in it");
}

}  // namespace orrery::trace
