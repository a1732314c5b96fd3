// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "abi/handle.hpp"
#include "base/error.hpp"
#include "mpi/mpi.hpp"

/// From the parameters of a C entry point to the arguments of an internal function, and back.
///
/// What goes out or both ways is a converter object: it turns into what the function takes, and writes the result into
/// the program's memory when it is destroyed, at the end of the call, also when the function has thrown (a wait that
/// fails with MPI_ERR_IN_STATUS still says which requests are done).
/// The converters know no binary interface: that is what `Handle` and `Statuses` of `abi/handle.hpp` are for.
namespace orrery::abi {

/// What a parameter that must point somewhere points to. @throws Error (MPI_ERR_ARG) when it is null
template <class T>
[[nodiscard]] T& at(T* pointer, const char* name) {
  if (pointer == nullptr) {
    throw mpi::Error{.error_class = mpi::err_arg, .text = concat(name, " is a null pointer"), .of_no_object = true};
  }
  return *pointer;
}

/// A function of the program, as it travels inside the library.
template <class Function>
[[nodiscard]] auto function(Function* pointer) {
  return reinterpret_cast<void (*)()>(pointer);
}

// --- handles
// -----------------------------------------------------------------------------------------------------------

/// The object of a handle. @throws Error with the error class of its kind when the handle is null or never was one
template <class Object>
[[nodiscard]] Object& in(HandleOf<Object> handle, const char* name) {
  Object* object = Handle<Object>::object(handle);
  if (object == nullptr) throw invalid<Object>(handle, name);
  return *object;
}

/// A datatype that is only described. @throws Error when the handle is null or never was one
[[nodiscard]] inline mpi::Datatype& described(HandleOf<mpi::Datatype> handle, const char* name) {
  mpi::Datatype* type = Handle<mpi::Datatype>::described(handle);
  if (type == nullptr) throw invalid<mpi::Datatype>(handle, name);
  return *type;
}

/// The object of a handle, where the null handle is allowed, as a null pointer.
template <class Object>
[[nodiscard]] Object* optional(HandleOf<Object> handle) {
  return Handle<Object>::object(handle);
}

/// A datatype that is not looked at, and so may be anything, where `ignored`.
[[nodiscard]] inline mpi::Datatype& in_unless(bool ignored, HandleOf<mpi::Datatype> handle, const char* name) {
  return ignored ? Handle<mpi::Datatype>::any() : in<mpi::Datatype>(handle, name);
}

[[nodiscard]] inline bool is_root(int root, HandleOf<mpi::Comm> comm) {
  const auto& on = in<mpi::Comm>(comm, "comm");
  return root == (on.is_inter() ? mpi::root : on.rank);
}

/// Whether data moves between this rank and the root: not so in the root's group of an inter-communicator.
[[nodiscard]] inline bool faces_root(int root, HandleOf<mpi::Comm> comm) {
  return !in<mpi::Comm>(comm, "comm").is_inter() || root >= 0;
}

/// Whether this rank is in the root's group of an inter-communicator, but not the root.
[[nodiscard]] inline bool has_no_part(int root, HandleOf<mpi::Comm> comm) {
  return root == mpi::proc_null && in<mpi::Comm>(comm, "comm").is_inter();
}

/// A handle that the function makes; the null handle if it fails.
template <class Object>
class Out {
 public:
  Out(HandleOf<Object>* handle, const char* name) : handle_(at(handle, name)) {}
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  ~Out() { handle_ = Handle<Object>::handle(object_); }
  operator Object*&() { return object_; }

 protected:
  Object* object_ = nullptr;

