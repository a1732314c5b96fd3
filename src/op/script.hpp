// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <utility>

#include "op/op.hpp"

namespace orrery::op {

/// A stream written as a coroutine that yields operations, and may yield other scripts, whose
/// operations then come in its place:
///
///     Script ring(int self, int size, Bytes block) {
///       for (int step = 1; step < size; ++step) co_yield exchange(...);   // a Script
///       co_yield Operation{...};
///     }
///
/// Parameters are taken by value: the coroutine outlives the call. A yielded operation lives in the
/// coroutine's frame until it is resumed, so spans to local arrays are fine.
class [[nodiscard]] Script {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  Script() = default;
  Script(Script&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Script& operator=(Script&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Script() {
    if (handle_) handle_.destroy();
  }

  /// The next operation, or null at the end. Rethrows what the coroutine throws.
  [[nodiscard]] const Operation* next();

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(handle_); }

 private:
  explicit Script(Handle handle) : handle_(handle) {}

  Handle handle_;
};

/// Frames come from free lists by size, one set per thread: a collective of 10^5 ranks starts and
/// ends 10^5 coroutines, and none of them should reach malloc in steady state.
struct FramePool {
  static void* allocate(std::size_t bytes);
  static void release(void* frame, std::size_t bytes) noexcept;
};

struct Script::promise_type {
  const Operation* current = nullptr;
  promise_type* root = this;  ///< outermost script: who is asked for the next operation
  promise_type* leaf = this;  ///< innermost script (only kept at the root): who is resumed
  promise_type* parent = nullptr;
  std::exception_ptr error;

  static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { FramePool::release(frame, bytes); }

  Script get_return_object() { return Script(Handle::from_promise(*this)); }
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always yield_value(const Operation& operation) noexcept {
    root->current = &operation;
    return {};
  }
  void return_void() noexcept {}
  void unhandled_exception() noexcept { error = std::current_exception(); }

  struct Final {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle self) noexcept {
      promise_type& promise = self.promise();
      if (promise.parent == nullptr) return std::noop_coroutine();
      promise.root->leaf = promise.parent;
      return Handle::from_promise(*promise.parent);
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }

  /// Runs a nested script in place.
  struct Nested {
    Script script;
    bool await_ready() const noexcept { return !script.handle_; }
    std::coroutine_handle<> await_suspend(Handle outer) noexcept {
      promise_type& inner = script.handle_.promise();
      inner.parent = &outer.promise();
      inner.root = outer.promise().root;
      inner.root->leaf = &inner;
      return script.handle_;
    }
    void await_resume() const {
      if (script.handle_ && script.handle_.promise().error) std::rethrow_exception(script.handle_.promise().error);
    }
  };
  Nested yield_value(Script&& script) noexcept { return {std::move(script)}; }
};

inline const Operation* Script::next() {
  if (!handle_ || handle_.done()) return nullptr;
  promise_type& promise = handle_.promise();
  promise.current = nullptr;
  Handle::from_promise(*promise.leaf).resume();
  if (promise.error) std::rethrow_exception(std::exchange(promise.error, nullptr));
  return promise.current;
}

}  // namespace orrery::op
