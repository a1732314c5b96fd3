// SPDX-License-Identifier: BSD-3-Clause
#include "abi/tool.hpp"

#include <algorithm>
#include <cstring>

#include "abi/tool_support.hpp"
#include "mpi/process/environment.hpp"

namespace orrery::abi::by_hand {
namespace {

using mpi::tool::Category;
using mpi::tool::Enumeration;
using mpi::tool::Value;

int initialised = 0;  ///< MPI_T_init_thread counts

const Enumeration& enumeration(MPI_T_enum type) {
  check_tool();
  for (const auto& variable : mpi::tool::control_variables()) {
    const auto* known = variable.enumeration;
    if (known != nullptr && reinterpret_cast<MPI_T_enum>(const_cast<Enumeration*>(known)) == type) return *known;
  }
  throw mpi::Error{MPI_T_ERR_INVALID, "not an enumeration"};
}

void tell_indices(std::span<const int> all, int length, int indices[]) {
  const auto n = std::min<std::size_t>(all.size(), static_cast<std::size_t>(std::max(length, 0)));
  if (indices != nullptr) std::copy_n(all.begin(), n, indices);
}

}  // namespace

void check_tool() {
  if (initialised == 0) throw mpi::Error{MPI_T_ERR_NOT_INITIALIZED, "MPI_T_init_thread has not been called"};
}

void tell_text(std::string_view text, char* where, int* length) {
  if (length == nullptr) return;
  if (where != nullptr && *length > 0) {
    const std::size_t n = std::min(text.size(), static_cast<std::size_t>(*length - 1));
    std::memcpy(where, text.data(), n);
    where[n] = 0;
  }
  *length = static_cast<int>(text.size() + 1);
}

void copy_value(const Value& value, void* buffer) {
  if (buffer == nullptr) throw mpi::Error{MPI_T_ERR_INVALID, "the buffer is a null pointer"};
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    int length = text_room;
    return tell_text(*text, static_cast<char*>(buffer), &length);
  }
  std::visit(
      [&](const auto& number) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(number)>, std::string_view>) {
          std::memcpy(buffer, &number, sizeof number);
        }
      },
      value);
}

void t_init_thread(int required, int* provided) {
  ++initialised;
  tell(provided, required);
}

void t_finalize() {
  check_tool();
  --initialised;
}

void t_enum_get_info(MPI_T_enum type, int* items, char* name, int* name_length) {
  const Enumeration& known = enumeration(type);
  tell(items, known.items.size());
  tell_text(known.name, name, name_length);
}

void t_enum_get_item(MPI_T_enum type, int item, int* value, char* name, int* name_length) {
  const Enumeration& known = enumeration(type);
  if (item < 0 || static_cast<std::size_t>(item) >= known.items.size()) {
    throw mpi::Error{MPI_T_ERR_INVALID_ITEM, "no such item"};
  }
  tell(value, item);
  tell_text(known.items[static_cast<std::size_t>(item)], name, name_length);
}

void t_category_get_num(int* number) {
  check_tool();
  tell(number, mpi::tool::categories().size());
}

void t_category_get_info(int index, char* name, int* name_length, char* description, int* description_length,
                         int* cvars, int* pvars, int* categories) {
  const Category& category = element(mpi::tool::categories(), index);
  tell_text(category.name, name, name_length);
  tell_text(category.description, description, description_length);
  tell(cvars, category.control.size());
  tell(pvars, category.performance.size());
  tell(categories, 0);
}

void t_category_get_num_events(int index, int* events) {
  (void)element(mpi::tool::categories(), index);
  tell(events, 0);
}

void t_category_get_index(const char* name, int* index) { tell_index(mpi::tool::categories(), name, index); }

void t_category_get_cvars(int index, int length, int indices[]) {
  tell_indices(element(mpi::tool::categories(), index).control, length, indices);
}

void t_category_get_pvars(int index, int length, int indices[]) {
  tell_indices(element(mpi::tool::categories(), index).performance, length, indices);
}

void t_category_get_events(int index, int /*length*/, int /*indices*/[]) {
  (void)element(mpi::tool::categories(), index);
}

void t_category_get_categories(int index, int /*length*/, int /*indices*/[]) {
  (void)element(mpi::tool::categories(), index);
}

void t_category_changed(int* number) {
  check_tool();
  tell(number, 0);
}

}  // namespace orrery::abi::by_hand
