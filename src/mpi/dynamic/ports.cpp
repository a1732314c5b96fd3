// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/communicator/intercomm.hpp"
#include "mpi/communicator/leader.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/dynamic/dynamic.hpp"
#include "mpi/dynamic/meeting_place.hpp"
#include "mpi/dynamic/service_call.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/point_to_point.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/rank/rank.hpp"

/// Ports: who connects sends its group to the rank that has opened the port, which accepts one after the other, in the
/// order in which they come in simulated time.
namespace orrery::mpi {

namespace {

constexpr std::size_t max_port_name = 1024;  ///< of the standard ABI, with the terminating zero
constexpr int max_ports = 1 << 27;
// Tags of the messages of one port.
constexpr int size_tag = 0;
constexpr int members_tag = 1 << 27;
constexpr int answer_tag = 1 << 28;

struct Port {
  int owner = 0;  ///< world rank
  int number = 0;
};

Port port_named(const char* name) {
  Port port;
  char after = 0;
  const bool fits = name != nullptr && std::sscanf(name, "orrery:%d:%d%c", &port.owner, &port.number, &after) == 2;
  const auto ranks = static_cast<int>(this_rank().settings().capacity);
  if (!fits || port.owner < 0 || port.owner >= ranks || port.number < 0 || port.number >= max_ports) {
    throw Error{err_port, concat("there is no port ", name == nullptr ? "(null)" : name)};
  }
  return port;
}

constexpr const char* of_ports = "orrery:ports";

std::int64_t list_bytes(const std::vector<std::int32_t>& list) {
  return static_cast<std::int64_t>(list.size() * sizeof(std::int32_t));
}

op::CommId accept_one(const char* name, const Comm& comm) {
  const Port port = port_named(name);
  if (port.owner != this_rank().world_rank()) throw Error{err_port, concat("another rank has opened the port ", name)};
  MeetingPlace place(of_ports);
  std::int32_t count = 0;
  Status status;
  recv(&count, sizeof count, type_byte(), any_source, size_tag | port.number, place.comm(), &status);
  std::vector<std::int32_t> theirs(static_cast<std::size_t>(count));
  recv(theirs.data(), list_bytes(theirs), type_byte(), status.source, members_tag | port.number, place.comm(), nullptr);
  std::vector<std::int32_t> both = comm.group->world;
  both.insert(both.end(), theirs.begin(), theirs.end());
  op::CommId id = define_comm(both, comm.group->world.size());
  send(&id, sizeof id, type_byte(), status.source, answer_tag | port.number, place.comm());
  return id;
}

op::CommId connect_to(const char* name, const Comm& comm) {
  const Port port = port_named(name);
  MeetingPlace place(of_ports);
  const auto& own = comm.group->world;
  const auto count = static_cast<std::int32_t>(own.size());
  send(&count, sizeof count, type_byte(), port.owner, size_tag | port.number, place.comm());
  send(own.data(), list_bytes(own), type_byte(), port.owner, members_tag | port.number, place.comm());
  op::CommId id = no_comm;
  recv(&id, sizeof id, type_byte(), port.owner, answer_tag | port.number, place.comm(), nullptr);
  return id;
}

void check_text(const char* argument, const char* text) {
  if (text == nullptr) throw Error{err_arg, concat(argument, " is a null pointer")};
}

}  // namespace

void open_port(Info*, char* name) {
  if (name == nullptr) throw Error{err_arg, "port_name is a null pointer"};
  const int number = locals().ports++;
  if (number >= max_ports) throw Error{err_port, concat("no more than ", max_ports, " ports can be opened")};
  std::snprintf(name, max_port_name, "orrery:%d:%d", this_rank().world_rank(), number);
}

void close_port(const char* name) { (void)port_named(name); }

void comm_accept(const char* port, Info*, int root, Comm& comm, Comm*& created) {
  check_intra(comm);
  check_root(root, comm);
  created = view_of(found_by_leader(comm, root, err_port, [&] { return accept_one(port, comm); }), &comm);
}

void comm_connect(const char* port, Info*, int root, Comm& comm, Comm*& created) {
  check_intra(comm);
  check_root(root, comm);
  created = view_of(found_by_leader(comm, root, err_port, [&] { return connect_to(port, comm); }), &comm);
}

void publish_name(const char* service, Info*, const char* port) {
  check_text("service_name", service);
  check_text("port_name", port);
  ask_service(channel::ServiceKind::Publish, {service, port}, err_service);
}

void unpublish_name(const char* service, Info*, const char* port) {
  check_text("service_name", service);
  ask_service(channel::ServiceKind::Unpublish, {service, port == nullptr ? "" : port}, err_service);
}

void lookup_name(const char* service, Info*, char* port) {
  check_text("service_name", service);
  check_text("port_name", port);
  const auto found = ask_service(channel::ServiceKind::Lookup, {service}, err_name);
  *std::ranges::copy(found.text.substr(0, max_port_name - 1), port).out = '\0';
}

}  // namespace orrery::mpi
