// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/services.hpp"

namespace orrery::kernel {

void RequestedServices::begin(Cursor& cursor) {
  if (config_.services == nullptr) bad_stream(cursor, "this run offers no services: no processes can be started");
  const auto first = static_cast<std::int32_t>(cursors_.born());
  const Services::Served served = config_.services->serve(cursor.rank, *cursor.current, first);
  if (cursors_.born() + served.new_ranks > cursors_.ranks())
    bad_stream(cursor, "more ranks were started than there is room for");
  cursor.clock += served.new_ranks > 0 ? config_.spawn_cost : config_.poll_cost;
  for (std::uint32_t i = 0; i < served.new_ranks; ++i) cursors_.be_born(cursor.clock);
  cursors_.answer(cursor, served.reply);
  cursors_.go_on(cursor);
}

}  // namespace orrery::kernel