 private:
  HandleOf<Object>& handle_;
};

/// A datatype made by a large-count constructor: it is decoded as such.
class LargeDatatypeOut : public Out<mpi::Datatype> {
 public:
  using Out::Out;
  ~LargeDatatypeOut() {
    if (object_ != nullptr) mpi::mark_large_count(*object_);
  }
};

/// A handle that the function may set to the null handle. The null handle is allowed.
template <class Object>
class OptionalInOut {
 public:
  OptionalInOut(HandleOf<Object>* handle, const char* name)
      : handle_(at(handle, name)), object_(Handle<Object>::object(handle_)) {}
  OptionalInOut(const OptionalInOut&) = delete;
  OptionalInOut& operator=(const OptionalInOut&) = delete;
  ~OptionalInOut() {
    if (object_ == nullptr) handle_ = Handle<Object>::handle(nullptr);
  }
  operator Object*&() { return object_; }

 protected:
  HandleOf<Object>& handle_;
  Object* object_;
};

/// A handle that the function may set to the null handle, and that must not be the null handle before.
template <class Object>
class InOut : public OptionalInOut<Object> {
 public:
  InOut(HandleOf<Object>* handle, const char* name) : OptionalInOut<Object>(handle, name) {
    if (this->object_ == nullptr) throw invalid<Object>(this->handle_, name);
  }
};

/// Room for `length` pointers, without allocation when they are few.
template <class Object, std::size_t few = 32>
class Pointers {
 public:
  explicit Pointers(std::size_t length) {
    if (length > few) many_.resize(length);
    data_ = length > few ? many_.data() : few_.data();
  }
  Pointers(const Pointers&) = delete;
  Pointers& operator=(const Pointers&) = delete;
  [[nodiscard]] Object** data() { return data_; }
  [[nodiscard]] Object*& operator[](std::size_t i) { return data_[i]; }

 private:
  std::array<Object*, few> few_;
  std::vector<Object*> many_;
  Object** data_;
};

/// Length of an array. @throws Error (MPI_ERR_COUNT) when it is negative
[[nodiscard]] inline std::size_t array_length(std::int64_t length) {
  if (length < 0) throw mpi::Error{mpi::err_count, concat("an array of ", length, " elements")};
  return static_cast<std::size_t>(length);
}

/// Length of the arrays of a collective call with an element per rank; 0 where they are not looked at.
[[nodiscard]] inline std::int64_t peers(HandleOf<mpi::Comm> comm, const void* buffer) {
  return buffer == mpi::in_place ? 0 : in<mpi::Comm>(comm, "comm").peers().size();
}

/// Neighbours that a rank receives from, and sends to.
[[nodiscard]] inline std::int64_t in_neighbors(HandleOf<mpi::Comm> comm) {
  return mpi::in_neighbors(in<mpi::Comm>(comm, "comm"));
}
[[nodiscard]] inline std::int64_t out_neighbors(HandleOf<mpi::Comm> comm) {
  return mpi::out_neighbors(in<mpi::Comm>(comm, "comm"));
}

/// An array of handles, all of objects.
template <class Object>
class HandlesIn {
 public:
  HandlesIn(const HandleOf<Object>* handles, std::int64_t length, const char* name)
      : length_(array_length(length)), objects_(length_) {
    for (std::size_t i = 0; i < length_; ++i) objects_[i] = &in<Object>(handles[i], name);
  }
  operator Object* const*() { return objects_.data(); }
  operator std::span<Object* const>() { return {objects_.data(), length_}; }

 private:
  std::size_t length_;
  Pointers<Object> objects_;
};

/// An array of requests; those that the function disposes of become MPI_REQUEST_NULL.
class Requests {
 public:
  Requests(HandleOf<mpi::Request>* handles, std::int64_t length)
      : handles_(handles), length_(array_length(length)), objects_(length_) {
    for (std::size_t i = 0; i < length_; ++i) objects_[i] = Handle<mpi::Request>::object(handles[i]);
  }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests() {
    for (std::size_t i = 0; i < length_; ++i) {
      if (objects_[i] == nullptr) handles_[i] = Handle<mpi::Request>::handle(nullptr);
    }
  }
  operator std::span<mpi::Request*>() { return {objects_.data(), length_}; }

 private:
  HandleOf<mpi::Request>* handles_;
  std::size_t length_;
  Pointers<mpi::Request> objects_;
};

// --- statuses
// ----------------------------------------------------------------------------------------------------------

/// A status that the program gives.
class StatusIn {
 public:
  explicit StatusIn(const StatusOf* status) : status_(read_status(at(status, "status"))) {}
  operator const mpi::Status&() const { return status_; }

