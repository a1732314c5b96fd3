// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Declares a function of C that the library exports under the name of a routine, PMPI_name and weakly MPI_name. Its
/// own name is another one: the standard's header may declare the routine with other types.
#define ORRERY_EXPORT(result, name, parameters)                  \
  extern result export_##name parameters __asm__("PMPI_" #name); \
  extern result weak_##name parameters __asm__("MPI_" #name)     \
      __attribute__((weak, alias("PMPI_" #name), visibility("default")))
