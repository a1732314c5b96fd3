// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "op/op.hpp"

namespace orrery::op {

/// Up to `capacity` operations, one after the other, that a script yields in one go: a part such as "exchange"
/// is then an ordinary function, and costs neither a coroutine nor a resumption per operation.
template <std::size_t capacity>
class Batch {
 public:
  constexpr void add(const Operation& operation) { operations_[size_++] = operation; }
  [[nodiscard]] constexpr std::size_t size() const { return size_; }
  constexpr operator std::span<const Operation>() const { return {operations_.data(), size_}; }

 private:
  std::array<Operation, capacity> operations_{};
  std::size_t size_ = 0;
};

/// A stream written as a coroutine that yields operations, and may yield other scripts, whose
/// operations then come in its place:
///
///     Script ring(int self, int size, Bytes block) {
///       for (int step = 1; step < size; ++step) co_yield exchange(...);   // a Batch
///       co_yield barrier(self, size);                                     // a Script, not yet begun
///       co_yield Operation{...};
///     }
///
/// Parameters are taken by value: the coroutine outlives the call. A yielded operation lives in the
/// coroutine's frame until it is resumed, so spans to local arrays are fine. An exception of a yielded script
/// appears in the script that yielded it, at the co_yield.
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
  const Operation* next = nullptr;  ///< operations yielded and not yet read (only kept at the root): [next, end)
  const Operation* end = nullptr;
  promise_type* root = this;  ///< outermost script: who is asked for the next operation
  promise_type* leaf = this;  ///< innermost script (only kept at the root): who is resumed
  promise_type* parent = nullptr;
  std::exception_ptr error;

  static void* operator new(std::size_t bytes) { return FramePool::allocate(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept { FramePool::release(frame, bytes); }

  Script get_return_object() { return Script(Handle::from_promise(*this)); }
  std::suspend_always initial_suspend() noexcept { return {}; }
  std::suspend_always yield_value(const Operation& operation) noexcept { return yield_value({&operation, 1}); }
  std::suspend_always yield_value(std::span<const Operation> batch) noexcept {
    root->next = batch.data();
    root->end = batch.data() + batch.size();
    return {};
  }
  void return_void() noexcept {}
  void unhandled_exception() noexcept { error = std::current_exception(); }

  /// The end of a nested script makes its parent the leaf; `Script::next` then resumes it. No symmetric transfer:
  /// compilers make it a tail call only when they optimise, and a loop over empty scripts must not grow the stack.
  struct Final {
    bool await_ready() noexcept { return false; }
    void await_suspend(Handle self) noexcept {
      promise_type& promise = self.promise();
      if (promise.parent != nullptr) promise.root->leaf = promise.parent;
    }
    void await_resume() noexcept {}
  };
  Final final_suspend() noexcept { return {}; }

  /// Runs a nested script in place.
  struct Nested {
    Script script;
    bool await_ready() const noexcept { return !script.handle_; }
    void await_suspend(Handle outer) noexcept {
      promise_type& inner = script.handle_.promise();
      inner.parent = &outer.promise();
      inner.root = outer.promise().root;
      inner.root->leaf = &inner;
    }
    void await_resume() const {
      if (script.handle_ && script.handle_.promise().error) std::rethrow_exception(script.handle_.promise().error);
    }
  };
  Nested yield_value(Script&& script) noexcept { return {std::move(script)}; }
};

inline const Operation* Script::next() {
  if (!handle_) return nullptr;
  promise_type& promise = handle_.promise();
  while (promise.next == promise.end) {
    if (handle_.done()) return nullptr;
    Handle::from_promise(*promise.leaf).resume();
    if (promise.error) std::rethrow_exception(std::exchange(promise.error, nullptr));
  }
  return promise.next++;
}

}  // namespace orrery::op
