// SPDX-License-Identifier: BSD-3-Clause
#include "launch/gather.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>

#include "catch.hpp"

using namespace orrery::launch;

namespace {

struct Heard {
  std::mutex mutex;
  std::map<std::pair<int, bool>, std::string> text;

  Gather::Deliver deliver() {
    return [this](std::int32_t rank, bool error_stream, std::string_view line) {
      const std::lock_guard lock(mutex);
      text[{rank, error_stream}] += line;
    };
  }
};

void say(int descriptor, const std::string& text) {
  REQUIRE(write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
}

}  // namespace

TEST_CASE("labelled output arrives with its rank and stream, last lines without newline too") {
  Heard heard;
  Gather gather(2, Gather::Pipes::Labelled, heard.deliver(), [] {});
  say(gather.for_rank(0)[0].here, "zero\n");
  say(gather.for_rank(1)[0].here, "one\nand a half");
  say(gather.for_rank(1)[1].here, "oops\n");
  gather.close_writers();
  gather.finish();
  CHECK(heard.text ==
        decltype(heard.text){{{0, false}, "zero\n"}, {{1, false}, "one\nand a half"}, {{1, true}, "oops\n"}});
}

TEST_CASE("without labels all ranks share one pipe per stream, and the rank is -1") {
  Heard heard;
  Gather gather(5, Gather::Pipes::Shared, heard.deliver(), [] {});
  CHECK(gather.for_rank(0)[0].here == gather.for_rank(4)[0].here);
  say(gather.for_rank(4)[0].here, "hello\n");
  gather.finish();
  CHECK(heard.text == decltype(heard.text){{{-1, false}, "hello\n"}});
}

TEST_CASE("a prompt without newline is shown while the program waits") {
  Heard heard;
  Gather gather(1, Gather::Pipes::Shared, heard.deliver(), [] {});
  say(gather.for_rank(0)[0].here, "name? ");
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  const auto shown = [&] {
    const std::lock_guard lock(heard.mutex);
    return heard.text[{-1, false}] == "name? ";
  };
  while (!shown() && std::chrono::steady_clock::now() < limit)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK(shown());
}

TEST_CASE("output is read only as fast as it is taken") {
  std::atomic<bool> taken{false};
  std::atomic<std::size_t> delivered{0};
  Gather gather(
      1, Gather::Pipes::Shared,
      [&](std::int32_t, bool, std::string_view text) {
        taken.wait(false);
        delivered += text.size();
      },
      [] {});
  const int out = gather.for_rank(0)[0].here;
  fcntl(out, F_SETFL, O_NONBLOCK);
  const std::string line(999, 'x');
  std::size_t written = 0;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < limit) {
    if (write(out, (line + "\n").data(), 1000) == 1000) written += 1000;
  }
  // One read of 64 KiB waits to be taken, 64 KiB are in the pipe (pipe(7)); nothing more could be written.
  CHECK(written <= 2 * 64 * 1024);
  taken = true;
  taken.notify_all();
  gather.close_writers();
  gather.finish();
  CHECK(delivered == written);
}

TEST_CASE("a consumer that throws ends the run and its exception comes back") {
  std::atomic<int> failures{0};
  Gather gather(
      1, Gather::Pipes::Shared, [](std::int32_t, bool, std::string_view) { throw std::runtime_error("no more"); },
      [&] { ++failures; });
  say(gather.for_rank(0)[0].here, "a\n");
  say(gather.for_rank(0)[1].here, "b\n");
  gather.close_writers();
  CHECK_THROWS_WITH(gather.finish(), "no more");
  CHECK(failures == 1);
}

TEST_CASE("ranks with pipes of their own for errors share a traceback, and the pipe for output") {
  Heard heard;
  Gather gather(3, Gather::Pipes::OwnErrors, heard.deliver(), [] {});
  CHECK(gather.for_rank(0)[0].here == gather.for_rank(2)[0].here);
  const std::string head = "Traceback (most recent call last):\n", error = "ValueError: 1\n";
  for (const std::uint32_t rank : {2U, 0U, 1U}) say(gather.for_rank(rank)[1].here, head);
  for (const std::uint32_t rank : {0U, 1U, 2U}) say(gather.for_rank(rank)[1].here, error);
  say(gather.for_rank(1)[0].here, "result\n");
  gather.close_writers();
  gather.finish();
  CHECK(heard.text == decltype(heard.text){{{-1, false}, "result\n"}, {{-1, true}, "ranks 0-2: " + head + error}});
}

TEST_CASE("errors that are no tracebacks are delivered while ranks write, from each pipe") {
  Heard heard;
  Gather gather(2, Gather::Pipes::OwnErrors, heard.deliver(), [] {});
  const auto wait_for = [&](const std::string& text) {
    const auto shown = [&] {
      const std::lock_guard lock(heard.mutex);
      return heard.text[{-1, true}] == text;
    };
    while (!shown()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  say(gather.for_rank(1)[1].here, "step 1\n");
  wait_for("step 1\n");
  say(gather.for_rank(0)[1].here, "step 2\n");
  wait_for("step 1\nstep 2\n");
  gather.close_writers();
  gather.finish();
}
