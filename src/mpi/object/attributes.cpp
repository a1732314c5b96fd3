// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/object/attributes.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "mpi/communicator/comm.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/language.hpp"
#include "mpi/rank/locals.hpp"
#include "mpi/rank/rank.hpp"

namespace orrery::mpi {

namespace {

using Attribute = Attributes::Attribute;

std::shared_ptr<const Keyval> checked_keyval(Cacher cacher, int key) {
  auto found = locals().keyvals.find(key);
  if (found == nullptr) throw Error{err_keyval, concat("there is no key value ", key)};
  if (found->cacher != cacher) throw Error{err_keyval, concat("key value ", key, " is for other objects")};
  return found;
}

auto find_attribute(auto& attributes, int key) {
  return std::ranges::find_if(attributes.list,
                              [key](const Attribute& attribute) { return attribute.keyval->key == key; });
}

/// Calls the delete callback of an attribute that is about to go.
void call_destroy(const Attribute& attribute, void* handle) {
  const auto& keyval = *attribute.keyval;
  if (reinterpret_cast<std::uintptr_t>(keyval.destroy) == null_delete) return;
  const auto destroy = reinterpret_cast<DeleteAttribute>(keyval.destroy);
  const Presentation& shown = *keyval.shown_by;
  const int code = shown.code_from(destroy(shown.handle(handle), keyval.key, attribute.value, keyval.extra));
  if (code != 0) throw Error{code, concat("the delete callback of key value ", keyval.key, " returned ", code)};
}

/// What the copy callback makes of an attribute; true if the copy is to have it.
bool call_copy(const Attribute& attribute, void* handle, void*& value) {
  const auto& keyval = *attribute.keyval;
  const auto special = reinterpret_cast<std::uintptr_t>(keyval.copy);
  if (special == null_copy) return false;
  value = attribute.value;
  if (special == dup_value) return true;
  int flag = 0;
  const auto copy = reinterpret_cast<CopyAttribute>(keyval.copy);
  const Presentation& shown = *keyval.shown_by;
  const int code =
      shown.code_from(copy(shown.handle(handle), keyval.key, keyval.extra, attribute.value, &value, &flag));
  if (code != 0) throw Error{code, concat("the copy callback of key value ", keyval.key, " returned ", code)};
  return flag != 0;
}

void check_not_predefined(int key) {
  if (locals().predefined.find(key) != nullptr) {
    throw Error{err_keyval, concat("key value ", key, " belongs to MPI: its attribute cannot change")};
  }
}

}  // namespace

int* PredefinedAttributes::find(int key) {
  switch (key) {
    case key_tag_ub: return &tag_ub;
    case key_io: return &io;
    case key_host: return &host;
    case key_wtime_is_global: return &wtime_is_global;
    case key_appnum: return &appnum;
    case key_lastusedcode: return &lastusedcode;
    case key_universe_size: return &universe_size;
    default: return nullptr;
  }
}

int Keyvals::add(Cacher cacher, void (*copy)(), void (*destroy)(), void* extra) {
  const int key = next_++;
  const auto made = std::make_shared<Keyval>(Keyval{key, cacher, copy, destroy, extra});
  table_[key] = {made, made};
  return key;
}

std::shared_ptr<const Keyval> Keyvals::find(int key) const {
  const auto found = table_.find(key);
  return found == table_.end() ? nullptr : found->second.used.lock();
}

void Keyvals::free(int key) {
  const auto found = table_.find(key);
  if (found == table_.end()) return;
  found->second.kept.reset();
  if (found->second.used.expired()) table_.erase(found);
}

/// They are constant for objects that cache, and were made otherwise.
Keyval* changeable_keyval(int key) { return std::const_pointer_cast<Keyval>(locals().keyvals.find(key)).get(); }

void create_keyval(Cacher cacher, void (*copy)(), void (*destroy)(), int& key, void* extra) {
  key = locals().keyvals.add(cacher, copy, destroy, extra);
}

void free_keyval(Cacher cacher, int& key) {
  check_not_predefined(key);
  checked_keyval(cacher, key);
  locals().keyvals.free(key);
  key = keyval_invalid;
}

void set_attribute(Cacher cacher, Attributes& attributes, void* handle, int key, void* value) {
  auto keyval = checked_keyval(cacher, key);
  if (const auto found = find_attribute(attributes, key); found != attributes.list.end()) {
    call_destroy(*found, handle);
    found->value = value;
  } else {
    attributes.list.push_back({std::move(keyval), value});
  }
}

void get_attribute(Cacher cacher, const Attributes& attributes, int key, void** value, bool& flag) {
  checked_keyval(cacher, key);
  const auto found = find_attribute(attributes, key);
  flag = found != attributes.list.end();
  if (flag) *value = found->value;
}

void delete_attribute(Cacher cacher, Attributes& attributes, void* handle, int key) {
  checked_keyval(cacher, key);
  const auto found = find_attribute(attributes, key);
  if (found == attributes.list.end()) throw Error{err_keyval, concat("no attribute is set for key value ", key)};
  call_destroy(*found, handle);
  // The callback may have set or deleted attributes itself.
  if (const auto again = find_attribute(attributes, key); again != attributes.list.end()) attributes.list.erase(again);
}

void copy_attributes(const Attributes& from, void* from_handle, Attributes& to) {
  for (const auto& attribute : from.list) {
    void* value = nullptr;
    if (call_copy(attribute, from_handle, value)) to.list.push_back({attribute.keyval, value});
  }
}

void delete_attributes(Attributes& attributes, void* handle) {
  while (!attributes.list.empty()) {
    const auto attribute = attributes.list.back();
    call_destroy(attribute, handle);
    std::erase_if(attributes.list, [&](const Attribute& other) { return other.keyval == attribute.keyval; });
  }
}

void comm_create_keyval(void (*copy)(), void (*destroy)(), int& key, void* extra) {
  create_keyval(Cacher::Comm, copy, destroy, key, extra);
}

void comm_free_keyval(int& key) { free_keyval(Cacher::Comm, key); }

void comm_set_attr(Comm& comm, int key, void* value) {
  check_not_predefined(key);
  set_attribute(Cacher::Comm, comm.attributes, comm.abi_handle, key, value);
}

void comm_get_attr(Comm& comm, int key, void* value, bool& flag) {
  auto* const place = static_cast<void**>(value);
  if (key == key_universe_size) locals().predefined.universe_size = static_cast<int>(this_rank().settings().capacity);
  if (key == key_appnum) locals().predefined.appnum = this_rank().block().appnum;
  if (int* const predefined = locals().predefined.find(key); predefined != nullptr) {
    *place = predefined;
    flag = true;
    return;
  }
  get_attribute(Cacher::Comm, comm.attributes, key, place, flag);
}

void comm_delete_attr(Comm& comm, int key) {
  check_not_predefined(key);
  delete_attribute(Cacher::Comm, comm.attributes, comm.abi_handle, key);
}

}  // namespace orrery::mpi
