// SPDX-License-Identifier: BSD-3-Clause
#include "network/storage.hpp"

#include "python/bind.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace orrery::python {

using network::StorageParameters;

void bind_storage(nb::module_& m) {
  constexpr StorageParameters typical;
  nb::class_<StorageParameters>(m, "Storage", "A parallel file system: equal servers, over which files are striped.")
      .def(
          "__init__",
          [](StorageParameters* self, std::uint32_t servers, std::int64_t stripe, double read, double write,
             double latency, double metadata_latency, double node) {
            new (self) StorageParameters{.servers = servers,
                                         .stripe = {stripe},
                                         .read_bandwidth = {read},
                                         .write_bandwidth = {write},
                                         .latency = {latency},
                                         .metadata_latency = {metadata_latency},
                                         .node_bandwidth = {node}};
          },
          nb::kw_only(), "servers"_a = typical.servers, "stripe_bytes"_a = typical.stripe.count,
          "read_bandwidth_bytes_per_s"_a = typical.read_bandwidth.bytes_per_s,
          "write_bandwidth_bytes_per_s"_a = typical.write_bandwidth.bytes_per_s, "latency_s"_a = typical.latency.s,
          "metadata_latency_s"_a = typical.metadata_latency.s,
          "node_bandwidth_bytes_per_s"_a = typical.node_bandwidth.bytes_per_s,
          "Rates are those of one server. Node 0: no bound. The defaults are typical, not measured.");
}

}  // namespace orrery::python
