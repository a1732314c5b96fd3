// SPDX-License-Identifier: BSD-3-Clause
#include "launch/tracebacks.hpp"

#include "catch.hpp"

using namespace orrery::launch;
using namespace std::chrono_literals;

namespace {

const std::string index_error =
    "Traceback (most recent call last):\n"
    "  File \"x.py\", line 6, in <module>\n"
    "    print(f(5))\n"
    "IndexError: list index out of range\n";
const std::string key_error = "Traceback (most recent call last):\n  File \"x.py\", line 9, in <module>\nKeyError: 3\n";

struct Shown {
  std::string text;
  Tracebacks tracebacks{[this](std::string_view more) { text += more; }};
  Tracebacks::Time begin = Tracebacks::Time{} + 1h;
};

}  // namespace

TEST_CASE("a traceback of all ranks is shown once, with their numbers, however their lines come mixed") {
  Shown shown;
  const std::size_t second_line = index_error.find('\n') + 1;
  for (int rank = 7; rank >= 0; --rank) shown.tracebacks.feed(rank, index_error.substr(0, second_line), shown.begin);
  for (int rank = 0; rank < 8; ++rank) shown.tracebacks.feed(rank, index_error.substr(second_line), shown.begin);
  CHECK(shown.text.empty());
  shown.tracebacks.finish();
  CHECK(shown.text == "ranks 0-7: " + index_error);
}

TEST_CASE("tracebacks that differ are shown each, the one that began first before the others") {
  Shown shown;
  shown.tracebacks.feed(3, key_error, shown.begin);
  for (const int rank : {0, 1, 5}) shown.tracebacks.feed(rank, index_error, shown.begin + 1ms);
  shown.tracebacks.finish();
  CHECK(shown.text == "rank 3: " + key_error + "ranks 0-1, 5: " + index_error);
}

TEST_CASE("text before a traceback is shown at once, that after it follows it") {
  Shown shown;
  shown.tracebacks.feed(0, "step 1\nstep 2\n" + index_error, shown.begin);
  CHECK(shown.text == "step 1\nstep 2\n");
  shown.tracebacks.feed(0, "step 3\n", shown.begin);
  shown.tracebacks.feed(1, "step 3\n", shown.begin);
  CHECK(shown.text == "step 1\nstep 2\nstep 3\n");
  shown.tracebacks.finish();
  CHECK(shown.text == "step 1\nstep 2\nstep 3\nrank 0: " + index_error + "step 3\n");
}

TEST_CASE("a rank that lives on after a traceback is heard again after the time for which that is held back") {
  Shown shown;
  CHECK_FALSE(shown.tracebacks.due());
  shown.tracebacks.feed(2, index_error, shown.begin);
  CHECK(shown.tracebacks.due() == shown.begin + Tracebacks::held_for);
  shown.tracebacks.deliver_due(shown.begin + Tracebacks::held_for - 1ns);
  CHECK(shown.text.empty());
  shown.tracebacks.deliver_due(shown.begin + Tracebacks::held_for);
  CHECK(shown.text == "rank 2: " + index_error);
  CHECK_FALSE(shown.tracebacks.due());
  shown.tracebacks.feed(2, "goes on\n", shown.begin + Tracebacks::held_for);
  CHECK(shown.text == "rank 2: " + index_error + "goes on\n");
}

TEST_CASE("a traceback that has been shown is named by its last line when it comes again") {
  Shown shown;
  shown.tracebacks.feed(0, index_error, shown.begin);
  shown.tracebacks.deliver_due(shown.begin + Tracebacks::held_for);
  shown.tracebacks.feed(1, index_error, shown.begin + 1h);
  shown.tracebacks.finish();
  CHECK(shown.text == "rank 0: " + index_error + "rank 1: as before, IndexError: list index out of range\n");
}

