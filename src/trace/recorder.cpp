// SPDX-License-Identifier: BSD-3-Clause
#include "trace/recorder.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "op/sleep.hpp"
#include "trace/record.hpp"

namespace orrery::trace {

Recorder::Recorder(op::Streams& streams, const std::string& path, std::uint32_t ranks, std::uint32_t capacity,
                   FindMembers find_members)
    : streams_(streams), path_(path), find_members_(std::move(find_members)), ranks_(capacity) {
  writer_ = orrery_trace_create(path.c_str(), ranks);
  if (writer_ == nullptr) throw InputError(concat(path, ": ", std::strerror(errno), ": cannot write the trace"));
  for (std::uint32_t rank = 0; rank < ranks; ++rank) ranks_[rank].stream = orrery_trace_open_stream(writer_, rank);
  defined_.insert(0);  // MPI_COMM_WORLD: all ranks of the start
}

Recorder::~Recorder() {
  if (writer_ == nullptr) return;
  end_streams();
  orrery_trace_close(writer_);
}

void Recorder::add_property(const std::string& key, const std::string& value) {
  orrery_trace_property(writer_, key.c_str(), value.c_str());
}

void Recorder::add_names(orrery_trace_table table, std::span<const std::string_view> names) {
  const std::vector<std::string> owned(names.begin(), names.end());
  std::vector<const char*> texts;
  texts.reserve(owned.size());
  for (const std::string& name : owned) texts.push_back(name.c_str());
  orrery_trace_names(writer_, table, 0, texts.data(), static_cast<std::uint32_t>(texts.size()));
}

void Recorder::add_site(std::uint32_t number, const std::string& text) {
  const char* const name = text.c_str();
  orrery_trace_names(writer_, ORRERY_TRACE_SITES, number, &name, 1);
}

void Recorder::add_local_calls(std::uint32_t rank, std::span<const orrery_trace_local_calls> calls) {
  orrery_trace_local(writer_, rank, calls.data(), static_cast<std::uint32_t>(calls.size()));
}

op::Pull Recorder::next(WorldRank world_rank, op::Operation& operation) {
  Rank& rank = at(world_rank);
  write(rank);
  const op::Pull pull = streams_.next(world_rank, operation);
  if (pull == op::Pull::End) rank.ended = true;
  if (pull != op::Pull::Ready) return pull;
  if (rank.stream == nullptr) {
    rank.stream = orrery_trace_open_stream(writer_, static_cast<std::uint32_t>(index(world_rank)));
    if (rank.stream == nullptr) return pull;
  }
  define(operation.comm);
  keep(rank, operation);
  return pull;
}

void Recorder::keep(Rank& rank, const op::Operation& o) {
  orrery_trace_record& r = rank.record;
  r = record_of(o);
  if (!keeps_sites_) r.site = 0;
  // These name places in the memory of the run, which mean nothing afterwards.
  if (o.kind == op::Kind::Service) r.bytes = r.element = 0;
  if (op::is_one_sided(o.kind)) r.element = 0;
  // The numbers of algorithms are those of this version; what ran is written by its name.
  if (o.kind == op::Kind::Collective) r.algorithm = 0;
  rank.pending = true;
  rank.answered = false;
  rank.late_s = 0;
  if (o.kind == op::Kind::Finalize) rank.ended = true;
}

void Recorder::define(op::CommId comm) {
  if (!defined_.insert(comm).second) return;
  const Members members = find_members_(comm);
  if (members.world_ranks.empty()) return;
  orrery_trace_communicator(writer_, comm, static_cast<std::uint32_t>(members.first_group), members.world_ranks.data(),
                            static_cast<std::uint32_t>(members.world_ranks.size()));
}

void Recorder::reply(WorldRank world_rank, const op::Reply& reply) {
  Rank& rank = at(world_rank);
  if (reply.thread != 0) write(rank);  // the thread's operation may be long past
  if (rank.stream != nullptr) {
    rank.completed.assign(reply.completed.begin(), reply.completed.end());
    rank.answer = answer_of(reply);
    rank.answer.completed = rank.completed.data();
    if (rank.record.kind == static_cast<std::uint8_t>(op::Kind::Service)) {
      rank.answer.bytes = 0;
      rank.answer.sequence = 0;
      if (reply.flag && reply.tag > 0) define(static_cast<op::CommId>(reply.tag));  // of parents and children
    }
    rank.answered = true;
    if (reply.thread != 0) write(rank);
  }
  streams_.reply(world_rank, reply);
}

void Recorder::started(std::int32_t number, op::RoutineId routine, SimTime begin, SimTime end) {
  Rank& rank = at(WorldRank{number});
  if (rank.stream == nullptr) return;
  orrery_trace_record record = record_of({.flags = op::FirstOfCall, .routine = routine});
  record.begin_ns = std::llround(begin.s * 1e9);
  record.end_ns = std::llround(end.s * 1e9);
  orrery_trace_operation(rank.stream, &record);
}

void Recorder::happened(std::int32_t number, SimTime begin, SimTime end) {
  orrery_trace_record& record = at(WorldRank{number}).record;
  record.begin_ns = std::llround(begin.s * 1e9);
  record.end_ns = std::llround(end.s * 1e9);
}

void Recorder::late(std::int32_t number, Duration by) { at(WorldRank{number}).late_s = by.s; }

void Recorder::ran(std::int32_t number, const op::Operation& call, const std::string& algorithm) {
  orrery_trace_record& present = at(WorldRank{number}).record;
  const bool is_present = present.kind == static_cast<std::uint8_t>(op::Kind::Collective) &&
                          present.comm == call.comm && present.tag == call.tag;
  if (!is_present) return;
  const auto next = static_cast<std::uint32_t>(algorithms_.size() + 1);  // 0: not known
  const auto [found, added] = algorithms_.emplace(algorithm, next);
  if (added) {
    const char* const text = algorithm.c_str();
    orrery_trace_names(writer_, ORRERY_TRACE_ALGORITHMS, next, &text, 1);
  }
  present.ran = found->second;
}

/// What the kernel did not wait for, as an operation of its own: it comes behind the computation.
void Recorder::write_late(Rank& rank) {
  op::Operation sleep = op::late_sleep(std::exchange(rank.late_s, 0));
  sleep.compute_s = std::exchange(rank.record.compute_s, 0);
  orrery_trace_record record = record_of(sleep);
  std::swap(record.faults, rank.record.faults);
  std::swap(record.instructions, rank.record.instructions);
  std::swap(record.warm, rank.record.warm);
  record.site = rank.record.site;
  orrery_trace_operation(rank.stream, &record);
}

void Recorder::write(Rank& rank) {
  if (rank.stream == nullptr) return;
  if (rank.pending && rank.late_s > 0) write_late(rank);
  if (rank.pending) orrery_trace_operation(rank.stream, &rank.record);
  if (rank.answered) orrery_trace_answered(rank.stream, &rank.answer);
  rank.pending = rank.answered = false;
}

void Recorder::end_streams() {
  for (Rank& rank : ranks_) {
    if (rank.stream == nullptr) continue;
    // The lists of an operation that was never over may be gone by now.
    if (rank.pending && !rank.ended) rank.record.requests_length = rank.record.counts_length = 0;
    write(rank);
    orrery_trace_close_stream(std::exchange(rank.stream, nullptr), rank.ended ? 1 : 0);
  }
}

void Recorder::close() {
  if (writer_ == nullptr) return;
  end_streams();
  const int error = orrery_trace_close(std::exchange(writer_, nullptr));
  if (error != 0) throw InputError(concat(path_, ": ", std::strerror(error), ": the trace is not complete"));
}

}  // namespace orrery::trace
