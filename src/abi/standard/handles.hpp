// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstring>

#include "abi/handle.hpp"
#include "handle_numbers.hpp"

/// Handles and statuses of the standard binary interface (MPI-5.0, chapter 20): a handle is a pointer. Predefined ones
/// point into the first page, where no object can be; the others to the library's objects.
namespace orrery::abi {

inline constexpr std::uintptr_t first_object = 0x1000;

/// What handles of all classes share. `Predefined` knows objects of values below `first_object`, and back.
template <class Object, class CType, std::uintptr_t null_value, class Predefined>
struct PointerHandle {
  using C = CType;

  static Object* object(C handle) {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    return value >= first_object ? reinterpret_cast<Object*>(handle)
                                 : Predefined::object(static_cast<std::uint32_t>(value));
  }
  static C handle(Object* object) {
    if (object == nullptr) return reinterpret_cast<C>(null_value);
    const std::uintptr_t value = Predefined::value(*object);
    return value != 0 ? reinterpret_cast<C>(value) : reinterpret_cast<C>(object);
  }
};

/// For classes without predefined objects.
template <class Object>
struct NonePredefined {
  static Object* object(std::uint32_t) { return nullptr; }
  static std::uintptr_t value(const Object&) { return 0; }
};

// Defined in predefined.cpp: the objects behind predefined handles, and the handles' values; 0 for other objects.
struct [[gnu::visibility("default")]] PredefinedComms {
  static mpi::Comm* object(std::uint32_t value);
  static std::uintptr_t value(mpi::Comm & comm);  ///< also tells the object its handle, for callbacks
};
struct [[gnu::visibility("default")]] PredefinedGroups {
  static mpi::Group* object(std::uint32_t value);
  static std::uintptr_t value(const mpi::Group& group);
};
struct [[gnu::visibility("default")]] PredefinedDatatypes {
  static mpi::Datatype* object(std::uint32_t value);
  static std::uintptr_t value(mpi::Datatype & type);  ///< also tells the object its handle, for callbacks
};
struct [[gnu::visibility("default")]] PredefinedOps {
  static mpi::Op* object(std::uint32_t value);
  static std::uintptr_t value(const mpi::Op&) { return 0; }  ///< no routine hands out a predefined one
};
struct [[gnu::visibility("default")]] PredefinedErrhandlers {
  static mpi::Errhandler* object(std::uint32_t value);
  static std::uintptr_t value(const mpi::Errhandler& errhandler);
};
struct [[gnu::visibility("default")]] PredefinedMessages {
  static mpi::MatchedMessage* object(std::uint32_t value);
  static std::uintptr_t value(const mpi::MatchedMessage& message);
};
struct [[gnu::visibility("default")]] PredefinedFiles {
  static mpi::File* object(std::uint32_t) { return nullptr; }
  static std::uintptr_t value(mpi::File & file);  ///< tells the object its handle, for callbacks
};
struct [[gnu::visibility("default")]] PredefinedWindows {
  static mpi::Window* object(std::uint32_t) { return nullptr; }
  static std::uintptr_t value(mpi::Window & window);  ///< tells the object its handle, for callbacks
};
struct [[gnu::visibility("default")]] PredefinedSessions {
  static mpi::Session* object(std::uint32_t) { return nullptr; }
  static std::uintptr_t value(mpi::Session & session);  ///< tells the object its handle, for callbacks
};
struct [[gnu::visibility("default")]] PredefinedInfos {
  static mpi::Info* object(std::uint32_t value);
  static std::uintptr_t value(const mpi::Info&) { return 0; }  ///< no routine hands out MPI_INFO_ENV
};

template <>
struct Handle<mpi::Comm> : PointerHandle<mpi::Comm, MPI_Comm, 0x100, PredefinedComms> {
  /// Null too for one that the program has freed.
  static mpi::Comm* object(MPI_Comm handle) {
    mpi::Comm* const comm = PointerHandle::object(handle);
    return comm != nullptr && comm->freed ? nullptr : comm;
  }
  static constexpr int error = MPI_ERR_COMM;
  static constexpr const char* name = "MPI_Comm";
};
template <>
struct Handle<mpi::Group> : PointerHandle<mpi::Group, MPI_Group, 0x108, PredefinedGroups> {
  static constexpr int error = MPI_ERR_GROUP;
  static constexpr const char* name = "MPI_Group";
};
template <>
struct Handle<mpi::Datatype> : PointerHandle<mpi::Datatype, MPI_Datatype, 0x200, PredefinedDatatypes> {
  static constexpr int error = MPI_ERR_TYPE;
  static constexpr const char* name = "MPI_Datatype";
  /// Some type, for an argument that is not looked at.
  static mpi::Datatype& any() { return *object(MPI_BYTE); }
  /// For routines that say what a type is, also a predefined one that the platform lacks: to all others it is no type.
  static mpi::Datatype* described(MPI_Datatype handle) {
    const auto value = reinterpret_cast<std::uintptr_t>(handle);
    return value >= first_object ? object(handle) : mpi::named_datatype(static_cast<std::uint32_t>(value));
  }
};
template <>
struct Handle<mpi::Op> : PointerHandle<mpi::Op, MPI_Op, 0x20, PredefinedOps> {
  static constexpr int error = MPI_ERR_OP;
  static constexpr const char* name = "MPI_Op";
};
template <>
struct Handle<mpi::Errhandler> : PointerHandle<mpi::Errhandler, MPI_Errhandler, 0x140, PredefinedErrhandlers> {
  static constexpr int error = MPI_ERR_ERRHANDLER;
  static constexpr const char* name = "MPI_Errhandler";
};
template <>
struct Handle<mpi::File> : PointerHandle<mpi::File, MPI_File, 0x118, PredefinedFiles> {
  /// Files are few and errors with them are returned: a handle of one that was closed is told from others.
  static mpi::File* object(MPI_File handle);
  static constexpr int error = MPI_ERR_FILE;
  static constexpr const char* name = "MPI_File";
};
template <>
struct Handle<mpi::Window> : PointerHandle<mpi::Window, MPI_Win, 0x110, PredefinedWindows> {
  static constexpr int error = MPI_ERR_WIN;
  static constexpr const char* name = "MPI_Win";
};
template <>
struct Handle<mpi::Info> : PointerHandle<mpi::Info, MPI_Info, 0x130, PredefinedInfos> {
  static constexpr int error = MPI_ERR_INFO;
  static constexpr const char* name = "MPI_Info";
};
template <>
struct Handle<mpi::Session> : PointerHandle<mpi::Session, MPI_Session, 0x120, PredefinedSessions> {
  static constexpr int error = MPI_ERR_SESSION;
  static constexpr const char* name = "MPI_Session";
};
template <>
struct Handle<mpi::Request> : PointerHandle<mpi::Request, MPI_Request, 0x180, NonePredefined<mpi::Request>> {
  static constexpr int error = MPI_ERR_REQUEST;
  static constexpr const char* name = "MPI_Request";
};
template <>
struct Handle<mpi::MatchedMessage> : PointerHandle<mpi::MatchedMessage, MPI_Message, 0x128, PredefinedMessages> {
  static constexpr int error = MPI_ERR_REQUEST;
  static constexpr const char* name = "MPI_Message";
};

// --- statuses
// ----------------------------------------------------------------------------------------------------------

using StatusOf = MPI_Status;

/// Reserved ints of a status: the bytes received in the first two, whether it was cancelled in the third.
inline constexpr int status_cancelled = 2;

[[nodiscard]] inline mpi::Status read_status(const MPI_Status& from) {
  mpi::Status status{.source = from.MPI_SOURCE,
                     .tag = from.MPI_TAG,
                     .error = from.MPI_ERROR,
                     .cancelled = from.MPI_internal[status_cancelled] != 0};
  std::memcpy(&status.bytes, from.MPI_internal, sizeof status.bytes);
  return status;
}

/// Everything but the error, which most calls must leave alone.
inline void write_status(const mpi::Status& status, MPI_Status& to) {
  to.MPI_SOURCE = status.source;
  to.MPI_TAG = status.tag;
  std::memcpy(to.MPI_internal, &status.bytes, sizeof status.bytes);
  to.MPI_internal[status_cancelled] = status.cancelled ? 1 : 0;
}

}  // namespace orrery::abi
