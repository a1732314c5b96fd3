// SPDX-License-Identifier: BSD-3-Clause
#include "abi/coexistence.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/clock/replaces.hpp"

namespace orrery::abi {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t jump_slot = R_X86_64_JUMP_SLOT, global_data = R_X86_64_GLOB_DAT, address_of = R_X86_64_64;
#elif defined(__aarch64__)
constexpr std::uint32_t jump_slot = R_AARCH64_JUMP_SLOT, global_data = R_AARCH64_GLOB_DAT, address_of = R_AARCH64_ABS64;
#else
#error "which relocations bind names on this processor?"
#endif

using Address = std::uintptr_t;

/// The C library's. That it throws nothing lets `dlopen` below jump to it.
using Dlopen = void* (*)(const char*, int) noexcept;
Dlopen dlopen_of_libc() {
  static const auto function = mpi::next_function<Dlopen>("dlopen");
  return function;
}

/// A loaded program or library: as much of its dynamic section as binding takes (elf(5)).
class Object {
 public:
  explicit Object(const link_map& map) : map_(map) {
    for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
      switch (entry->d_tag) {
        case DT_STRTAB: strings_ = reinterpret_cast<const char*>(place(entry->d_un.d_ptr)); break;
        case DT_SYMTAB: symbols_ = reinterpret_cast<const ElfW(Sym)*>(place(entry->d_un.d_ptr)); break;
        case DT_RELA: data_.first = reinterpret_cast<const ElfW(Rela)*>(place(entry->d_un.d_ptr)); break;
        case DT_RELASZ: data_.bytes = entry->d_un.d_val; break;
        case DT_JMPREL: calls_.first = reinterpret_cast<const ElfW(Rela)*>(place(entry->d_un.d_ptr)); break;
        case DT_PLTRELSZ: calls_.bytes = entry->d_un.d_val; break;
        default: break;
      }
    }
  }

  [[nodiscard]] Address base() const { return map_.l_addr; }
  [[nodiscard]] const char* path() const { return map_.l_name; }

  [[nodiscard]] bool has_name(std::string_view name) const {
    const std::string_view path = map_.l_name;
    if (path.substr(path.rfind('/') + 1) == name) return true;
    bool found = false;
    for_each_name(DT_SONAME, [&](std::string_view own) { found = own == name; });
    return found;
  }

  /// @param body is given names in the order of the file
  template <class Body>
  void for_each_name(ElfW(Sxword) tag, Body&& body) const {
    if (strings_ == nullptr) return;
    for (const ElfW(Dyn)* entry = map_.l_ld; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == tag) body(std::string_view(strings_ + entry->d_un.d_val));
    }
  }

  /// @param body is given the names that other objects define, the places of their addresses, and whether it is a call
  template <class Body>
  void for_each_bound(Body&& body) const {
    if (strings_ == nullptr || symbols_ == nullptr) return;
    for (const Relocations& table : {data_, calls_}) {
      for (std::size_t i = 0; i < table.bytes / sizeof *table.first; ++i) {
        const ElfW(Rela)& relocation = table.first[i];
        const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
        if (type != jump_slot && type != global_data && type != address_of) continue;
        const ElfW(Sym)& symbol = symbols_[ELF64_R_SYM(relocation.r_info)];
        if (symbol.st_shndx != SHN_UNDEF || relocation.r_addend != 0) continue;
        body(strings_ + symbol.st_name, reinterpret_cast<Address*>(map_.l_addr + relocation.r_offset),
             type == jump_slot);
      }
    }
  }

 private:
  struct Relocations {
    const ElfW(Rela) * first = nullptr;
    std::size_t bytes = 0;
  };

  /// The loader has made addresses of most entries.
  [[nodiscard]] Address place(Address entry) const { return entry < map_.l_addr ? map_.l_addr + entry : entry; }

  const link_map& map_;
  const char* strings_ = nullptr;
  const ElfW(Sym) * symbols_ = nullptr;
  Relocations data_, calls_;
};

std::vector<Object> all_objects() {
  std::vector<Object> objects;
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    if (std::strstr(map->l_name, "linux-vdso") == nullptr) objects.emplace_back(*map);
  }
  return objects;
}

