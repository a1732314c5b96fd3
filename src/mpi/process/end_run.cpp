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
[[noreturn]] void leave_with(const std::string& text, int code) {
  std::fflush(stdout);
  if (Rank* rank = process().rank) {
    channel::RankBlock& block = rank->block();
    try {
      if (!text.empty()) {
        const channel::Offset place = rank->memory().allocate(text.size() + 1);
        std::memcpy(rank->memory().at(place), text.c_str(), text.size() + 1);
        block.error_text.store(place, std::memory_order_relaxed);
      }
    } catch (const std::bad_alloc&) {
      // No room even for this: the launcher names the rank and its routine, and the text has gone to stderr.
    }
    block.abort_code.store(code, std::memory_order_relaxed);
    block.phase.store(static_cast<std::uint32_t>(channel::RankPhase::Aborted), std::memory_order_release);
    rank->memory().header().kernel_doorbell.ring();
  }
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
