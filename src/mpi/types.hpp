// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// What the MPI library and its bindings agree on.
///
/// Every routine MPI_Xxx_yyy that exists is a function `orrery::mpi::xxx_yyy` with internal types, the same for all
/// binary interfaces; the bindings (room abi) convert handles, constants and statuses, catch `Error` and call the error
/// handler. Kinds of parameters and their types here:
///
///   buffer                 const void* / void*   (MPI_BOTTOM is null, MPI_IN_PLACE is `in_place`)
///   count, displacement    std::int64_t          (also for the int forms)
///   array of counts        IntArray              (int or MPI_Count elements, not copied)
///   handle, in             Comm&, Datatype&, Group&, Op&, Errhandler&; Info* (null: MPI_INFO_NULL)
///   handle, out            Comm*& etc.; null is the null handle
///   handle, in-out         Comm*& etc. (set to null by the routine that frees it)
///   request                Request*& (null: MPI_REQUEST_NULL); arrays: std::span<Request*>
///   status                 Status* (null: ignored); arrays: Status* (null: ignored)
///   rank, root, tag        int with the constants below
///   number out             int&, std::int64_t&; flags: bool&
///   string in, out         const char*; char* with its length int&
///   callback               the function pointer of the standard's C type, as void (*)()
namespace orrery::mpi {

struct Comm;
struct Datatype;
struct Errhandler;
struct File;
struct Group;
struct Info;
struct MatchedMessage;
struct Op;
struct Request;
struct Window;
struct Session;

// The values of the MPI 5.0 standard ABI; bindings to other interfaces translate.
inline constexpr int any_source = -1;
inline constexpr int any_tag = -2;
inline constexpr int proc_null = -3;
inline constexpr int root = -4;
inline constexpr int undefined = -32766;
inline constexpr int tag_upper_bound = 0x3fffffff;
/// Length of a name, with the terminating zero.
inline constexpr std::size_t max_object_name = 128;
inline void* const in_place = reinterpret_cast<void*>(1);

struct Status {
  int source = any_source;
  int tag = any_tag;
  int error = 0;
  bool cancelled = false;
  std::int64_t bytes = 0;  ///< received
};

/// An array argument of int or of MPI_Count (or MPI_Aint) elements.
class IntArray {
 public:
  IntArray(const int* narrow) : narrow_(narrow) {}
  IntArray(const std::int64_t* wide) : wide_(wide) {}
  [[nodiscard]] std::int64_t operator[](std::int64_t i) const { return narrow_ != nullptr ? narrow_[i] : wide_[i]; }
  [[nodiscard]] explicit operator bool() const { return narrow_ != nullptr || wide_ != nullptr; }

 private:
  const int* narrow_ = nullptr;
  const std::int64_t* wide_ = nullptr;
};

/// An MPI error: the class (a value of the standard ABI, see errors.hpp) and what was wrong with which argument.
struct Error {
  int error_class;
  std::string text;
  Comm* comm = nullptr;  ///< whose error handler is called, when the call itself names none (completion of requests)
  bool of_no_object = false;  ///< of the call's arguments before any object was looked at: see `raise` with null
};

}  // namespace orrery::mpi
