// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace orrery::python {

/// From here on `orrery::InputError` is `orrery.errors.InputError` in Python. Once for each module.
void translate_input_errors();

}  // namespace orrery::python
