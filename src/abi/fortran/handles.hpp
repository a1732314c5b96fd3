// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "mpi.h"

#include "abi/fortran/bounds.hpp"

/// Handles of Fortran are integers: the values of predefined handles, numbers that the library gives to others.
namespace orrery::abi::fortran {

#ifdef ORRERY_INT_HANDLES  // interfaces like MPICH's, where handles of C are those of Fortran, but for files

template <class C>
[[nodiscard]] C from(int number) {
  if constexpr (std::is_same_v<C, int>) {
    return number;
  } else {
    return MPI_File_f2c(number);
  }
}

template <class C>
[[nodiscard]] int number_of(C handle) {
  if constexpr (std::is_same_v<C, int>) {
    return handle;
  } else {
    return MPI_File_c2f(handle);
  }
}

/// Fortran's names for predefined attributes are higher by one than C's, which are odd.
[[nodiscard]] inline int key_of_c(int keyval) {
  constexpr unsigned class_mask = 0xfc000000, predefined = 0x64000000;
  const auto bits = static_cast<unsigned>(keyval);
  return (bits & class_mask) == predefined && bits % 2 == 0 ? keyval - 1 : keyval;
}

#else

[[nodiscard]] inline int key_of_c(int keyval) { return keyval; }

#ifdef ORRERY_NUMBERED_HANDLES  // interfaces like Open MPI's, where predefined handles have numbers for Fortran alone
#define ORRERY_NUMBERS(name, C)                                                       \
  [[nodiscard]] inline C from_int(C, int number) { return MPI_##name##_f2c(number); } \
  [[nodiscard]] inline int to_int(C handle) { return MPI_##name##_c2f(handle); }
/// No handle is known by its value.
inline constexpr int first_given = 0;
#else
#define ORRERY_NUMBERS(name, C)                                                           \
  [[nodiscard]] inline C from_int(C, int number) { return MPI_##name##_fromint(number); } \
  [[nodiscard]] inline int to_int(C handle) { return MPI_##name##_toint(handle); }
/// Handles below this are predefined: their numbers are their values (MPI-5.0, chapter 20).
inline constexpr int first_given = 0x1000;
#endif

/// From a number, null for one that was never given; to a number.
ORRERY_NUMBERS(Comm, MPI_Comm)
ORRERY_NUMBERS(Group, MPI_Group)
ORRERY_NUMBERS(Type, MPI_Datatype)
ORRERY_NUMBERS(Op, MPI_Op)
ORRERY_NUMBERS(Errhandler, MPI_Errhandler)
ORRERY_NUMBERS(Info, MPI_Info)
ORRERY_NUMBERS(Request, MPI_Request)
ORRERY_NUMBERS(Message, MPI_Message)
ORRERY_NUMBERS(Win, MPI_Win)
ORRERY_NUMBERS(File, MPI_File)
ORRERY_NUMBERS(Session, MPI_Session)
#undef ORRERY_NUMBERS

template <class C>
[[nodiscard]] C from(int number) {
  if constexpr (std::is_same_v<C, MPI_Datatype>) {
    if (is_bound(number)) return bound_type(number);
  }
  const bool is_predefined = number >= 0 && number < first_given;
  return is_predefined ? reinterpret_cast<C>(static_cast<std::uintptr_t>(number)) : from_int(C{}, number);
}

template <class C>
[[nodiscard]] int number_of(C handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < first_given ? static_cast<int>(value) : to_int(handle);
}

#endif

[[nodiscard]] inline int comm_self() { return number_of(MPI_COMM_SELF); }

/// No handle at all: a routine that fails may leave the number as it is.
template <class C>
inline const C unset = (C)~std::uintptr_t{0};

/// A handle that the routine makes.
template <class C>
class HandleOut {
 public:
  explicit HandleOut(int* number) : number_(*number) {}
  HandleOut(const HandleOut&) = delete;
  HandleOut& operator=(const HandleOut&) = delete;
  ~HandleOut() {
    if (handle_ != unset<C>) number_ = number_of(handle_);
  }
  operator C*() { return &handle_; }

 protected:
  HandleOut(int* number, C handle) : number_(*number), handle_(handle) {}

 private:
  int& number_;
  C handle_ = unset<C>;
};

/// A handle that the routine may change.
template <class C>
class HandleInOut : public HandleOut<C> {
 public:
  explicit HandleInOut(int* number) : HandleOut<C>(number, from<C>(*number)) {}
};

/// Room for `length` handles, without allocation when they are few.
template <class C>
class Handles {
 public:
  explicit Handles(std::int64_t length) : length_(length > 0 ? static_cast<std::size_t>(length) : 0) {
    if (length_ > few) many_ = std::make_unique<C[]>(length_);
  }
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  [[nodiscard]] std::size_t length() const { return length_; }
  [[nodiscard]] C* data() { return many_ != nullptr ? many_.get() : few_; }

 private:
  static constexpr std::size_t few = 32;
  std::size_t length_;
  C few_[few];
  std::unique_ptr<C[]> many_;
};

/// An array of handles. A length that is not positive is C's to complain of.
template <class C>
class HandlesIn {
 public:
  HandlesIn(const int* numbers, std::int64_t length) : handles_(length) {
    for (std::size_t i = 0; i < handles_.length(); ++i) handles_.data()[i] = from<C>(numbers[i]);
  }
  operator C*() { return handles_.data(); }

 protected:
  Handles<C> handles_;
};

/// An array of handles that the routine may change: requests.
template <class C>
class HandlesInOut : public HandlesIn<C> {
 public:
  HandlesInOut(int* numbers, std::int64_t length) : HandlesIn<C>(numbers, length), numbers_(numbers) {}
  HandlesInOut(const HandlesInOut&) = delete;
  HandlesInOut& operator=(const HandlesInOut&) = delete;
  ~HandlesInOut() {
    for (std::size_t i = 0; i < this->handles_.length(); ++i) numbers_[i] = number_of(this->handles_.data()[i]);
  }

 private:
  int* numbers_;
};

/// An array of handles that the routine fills in, perhaps not to the end: the rest of the numbers stays.
template <class C>
class HandlesOut {
 public:
  HandlesOut(int* numbers, std::int64_t length) : handles_(length), numbers_(numbers) {
    for (std::size_t i = 0; i < handles_.length(); ++i) handles_.data()[i] = unset<C>;
  }
  HandlesOut(const HandlesOut&) = delete;
  HandlesOut& operator=(const HandlesOut&) = delete;
  ~HandlesOut() {
    for (std::size_t i = 0; i < handles_.length() && handles_.data()[i] != unset<C>; ++i) {
      numbers_[i] = number_of(handles_.data()[i]);
    }
  }
  operator C*() { return handles_.data(); }

 private:
  Handles<C> handles_;
  int* numbers_;
};

}  // namespace orrery::abi::fortran
