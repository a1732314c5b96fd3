// SPDX-License-Identifier: BSD-3-Clause
#include "abi/by_hand.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "abi/convert.hpp"
#include "mpi/object/alignment.hpp"
#include "mpi/object/info.hpp"

namespace orrery::abi::by_hand {

void get_address(const void* location, MPI_Aint* address) {
  at(address, "address") = reinterpret_cast<MPI_Aint>(location);
}

// Addresses are unsigned: a sum that passes the largest signed value is one all the same.
MPI_Aint aint_add(MPI_Aint base, MPI_Aint displacement) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) + static_cast<std::uintptr_t>(displacement));
}

MPI_Aint aint_diff(MPI_Aint address, MPI_Aint base) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(address) - static_cast<std::uintptr_t>(base));
}

void alloc_mem(MPI_Aint size, MPI_Info info, void* address) {
  if (size < 0) throw mpi::Error{MPI_ERR_ARG, concat("memory of ", size, " bytes")};
  void*& memory = at(static_cast<void**>(address), "baseptr");
  const std::size_t alignment = std::max(alignof(std::max_align_t), mpi::wanted_alignment(optional<mpi::Info>(info)));
  if (posix_memalign(&memory, alignment, std::max<std::size_t>(static_cast<std::size_t>(size), 1)) == 0) return;
  memory = nullptr;
  throw mpi::Error{MPI_ERR_NO_MEM, concat("there are no ", size, " bytes left")};
}

void free_mem(void* address) { std::free(address); }

// --- decoding
// ----------------------------------------------------------------------------------------------------------

namespace {

struct Envelope {
  std::int64_t integers = 0;
  std::int64_t addresses = 0;
  std::int64_t large_counts = 0;
  std::int64_t datatypes = 0;
  int combiner = 0;
};

Envelope envelope(const mpi::Datatype& type) {
  Envelope e;
  mpi::type_get_envelope(type, e.integers, e.addresses, e.large_counts, e.datatypes, e.combiner);
  return e;
}

/// The numbers of a type that the int form of a routine can decode.
Envelope small_envelope(const mpi::Datatype& type) {
  const Envelope e = envelope(type);
  if (e.large_counts != 0) {
    throw mpi::Error{MPI_ERR_TYPE, "this datatype has large counts: only the large-count routine (_c) decodes it"};
  }
  return e;
}

/// `addresses` go straight into the program's array: MPI_Aint and MPI_Count are 64 bits wide here.
void contents(MPI_Datatype handle, std::int64_t max_integers, std::int64_t max_addresses, std::int64_t max_large_counts,
              std::int64_t max_datatypes, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
              MPI_Datatype* datatypes) {
  static_assert(sizeof(MPI_Aint) == sizeof(std::int64_t));
  const mpi::Datatype& type = in<mpi::Datatype>(handle, "datatype");
  std::vector<mpi::Datatype*> types(array_length(max_datatypes));
  mpi::type_get_contents(type, max_integers, max_addresses, max_large_counts, max_datatypes, integers, addresses,
                         large_counts, types.data());
  const auto filled = static_cast<std::size_t>(envelope(type).datatypes);
  for (std::size_t i = 0; i < filled; ++i) datatypes[i] = Handle<mpi::Datatype>::handle(types[i]);
}

}  // namespace

void type_get_envelope(MPI_Datatype type, int* integers, int* addresses, int* datatypes, int* combiner) {
  const Envelope e = small_envelope(described(type, "datatype"));
  at(integers, "num_integers") = static_cast<int>(e.integers);
  at(addresses, "num_addresses") = static_cast<int>(e.addresses);
  at(datatypes, "num_datatypes") = static_cast<int>(e.datatypes);
  at(combiner, "combiner") = e.combiner;
}

void type_get_envelope(MPI_Datatype type, MPI_Count* integers, MPI_Count* addresses, MPI_Count* large_counts,
                       MPI_Count* datatypes, int* combiner) {
  const Envelope e = envelope(described(type, "datatype"));
  at(integers, "num_integers") = e.integers;
  at(addresses, "num_addresses") = e.addresses;
  at(large_counts, "num_large_counts") = e.large_counts;
  at(datatypes, "num_datatypes") = e.datatypes;
  at(combiner, "combiner") = e.combiner;
}

void type_get_contents(MPI_Datatype type, int max_integers, int max_addresses, int max_datatypes, int* integers,
                       MPI_Aint* addresses, MPI_Datatype* datatypes) {
  (void)small_envelope(in<mpi::Datatype>(type, "datatype"));
  contents(type, max_integers, max_addresses, 0, max_datatypes, integers, addresses, nullptr, datatypes);
}

void type_get_contents(MPI_Datatype type, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
                       MPI_Count max_datatypes, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
                       MPI_Datatype* datatypes) {
  contents(type, max_integers, max_addresses, max_large_counts, max_datatypes, integers, addresses, large_counts,
           datatypes);
}

// --- statuses
// ----------------------------------------------------------------------------------------------------------

void status_get_source(const MPI_Status* status, int* source) {
  at(source, "source") = at(status, "status").MPI_SOURCE;
}

void status_get_tag(const MPI_Status* status, int* tag) { at(tag, "tag") = at(status, "status").MPI_TAG; }

void status_get_error(const MPI_Status* status, int* error) { at(error, "error") = at(status, "status").MPI_ERROR; }