/// Where the object that has an address begins; 0: none has it.
Address base_of(Address address) {
  Dl_info found{};
  return dladdr(reinterpret_cast<const void*>(address), &found) == 0 ? 0 : reinterpret_cast<Address>(found.dli_fbase);
}

bool is_of_mpi(std::string_view name) {
  constexpr std::string_view beginnings[] = {"MPI_", "PMPI_", "MPIX_",         "PMPIX_",
                                             "mpi_", "pmpi_", "orrery_stage_", "orrery_refuse_"};
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

class Binding {
 public:
  explicit Binding(const std::vector<Address>& libraries) : interfaces_(libraries), objects_(all_objects()) {}

  void bind_all() const {
    for (const Object& object : objects_) bind(object);
  }

 private:
  [[nodiscard]] bool is_interface(Address base) const { return std::ranges::count(interfaces_, base) > 0; }

  /// Libraries of interfaces that an object needs, nearest first.
  [[nodiscard]] std::vector<const Object*> needed(const Object& by) const {
    std::vector<const Object*> waiting{&by}, found;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      waiting[i]->for_each_name(DT_NEEDED, [&](std::string_view name) {
        const auto object =
            std::ranges::find_if(objects_, [&](const Object& candidate) { return candidate.has_name(name); });
        if (object == objects_.end() || std::ranges::count(waiting, &*object) > 0) return;
        waiting.push_back(&*object);
        if (is_interface(object->base())) found.push_back(&*object);
      });
    }
    return found;
  }

  void bind(const Object& object) const {
    const std::vector<const Object*> libraries = needed(object);
    if (libraries.empty()) return;
    object.for_each_bound([&](const char* name, Address* place, bool is_call) {
      if (!is_of_mpi(name)) return;
      Address bound_to = base_of(*place);
      if (is_call && bound_to == object.base()) {  // not yet: it would be at the first call
        bound_to = base_of(reinterpret_cast<Address>(dlsym(RTLD_DEFAULT, name)));
        if (bound_to == 0) return;
      }
      if (!is_interface(bound_to)) return;
      for (const Object* library : libraries) {
        const Address right = defined_in(*library, name);
        if (right == 0) continue;
        if (right != *place) write(place, right);
        return;
      }
    });
  }

  /// The address of a name in a library itself; 0: it does not define it.
  static Address defined_in(const Object& library, const char* name) {
    void* const handle = dlopen_of_libc()(library.path(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) return 0;
    const auto address = reinterpret_cast<Address>(dlsym(handle, name));
    dlclose(handle);
    return base_of(address) == library.base() ? address : 0;
  }

  /// The loader may have made the place one that is only read.
  static void write(Address* place, Address value) {
    const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
    void* const first = reinterpret_cast<void*>(reinterpret_cast<Address>(place) & ~(page - 1));
    if (mprotect(first, page, PROT_READ | PROT_WRITE) == 0) *place = value;
  }

  const std::vector<Address>& interfaces_;
  std::vector<Object> objects_;
};

/// Libraries with entry points that are loaded.
struct Joined {
  std::vector<Address> libraries;
  std::set<std::string> folders;  ///< those of one interface lie together
};

/// Constructed when the first library is loaded, and never destroyed.
Joined& joined() {
  static auto* const of_process = new Joined;
  return *of_process;
}

void bind_if_several() {
  if (joined().folders.size() > 1) Binding(joined().libraries).bind_all();
}

}  // namespace

void joins(const void* address) {
  Dl_info found{};
  if (dladdr(address, &found) == 0) return;
  const std::string_view path = found.dli_fname;
  joined().libraries.push_back(reinterpret_cast<Address>(found.dli_fbase));
  joined().folders.emplace(path.substr(0, path.rfind('/')));
  bind_if_several();
}

}  // namespace orrery::abi

/// Without a folder in its name, a library is looked for where the caller says (DT_RUNPATH), so the C library has to
/// see that caller: it is jumped to.
ORRERY_REPLACES void* dlopen(const char* file, int mode) noexcept {
  const auto next = orrery::abi::dlopen_of_libc();
  if (file == nullptr || file[0] == '$' || std::strchr(file, '/') == nullptr) return next(file, mode);
  void* const handle = next(file, mode);
  if (handle != nullptr) orrery::abi::bind_if_several();
  return handle;
}
