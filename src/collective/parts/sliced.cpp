// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/sliced.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "collective/parts/blocks.hpp"
#include "collective/parts/embed.hpp"
#include "collective/parts/messages.hpp"
#include "collective/parts/team.hpp"

namespace orrery::collective {
namespace {

Blocks slices_of(const Call& call) { return Blocks::segments(call.bytes, call.element, call.segment); }

/// The call of one slice.
Call part_of(const Call& call, Bytes slice) {
  Call part = call;
  part.bytes = slice;
  part.segment = {};
  return part;
}

const Algorithm& whole(const Call& call) { return *find(call.kind, "hierarchical"); }

/// Blocks that are packed before.
int packed(const Call& call, Gives gives) { return gives == Gives::BlockToEach ? call.size : 0; }

/// Each `slices_at_once`th slice, from the first one on. In `room`: what is packed, what is gathered, scratch memory.
op::Script every_so_many(Call call, Gives gives, int first, Region room) {
  const Blocks slices = slices_of(call);
  for (int slice = first; slice < slices.count(); slice += slices_at_once) {
    const Call part = part_of(call, slices.bytes(slice));
    const std::int64_t offset = slices.offset(slice);
    if (gives == Gives::Operand) {
      co_yield embed(whole(call).stream(part), {input + offset, output + offset, room});
      continue;
    }
    for (int to = 0; to < packed(call, gives); ++to)
      co_yield copy(room + part.bytes * to, {input + call.bytes * to + offset, part.bytes});
    const Region in = gives == Gives::BlockToEach ? room : input + offset;
    const Region out = room + part.bytes * packed(call, gives);
    const Placed buffers{.input = in, .output = out, .scratch = out + part.bytes * call.size};
    co_yield embed(whole(call).stream(part), buffers);
    for (int from = 0; from < call.size; ++from)
      co_yield copy(output + call.bytes * from + offset, {out + part.bytes * from, part.bytes});
  }
}

}  // namespace

bool has_slices(const Call& call) { return slices_of(call).count() > 1; }

op::Script in_slices(Call call, Gives gives) {
  const Blocks slices = slices_of(call);
  const Call largest = part_of(call, slices.bytes(0));
  const std::int64_t blocks = gives == Gives::Operand ? 0 : packed(call, gives) + call.size;
  const std::int64_t room = largest.bytes.count * blocks + scratch_bytes(whole(call), largest);
  std::vector<op::Script> parts;
  for (int first = 0; first < std::min(slices.count(), slices_at_once); ++first)
    parts.push_back(every_so_many(call, gives, first, scratch + room * first));
  co_yield at_once(std::move(parts));
}

}  // namespace orrery::collective
