// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/types.hpp"

namespace orrery::mpi {

// Point-to-point communication (MPI-4.1, chapter 3).
void send(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm);
void ssend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm);
void rsend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm);
void bsend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm);
void recv(void* buffer, std::int64_t count, Datatype& type, int source, int tag, Comm& comm, Status* status);

void sendrecv(const void* send_buffer, std::int64_t send_count, Datatype& send_type, int dest, int send_tag,
              void* recv_buffer, std::int64_t recv_count, Datatype& recv_type, int source, int recv_tag, Comm& comm,
              Status* status);
void sendrecv_replace(void* buffer, std::int64_t count, Datatype& type, int dest, int send_tag, int source,
                      int recv_tag, Comm& comm, Status* status);

void isend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm, Request*& request);
void issend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm, Request*& request);
void irsend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm, Request*& request);
void ibsend(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm, Request*& request);
void irecv(void* buffer, std::int64_t count, Datatype& type, int source, int tag, Comm& comm, Request*& request);

void send_init(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
               Request*& request);
void ssend_init(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                Request*& request);
void rsend_init(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                Request*& request);
void bsend_init(const void* buffer, std::int64_t count, Datatype& type, int dest, int tag, Comm& comm,
                Request*& request);
void recv_init(void* buffer, std::int64_t count, Datatype& type, int source, int tag, Comm& comm, Request*& request);

}  // namespace orrery::mpi
