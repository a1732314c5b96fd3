// SPDX-License-Identifier: BSD-3-Clause
#include "trace/slice.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <unordered_set>
#include <utility>

#include "base/error.hpp"
#include "op/stream.hpp"
#include "trace/copy.hpp"
#include "trace/record.hpp"

namespace orrery::trace {
namespace {

using op::Kind;

/// One rank's stream on its way into the slice.
class Cut {
 public:
  Cut(const File& file, const Window& window, const SlicePlan& plan, std::uint32_t rank, Sliced& sliced)
      : file_(file), window_(window), plan_(plan), rank_(rank), sliced_(sliced) {}

  void write(orrery_trace_stream* to) {
    to_ = to;
    count_parts();
    WindowReader reader(file_, window_, rank_);
    while (reader.next()) {
      if (reader.operation().kind == Kind::PhaseBegin || reader.operation().kind == Kind::PhaseEnd) phase(reader);
      if (!reader.inside()) continue;
      compute_s_ += reader.operation().compute_s;
      if (!begun_) begin();
      take(reader);
    }
    end();
  }

 private:
  /// How many parts of each request that is made of parts are kept.
  void count_parts() {
    std::unordered_map<op::RequestId, std::size_t> joins;
    std::size_t counted = 0;
    for (WindowReader reader(file_, window_, rank_); reader.next();) {
      if (!reader.inside()) continue;
      const op::Operation& operation = reader.operation();
      if (operation.kind == Kind::Join) {
        joins[operation.request] = parts_.size();
        parts_.push_back(0);
      }
      if (!SlicePlan::is_counted(operation)) continue;
      const bool keeps = plan_.keeps(rank_, counted++);
      const auto join = joins.find(operation.request);
      if (keeps && operation.has(op::Part) && join != joins.end()) ++parts_[join->second];
    }
  }

  /// Phases that began before are begun anew.
  void phase(const WindowReader& reader) {
    const bool begins = reader.operation().kind == Kind::PhaseBegin;
    if (reader.inside()) return;
    if (begins) {
      phases_.push_back(reader.operation());
      // Phases have no lists. What a damaged file gives them is the decoder's, and does not last.
      phases_.back().requests = {};
      phases_.back().counts = {};
    } else if (!phases_.empty() && !begun_) {
      phases_.pop_back();
    }
  }

  void begin() {
    begun_ = true;
    for (op::Operation& phase : phases_) {
      phase.compute_s = 0;
      put(record_of(phase));
    }
    depth_ = phases_.size();
  }

  /// Copies the operation, or what remains of it.
  void take(WindowReader& reader) {
    op::Operation operation = reader.operation();
    std::optional<op::Reply> answer = reader.answer();
    if (!keep(operation, answer)) return;
    operation.compute_s = std::exchange(compute_s_, 0);
    put(record_of(operation, reader.decoder().beside()));
    if (!answer) return;
    const orrery_trace_answer written = answer_of(*answer);
    orrery_trace_answered(to_, &written);
  }

  bool keep(op::Operation& operation, std::optional<op::Reply>& answer) {
    switch (operation.kind) {
      case Kind::Isend:
      case Kind::Irecv:
      case Kind::Probe:
      case Kind::Iprobe: return keep_message(operation, answer);
      case Kind::Match: return open_.contains(operation.request) || matched_.contains(operation.request);
      case Kind::WaitAll:
      case Kind::WaitAny:
      case Kind::WaitSome:
      case Kind::TestAll:
      case Kind::TestAny:
      case Kind::TestSome:
      case Kind::Cancel:
      case Kind::RequestFree: return only_open(operation, answer);
      case Kind::Join: {
        only_open(operation, answer);
        operation.bytes.count = parts_[joins_++];
        return note(operation, operation.bytes.count > 0 || !operation.requests.empty());
      }
      case Kind::Collective: {
        const bool keeps = plan_.keeps_collective(operation);
        if (!keeps) ++sliced_.collectives_left_out;
        return note(operation, keeps);
      }
      case Kind::Put:
      case Kind::Get:
      case Kind::Accumulate:
      case Kind::GetAccumulate: {
        const bool keeps = note(operation, wanted(operation.peer));
        if (operation.tag != 0 && keeps) open_.insert(static_cast<op::RequestId>(operation.tag));
        return keeps;
      }
      case Kind::Lock:
      case Kind::FileLock:
        if (!wanted(operation.peer)) return false;
        locks_.push_back(operation);
        return true;
      case Kind::Unlock:
      case Kind::FileUnlock: return unlock(operation);
      case Kind::PhaseBegin: ++depth_; return true;
      case Kind::PhaseEnd: return depth_ > 0 && depth_-- > 0;
      case Kind::Finalize: finalized_ = true; return true;
      default: return note(operation, true);
    }
  }

