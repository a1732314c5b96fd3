// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "mpi/window/window_object.hpp"

/// How windows come to be and end: what the kinds of windows share.
namespace orrery::mpi {

/// Collective: a window without memory, with a table of parts that all members have written `size` and `unit` to.
/// @throws Error when an argument is wrong
[[nodiscard]] Window* make_window(Comm& comm, int flavor, std::int64_t size, std::int64_t unit, Info* info);
/// Memory that all processes of the run can use, aligned as the hints say. @throws Error (MPI_ERR_NO_MEM)
[[nodiscard]] channel::Offset take_memory(Window& window, std::size_t bytes);
/// Collective: this rank's memory is known, so that all may use the window.
void open_window(Window& window);
/// The value of a hint, or null.
[[nodiscard]] const std::string* hint(const Window& window, const char* key);

}  // namespace orrery::mpi
