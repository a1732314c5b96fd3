// SPDX-License-Identifier: BSD-3-Clause
// MPI's bindings of C++, which mpi.h of Open MPI 4 declares, so that programs need their library; prints "fine".
// With an argument: an operation of the program, which is not supported.
#include <mpi.h>

#include <cstdio>

namespace {
void nothing(const void*, void*, int, const MPI::Datatype&) {}
}  // namespace

int main(int count, char** arguments) {
  MPI::Init(count, arguments);
  const int rank = MPI::COMM_WORLD.Get_rank(), ranks = MPI::COMM_WORLD.Get_size();
  int sum = 0, got = -1;
  MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
  MPI::Intracomm twin = MPI::COMM_WORLD.Dup();
  MPI::Status status;
  MPI::Request request = twin.Irecv(&got, 1, MPI::INT, MPI::ANY_SOURCE, 3);
  twin.Send(&rank, 1, MPI::INT, (rank + 1) % ranks, 3);
  request.Wait(status);
  twin.Free();
  MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  if (count > 1) MPI::Op().Init(nothing, true);
  const bool is_right = sum == ranks * (ranks - 1) / 2 && got == status.Get_source() && status.Get_tag() == 3;
  if (is_right && request == MPI::REQUEST_NULL) std::puts("fine");
  MPI::Finalize();
}
