// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/quantity.hpp"
#include "network/network.hpp"
#include "platform/platform.hpp"
#include "settings/launch.hpp"

/// How a job is started: when each rank calls MPI_Init, and when it leaves it.
///
/// mpiexec runs on the node of rank 0. On each node of the job a proxy begins, which starts the ranks of the node and
/// speaks for them. A proxy that begins at b, opens c connections of w seconds and then starts its ranks in f seconds
/// each has its i-th one, from 1, call MPI_Init at
///
///     enter = b + c·w + i·f + load        b of its i-th child = b + i·w + connection
///
/// After `init_s` there the rank gives its address to its proxy. Addresses go up the tree of proxies to mpiexec, and
/// all of them come back: an agent handles the messages of its children one after the other, as they arrive, and
/// answers them one after the other. So a rank that was started early waits for the last one in MPI_Init.
namespace orrery::startup {

/// MPI_Init of a rank.
struct Beginning {
  SimTime enters, leaves;
};

/// What a message between two agents costs that is alone on the network: the sender and the receiver are busy with it,
/// and in between it is on its way.
struct Post {
  Duration send, way, receive;
};
using Posts = std::function<Post(platform::HostId from, platform::HostId to, Bytes bytes)>;

/// Costs of a network model, and rates of the platform's routes. Both must outlive the result.
[[nodiscard]] Posts posts_of(const platform::Platform& platform, network::NetworkModel& model);

/// Beginnings of all ranks of one job, whose launch begins at 0. Nodes get their proxies in the order of their first
/// ranks. Linear in ranks and nodes, but for sorting the messages that an agent gets.
/// @param host_of_rank not empty
/// @throws InputError for a value that the table does not allow
[[nodiscard]] std::vector<Beginning> beginnings(const settings::Launch& launch,
                                                std::span<const platform::HostId> host_of_rank, const Posts& posts);

}  // namespace orrery::startup
