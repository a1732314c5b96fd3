// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Several binary interfaces in one process: their routines have the same names.
///
/// The loader looks for a name in the program and its libraries first, and only then in the libraries of a plug-in that
/// needs it. So a plug-in would call MPI_Send of the interface that the program was linked with. Once two interfaces
/// are there, what was bound that way is bound anew, and again after each dlopen: each object calls the library that
/// it, or a library that it needs, names. What the program or a tool defines itself (a profiling layer) stays.
namespace orrery::abi {

/// A library of an interface has been loaded. @param address in it
[[gnu::visibility("default")]] void joins(const void* address);

}  // namespace orrery::abi
