// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rank/python_lines.hpp"

#include <dlfcn.h>

#include <new>
#include <string>

#include "mpi/channel/sites.hpp"

namespace orrery::mpi {
namespace {

/// Python's C interface, as the process has it: none of it in other programs.
class Python {
 public:
  static const Python& of_process() {
    static const Python found;
    return found;
  }

  [[nodiscard]] bool is_there() const { return complete_; }

  int (*is_initialized)() = nullptr;
  void* (*this_thread)() = nullptr;
  int (*lock)() = nullptr;
  void (*unlock)(int) = nullptr;
  void* (*frame)() = nullptr;
  int (*line_of)(void*) = nullptr;
  void* (*code_of)(void*) = nullptr;
  void* (*attribute)(void*, const char*) = nullptr;
  const char* (*text)(void*) = nullptr;
  void (*release)(void*) = nullptr;
  void (*forget_error)() = nullptr;

 private:
  Python() {
    find(is_initialized, "Py_IsInitialized");
    find(this_thread, "PyGILState_GetThisThreadState");
    find(lock, "PyGILState_Ensure");
    find(unlock, "PyGILState_Release");
    find(frame, "PyEval_GetFrame");
    find(line_of, "PyFrame_GetLineNumber");
    find(code_of, "PyFrame_GetCode");
    find(attribute, "PyObject_GetAttrString");
    find(text, "PyUnicode_AsUTF8");
    find(release, "Py_DecRef");
    find(forget_error, "PyErr_Clear");
  }

  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
    complete_ = complete_ && function != nullptr;
  }

  bool complete_ = true;
};

/// Holds Python's lock, where the calling thread is one of Python's and the interpreter is not coming to its end.
class InterpreterLock {
 public:
  explicit InterpreterLock(const Python& python)
      : python_(python), holds_(python.is_initialized() != 0 && python.this_thread() != nullptr) {
    if (holds_) state_ = python.lock();
  }
  ~InterpreterLock() {
    if (holds_) python_.unlock(state_);
  }
  InterpreterLock(const InterpreterLock&) = delete;
  InterpreterLock& operator=(const InterpreterLock&) = delete;
  [[nodiscard]] explicit operator bool() const { return holds_; }

 private:
  const Python& python_;
  bool holds_;
  int state_ = 0;
};

constexpr std::size_t most_lines = 1024;

}  // namespace

std::uint32_t PythonLines::number(std::uint32_t site) {
  const Python& python = Python::of_process();
  if (site == 0 || !python.is_there()) return site;
  const InterpreterLock locked(python);
  void* const frame = locked ? python.frame() : nullptr;
  if (frame == nullptr) return site;
  void* const code = python.code_of(frame);
  const int line = python.line_of(frame);
  if (const Known* known = find(code, line, site)) {
    python.release(code);
    return known->number;
  }
  if (known_.size() < most_lines) return add(code, line, site);
  python.release(code);
  return site;
}

/// Programs are loops: mostly it is the one after the last.
const PythonLines::Known* PythonLines::find(void* code, int line, std::uint32_t site) {
  for (std::size_t i = 1; i <= known_.size(); ++i) {
    const std::size_t place = (last_ + i) % known_.size();
    const Known& known = known_[place];
    if (known.code != code || known.line != line || known.site != site) continue;
    last_ = place;
    return &known;
  }
  return nullptr;
}

/// The line is not known where memory is used up, or the name of the file is no text.
std::uint32_t PythonLines::add(void* code, int line, std::uint32_t site) {
  const Python& python = Python::of_process();
  void* const file = python.attribute(code, "co_filename");
  const char* const name = file == nullptr ? nullptr : python.text(file);
  std::uint32_t number = site;
  try {
    if (name != nullptr) {
      const std::string place = std::string(name) + ":" + std::to_string(line);
      number =
          channel::site(memory_, place.c_str(), static_cast<std::int32_t>(site), channel::SiteKind::CallOfPython, [] {
            return channel::Offset{0};
          }).number;
    }
    known_.push_back({code, line, site, number});
    last_ = known_.size() - 1;
  } catch (const std::bad_alloc&) {
    python.release(code);
    number = site;
  }
  if (name == nullptr) python.forget_error();
  if (file != nullptr) python.release(file);
  return number;
}

}  // namespace orrery::mpi
