// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/types.hpp"

namespace orrery::mpi {

// Probing (MPI-4.1, section 3.8): always the kernel's answer, since it depends on simulated time.
void probe(int source, int tag, Comm& comm, Status* status);
void iprobe(int source, int tag, Comm& comm, bool& flag, Status* status);

/// A message that a matched probe took out of the queue; `no_proc` stands for MPI_MESSAGE_NO_PROC.
struct MatchedMessage;
[[nodiscard]] MatchedMessage* message_no_proc();

void mprobe(int source, int tag, Comm& comm, MatchedMessage*& message, Status* status);
void improbe(int source, int tag, Comm& comm, bool& flag, MatchedMessage*& message, Status* status);
void mrecv(void* buffer, std::int64_t count, Datatype& type, MatchedMessage*& message, Status* status);
void imrecv(void* buffer, std::int64_t count, Datatype& type, MatchedMessage*& message, Request*& request);

}  // namespace orrery::mpi
