// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "mpi/error/errors.hpp"
#include "mpi/presentation.hpp"
#include "mpi/types.hpp"

/// Attribute caching (MPI-4.1, section 7.7): key values, and the values that communicators and datatypes cache.
namespace orrery::mpi {

/// What a key value is for.
enum class Cacher : std::uint8_t { Comm, Type, Win };

/// The standard's callbacks. The handle is one of the program's binary interface; those that are ints travel in the
/// register of a pointer just as well.
using CopyAttribute = int (*)(void* old_handle, int key, void* extra, void* value, void* new_value, int* flag);
using DeleteAttribute = int (*)(void* handle, int key, void* value, void* extra);

/// Values of the callbacks that the standard predefines: copies nothing, copies the value itself, deletes nothing.
inline constexpr std::uintptr_t null_copy = 0;
inline constexpr std::uintptr_t dup_value = 1;
inline constexpr std::uintptr_t null_delete = 0;

struct Keyval {
  int key;
  Cacher cacher;
  void (*copy)();  ///< a CopyAttribute, or one of the values above
  void (*destroy)();
  void* extra;
  const Presentation* shown_by = &presentation();
};

/// What one object caches, in the order in which it was set. A freed key value can be used, and even freed again, as
/// long as an attribute has it (MPI-4.1, section 7.7.2).
struct Attributes {
  struct Attribute {
    std::shared_ptr<const Keyval> keyval;
    void* value;
  };
  std::vector<Attribute> list;
};

/// The key values of one rank.
class Keyvals {
 public:
  int add(Cacher cacher, void (*copy)(), void (*destroy)(), void* extra);
  /// Null when there is none, or when it was freed and no attribute has it any more.
  [[nodiscard]] std::shared_ptr<const Keyval> find(int key) const;
  void free(int key);

 private:
  struct Entry {
    std::shared_ptr<const Keyval> kept;  ///< until it is freed
    std::weak_ptr<const Keyval> used;
  };
  std::map<int, Entry> table_;
  int next_ = 1024;  ///< above those that the standard predefines
};

inline constexpr int keyval_invalid = 0;
/// Attributes that every communicator has (values of the standard ABI); each is the address of an int.
enum PredefinedKey : int {
  key_tag_ub = 501,
  key_io = 502,
  key_host = 503,
  key_wtime_is_global = 504,
  key_appnum = 505,
  key_lastusedcode = 506,
  key_universe_size = 507,
};
struct PredefinedAttributes {
  int tag_ub = tag_upper_bound;
  int io = any_source;  ///< every rank can do what the language's input and output can
  int host = proc_null;
  int wtime_is_global = 1;
  int appnum = 0;
  int lastusedcode = err_lastcode;
  int universe_size = 0;  ///< of the run: as many ranks as it can have

  /// The int of a predefined key, or null.
  [[nodiscard]] int* find(int key);
};

// --- for all that cache
// ------------------------------------------------------------------------------------------------
void create_keyval(Cacher cacher, void (*copy)(), void (*destroy)(), int& key, void* extra);
void free_keyval(Cacher cacher, int& key);
/// `handle`: what the object's callbacks are given.
void set_attribute(Cacher cacher, Attributes& attributes, void* handle, int key, void* value);
void get_attribute(Cacher cacher, const Attributes& attributes, int key, void** value, bool& flag);
void delete_attribute(Cacher cacher, Attributes& attributes, void* handle, int key);
/// Asks the copy callback of each attribute of `from`; what they agree to is added to `to`.
/// @throws Error with the code that a callback gave
void copy_attributes(const Attributes& from, void* from_handle, Attributes& to);
/// Deletes all, the last set first, as MPI_Finalize must for MPI_COMM_SELF (MPI-4.1, section 11.2.4).
/// @throws Error with the code that a callback gave; its attribute and those before it stay
void delete_attributes(Attributes& attributes, void* handle);

// --- communicators
// -----------------------------------------------------------------------------------------------------
void comm_create_keyval(void (*copy)(), void (*destroy)(), int& key, void* extra);
void comm_free_keyval(int& key);
void comm_set_attr(Comm& comm, int key, void* value);
void comm_get_attr(Comm& comm, int key, void* value, bool& flag);  ///< `value`: address of a pointer
void comm_delete_attr(Comm& comm, int key);

}  // namespace orrery::mpi
