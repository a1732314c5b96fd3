// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace orrery::abi {

/// An int for a handle, for use in other languages: a predefined handle's own value; above those, numbers in the order
/// of asking, since a pointer does not fit. The same pointer always has the same number.
[[nodiscard, gnu::visibility("default")]] int handle_number(const void* handle);
/// Its inverse. @return null for a number that was never given
[[nodiscard, gnu::visibility("default")]] void* pointer_of_number(int number);

template <class C>
[[nodiscard]] C handle_of_number(int number) {
  return reinterpret_cast<C>(pointer_of_number(number));
}

}  // namespace orrery::abi
