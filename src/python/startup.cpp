// SPDX-License-Identifier: BSD-3-Clause
#include "startup/startup.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "python/bind.hpp"
#include "python/sources.hpp"

namespace orrery::python {

kernel::Config launched(const std::optional<settings::Launch>& launch, const platform::Platform& platform,
                        transport::Transport& transport, std::vector<std::uint32_t> first_ranks,
                        kernel::Config config) {
  if (!launch) return config;
  const startup::Posts posts = startup::posts_of(platform, transport);
  const std::span<const platform::HostId> hosts = config.host_of_rank;
  const std::size_t ranks = config.initial_ranks == 0 ? hosts.size() : config.initial_ranks;
  first_ranks.push_back(static_cast<std::uint32_t>(ranks));
  for (std::size_t job = 0; job + 1 < first_ranks.size(); ++job) {
    const auto of_job = hosts.subspan(first_ranks[job], first_ranks[job + 1] - first_ranks[job]);
    std::ranges::copy(startup::beginnings(*launch, of_job, posts), std::back_inserter(config.beginnings));
  }
  config.init_routine = routine_number("MPI_Init");
  return config;
}

}  // namespace orrery::python
