// SPDX-License-Identifier: BSD-3-Clause
#include "computation/computation.hpp"

#include <vector>

#include "catch.hpp"

using namespace orrery;
using namespace orrery::computation;

namespace {

/// The stream of one rank, from a list.
class Listed final : public op::Streams {
 public:
  explicit Listed(std::vector<op::Operation> operations) : operations_(std::move(operations)) {}
  op::Pull next(WorldRank /*rank*/, op::Operation& operation) override {
    if (next_ == operations_.size()) return op::Pull::End;
    operation = operations_[next_++];
    return op::Pull::Ready;
  }
  void wait(WorldRank /*rank*/) override {}
  void reply(WorldRank /*rank*/, const op::Reply& /*reply*/) override {}

 private:
  std::vector<op::Operation> operations_;
  std::size_t next_ = 0;
};

op::Operation call(std::uint32_t site, double compute_s) {
  return {.kind = op::Kind::Nothing, .flags = op::FirstOfCall, .compute_s = compute_s, .measured = {.site = site}};
}

struct Charged {
  std::vector<double> seconds;
  Summary summary;
};

Charged charged(std::vector<op::Operation> operations, Charge how) {
  Listed listed(std::move(operations));
  ChargedStreams streams(listed, 1, how);
  Charged result;
  op::Operation operation;
  while (streams.next(WorldRank{0}, operation) == op::Pull::Ready) result.seconds.push_back(operation.compute_s);
  result.summary = streams.summary();
  return result;
}

}  // namespace

TEST_CASE("a region is what lies between two calls: the same place reached from two others is two regions") {
  std::vector<op::Operation> operations;
  for (int step = 0; step < 40; ++step) {
    operations.push_back(call(1, 100e-6));
    operations.push_back(call(3, 20e-6));
    operations.push_back(call(2, 100e-6));
    operations.push_back(call(3, 90e-6));
  }
  const Charged result = charged(operations, Charge::Steady);
  CHECK(result.summary.regions == 5);  // the first comes from nowhere
  CHECK(result.summary.repeated == 4);
  CHECK(result.seconds[4 * 30 + 1] == Approx(20e-6).epsilon(0.02));
  CHECK(result.seconds[4 * 30 + 3] == Approx(90e-6).epsilon(0.02));
}

TEST_CASE("raw computation is what was measured, and what would have become of it is known") {
  const Charged result = charged({call(1, 1e-4), call(1, 1e-4), call(1, 9e-4)}, Charge::Raw);
  CHECK(result.seconds == std::vector<double>{1e-4, 1e-4, 9e-4});
  CHECK(result.summary.charge == Charge::Raw);
  CHECK(result.summary.regions == 2);  // the first comes from nowhere
}

TEST_CASE("declared computation is charged as declared") {
  std::vector<op::Operation> operations;
  for (int step = 0; step < 30; ++step) operations.push_back(call(1, 1e-4));
  operations.push_back(call(0, 9e-4));
  operations.push_back(call(1, 1e-4));
  const Charged result = charged(operations, Charge::Steady);
  CHECK(result.seconds[30] == 9e-4);
  CHECK(result.summary.other_s == 9e-4);
}

TEST_CASE("what others have confirmed is charged by the end of the rank at the latest") {
  std::vector<op::Operation> operations;
  double sum_s = 0;
  const auto add = [&](double seconds) {
    operations.push_back(call(1, seconds));
    sum_s += seconds;
  };
  for (int step = 0; step < 30; ++step) add(1e-4);
  for (int step = 0; step < 4; ++step) add(20e-4);
  operations.push_back({.kind = op::Kind::Finalize, .flags = op::FirstOfCall, .measured = {.site = 2}});
  double charged_s = 0;
  for (const double seconds : charged(operations, Charge::Steady).seconds) charged_s += seconds;
  CHECK(charged_s == Approx(sum_s).epsilon(0.05));
}

TEST_CASE(
    "once it is known what part of its time a region takes with warm caches, that part is charged, and the rest said") {
  std::vector<op::Operation> operations;
  for (int step = 0; step < 40; ++step) {
    operations.push_back(call(1, 100e-6));
    operations.push_back(call(2, 50e-6));
    if (step == 20) operations.back().measured.warm = 600;  // of the region that ends at 2
  }
  const Charged result = charged(operations, Charge::Steady);
  CHECK(result.seconds[2 * 15 + 1] == Approx(50e-6).epsilon(0.02));
  CHECK(result.seconds[2 * 30 + 1] == Approx(30e-6).epsilon(0.02));
  CHECK(result.seconds[2 * 30] == Approx(100e-6).epsilon(0.02));
  CHECK(result.summary.sums.cold_s == Approx(20 * 20e-6).epsilon(0.02));
  CHECK(charged(operations, Charge::Raw).seconds[2 * 30 + 1] == 50e-6);
}
