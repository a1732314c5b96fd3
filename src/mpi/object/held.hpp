// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

namespace orrery::mpi {

/// One reference to an object that counts them with `retain` and `release`.
template <class Object>
class Held {
 public:
  Held() = default;
  explicit Held(Object& object) : object_(&object) { retain(object); }
  Held(const Held& other) : object_(other.object_) {
    if (object_ != nullptr) retain(*object_);
  }
  Held(Held&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Held& operator=(Held other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Held() {
    if (object_ != nullptr) release(*object_);
  }
  [[nodiscard]] Object& operator*() const { return *object_; }
  [[nodiscard]] Object* operator->() const { return object_; }

 private:
  Object* object_ = nullptr;
};

}  // namespace orrery::mpi
