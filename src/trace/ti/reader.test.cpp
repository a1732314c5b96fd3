// SPDX-License-Identifier: BSD-3-Clause
#include "trace/ti/reader.hpp"

#include <unistd.h>
#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "catch.hpp"

using namespace orrery;
using namespace orrery::trace;

namespace {

/// A file with a text, gone at the end.
class Text {
 public:
  explicit Text(const std::string& text) {
    char name[] = "/tmp/orrery-ti-XXXXXX";
    close(mkstemp(name));
    path_ = name;
    std::ofstream(path_) << text;
  }
  ~Text() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Operations of a rank, as texts that say what matters here.
std::vector<std::string> read(const ti::Files& files, std::uint32_t rank, ti::KnownLines& known,
                              bool tests_succeed = false) {
  const ti::Terms terms;
  ti::Reader reader(files, terms, known, rank);
  std::vector<std::string> all;
  op::Operation operation;
  while (reader.next(operation) == op::Pull::Ready) {
    std::string requests;
    for (const op::RequestId request : operation.requests) requests += concat(" #", request);
    std::string counts;
    for (const std::int64_t count : operation.counts) counts += concat(" ", count);
    const int kind = operation.kind == op::Kind::Collective ? 100 + static_cast<int>(operation.collective)
                                                            : static_cast<int>(operation.kind);
    all.push_back(concat(
        kind, operation.has(op::Blocking) ? "b" : "", " peer ", operation.peer, " ", operation.bytes.count, " B",
        operation.compute_s > 0 ? " after " : "", operation.compute_s > 0 ? concat(operation.compute_s) : "",
        operation.request != 0 ? concat(" #", operation.request) : "", requests, counts.empty() ? "" : " of", counts));
    if (op::wants_reply(operation)) reader.reply({.flag = tests_succeed});
  }
  return all;
}

std::vector<std::string> read(const ti::Files& files, std::uint32_t rank, bool tests_succeed = false) {
  ti::KnownLines known;
  return read(files, rank, known, tests_succeed);
}

std::vector<std::string> read(const std::string& text, std::uint32_t rank = 0, bool tests_succeed = false) {
  const Text file(text);
  return read(ti::Files({file.path()}), rank, tests_succeed);
}

std::string refusal(const std::string& text) {
  try {
    (void)read(text);
  } catch (const InputError& error) {
    const std::string what = error.what();
    return what.substr(what.find(':'));
  }
  return "";
}

using Texts = std::vector<std::string>;
const std::string finalize = concat(static_cast<int>(op::Kind::Finalize), " peer 0 0 B");
std::string kind(op::Kind kind) { return concat(static_cast<int>(kind)); }
std::string kind(op::CollectiveKind kind) { return concat(100 + static_cast<int>(kind), "b"); }

}  // namespace

TEST_CASE("messages have the bytes of their datatypes, and come after the computation") {
  CHECK(read("0 init\n0 compute 2e9\n0 send 1 7 100 0\n0 compute 1e9\n0 compute 5e8\n0 recv 1 7 3 1\n1 init\n") ==
        Texts{kind(op::Kind::Isend) + "b peer 1 800 B after 2", kind(op::Kind::Irecv) + "b peer 1 12 B after 1.5",
              finalize});
}

TEST_CASE("without a datatype elements are bytes, or doubles where init has an argument") {
  CHECK(read("0 init\n0 send 0 0 10\n")[0] == kind(op::Kind::Isend) + "b peer 0 10 B");
  CHECK(read("0 init 1\n0 send 0 0 10\n")[0] == kind(op::Kind::Isend) + "b peer 0 80 B");
}

TEST_CASE(
    "a line that was read before says the same of another rank, and elements are as large as that one's init says") {
  // Long enough behind them that all are taken for known: these are looked at 24 characters at a time.
  const std::string same = " send 1 7 3\n", requests = " irecv 2 5 6 6\n", comment = "# 24 characters and more\n";
  const Text file("0 init\n0" + same + "0" + same + "0" + requests + "0" + requests + "1 init 1\n1" + same + "1" +
                  requests + "2 init\n2" + same + "2 send 1 7 3 1\n2 send 1 7 33\n2 finalize\n" + comment);
  const ti::Files files({file.path()});
  ti::KnownLines known;
  const std::string send = kind(op::Kind::Isend) + "b peer 1 ", receive = kind(op::Kind::Irecv) + " peer 2 6 B #";
  const std::string wait = kind(op::Kind::WaitAll) + " peer 0 0 B #";
  CHECK(read(files, 0, known) ==
        Texts{send + "3 B", send + "3 B", receive + "1", receive + "2", wait + "1 #2", finalize});
  CHECK(read(files, 1, known) == Texts{send + "24 B", receive + "1", wait + "1", finalize});
  CHECK(read(files, 2, known) == Texts{send + "3 B", send + "12 B", send + "33 B", finalize});
}

TEST_CASE("letters of a line are those in front of its end, if that is near and is not all there is") {
  const std::string more = " and so much behind it that it can be looked at";
  const auto count = [](const std::string& text) { return ti::KnownLines::letters(text).count; };
  CHECK(count("send 1 2 3\n" + more) == 10);
  CHECK(count("send 1 2 3 4 5 6 7 8 9 0\n" + more) == 0);
  CHECK(count("send 1 2 3 4 5 6 7 8 9\n" + more) == 22);
  CHECK(count("send 1 2\n" + more) == 8);
  CHECK(count("send 1 2 3\n") == 0);
  CHECK(ti::KnownLines::letters("send 1 2\n" + more) == ti::KnownLines::letters("send 1 2\nother lines of any length"));
  CHECK(ti::KnownLines::letters("send 1 2\n" + more) != ti::KnownLines::letters("send 1 3\n" + more));
}

TEST_CASE("waits name the oldest request of a sender, receiver and tag") {
  const std::string receive = kind(op::Kind::Irecv), wait = kind(op::Kind::WaitAll);
  CHECK(read("0 irecv 1 5 1 6\n0 irecv 1 5 2 6\n0 wait 1 0 5\n0 irecv 1 6 3 6\n0 waitall 2\n0 wait 1 0 5\n1 init\n") ==
        Texts{receive + " peer 1 1 B #1", receive + " peer 1 2 B #2", wait + " peer 0 0 B #1",
              receive + " peer 1 3 B #1", wait + " peer 0 0 B #2 #1", finalize});
}

TEST_CASE("what is open at the end is waited for") {
  CHECK(read("0 isend 1 5 1 6\n1 init") ==
        Texts{kind(op::Kind::Isend) + " peer 1 1 B #1", kind(op::Kind::WaitAll) + " peer 0 0 B #1", finalize});
}

TEST_CASE("a wait after a test that was true does nothing") {
  const std::string trace = "0 irecv 1 5 1 6\n0 test 1 0 5\n0 wait 1 0 5\n1 init\n";
  CHECK(read(trace, 0, true).size() == 3);   // receive, test, finalize
  CHECK(read(trace, 0, false).size() == 4);  // and the wait
}

TEST_CASE("sendRecv is a receive, a send and a wait for both") {
  CHECK(read("0 sendRecv 4 1 8 2 0 1\n1 init\n2 init\n") ==
        Texts{kind(op::Kind::Irecv) + " peer 2 32 B #1", kind(op::Kind::Isend) + " peer 1 32 B #2",
              kind(op::Kind::WaitAll) + " peer 0 0 B #1 #2", finalize});
}

TEST_CASE("collectives: one block or vector, its root, and the flops of a reduction after it") {
  using op::CollectiveKind;
  CHECK(read("0 bcast 10 1 1\n0 reduce 5 1e9 1 0\n0 allreduce 2 0 0\n0 barrier\n0 alltoall 3 3 1 1\n"
             "0 gather 7 7 1 6 6\n0 allgather 9 9 6 6\n1 init\n") ==
        Texts{kind(CollectiveKind::Bcast) + " peer 1 40 B", kind(CollectiveKind::Reduce) + " peer 1 40 B",
              kind(CollectiveKind::Allreduce) + " peer 0 16 B after 1", kind(CollectiveKind::Barrier) + " peer 0 0 B",
              kind(CollectiveKind::Alltoall) + " peer 0 12 B", kind(CollectiveKind::Gather) + " peer 1 7 B",
              kind(CollectiveKind::Allgather) + " peer 0 9 B", finalize});
}

TEST_CASE("collectives with counts: those of the root at the root, of all elsewhere") {
  using op::CollectiveKind;
  const std::string trace =
      "0 gatherv 10 10 20 0 1 0\n0 scatterv 1 2 3 1 0 1\n0 allgatherv 4 4 5 1 1\n0 alltoallv 9 1 2 9 3 4 1 0\n"
      "0 reducescatter 1 2 0 0\n1 init\n";
  CHECK(read(trace) == Texts{kind(CollectiveKind::Gatherv) + " peer 0 40 B of 80 160",
                             kind(CollectiveKind::Scatterv) + " peer 1 12 B",
                             kind(CollectiveKind::Allgatherv) + " peer 0 16 B of 16 20",
                             kind(CollectiveKind::Alltoallv) + " peer 0 0 B of 4 8 24 32",
                             kind(CollectiveKind::ReduceScatter) + " peer 0 24 B of 8 16", finalize});
}

TEST_CASE("lines of all ranks may be mixed, with comments between them") {
  const Text file("# made by hand\n0 compute 1e9\n1 send 0 0 1 6\n0 recv 1 0 1 6\n\n1 finalize\n0 finalize\n");
  const ti::Files files({file.path()});
  REQUIRE(files.ranks() == 2);
  CHECK(read(files, 0) == Texts{kind(op::Kind::Irecv) + "b peer 1 1 B after 1", finalize});
  CHECK(read(files, 1) == Texts{kind(op::Kind::Isend) + "b peer 0 1 B", finalize});
}

TEST_CASE("any source and any tag are known by SMPI's numbers") {
  CHECK(read("0 irecv -555 -444 1 6\n0 wait -555 0 -444\n")[0] == kind(op::Kind::Irecv) + " peer -1 1 B #1");
  CHECK(read("0 send -666 0 1 6\n") == Texts{finalize});
}

TEST_CASE("what cannot be read is named with file and line") {
  CHECK(refusal("0 init\n0 sned 1 0 1\n").find(":2: the action \"sned\"") == 0);
  CHECK(refusal("0 init\n\n0 send 5 0 1\n").find(":3: a send to rank 5 of 1") == 0);
  CHECK(refusal("0 send 0 0\n").find(":1: expected how many elements") == 0);
  CHECK(refusal("0 send 0 0 -1\n").find(":1: expected how many elements, not -1") == 0);
  CHECK(refusal("0 compute many\n").find(":1: expected how many flops") == 0);
  CHECK(refusal("zero init\n").find(":1: expected the number of a rank") == 0);
  CHECK(refusal("0 bcast 1 7 1\n").find(":1: expected the root, below 1") == 0);
  CHECK(refusal("").find(": is an empty trace") == 0);
  // A few bytes cannot ask for the memory of millions of ranks.
  CHECK(refusal("9999999 init\n").find(":1: expected the number of a rank") == 0);
}
