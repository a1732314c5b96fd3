// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "kernel/communicators.hpp"
#include "kernel/local.hpp"
#include "kernel/one_sided_operations.hpp"
#include "kernel/receiving.hpp"
#include "kernel/sending.hpp"
#include "kernel/services.hpp"
#include "kernel/waits.hpp"

namespace orrery::kernel {

/// The components of the kernel, each with its own state. A component knows some of those above it, and none below.
/// The scheduler (kernel/scheduler.hpp) is the one that knows all of them.
struct Components {
  /// @throws InputError when `config` does not fit the platform
  Components(Config config, transport::Transport& transport, const collective::Selector& selector, op::Streams& streams,
             Groups& groups);

  Config config;
  transport::Transport& transport;
  op::Streams& streams;

  // What all share.
  Clock clock;
  Hosts hosts;
  Profiles profiles;
  Threads threads;
  Cursors cursors;
  Frames frames;
  Messages messages;

  // Processors, and the work that messages make.
  Turns turns;
  VirtualProcessors virtual_processors;
  MessageHandling handling;

  // Messages and requests.
  Requests requests;
  Matching matching;
  Transfers transfers;
  Rendezvous rendezvous;
  Polling polling;
  Partitioned partitioned;
  Probes probes;
  Delivery delivery;

  // Operations.
  Local local;
  Sending sending;
  Receiving receiving;
  Waits waits;
  Collectives collectives;
  OneSidedOperations one_sided;
  Locks locks;
  Files files;
  RequestedServices services;
  Communicators communicators;
};

}  // namespace orrery::kernel
