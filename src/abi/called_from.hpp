// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Where the program called, said by entry points of other interfaces and of Fortran before they call those of C: the
/// address that the first of them returns to.
extern "C" __attribute__((visibility("default"))) void orrery_called_from(const void* address);
