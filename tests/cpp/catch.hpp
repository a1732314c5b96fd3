// SPDX-License-Identifier: BSD-3-Clause
#pragma once

/// Catch2 of either major version; `Approx` and the usual macros.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
