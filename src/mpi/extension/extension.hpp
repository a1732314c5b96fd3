// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

/// What a program may ask of Orrery beyond MPI: the functions behind the macros of `orrery.h`, which says what each of
/// them does. src/abi/exports.map.in names them together.
#define ORRERY_EXTENDS extern "C" __attribute__((visibility("default"), used))

ORRERY_EXTENDS void orrery_compute(double seconds) noexcept;
/// @return 1: execute the block, then call `orrery_sample_end`; 0: skip it
ORRERY_EXTENDS int orrery_sample_begin(int global, const char* file, int line, long executions,
                                       double precision) noexcept;
ORRERY_EXTENDS void orrery_sample_end() noexcept;
ORRERY_EXTENDS void* orrery_shared_malloc(std::size_t bytes, const char* file, int line) noexcept;
ORRERY_EXTENDS void orrery_shared_free(void* first) noexcept;
