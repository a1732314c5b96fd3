// SPDX-License-Identifier: BSD-3-Clause
#include <atomic>
#include <cstdlib>
#include <new>

#include "catch.hpp"
#include "kernel/test_support.hpp"

using namespace orrery;
using namespace orrery::kernel;
using namespace orrery::kernel::testing;

namespace {

std::atomic<std::uint64_t> allocations{0};

/// `rounds` exchanges round a ring, then as many allreduces, on the hybrid model with shared links.
std::uint64_t allocations_of(int rounds) {
  constexpr int ranks = 8;
  static constexpr op::RequestId both[] = {1, 2};
  static constexpr std::int64_t place[] = {0, 1 << 23};
  std::vector<std::vector<op::Operation>> operations(ranks);
  for (int rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < rounds; ++i) {
      operations[rank].push_back(recv((rank + ranks - 1) % ranks, 1000, 0, 1));
      operations[rank].push_back(send((rank + 1) % ranks, 1000, 0, 2));
      operations[rank].push_back(on_requests(op::Kind::WaitAll, both));
    }
    for (int i = 0; i < rounds; ++i) {
      operations[rank].push_back(collective_call(op::CollectiveKind::Allreduce, 64, i));
      operations[rank].back().element = 8;
    }
    for (int i = 0; i < rounds; ++i) {
      operations[rank].push_back(lock((rank + 1) % ranks, i % 2 == 0));
      operations[rank].push_back(access(op::Kind::Put, (rank + 1) % ranks, 1000, 1));
      operations[rank].push_back(access(op::Kind::Get, (rank + 1) % ranks, 1000, 2));
      operations[rank].push_back(on_requests(op::Kind::WaitAll, both));
      operations[rank].push_back(unlock((rank + 1) % ranks));
    }
    for (int i = 0; i < rounds; ++i) {
      for (const op::Kind kind : {op::Kind::FileLock, op::Kind::FileWrite, op::Kind::FileUnlock, op::Kind::FileRead,
                                  op::Kind::FilePosition, op::Kind::FileMetadata}) {
        operations[rank].push_back(simple(kind));
        operations[rank].back().bytes = {1000};
        operations[rank].back().flags = op::is_file_access(kind) ? op::Blocking : 0;
        if (op::is_file_access(kind)) operations[rank].back().counts = place;
      }
    }
  }
  settings::Cluster cluster;
  cluster.name = "star";
  cluster.prefix = "node-";
  cluster.nodes = ranks;
  cluster.cores = 1;
  cluster.bandwidth_bytes_per_s = 125e6;
  cluster.latency_s = 24e-6;
  cluster.limiter_factor = 1.5;
  cluster.memory_bandwidth_bytes_per_s = 1e10;
  const settings::Regime regime{.send_overhead_s = 1e-6, .recv_overhead_s = 1e-6};
  const auto transport = transport::make_transport(network::make_hybrid(
      platform::Platform("star", {cluster}, {}), {.between_nodes = {regime}, .inside_node = {regime}}));
  Bench bench(operations);
  Simulation simulation(bench.config, *transport, *bench.selector, bench.streams, bench.world);
  for (auto& answers : bench.streams.answers) answers.reserve(3 * static_cast<std::size_t>(rounds));
  const std::uint64_t before = allocations.load();
  REQUIRE_FALSE(simulation.run());
  return allocations.load() - before;
}

}  // namespace

#ifdef __SANITIZE_ADDRESS__
// The sanitizer has operators of its own, which check that new and delete match, and tells who asks of allocations.
// GCC has no header that declares it.
extern "C" int __sanitizer_install_malloc_and_free_hooks(void (*allocated)(const volatile void*, std::size_t),
                                                         void (*freed)(const volatile void*));
[[maybe_unused]] static const int counts_allocations = __sanitizer_install_malloc_and_free_hooks(
    [](const volatile void*, std::size_t) { allocations.fetch_add(1, std::memory_order_relaxed); },
    [](const volatile void*) {});
#else
void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

TEST_CASE("a simulation that goes on longer allocates no more: nothing is allocated per event") {
  const std::uint64_t short_run = allocations_of(20);
  CHECK(allocations_of(2000) == short_run);
}
