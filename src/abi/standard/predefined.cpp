// SPDX-License-Identifier: BSD-3-Clause
#include <array>

#include "handles.hpp"
#include "mpi/communicator/group.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/file/file_object.hpp"
#include "mpi/object/info.hpp"
#include "mpi/window/window_object.hpp"

namespace orrery::abi {

namespace {

template <class C>
constexpr bool is(std::uint32_t value, C handle) {
  return value == reinterpret_cast<std::uintptr_t>(handle);
}

template <class C>
std::uintptr_t value_of(C handle) {
  return reinterpret_cast<std::uintptr_t>(handle);
}

/// The handle of a communicator in callbacks (attributes, error handlers).
mpi::Comm& with_handle(mpi::Comm& comm, MPI_Comm handle) {
  comm.abi_handle = handle;
  return comm;
}

/// Objects of handles [first, first + count), looked up once.
template <class Object, std::uint32_t first, std::uint32_t count>
class Objects {
 public:
  explicit Objects(Object* (*find)(std::uint32_t)) {
    for (std::uint32_t i = 0; i < count; ++i) objects_[i] = find(first + i);
  }
  [[nodiscard]] Object* operator[](std::uint32_t value) const {
    return value - first < count ? objects_[value - first] : nullptr;
  }

 private:
  std::array<Object*, count> objects_;
};

}  // namespace

mpi::Comm* PredefinedComms::object(std::uint32_t value) {
  if (is(value, MPI_COMM_WORLD)) return &with_handle(mpi::comm_world(), MPI_COMM_WORLD);
  if (is(value, MPI_COMM_SELF)) return &with_handle(mpi::comm_self(), MPI_COMM_SELF);
  return nullptr;
}

std::uintptr_t PredefinedComms::value(mpi::Comm& comm) {
  if (!comm.predefined) {
    comm.abi_handle = &comm;
    return 0;
  }
  return value_of(&comm == &mpi::comm_world() ? MPI_COMM_WORLD : MPI_COMM_SELF);
}

mpi::Group* PredefinedGroups::object(std::uint32_t value) {
  return is(value, MPI_GROUP_EMPTY) ? mpi::group_empty() : nullptr;
}

std::uintptr_t PredefinedGroups::value(const mpi::Group& group) {
  return &group == mpi::group_empty() ? value_of(MPI_GROUP_EMPTY) : 0;
}

mpi::Datatype* PredefinedDatatypes::object(std::uint32_t value) {
  static const Objects<mpi::Datatype, 0x200, 0x100> objects(mpi::predefined_datatype);
  return objects[value];
}

std::uintptr_t PredefinedDatatypes::value(mpi::Datatype& type) {
  const std::uint32_t value = mpi::abi_value_of(type);
  if (value == 0) mpi::set_abi_handle(type, &type);
  return value;
}

mpi::Op* PredefinedOps::object(std::uint32_t value) {
  static const Objects<mpi::Op, 0x20, 0x20> objects(mpi::predefined_op);
  return objects[value];
}

mpi::Errhandler* PredefinedErrhandlers::object(std::uint32_t value) { return mpi::predefined_errhandler(value); }

std::uintptr_t PredefinedErrhandlers::value(const mpi::Errhandler& errhandler) {
  for (std::uintptr_t value = value_of(MPI_ERRORS_ARE_FATAL);; ++value) {
    const mpi::Errhandler* const predefined = object(static_cast<std::uint32_t>(value));
    if (predefined == nullptr) return 0;
    if (predefined == &errhandler) return value;
  }
}

mpi::MatchedMessage* PredefinedMessages::object(std::uint32_t value) {
  return is(value, MPI_MESSAGE_NO_PROC) ? mpi::message_no_proc() : nullptr;
}

std::uintptr_t PredefinedMessages::value(const mpi::MatchedMessage& message) {
  return &message == mpi::message_no_proc() ? value_of(MPI_MESSAGE_NO_PROC) : 0;
}

mpi::File* Handle<mpi::File>::object(MPI_File handle) {
  mpi::File* file = PointerHandle::object(handle);
  return mpi::is_open(file) ? file : nullptr;
}

std::uintptr_t PredefinedFiles::value(mpi::File& file) {
  file.abi_handle = &file;
  return 0;
}

std::uintptr_t PredefinedWindows::value(mpi::Window& window) {
  window.abi_handle = &window;
  return 0;
}

std::uintptr_t PredefinedSessions::value(mpi::Session& session) {
  session.abi_handle = &session;
  return 0;
}

mpi::Info* PredefinedInfos::object(std::uint32_t value) {
  if (!is(value, MPI_INFO_ENV)) return nullptr;
  static mpi::Info* const environment = [] {
    mpi::Info* info = nullptr;
    mpi::info_create_env(info);
    return info;
  }();
  return environment;
}

}  // namespace orrery::abi