TEST_CASE("a traceback whose rank was ended while it wrote counts as the one that it began to write") {
  Shown shown;
  shown.tracebacks.feed(1, index_error.substr(0, 60), shown.begin);
  shown.tracebacks.feed(0, index_error, shown.begin);
  shown.tracebacks.finish();
  CHECK(shown.text == "ranks 0-1: " + index_error);
}

TEST_CASE("a traceback after which each rank says something of its own is shown once") {
  Shown shown;
  const auto last_words = [](int rank) {
    return "rank " + std::to_string(rank) + ": MPI_Abort was called with error code 1\n";
  };
  for (int rank = 0; rank < 4; ++rank) shown.tracebacks.feed(rank, index_error + last_words(rank), shown.begin);
  shown.tracebacks.finish();
  CHECK(shown.text == "ranks 0-3: " + index_error + last_words(0) + last_words(1) + last_words(2) + last_words(3));
}

TEST_CASE("exceptions that differ behind an equal one are shown each with that which led to them") {
  Shown shown;
  const std::string during = "\nDuring handling of the above exception, another exception occurred:\n\n";
  shown.tracebacks.feed(0, index_error + during + key_error, shown.begin);
  shown.tracebacks.feed(1, index_error + during + index_error, shown.begin);
  shown.tracebacks.finish();
  CHECK(shown.text == "rank 0: " + index_error + during + key_error + "rank 1: " + index_error + during + index_error);
}

TEST_CASE("what a rank writes after a traceback of all ranks follows it with its number") {
  const std::string last_words = "rank 1: MPI_Abort was called with error code 1\n";
  const std::string more = GENERATE_COPY(key_error, last_words);
  Shown shown;
  shown.tracebacks.feed(1, index_error + more, shown.begin);
  shown.tracebacks.feed(0, index_error, shown.begin);
  SECTION("all have written theirs") { shown.tracebacks.feed(2, index_error, shown.begin); }
  SECTION("one was ended while it wrote") { shown.tracebacks.feed(2, index_error.substr(0, 60), shown.begin); }
  shown.tracebacks.finish();
  CHECK(shown.text == "ranks 0-2: " + index_error + (more == last_words ? "" : "rank 1: ") + more);
}

TEST_CASE("a traceback that was cut off is not counted as what its fellow wrote after it") {
  Shown shown;
  shown.tracebacks.feed(0, index_error + key_error, shown.begin);
  shown.tracebacks.feed(1, index_error.substr(0, 60), shown.begin);
  shown.tracebacks.finish();
  CHECK(shown.text == "ranks 0-1: " + index_error + "rank 0: " + key_error);
}

TEST_CASE("errors of syntax, threads, groups and names of files are tracebacks, too") {
  const std::string words = GENERATE("  File \"x.py\", line 3\n    f(\n     ^\nSyntaxError: '(' was never closed\n",
                                     "Exception in thread Thread-1 (f):\nTraceback (most recent call last):\nE: 1\n",
                                     "  + Exception Group Traceback (most recent call last):\n  | E: 2\n",
                                     "python3: can't open file '/x.py': [Errno 2] No such file or directory\n",
                                     "/usr/bin/python3: No module named nosuch\n");
  Shown shown;
  for (const int rank : {0, 1}) shown.tracebacks.feed(rank, words, shown.begin);
  shown.tracebacks.finish();
  CHECK(shown.text == "ranks 0-1: " + words);
}

TEST_CASE("more text than is to be held back is shown at once, all of it, in its order") {
  Shown shown;
  std::string all = index_error;
  shown.tracebacks.feed(0, index_error, shown.begin);
  const std::string line(999, 'x');
  while (all.size() <= Tracebacks::longest) {
    CHECK(shown.text.empty());
    shown.tracebacks.feed(0, line + "\n", shown.begin);
    all += line + "\n";
  }
  CHECK(shown.text == "rank 0: " + all);
  shown.tracebacks.feed(0, "more\n", shown.begin);
  CHECK(shown.text == "rank 0: " + all + "more\n");
}
