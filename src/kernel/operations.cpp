// SPDX-License-Identifier: BSD-3-Clause
#include "kernel/operations.hpp"

#include "base/error.hpp"

namespace orrery::kernel {
namespace {

using op::Kind;
using C = Components;

/// Sends, receives and accesses to files that are blocking wait for a request of their own.
void own_request(C& c, CursorIndex i) { c.waits.resume_blocking(c.cursors[i]); }
void one_of_list(C& c, CursorIndex i) { c.waits.resume_some(c.cursors[i]); }

/// One row per kind of operation: which component begins it, and which goes on with it after a wait.
constexpr Handler rows[] = {
    {Kind::Nothing, [](C& c, CursorIndex i) { c.local.begin_nothing(i); }},
    {Kind::Sleep, [](C& c, CursorIndex i) { c.local.begin_sleep(i); }},
    {Kind::Clock, [](C& c, CursorIndex i) { c.local.begin_clock(i); }},
    {Kind::Reduce, [](C& c, CursorIndex i) { c.local.begin_reduce(i); }},
    {Kind::Copy, [](C& c, CursorIndex i) { c.local.begin_copy(i); }},
    {Kind::PhaseBegin, [](C& c, CursorIndex i) { c.local.begin_phase(i); }},
    {Kind::PhaseEnd, [](C& c, CursorIndex i) { c.local.end_phase(i); }},
    {Kind::Finalize, [](C& c, CursorIndex i) { c.local.finalize(i); }},

    {Kind::Isend, [](C& c, CursorIndex i) { c.sending.begin(i); }, own_request},
    {Kind::Psend, [](C& c, CursorIndex i) { c.sending.begin(i); }, own_request},
    {Kind::Irecv, [](C& c, CursorIndex i) { c.receiving.begin(i); }, own_request},
    {Kind::Precv, [](C& c, CursorIndex i) { c.partitioned.begin_receive(c.cursors[i]); }},
    {Kind::Arrived, [](C& c, CursorIndex i) { c.partitioned.begin_arrived(c.cursors[i]); }},
    {Kind::Probe, [](C& c, CursorIndex i) { c.probes.begin(i); }, [](C& c, CursorIndex i) { c.probes.resume(i); }},
    {Kind::Iprobe, [](C& c, CursorIndex i) { c.probes.begin(i); }},

    {Kind::WaitAll, [](C& c, CursorIndex i) { c.waits.begin_all(i); },
     [](C& c, CursorIndex i) { c.waits.resume_all(c.cursors[i]); }},
    {Kind::WaitAny, [](C& c, CursorIndex i) { c.waits.begin_some(i); }, one_of_list},
    {Kind::WaitSome, [](C& c, CursorIndex i) { c.waits.begin_some(i); }, one_of_list},
    {Kind::TestAll, [](C& c, CursorIndex i) { c.waits.begin_test(i); }},
    {Kind::TestAny, [](C& c, CursorIndex i) { c.waits.begin_test(i); }},
    {Kind::TestSome, [](C& c, CursorIndex i) { c.waits.begin_test(i); }},
    {Kind::Cancel, [](C& c, CursorIndex i) { c.waits.begin_cancel(c.cursors[i]); }},
    {Kind::Join, [](C& c, CursorIndex i) { c.requests.begin_join(c.cursors[i]); }},
    {Kind::RequestFree, [](C& c, CursorIndex i) { c.requests.begin_free(c.cursors[i]); }},
    {Kind::Match, [](C& c, CursorIndex i) { c.requests.begin_match(c.cursors[i]); }},

    {Kind::Collective, [](C& c, CursorIndex i) { c.collectives.begin(i); }},
    {Kind::CommFree, [](C& c, CursorIndex i) { c.communicators.begin_free(c.cursors[i]); }},
    {Kind::Service, [](C& c, CursorIndex i) { c.services.begin(c.cursors[i]); }},

    {Kind::Put, [](C& c, CursorIndex i) { c.one_sided.begin(i); }},
    {Kind::Get, [](C& c, CursorIndex i) { c.one_sided.begin(i); }},
    {Kind::Accumulate, [](C& c, CursorIndex i) { c.one_sided.begin(i); }},
    {Kind::GetAccumulate, [](C& c, CursorIndex i) { c.one_sided.begin(i); }},
    {Kind::Lock, [](C& c, CursorIndex i) { c.locks.begin(i); },
     [](C& c, CursorIndex i) { c.locks.resume(c.cursors[i]); }},
    {Kind::Unlock, [](C& c, CursorIndex i) { c.locks.begin(i); }},

    {Kind::FileRead, [](C& c, CursorIndex i) { c.files.begin_access(i); }, own_request},
    {Kind::FileWrite, [](C& c, CursorIndex i) { c.files.begin_access(i); }, own_request},
    {Kind::FileMetadata, [](C& c, CursorIndex i) { c.files.begin_metadata(c.cursors[i]); }},
    {Kind::FilePosition, [](C& c, CursorIndex i) { c.files.begin_position(c.cursors[i]); }},
    {Kind::FileLock, [](C& c, CursorIndex i) { c.files.begin_lock(i); },
     [](C& c, CursorIndex i) { c.files.resume_lock(c.cursors[i]); }},
    {Kind::FileUnlock, [](C& c, CursorIndex i) { c.files.begin_unlock(c.cursors[i]); }},
};

constexpr std::array<Handler, operation_kinds> by_kind() {
  std::array<Handler, operation_kinds> handlers{};
  for (const Handler& row : rows) handlers[static_cast<std::size_t>(row.kind)] = row;
  return handlers;
}

constexpr bool each_has_one() {
  for (const Handler& handler : by_kind())
    if (handler.begin == nullptr) return false;
  return std::size(rows) == operation_kinds;
}
static_assert(each_has_one());

}  // namespace

constinit const std::array<Handler, operation_kinds> handlers = by_kind();

void refuse_operation(const Cursor& cursor) {
  bad_stream(cursor, concat("unknown operation ", static_cast<int>(cursor.current->kind)));
}

}  // namespace orrery::kernel
