// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "op/op.hpp"
#include "trace/decoder.hpp"

namespace orrery::trace {

/// An operation as the writer takes it, without what is known besides; its lists stay the operation's.
[[nodiscard]] orrery_trace_record record_of(const op::Operation& operation);
/// With it.
[[nodiscard]] orrery_trace_record record_of(const op::Operation& operation, const Beside& beside);
/// An answer as the writer takes it.
[[nodiscard]] orrery_trace_answer answer_of(const op::Reply& reply);

}  // namespace orrery::trace
