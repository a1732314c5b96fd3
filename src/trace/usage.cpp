// SPDX-License-Identifier: BSD-3-Clause
#include "trace/usage.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "op/stream.hpp"
#include "trace/decoder.hpp"

namespace orrery::trace {
namespace {

bool is_message(const op::Operation& operation) {
  return operation.kind == op::Kind::Isend || operation.kind == op::Kind::Psend || op::is_one_sided(operation.kind);
}

std::int32_t power_of(std::int64_t bytes) {
  if (bytes <= 0) return -1;
  return static_cast<std::int32_t>(std::bit_width(static_cast<std::uint64_t>(bytes - 1)));
}

template <class Key, class Value>
std::vector<Value> values_of(std::map<Key, Value>& map) {
  std::vector<Value> values;
  values.reserve(map.size());
  for (auto& [key, value] : map) values.push_back(value);
  return values;
}

class Counting {
 public:
  explicit Counting(const File& file) : file_(file), simulated_(file.property("source") == "simulated") {}

  void count(std::uint32_t number) {
    Usage::Rank& rank = usage_.ranks.emplace_back();
    rank.rank = number;
    Decoder decoder(file_, number);
    phases_.clear();
    last_end_ns_ = 0;
    for (;;) {
      const Decoder::What what = decoder.next();
      if (what == Decoder::What::End) break;
      if (what == Decoder::What::Operation) count(rank, decoder.operation(), decoder.beside());
    }
    rank.cut_off = decoder.cut_off();
    count_local(rank);
    for (const auto& [key, call] : calls_) usage_.calls.push_back(call);
    calls_.clear();
  }

  Usage result() {
    usage_.edges = values_of(edges_);
    usage_.sizes = values_of(sizes_);
    usage_.comms = values_of(comms_);
    for (const auto& [key, site] : sites_) usage_.sites.push_back(site);
    usage_.local.assign(local_.begin(), local_.end());
    return std::move(usage_);
  }

 private:
  Usage::Call& call(const Usage::Rank& rank, std::uint32_t routine) {
    return call(rank, phases_.empty() ? 0 : phases_.back(), routine);
  }

  Usage::Call& call(const Usage::Rank& rank, std::int32_t phase, std::uint32_t routine) {
    Usage::Call& found = calls_[{phase, routine}];
    found.rank = rank.rank;
    found.phase = phase;
    found.routine = routine;
    return found;
  }

  /// What lies between two calls is the program's own time.
  void count_time(Usage::Rank& rank, const op::Operation& operation, const Beside& beside) {
    rank.computed_s += operation.compute_s;
    Usage::Call& program = call(rank, 0);
    if (beside.end_ns < 0) {
      program.time_s += operation.compute_s;
      rank.total_s += operation.compute_s;
      return;
    }
    const std::int64_t begin_ns = std::max(beside.begin_ns, last_end_ns_);
    const std::int64_t end_ns = std::max(beside.end_ns, begin_ns);
    // A rank of a simulation does not exist before it calls MPI_Init.
    if (!(simulated_ && starts(operation.routine)))
      program.time_s += static_cast<double>(begin_ns - last_end_ns_) * 1e-9;
    const double inside_s = static_cast<double>(end_ns - begin_ns) * 1e-9;
    call(rank, operation.routine).time_s += inside_s;
    count_site_time(rank, operation, beside, inside_s);
    count_run_time(rank, operation.routine, begin_ns, end_ns);
    last_end_ns_ = end_ns;
  }

  /// The run of a rank is what lies between MPI_Init and MPI_Finalize.
  void count_run_time(Usage::Rank& rank, std::uint32_t routine, std::int64_t begin_ns, std::int64_t end_ns) {
    if (starts(routine)) {
      rank.total_s = rank.mpi_s = 0;
      return;
    }
    const bool ends = file_.name(ORRERY_TRACE_ROUTINES, routine) == "MPI_Finalize";
    rank.total_s += static_cast<double>((ends ? begin_ns : end_ns) - last_end_ns_) * 1e-9;
    if (routine != 0 && !ends) rank.mpi_s += static_cast<double>(end_ns - begin_ns) * 1e-9;
  }

  [[nodiscard]] bool starts(std::uint32_t routine) const {
    const std::string_view name = file_.name(ORRERY_TRACE_ROUTINES, routine);
    return name == "MPI_Init" || name == "MPI_Init_thread";
  }

  /// A call's first operation has its time; what follows at the same place belongs to it.
  void count_site_time(const Usage::Rank& rank, const op::Operation& operation, const Beside& beside, double time_s) {
    if (beside.site == 0) return;
    Usage::Site& site = sites_[{beside.site, operation.routine}];
    site.site = beside.site;
    site.routine = operation.routine;
    site.time_s += time_s;
    if (!operation.has(op::FirstOfCall)) return;
    site.shortest_s = site.calls == 0 ? time_s : std::min(site.shortest_s, time_s);
    site.longest_s = std::max(site.longest_s, time_s);
    ++site.calls;
    if (std::exchange(last_rank_at_[{beside.site, operation.routine}], rank.rank + 1) != rank.rank + 1) ++site.ranks;
  }

