// SPDX-License-Identifier: BSD-3-Clause
#include "collective/registry.hpp"
#include "collective/algorithms.hpp"

namespace orrery::collective::registered {
namespace {

using enum op::CollectiveKind;

constexpr auto alltoallv_listed = std::to_array<Algorithm>({
    {.kind = Alltoallv, .name = "linear", .stream = alltoallv::linear},
    {.kind = Alltoallv,
     .name = "scattered",
     .stream = alltoallv::scattered,
     .mpich = "scattered",
     .mpich_immediate = "sched_blocked tsp_blocked"},
    {.kind = Alltoallv, .name = "windowed", .stream = alltoallv::windowed, .mpich_immediate = "tsp_scattered"},
    {.kind = Alltoallv,
     .name = "in_turn",
     .stream = alltoallv::in_turn,
     .mpich = "pairwise_sendrecv_replace",
     .mpich_immediate = "sched_inplace tsp_inplace"},
    {.kind = Alltoallv, .name = "both_neighbors", .stream = alltoallv::both_neighbors},
    {.kind = Alltoallv, .name = "there_and_back", .stream = alltoallv::there_and_back},
    {.kind = Alltoallv, .name = "basic_linear", .stream = alltoallv::basic_linear, .libnbc = "linear"},
    {.kind = Alltoallv,
     .name = "basic_linear_even_empty",
     .stream = alltoallv::basic_linear_even_empty,
     .openmpi = "basic_linear"},
    {.kind = Alltoallv, .name = "pairwise", .stream = alltoallv::pairwise},
    {.kind = Alltoallv, .name = "pairwise_even_empty", .stream = alltoallv::pairwise_even_empty, .openmpi = "pairwise"},
    {.kind = Alltoallv, .name = "pairwise_with_self", .stream = alltoallv::pairwise_with_self},
    {.kind = Alltoallv,
     .name = "pairwise_exchange",
     .stream = alltoallv::pairwise_exchange,
     .inter = true,
     .mpich = "pairwise_exchange"},
    {.kind = Alltoallw, .name = "linear", .stream = alltoallv::linear},
    {.kind = Alltoallw,
     .name = "scattered",
     .stream = alltoallv::scattered,
     .mpich = "scattered",
     .mpich_immediate = "sched_blocked tsp_blocked"},
    {.kind = Alltoallw,
     .name = "in_turn",
     .stream = alltoallv::in_turn,
     .mpich = "pairwise_sendrecv_replace",
     .mpich_immediate = "sched_inplace tsp_inplace"},
    {.kind = Alltoallw, .name = "both_neighbors", .stream = alltoallv::both_neighbors},
    {.kind = Alltoallw, .name = "there_and_back", .stream = alltoallv::there_and_back},
    {.kind = Alltoallw,
     .name = "basic_linear",
     .stream = alltoallv::basic_linear,
     .openmpi = "linear",
     .libnbc = "linear"},
    {.kind = Alltoallw, .name = "pairwise", .stream = alltoallv::pairwise},
    {.kind = Alltoallw,
     .name = "pairwise_exchange",
     .stream = alltoallv::pairwise_exchange,
     .inter = true,
     .mpich = "pairwise_exchange"},
});

}  // namespace

std::span<const Algorithm> alltoallv() { return alltoallv_listed; }

}  // namespace orrery::collective::registered
