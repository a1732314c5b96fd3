// SPDX-License-Identifier: BSD-3-Clause
#include "python/bind.hpp"
#include "python/input_errors.hpp"
#include "python/trace_writer.hpp"

NB_MODULE(_core, m) {
  m.doc() = "Orrery's core: platforms, network models, collective algorithms and runs of live programs.";
  orrery::python::translate_input_errors();
  orrery::python::bind_platform(m);
  orrery::python::bind_network(m);
  orrery::python::bind_collective(m);
  orrery::python::bind_kernel(m);
  orrery::python::bind_results(m);
  orrery::python::bind_launch(m);
  orrery::python::bind_replay(m);
  orrery::python::bind_workload(m);
  orrery::python::bind_goal(m);
  orrery::python::bind_loggops(m);
  orrery::python::bind_trace_reader(m);
  orrery::python::bind_trace_writer(m);
  orrery::python::bind_timeline(m);
  orrery::python::bind_placement(m);
}
