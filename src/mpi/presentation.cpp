// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/presentation.hpp"

#include <utility>

namespace orrery::mpi {
namespace {

constexpr Presentation of_standard;
thread_local const Presentation* current = &of_standard;

}  // namespace

const Presentation& presentation() { return *current; }

Presenting::Presenting(const Presentation& other) : before_(std::exchange(current, &other)) {}

Presenting::~Presenting() { current = before_; }

}  // namespace orrery::mpi
