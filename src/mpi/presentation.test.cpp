// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/presentation.hpp"

#include <cstdint>

#include "catch.hpp"
#include "mpi/datatype/datatype.hpp"
#include "mpi/object/attributes.hpp"
#include "mpi/reduction/reduction.hpp"

using namespace orrery::mpi;

namespace {

/// Another interface: handles are twice as large, codes are higher by 1,000.
constexpr Presentation other{
    [](void* standard) { return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(standard) * 2); },
    [](int standard) { return standard + 1000; }, [](int shown) { return shown - 1000; }};

std::uintptr_t seen = 0;

void see_datatype(void*, void*, int*, void** datatype) { seen = reinterpret_cast<std::uintptr_t>(*datatype); }

int destroy(void* handle, int, void*, void*) {
  seen = reinterpret_cast<std::uintptr_t>(handle);
  return 1007;
}

}  // namespace

TEST_CASE("an operation of the program is shown the datatype's handle in its own interface") {
  Op* op = nullptr;
  Op* of_standard = nullptr;
  {
    const Presenting presenting(other);
    op_create(reinterpret_cast<void (*)()>(see_datatype), true, op);
  }
  op_create(reinterpret_cast<void (*)()>(see_datatype), true, of_standard);
  int in = 1, inout = 2;
  reduce_local(&in, &inout, 1, *predefined_datatype(0x209), *op);
  CHECK(seen == 2 * 0x209);
  reduce_local(&in, &inout, 1, *predefined_datatype(0x209), *of_standard);
  CHECK(seen == 0x209);
  op_free(op);
  op_free(of_standard);
}

TEST_CASE("what an attribute's callback returns is an error code of the program's interface") {
  int key = 0;
  {
    const Presenting presenting(other);
    create_keyval(Cacher::Comm, nullptr, reinterpret_cast<void (*)()>(destroy), key, nullptr);
  }
  Attributes attributes;
  auto* const handle = reinterpret_cast<void*>(std::uintptr_t{0x101});
  set_attribute(Cacher::Comm, attributes, handle, key, nullptr);
  try {
    delete_attribute(Cacher::Comm, attributes, handle, key);
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.error_class == 7);
  }
  CHECK(seen == 2 * 0x101);
}
