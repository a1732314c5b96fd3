// SPDX-License-Identifier: BSD-3-Clause
#include "base/error.hpp"
#include "kernel/state.hpp"

/// Requests that are no communication; they are served in the order of simulated time.
namespace orrery::kernel {

void Simulation::State::begin_service(Cursor& cursor) {
  if (config.services == nullptr) bad_stream(cursor, "this run offers no services: no processes can be started");
  const auto first = static_cast<std::int32_t>(born);
  const Services::Served served = config.services->serve(cursor.rank, *cursor.current, first);
  if (born + served.new_ranks > ranks.size()) bad_stream(cursor, "more ranks were started than there is room for");
  cursor.clock += served.new_ranks > 0 ? config.spawn_cost : config.poll_cost;
  for (std::uint32_t i = 0; i < served.new_ranks; ++i) be_born(cursor.clock);
  answer(cursor, served.reply);
  go_on(cursor);
}

/// The next rank begins its stream.
void Simulation::State::be_born(SimTime at) {
  Cursor& cursor = cursors[born];
  cursor.state = Cursor::State::Ready;
  cursor.clock = at;
  schedule(born);
  ++born;
  ++alive;
}

}  // namespace orrery::kernel
