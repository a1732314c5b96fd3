// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace orrery::python {

/// Traces that Python writes: imports of other formats, and pieces of traces.
void bind_trace_writer(nanobind::module_& module);

}  // namespace orrery::python
