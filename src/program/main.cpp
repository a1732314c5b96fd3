// SPDX-License-Identifier: BSD-3-Clause
/// The program `orrery`. Nearly all of it is Python, which this one becomes; but a schedule of a thousand ranks under
/// LogGOPS is over before Python has started, so that is done here.
#include <fcntl.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <optional>

#include "program/plain.hpp"
#include "program/python.hpp"
#include "replay/loggops_run.hpp"

namespace {

using namespace orrery;

/// Exit code; nothing if something is wrong: Python will find the same, and knows what to say of it.
std::optional<int> run(const program::PlainLogGOPS& wanted) {
  try {
    const replay::LogGOPSRun run = replay::run_loggops_file(wanted.schedule, wanted.parameters);
    const std::string out = wanted.as_json ? run.to_json() : run.text();
    if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size() || std::fflush(stdout) != 0) {
      std::perror("orrery: error: standard output");
      return 1;
    }
    return run.complete() ? 0 : 1;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// Whoever starts us with a standard stream closed would find the first file that is opened in its place.
void open_standard_streams() {
  for (int stream = 0; stream <= 2; ++stream)
    if (fcntl(stream, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0) return;
}

/// Signals for ranks, which Python passes on once it has begun: until then they must not end this program.
void ignore_signals_for_ranks() {
  for (const int number : {SIGUSR1, SIGUSR2}) std::signal(number, SIG_IGN);
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_streams();
  ignore_signals_for_ranks();
  if (const auto plain = program::plain_loggops({argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)})) {
    if (const auto code = run(*plain)) return *code;
  }
  return program::become_python(argv);
}