  void count(Usage::Rank& rank, const op::Operation& operation, const Beside& beside) {
    count_time(rank, operation, beside);
    if (operation.has(op::FirstOfCall)) {
      ++rank.calls;
      ++call(rank, operation.routine).calls;
    }
    if (operation.kind == op::Kind::PhaseBegin) phases_.push_back(operation.tag);
    if (operation.kind == op::Kind::PhaseEnd && !phases_.empty()) phases_.pop_back();
    if (is_message(operation)) count_message(rank, operation, beside.site);
    if (operation.kind == op::Kind::Collective) {
      Usage::Comm& comm = comm_of(operation.comm);
      ++comm.collectives;
      comm.collective_bytes += operation.bytes.count;
      count_size(operation);
    }
  }

  /// Local calls lie between operations, in what was counted as the program's own time. MPI_Init and MPI_Finalize are
  /// operations, but what they took may lie before and behind the times of a trace.
  void count_local(Usage::Rank& rank) {
    for (const orrery_trace_local_calls& local : file_.local_calls(rank.rank)) {
      const auto phase = static_cast<std::int32_t>(local.phase);
      const double time_s = static_cast<double>(local.time_ns) * 1e-9;
      call(rank, phase, local.routine).calls += local.calls;
      rank.calls += local.calls;
      if (local.calls == 0) {
        call(rank, phase, local.routine).time_s += time_s;
        continue;
      }
      Usage::Call& program = call(rank, phase, 0);
      const double taken_s = std::clamp(time_s, 0.0, std::max(program.time_s, 0.0));
      call(rank, phase, local.routine).time_s += taken_s;
      program.time_s -= taken_s;
      rank.mpi_s += taken_s;
      local_.insert(local.routine);
    }
  }

  void count_message(Usage::Rank& rank, const op::Operation& operation, std::uint32_t site) {
    const std::int64_t bytes = operation.bytes.count;
    const auto add = [bytes](auto& to) {
      ++to.messages;
      to.bytes += bytes;
    };
    add(rank);
    add(call(rank, operation.routine));
    if (site != 0) add(sites_[{site, operation.routine}]);
    Usage::Comm& comm = comm_of(operation.comm);
    ++comm.messages;
    comm.message_bytes += bytes;
    count_size(operation);
    if (operation.peer < 0) return;
    const auto peer = static_cast<std::uint32_t>(operation.peer);
    const bool comes = operation.kind == op::Kind::Get;
    Usage::Edge& edge = edges_[{comes ? peer : rank.rank, comes ? rank.rank : peer}];
    edge.from = comes ? peer : rank.rank;
    edge.to = comes ? rank.rank : peer;
    add(edge);
  }

  void count_size(const op::Operation& operation) {
    const std::int32_t power = power_of(operation.bytes.count);
    Usage::Size& size = sizes_[{operation.routine, power}];
    size.routine = operation.routine;
    size.power = power;
    ++size.count;
    size.bytes += operation.bytes.count;
  }

  Usage::Comm& comm_of(op::CommId number) {
    Usage::Comm& comm = comms_[number];
    if (comm.size == 0) {
      const File::Communicator* known = file_.communicator(number);
      comm.comm = number;
      comm.size = known != nullptr ? known->size : number == 0 ? file_.ranks() : 0;
    }
    return comm;
  }

  const File& file_;
  const bool simulated_;
  Usage usage_;
  std::vector<std::int32_t> phases_;
  std::int64_t last_end_ns_ = 0;
  std::map<std::pair<std::int32_t, std::uint32_t>, Usage::Call> calls_;  ///< of this rank
  std::map<std::pair<std::uint32_t, std::uint32_t>, Usage::Edge> edges_;
  std::map<std::pair<std::uint32_t, std::int32_t>, Usage::Size> sizes_;
  std::map<op::CommId, Usage::Comm> comms_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Usage::Site> sites_;
  std::set<std::uint32_t> local_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last_rank_at_;  ///< plus one, by site and routine
};

bool is_choice(const op::Operation& operation) {
  switch (operation.kind) {
    case op::Kind::Irecv:
    case op::Kind::Probe: return operation.peer == op::any_source;
    case op::Kind::WaitAny:
    case op::Kind::WaitSome:
    case op::Kind::TestAll:
    case op::Kind::TestAny:
    case op::Kind::TestSome:
    case op::Kind::Iprobe:
    case op::Kind::Cancel:
    case op::Kind::Arrived: return true;
    default: return false;
  }
}

}  // namespace

Usage Usage::of(const File& file) {
  Counting counting(file);
  for (std::uint32_t rank = 0; rank < file.streams(); ++rank) counting.count(rank);
  return counting.result();
}

std::uint64_t choices_in(const File& file) {
  std::uint64_t choices = 0;
  for (std::uint32_t rank = 0; rank < file.streams(); ++rank) {
    Decoder decoder(file, rank);
    for (auto what = decoder.next(); what != Decoder::What::End; what = decoder.next())
      choices += what == Decoder::What::Operation && is_choice(decoder.operation());
  }
  return choices;
}

}  // namespace orrery::trace