  bool keep_message(op::Operation& operation, const std::optional<op::Reply>& answer) {
    bool keeps = plan_.keeps(rank_, counted_++);
    const bool message = operation.kind == Kind::Isend || operation.kind == Kind::Irecv;
    if (!message && answer && !answer->flag) keeps = true;  // that nothing was there harms nobody
    if (message && !keeps) ++sliced_.messages_left_out;
    if (operation.has(op::Part) && message) return keeps;
    if (operation.kind == Kind::Irecv && operation.request != 0) {
      if (keeps) matched_.insert(operation.request);
      if (!keeps) matched_.erase(operation.request);
    }
    return note(operation, keeps);
  }

  /// Its request is open from here on, or not.
  bool note(const op::Operation& operation, bool keeps) {
    if (operation.request == 0) return keeps;
    if (keeps) open_.insert(operation.request);
    if (!keeps) open_.erase(operation.request);
    return keeps;
  }

  /// Leaves those requests that the slice has opened. False if there is nothing left to do.
  bool only_open(op::Operation& operation, std::optional<op::Reply>& answer) {
    requests_.clear();
    completed_.clear();
    const bool some = answer && !answer->completed.empty();
    for (std::uint32_t i = 0; i < operation.requests.size(); ++i) {
      if (!open_.contains(operation.requests[i])) continue;
      if (some && std::find(answer->completed.begin(), answer->completed.end(), i) != answer->completed.end())
        completed_.push_back(static_cast<std::uint32_t>(requests_.size()));
      requests_.push_back(operation.requests[i]);
    }
    operation.requests = requests_;
    if (answer) answer->completed = completed_;
    return !requests_.empty() && (!some || !completed_.empty());
  }

  [[nodiscard]] bool wanted(std::int32_t peer) const {
    return peer < 0 || window_.has(static_cast<std::uint32_t>(peer));
  }

  /// Only what was locked inside.
  bool unlock(const op::Operation& operation) {
    const auto locked = std::find_if(locks_.begin(), locks_.end(), [&](const op::Operation& lock) {
      return lock.comm == operation.comm && lock.peer == operation.peer;
    });
    if (locked == locks_.end()) return false;
    locks_.erase(locked);
    return true;
  }

  void end() {
    if (!finalized_ && begun_) {
      for (const op::Operation& lock : locks_) {
        const bool file = lock.kind == Kind::FileLock;
        put(record_of({.kind = file ? Kind::FileUnlock : Kind::Unlock, .peer = lock.peer, .comm = lock.comm}));
      }
      orrery_trace_record finalize = record_of({.kind = Kind::Finalize, .flags = op::FirstOfCall});
      finalize.compute_s = compute_s_;
      put(finalize);
    }
  }

  void put(const orrery_trace_record& record) {
    orrery_trace_operation(to_, &record);
    ++sliced_.operations;
  }

  const File& file_;
  const Window& window_;
  const SlicePlan& plan_;
  std::uint32_t rank_;
  Sliced& sliced_;
  orrery_trace_stream* to_ = nullptr;
  std::size_t counted_ = 0, joins_ = 0, depth_ = 0;
  bool begun_ = false, finalized_ = false;
  double compute_s_ = 0;  ///< of what was left out since the last operation
  std::vector<std::int64_t> parts_;
  std::vector<op::Operation> phases_, locks_;
  std::unordered_set<op::RequestId> open_, matched_;
  std::vector<op::RequestId> requests_;
  std::vector<std::uint32_t> completed_;
};

std::string described(const File& file, const Window& window) {
  std::string text = window.ranks.empty() ? "all ranks" : concat(window.ranks.size(), " of ", file.streams(), " ranks");
  if (window.from_ns != INT64_MIN) text += concat(", from ", window.from_ns, " ns");
  if (window.to_ns != INT64_MAX) text += concat(", to ", window.to_ns, " ns");
  return text;
}

}  // namespace

Sliced slice(const File& file, const std::string& path, const Window& window) {
  if (!window.ranks.empty() && window.ranks.back() >= file.streams())
    throw InputError(concat(file.path(), ": there is no rank ", window.ranks.back()));
  const SlicePlan plan(file, window);
  Sliced sliced{.obstacles = {plan.obstacles().begin(), plan.obstacles().end()}};
  NewFile out(path, file.ranks());
  copy_descriptions(file, out.writer());
  orrery_trace_property(out.writer(), "slice", described(file, window).c_str());
  std::string reasons;
  for (const std::string& obstacle : sliced.obstacles) reasons += (reasons.empty() ? "no: " : "; ") + obstacle;
  if (!reasons.empty()) orrery_trace_property(out.writer(), "replayable", reasons.c_str());
  for (std::uint32_t rank = 0; rank < file.streams(); ++rank) {
    // Of whom nothing is left nothing is said: a damaged file may speak of far more ranks than it has bytes.
    if (file.blocks(rank) == 0) continue;
    orrery_trace_stream* const stream = orrery_trace_open_stream(out.writer(), rank);
    if (stream == nullptr) throw InputError("there is not enough memory to write the trace");
    if (window.has(rank)) Cut(file, window, plan, rank, sliced).write(stream);
    orrery_trace_close_stream(stream, 1);
  }
  out.close();
  return sliced;
}

}  // namespace orrery::trace
