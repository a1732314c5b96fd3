// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mpi/channel/channel.hpp"
#include "mpi/mpi.hpp"

/// Ranks as processes for tests, with a kernel in the test's own process that follows a script.
namespace orrery::mpi::testing {

/// An operation that a rank sent, with its lists.
struct Sent {
  op::Operation operation;
  std::vector<op::RequestId> requests;
  std::vector<std::int64_t> counts;
};

/// What the ranks did.
struct RunRecord {
  std::vector<std::vector<Sent>> sent;  ///< by rank
  std::vector<int> wait_status;         ///< by rank

  [[nodiscard]] bool all_ended_well() const;
  /// Kinds of the operations of a rank, without the last, MPI_Finalize's.
  [[nodiscard]] std::vector<op::Kind> kinds(int rank) const;
};

/// The kernel's answer to an operation of a rank; spans in it must outlive the call.
using Answers = std::function<op::Reply(int rank, const Sent& sent)>;

/// Answers as if nothing took time: tests find everything complete. For ranks that leave the kernel no choice.
[[nodiscard]] op::Reply all_complete(int rank, const Sent& sent);

/// Settings of a run, before its ranks start.
using Settings = std::function<void(channel::Memory&)>;

/// Runs `body(rank)` between MPI_Init and MPI_Finalize in `ranks` processes. A rank in which `expect` failed, or an
/// exception came out, ends with status 1.
RunRecord run(int ranks, const std::function<void(int)>& body, const Answers& answers = all_complete,
              const Settings& settings = {});

/// Runs `body` on hosts of one rank each, which are divided like that.
RunRecord run_on(int ranks, std::span<const channel::Level> levels, const std::function<void(int)>& body);

/// In a rank: says `what` and ends it unless `condition` holds.
void expect(bool condition, const std::string& what);

/// Numbers of ranks.
using Ranks = std::vector<std::int32_t>;

/// The predefined type of a handle value of the standard ABI.
[[nodiscard]] Datatype& predefined_type(std::uint32_t abi_value);
/// The predefined type MPI_INT.
[[nodiscard]] Datatype& int_type();
/// The predefined type MPI_BYTE.
[[nodiscard]] Datatype& byte_type();

/// The predefined operation MPI_SUM.
[[nodiscard]] Op& sum_op();

/// What `comm_compare` says of two communicators.
[[nodiscard]] int comparison(Comm& a, Comm& b);
/// In a rank: a call of MPI, with an operation that the kernel sees.
void call_mpi();

/// What `comm_split_type` makes of a communicator with one hint, or with none (`key` null). Null: no part for this
/// rank.
Comm* split(Comm& comm, int type, const char* key = nullptr, const char* value = nullptr);

/// The class of the error that `call` throws; 0 if none.
int error_of(const std::function<void()>& call, std::string* text = nullptr);

}  // namespace orrery::mpi::testing
