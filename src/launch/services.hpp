// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "kernel/kernel.hpp"
#include "launch/launch.hpp"
#include "mpi/channel/channel.hpp"

namespace orrery::launch {

/// A program of a spawn, as the rank asked for it.
struct NewProgram {
  std::vector<std::string> command;  ///< program and arguments
  std::uint32_t ranks = 0;
  std::string directory;    ///< hint "wdir"; empty: that of the job
  std::string search_path;  ///< hint "path": where the program is looked for first
};

/// Serves what ranks ask of the run: they start more ranks, and keep names of ports. The kernel asks one at a time.
class RunServices final : public kernel::Services {
 public:
  /// Starts the processes of one program, as ranks from `first` on. @throws StartError when it cannot be started
  using StartProgram = std::function<void(const NewProgram& program, std::int32_t first)>;

  explicit RunServices(mpi::channel::Memory& memory) : memory_(memory) {}
  /// Until it is called nothing can be started.
  void start_with(StartProgram start) { start_ = std::move(start); }

  Served serve(std::int32_t rank, const op::Operation& request, std::int32_t next_rank) override;

 private:
  Served spawn(const op::Operation& request, const std::vector<std::string>& words, std::int32_t first);
  [[nodiscard]] op::CommId define(const std::vector<std::int32_t>& world, std::size_t first_group);
  Served name(const op::Operation& request, const std::vector<std::string>& words);
  Served answer(std::string_view text, bool done);

  mpi::channel::Memory& memory_;
  StartProgram start_;
  std::map<std::string, std::string> ports_;  ///< by service
};

/// The programs that a request for a spawn names; empty if it is not well formed.
[[nodiscard]] std::vector<NewProgram> programs_of(const std::vector<std::string>& words);

}  // namespace orrery::launch
