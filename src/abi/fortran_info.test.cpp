// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include "abi/by_hand.hpp"
#include "abi/convert.hpp"
#include "catch.hpp"
#include "mpi/object/info.hpp"

using namespace orrery;
using namespace orrery::abi;

TEST_CASE("sizes of Fortran's types, and which optional ones there are") {
  MPI_Info handle = MPI_INFO_NULL;
  by_hand::abi_get_fortran_info(&handle);
  const auto& info = in<mpi::Info>(handle, "info");
  CHECK(*info.find("mpi_logical_size") == "4");
  CHECK(*info.find("mpi_integer_size") == "4");
  CHECK(*info.find("mpi_real_size") == "4");
  CHECK(*info.find("mpi_double_precision_size") == "8");  // Fortran: twice a default real
  CHECK(*info.find("mpi_integer8_supported") == "true");
  for (const auto& [key, value] : info.entries) CHECK((value == "true" || value == "false" || key.ends_with("_size")));
  mpi::info_free(InOut<mpi::Info>(&handle, "info"));
}

TEST_CASE("Fortran's logicals are known for their own size") {
  int yes = 7, no = 7, is_set = 7;
  by_hand::abi_get_fortran_booleans(sizeof yes, &yes, &no, &is_set);
  CHECK((yes == 1 && no == 0 && is_set == 1));
  CHECK_THROWS_AS(by_hand::abi_get_fortran_booleans(1, &yes, &no, &is_set), mpi::Error);
}

TEST_CASE("what is known of Fortran's types cannot be set") {
  int yes = -1, no = 0;
  CHECK_THROWS_AS(by_hand::abi_set_fortran_booleans(sizeof yes, &yes, &no), mpi::Error);
  CHECK_THROWS_AS(by_hand::abi_set_fortran_info(MPI_INFO_NULL), mpi::Error);
}
