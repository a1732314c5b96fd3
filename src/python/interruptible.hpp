// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <future>

namespace orrery::python {

/// What `work` gives, on a thread of its own while Python's signal handlers run here: what they raise, such as Ctrl-C,
/// sets `stop`, which ends the work.
template <class Work>
auto interruptible(std::atomic<bool>& stop, Work&& work) {
  namespace nb = nanobind;
  auto ended = std::async(std::launch::async, std::forward<Work>(work));
  {
    nb::gil_scoped_release released;
    while (ended.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      nb::gil_scoped_acquire gil;
      if (PyErr_CheckSignals() == 0) continue;
      stop = true;
      PyErr_Clear();
    }
  }
  return ended.get();
}

/// What a room throws when work is stopped becomes Python's KeyboardInterrupt.
template <class Interrupted>
void translate_interrupted() {
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Interrupted&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace orrery::python
