// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "op/op.hpp"

namespace orrery::collective {

using op::Region;

/// Where the call's buffers and the algorithm's temporary memory begin.
inline constexpr Region input{op::Buffer::Input, 0};
inline constexpr Region output{op::Buffer::Output, 0};
inline constexpr Region scratch{op::Buffer::Scratch, 0};

constexpr Region operator+(Region region, std::int64_t offset) { return {region.buffer, region.offset + offset}; }
constexpr Region operator+(Region region, Bytes offset) { return region + offset.count; }
constexpr Region operator-(Region region, std::int64_t offset) { return region + -offset; }

/// Part of a buffer: `bytes` bytes from `region` on.
struct Slice {
  Region region;
  Bytes bytes;
};

}  // namespace orrery::collective
