// SPDX-License-Identifier: BSD-3-Clause
#include "python/input_errors.hpp"

#include <nanobind/nanobind.h>

#include <exception>
#include <string_view>

#include "base/error.hpp"

namespace orrery::python {
namespace {

/// Python's class for the user's mistakes. Imported when the first is made, as `orrery.errors` may import the module.
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
  } catch (const InputError& error) {
    PyObject* type = input_error_class();
    // What is quoted out of a file may be no UTF-8.
    const std::string_view said(error.what());
    PyObject* text = PyUnicode_DecodeUTF8(said.data(), static_cast<Py_ssize_t>(said.size()), "backslashreplace");
    if (text != nullptr) PyErr_SetObject(type, text);
    Py_XDECREF(text);
    Py_DECREF(type);
  }
}

}  // namespace

void translate_input_errors() { nanobind::register_exception_translator(translate); }

}  // namespace orrery::python
