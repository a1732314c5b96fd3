// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/object/alignment.hpp"

#include "catch.hpp"

namespace orrery::mpi {

TEST_CASE("the alignment that a hint asks for is a power of two up to a huge page, and other values are ignored") {
  const auto wanted = [](const char* value) {
    Info info{.entries = {{"other", "64"}, {alignment_key, value}}};
    return wanted_alignment(&info);
  };
  CHECK(wanted("64") == 64);
  CHECK(wanted("2097152") == 2097152);
  for (const char* ignored : {"", "0", "-64", "48", "64 bytes", "4194304", "99999999999999999999"}) {
    CAPTURE(ignored);
    CHECK(wanted(ignored) == 1);
  }
  CHECK(wanted_alignment(nullptr) == 1);
}

}  // namespace orrery::mpi
