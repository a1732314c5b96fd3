// SPDX-License-Identifier: BSD-3-Clause
#include <exception>

#include "base/error.hpp"
#include "python/bind.hpp"
#include "python/trace_writer.hpp"

namespace {

/// Python's class for the user's mistakes. Imported when the first is made, as `orrery.errors` may import this module.
PyObject* input_error_class() {
  PyObject* errors = PyImport_ImportModule("orrery.errors");
  PyObject* found = errors != nullptr ? PyObject_GetAttrString(errors, "InputError") : nullptr;
  Py_XDECREF(errors);
  PyErr_Clear();
  return found != nullptr ? found : Py_NewRef(PyExc_ValueError);
}

void translate(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const orrery::InputError& error) {
    PyObject* type = input_error_class();
    PyErr_SetString(type, error.what());
    Py_DECREF(type);
  }
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Orrery's core: platforms, network models, collective algorithms and runs of live programs.";
  nanobind::register_exception_translator(translate);
  orrery::python::bind_platform(m);
  orrery::python::bind_network(m);
  orrery::python::bind_collective(m);
  orrery::python::bind_storage(m);
  orrery::python::bind_kernel(m);
  orrery::python::bind_results(m);
  orrery::python::bind_launch(m);
  orrery::python::bind_replay(m);
  orrery::python::bind_workload(m);
  orrery::python::bind_goal(m);
  orrery::python::bind_trace_reader(m);
  orrery::python::bind_trace_writer(m);
}