void status_set_source(MPI_Status* status, int source) { at(status, "status").MPI_SOURCE = source; }

void status_set_tag(MPI_Status* status, int tag) { at(status, "status").MPI_TAG = tag; }

void status_set_error(MPI_Status* status, int error) { at(status, "status").MPI_ERROR = error; }

// --- generalized requests
// ----------------------------------------------------------------------------------------------------------

void grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                    MPI_Grequest_cancel_function* cancel, void* extra_state, MPI_Request* request) {
  mpi::GeneralizedCalls calls;
  if (query != nullptr) {
    calls.query = [=](mpi::Status& status) {
      MPI_Status seen{};
      write_status(status, seen);
      const int code = query(extra_state, &seen);
      status = read_status(seen);
      status.error = MPI_SUCCESS;
      return code;
    };
  }
  if (free != nullptr) calls.free = [=] { return free(extra_state); };
  if (cancel != nullptr) calls.cancel = [=](bool complete) { return cancel(extra_state, complete ? 1 : 0); };
  mpi::grequest_start(std::move(calls), Out<mpi::Request>(request, "request"));
}

// --- several requests looked at
// ----------------------------------------------------------------------------------------

namespace {

/// Whether a request is complete; if so its status is written, unless ignored (null).
bool is_complete(MPI_Request request, MPI_Status* status) {
  mpi::Status result;
  bool flag = false;
  mpi::request_get_status(optional<mpi::Request>(request), flag, &result);
  if (flag && status != nullptr) write_status(result, *status);
  return flag;
}

bool is_active(MPI_Request handle) {
  const mpi::Request* request = optional<mpi::Request>(handle);
  return request != nullptr && request->active;
}

MPI_Status* element(MPI_Status* statuses, int i) { return statuses != nullptr ? statuses + i : nullptr; }

}  // namespace

void request_get_status_all(int count, const MPI_Request* requests, int* flag, MPI_Status* statuses) {
  bool all = true;
  for (int i = 0; i < count && all; ++i) all = is_complete(requests[i], element(statuses, i));
  at(flag, "flag") = all ? 1 : 0;
}

void request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status) {
  bool any_active = false;
  at(index, "indx") = MPI_UNDEFINED;
  for (int i = 0; i < count; ++i) {
    if (!is_active(requests[i])) continue;
    any_active = true;
    if (is_complete(requests[i], status)) {
      *index = i;
      at(flag, "flag") = 1;
      return;
    }
  }
  if (!any_active && status != nullptr) {
    write_status(mpi::Status{}, *status);
    status->MPI_ERROR = MPI_SUCCESS;  // an empty status says so too (MPI-4.1, section 3.7.3)
  }
  at(flag, "flag") = any_active ? 0 : 1;
}

void request_get_status_some(int count, const MPI_Request* requests, int* out_count, int* indices,
                             MPI_Status* statuses) {
  int done = 0;
  bool any_active = false;
  for (int i = 0; i < count; ++i) {
    if (!is_active(requests[i])) continue;
    any_active = true;
    if (is_complete(requests[i], element(statuses, done))) indices[done++] = i;
  }
  at(out_count, "outcount") = any_active ? done : MPI_UNDEFINED;
}

// --- the rest
// ----------------------------------------------------------------------------------------------------------

void info_create_env(int /*argc*/, char** /*argv*/, MPI_Info* info) {
  mpi::info_create_env(Out<mpi::Info>(info, "info"));
}

void abi_get_version(int* major, int* minor) {
  at(major, "abi_major") = MPI_ABI_VERSION;
  at(minor, "abi_minor") = MPI_ABI_SUBVERSION;
}

// Keys and values of MPI-5.0, chapter 20: sizes in bytes.
void abi_get_info(MPI_Info* handle) {
  Out<mpi::Info> out(handle, "info");
  mpi::Info*& info = out;
  mpi::info_create(info);
  mpi::info_set(info, "mpi_aint_size", std::to_string(sizeof(MPI_Aint)).c_str());
  mpi::info_set(info, "mpi_count_size", std::to_string(sizeof(MPI_Count)).c_str());
  mpi::info_set(info, "mpi_offset_size", std::to_string(sizeof(MPI_Offset)).c_str());
}

// --- processes
// ----------------------------------------------------------------------------------------------------------

void comm_spawn_multiple(int count, char* commands[], char** argvs[], const int maxprocs[], const MPI_Info infos[],
                         int root, MPI_Comm comm, MPI_Comm* intercomm, int codes[]) {
  mpi::Comm& on = in<mpi::Comm>(comm, "comm");
  std::vector<mpi::SpawnedProgram> programs;
  if (on.rank == root) {
    if (count <= 0) throw mpi::Error{MPI_ERR_ARG, concat("the count of commands is ", count)};
    static_cast<void>(at(commands, "array_of_commands"));
    static_cast<void>(at(maxprocs, "array_of_maxprocs"));
    static_cast<void>(at(infos, "array_of_info"));
    for (int i = 0; i < count; ++i) {
      programs.push_back({.command = commands[i],
                          .arguments = argvs == nullptr ? nullptr : argvs[i],
                          .ranks = maxprocs[i],
                          .info = optional<mpi::Info>(infos[i])});
    }
  }
  Out<mpi::Comm> made(intercomm, "intercomm");
  mpi::comm_spawn_multiple(programs, root, on, made, codes);
}

}  // namespace orrery::abi::by_hand
