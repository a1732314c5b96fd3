// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "mpi/error/errhandler.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/object/alignment.hpp"
#include "mpi/object/info.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/window/window_object.hpp"

/// What windows are called, cache, and do with errors; their hints.
namespace orrery::mpi {
namespace {

/// Attributes that every window has (values of the standard ABI).
enum PredefinedWindowKey : int { key_base = 601, key_unit = 602, key_size = 603, key_flavor = 604, key_model = 605 };

/// What MPI_Win_get_attr gives for a predefined key; null for others.
void* predefined_attribute(Window& window, int key, bool& is_predefined) {
  is_predefined = true;
  switch (key) {
    case key_base: return window.base;
    case key_unit: return &window.unit;
    case key_size: return &window.size;
    case key_flavor: return &window.flavor;
    case key_model: return &window.model;
    default: is_predefined = false; return nullptr;
  }
}

void check_own(int key) {
  if (key >= key_base && key <= key_model) {
    throw Error{err_keyval, concat("key value ", key, " belongs to MPI: its attribute cannot change")};
  }
}

/// Hints that a window has when the program gives none, as MPI-4.1, section 12.2, has them.
constexpr std::pair<const char*, const char*> defaults[] = {
    {"no_locks", "false"},
    {"accumulate_ordering", "rar,raw,war,waw"},
    {"accumulate_ops", "same_op_no_op"},
    {"mpi_accumulate_granularity", "0"},
    {"same_size", "false"},
    {"same_disp_unit", "false"},
};

/// Others are ignored.
constexpr std::string_view known_window_hints[] = {
    "no_locks",       "accumulate_ordering",    "accumulate_ops", "mpi_accumulate_granularity",   "same_size",
    "same_disp_unit", "alloc_shared_noncontig", alignment_key,    "mpi_assert_memory_alloc_kinds"};

Errhandler& own_window_handler(const Window& window) {
  return window.errhandler != nullptr ? *window.errhandler : errors_are_fatal();
}

}  // namespace

void win_set_name(Window& window, const char* name) {
  if (name == nullptr) throw Error{err_arg, "the name is a null pointer"};
  window.name.assign(name, std::min(std::strlen(name), max_object_name - 1));
}

void win_get_name(Window* window, char* name, int& length) {
  const std::string text = window != nullptr ? window->name : "MPI_WIN_NULL";
  std::memcpy(name, text.c_str(), text.size() + 1);
  length = static_cast<int>(text.size());
}

void win_set_info(Window& window, Info* info) { keep_known(window.info, info, known_window_hints); }

void win_get_info(Window& window, Info*& info) {
  if (window.info != nullptr) {
    info_dup(window.info, info);
  } else {
    info_create(info);
  }
  for (const auto& [key, value] : defaults) {
    if (info->find(key) == nullptr) info_set(info, key, value);
  }
  if (window.flavor == flavor_shared && info->find("alloc_shared_noncontig") == nullptr) {
    info_set(info, "alloc_shared_noncontig", "false");
  }
}

void win_create_keyval(void (*copy)(), void (*destroy)(), int& key, void* extra) {
  create_keyval(Cacher::Win, copy, destroy, key, extra);
}

void win_free_keyval(int& key) {
  check_own(key);
  free_keyval(Cacher::Win, key);
}

void win_set_attr(Window& window, int key, void* value) {
  check_own(key);
  set_attribute(Cacher::Win, window.attributes, window.abi_handle, key, value);
}

void win_get_attr(Window& window, int key, void* value, bool& flag) {
  auto* const place = static_cast<void**>(value);
  if (void* const found = predefined_attribute(window, key, flag); flag) {
    *place = found;
    return;
  }
  get_attribute(Cacher::Win, window.attributes, key, place, flag);
}

void win_delete_attr(Window& window, int key) {
  check_own(key);
  delete_attribute(Cacher::Win, window.attributes, window.abi_handle, key);
}

void win_create_errhandler(void (*function)(), Errhandler*& errhandler) {
  comm_create_errhandler(function, errhandler);
  errhandler->of = Errhandler::Of::Window;
}

void win_set_errhandler(Window& window, Errhandler& errhandler) {
  retain(errhandler);
  if (window.errhandler != nullptr) release(*window.errhandler);
  window.errhandler = &errhandler;
}

void win_get_errhandler(Window& window, Errhandler*& errhandler) {
  errhandler = &own_window_handler(window);
  retain(*errhandler);
}

void win_call_errhandler(Window& window, int code) {
  static_cast<void>(raise(&window, window.abi_handle, {code, "raised by the program"}, "MPI_Win_call_errhandler"));
}

/// A window for which no handler was set has that of MPI_COMM_WORLD as it is now, as communicators have: so does MPICH.
int raise(Window* window, void* handle, const Error& error, const char* routine) {
  if (window == nullptr || window->errhandler == nullptr) return raise(locals().world, error, routine);
  return deal_with(*window->errhandler, handle, error, routine);
}

}  // namespace orrery::mpi
