// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <new>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/process/environment.hpp"
#include "mpi/process/process.hpp"

/// How a rank ends the run: it leaves its reason where the launcher looks for it, and ends.
namespace orrery::mpi {
namespace {

/// @param text for the launcher to repeat; empty: `code` says all
void leave_reason(channel::Memory& memory, int world_rank, const std::string& text, int code) {
  channel::RankBlock& block = memory.block(world_rank);
  try {
    if (!text.empty()) {
      const channel::Offset place = memory.allocate(text.size() + 1);
      std::memcpy(memory.at(place), text.c_str(), text.size() + 1);
      block.error_text.store(place, std::memory_order_relaxed);
    }
  } catch (const std::bad_alloc&) {
    // No room even for this: the launcher names the rank and its routine, and the text has gone to stderr.
  }
  block.abort_code.store(code, std::memory_order_relaxed);
  block.phase.store(static_cast<std::uint32_t>(channel::RankPhase::Aborted), std::memory_order_release);
  memory.header().aborted.store(world_rank + 1, std::memory_order_release);
  memory.header().kernel_doorbell.ring();
}

[[noreturn]] void leave_with(const std::string& text, int code) {
  std::fflush(stdout);
  if (Rank* rank = process().rank) leave_reason(rank->memory(), rank->world_rank(), text, code);
  _exit(code);
}

std::string by_rank(const std::string& text) {
  const Rank* rank = process().rank;
  return rank == nullptr ? text : concat("rank ", rank->world_rank(), ": ", text);
}

}  // namespace

void end_run(const std::string& text, int code) {
  const std::string full = by_rank(text);
  std::fprintf(stderr, "%s\n", full.c_str());
  leave_with(full, code);
}

void refuse_to_be(channel::Memory& memory, int world_rank, const std::string& why) {
  const std::string text = concat("rank ", world_rank, ": ", why);
  std::fprintf(stderr, "orrery: %s\n", text.c_str());
  leave_reason(memory, world_rank, text, 1);
  _exit(1);
}

void abort(Comm& /*comm*/, int error_code) {
  const std::string text = concat("MPI_Abort was called with error code ", error_code);
  std::fprintf(stderr, "%s\n", by_rank(text).c_str());
  leave_with("", error_code);
}

void fatal(const char* routine, const Error& error) {
  const char* name = error_class_name(error.error_class);
  end_run(concat(routine, ": ", name == nullptr ? "MPI_ERR_UNKNOWN" : name, ": ", error.text), error.error_class);
}

void missing(const char* routine) { end_run(concat("orrery: ", routine, " is not implemented yet"), 1); }

}  // namespace orrery::mpi
