// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file/internal.hpp"
#include "mpi/rank/rank.hpp"

/// What the kernel is told of files besides accesses.
namespace orrery::mpi {
namespace {

op::Operation on(const File& file, op::Kind kind) {
  return {.kind = kind, .peer = op::any_source, .comm = file.comm->id};
}

}  // namespace

void use_metadata(const File& file) { this_rank().push(on(file, op::Kind::FileMetadata)); }

std::int64_t move_shared_position(const File& file, std::int64_t etypes, Move move) {
  op::Operation operation = on(file, op::Kind::FilePosition);
  operation.bytes = {etypes};
  operation.flags = move == Move::To ? op::Absolute : 0;
  return this_rank().ask(operation).bytes;
}

AtomicAccess::AtomicAccess(const File& file) : file_(file) {
  if (file.atomic) this_rank().ask(on(file, op::Kind::FileLock));
}

AtomicAccess::~AtomicAccess() {
  if (file_.atomic) this_rank().push(on(file_, op::Kind::FileUnlock));
}

}  // namespace orrery::mpi
