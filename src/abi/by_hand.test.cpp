// SPDX-License-Identifier: BSD-3-Clause
#include "abi/by_hand.hpp"

#include "abi/convert.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::abi;

TEST_CASE("predefined handles are their own number") {
  CHECK(by_hand::toint(MPI_COMM_WORLD) == 0x101);
  CHECK(by_hand::fromint<MPI_Datatype>(0x209) == MPI_INT);
}

TEST_CASE("other handles get a number of their own, always the same") {
  int a = 0, b = 0;
  const int number = handle_number(&a);
  CHECK(number >= 0x1000);  // above all predefined ones
  CHECK(handle_number(&b) != number);
  CHECK(handle_number(&a) == number);
  CHECK(pointer_of_number(number) == &a);
  CHECK(pointer_of_number(number + 1000) == nullptr);
  CHECK(pointer_of_number(-1) == nullptr);
}

TEST_CASE("addresses are added as unsigned numbers") {
  const MPI_Aint highest = INTPTR_MAX;
  CHECK(by_hand::aint_add(highest, 1) == INTPTR_MIN);
  CHECK(by_hand::aint_diff(INTPTR_MIN, highest) == 1);
}

TEST_CASE("a type made of large counts is decoded by the large-count routines only") {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  mpi::type_contiguous(5, in<mpi::Datatype>(MPI_INT, "oldtype"), LargeDatatypeOut(&type, "newtype"));
  int narrow[3], combiner = 0;
  CHECK_THROWS_AS(by_hand::type_get_envelope(type, narrow, narrow + 1, narrow + 2, &combiner), mpi::Error);
  MPI_Count integers, addresses, large_counts, types;
  by_hand::type_get_envelope(type, &integers, &addresses, &large_counts, &types, &combiner);
  CHECK(combiner == MPI_COMBINER_CONTIGUOUS);
  CHECK(large_counts == 1);  // MPI-4.1, section 5.1.13: the count
  MPI_Count count = 0;
  MPI_Datatype old = MPI_DATATYPE_NULL;
  by_hand::type_get_contents(type, 0, 0, 1, 1, nullptr, nullptr, &count, &old);
  CHECK(count == 5);
  CHECK(old == MPI_INT);
  mpi::type_free(InOut<mpi::Datatype>(&type, "datatype"));
  CHECK(type == MPI_DATATYPE_NULL);
}
