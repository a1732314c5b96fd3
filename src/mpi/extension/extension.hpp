// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// What a program may ask of Orrery beyond MPI: the functions behind the macros of `orrery.h`, which says what each of
/// them does. src/abi/*/exports.map name them together.
#define ORRERY_EXTENDS extern "C" __attribute__((visibility("default"), used))

ORRERY_EXTENDS void orrery_compute(double seconds) noexcept;
