// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace orrery::program {

/// Becomes `orrery-python`, the same program as Python runs it, with the same arguments. The installer puts it beside
/// this one, with the interpreter that it belongs to. @return exit code, when there is none: it has then been said
int become_python(char** arguments);

}  // namespace orrery::program