 private:
  mpi::Status status_;
};

/// A status that the function changes.
class StatusInOut {
 public:
  explicit StatusInOut(StatusOf* status) : out_(at(status, "status")), status_(read_status(out_)) {}
  StatusInOut(const StatusInOut&) = delete;
  StatusInOut& operator=(const StatusInOut&) = delete;
  ~StatusInOut() { write_status(status_, out_); }
  operator mpi::Status&() { return status_; }

 private:
  StatusOf& out_;
  mpi::Status status_;
};

/// A status that the function has not set: no function gives this source.
inline constexpr mpi::Status not_set{.source = std::numeric_limits<int>::min()};
[[nodiscard]] inline bool is_set(const mpi::Status& status) { return status.source != not_set.source; }

/// The status of one operation, or MPI_STATUS_IGNORE. Its error is not written: calls with one status return the code
/// instead (MPI-4.1, section 3.2.5). A call that finds nothing complete, and one that fails, may leave all of it alone.
class StatusOut {
 public:
  explicit StatusOut(StatusOf* status) : out_(status) {}
  StatusOut(const StatusOut&) = delete;
  StatusOut& operator=(const StatusOut&) = delete;
  ~StatusOut() {
    if (out_ == nullptr || !is_set(status_)) return;
    write_status(status_, *out_);
    // An empty status is one without an error, too.
    if (status_.source == mpi::any_source && status_.tag == mpi::any_tag) out_->MPI_ERROR = MPI_SUCCESS;
  }
  operator mpi::Status*() { return out_ != nullptr ? &status_ : nullptr; }

 private:
  StatusOf* out_;
  mpi::Status status_ = not_set;
};

/// Statuses of several operations, or MPI_STATUSES_IGNORE. Their errors are written even if there is none: the standard
/// has that when the call fails alone (MPI-4.1, section 3.2.5), but programs look for MPI_SUCCESS there, as MPICH and
/// Open MPI write it. Those that the function does not set stay as they are.
class StatusesOut {
 public:
  /// @param used how many the function has filled in, when it is not all of them; null: all
  StatusesOut(StatusOf* statuses, std::int64_t length, const int* used);
  StatusesOut(const StatusesOut&) = delete;
  StatusesOut& operator=(const StatusesOut&) = delete;
  ~StatusesOut();
  operator mpi::Status*() { return out_ != nullptr ? statuses_.data() : nullptr; }

 private:
  StatusOf* out_;
  const int* used_;
  std::vector<mpi::Status> statuses_;
};

// --- numbers
// -----------------------------------------------------------------------------------------------------------

/// A number that goes out, perhaps into an int: MPI_UNDEFINED where it does not fit (as MPI-4.1 says of MPI_Get_count,
/// MPI_Type_size and their like).
template <class Number>
class NumberOut {
 public:
  explicit NumberOut(Number* number) : out_(at(number, "a number to be returned")), value_(out_) {}
  NumberOut(const NumberOut&) = delete;
  NumberOut& operator=(const NumberOut&) = delete;
  ~NumberOut() {
    const bool fits = value_ >= std::numeric_limits<Number>::min() && value_ <= std::numeric_limits<Number>::max();
    out_ = fits ? static_cast<Number>(value_) : Number{mpi::undefined};
  }
  operator std::int64_t&() { return value_; }

 private:
  Number& out_;
  std::int64_t value_;
};

/// A logical value that goes out as an int.
class FlagOut {
 public:
  explicit FlagOut(int* flag) : out_(at(flag, "flag")) {}
  FlagOut(const FlagOut&) = delete;
  FlagOut& operator=(const FlagOut&) = delete;
  ~FlagOut() { out_ = flag_ ? 1 : 0; }
  operator bool&() { return flag_; }

 private:
  int& out_;
  bool flag_ = false;
};

}  // namespace orrery::abi
