// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/rank/copied_work.hpp"

#include "catch.hpp"

using namespace orrery::mpi;

namespace {

/// Two kinds of work, of about 16 us and 800 us.
constexpr std::array<float, 8> two_kinds{16'000, 800'000, 15'500, 810'000, 16'500, 790'000, 16'000, 805'000};
constexpr std::size_t samples = two_kinds.size();

}  // namespace

TEST_CASE("what a copy did is the kind of work that the process then takes as long for") {
  CHECK(usual_of_copied(two_kinds, samples, 14'000, {16'200, 0}) == Approx(16'000));
  CHECK(usual_of_copied(two_kinds, samples, 600'000, {802'000, 0}) == Approx(801'250));
}

TEST_CASE("pages that the process gets back make it longer, and leave the kind what it is") {
  CHECK(usual_of_copied(two_kinds, samples, 14'000, {46'000, 25}) == Approx(16'000));
  CHECK(usual_of_copied(two_kinds, samples, 600'000, {1'400'000, 512}) == Approx(801'250));
}

TEST_CASE("work that is not known yet says nothing of the next longer kind") {
  CHECK(usual_of_copied(two_kinds, samples, 20'000, {21'000, 0}) == 0);
  CHECK(usual_of_copied(two_kinds, samples, 14'000, {300'000, 0}) == 0);  // the copy did the beginning only
  CHECK(usual_of_copied(two_kinds, samples, 0, {16'200, 0}) == 0);
}

TEST_CASE("behind a copy caches are warm, and the work is no other because it is quicker than usual") {
  constexpr std::array<float, 4> cold{52'000, 55'000, 53'000, 54'000};
  CHECK(usual_of_copied(cold, cold.size(), 23'000, {36'000, 0}) == Approx(53'500));
  CHECK(usual_of_copied(cold, cold.size(), 20'000, {21'000, 0}) == 0);  // caches do not make it 2.6 times as long
  CHECK(cold_time({36'000, 0}, 53'500) == 0);
}

TEST_CASE("short work is many times as long with cold caches, by what it takes to fill a few lines") {
  constexpr std::array<float, 4> cold{2'000, 2'100, 1'900, 2'000};
  CHECK(usual_of_copied(cold, cold.size(), 200, {300, 0}) == Approx(2'000));
  constexpr std::array<float, 4> longer{3'400, 3'500, 3'400, 3'300};
  CHECK(usual_of_copied(longer, longer.size(), 200, {300, 0}) == 0);
}

TEST_CASE("what the process takes behind a copy is known where it is about as usual and no page was to get back") {
  CHECK(cold_time({15'000, 0}, 16'000) == 15'000);
  CHECK(cold_time({15'000, 3}, 16'000) == 0);
}
