// SPDX-License-Identifier: BSD-3-Clause
#include "trace/file.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "catch.hpp"
#include "trace/scanner.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::trace;
using namespace orrery::trace::testing;

namespace {

/// A trace of two ranks, with what else a file may have.
std::string two_ranks(std::size_t operations) {
  const TemporaryFile file;
  orrery_trace_writer* writer = orrery_trace_create(file.path.c_str(), 2);
  orrery_trace_property(writer, "program", "ring");
  const char* const routines[] = {".application", "MPI_Send"};
  orrery_trace_names(writer, ORRERY_TRACE_ROUTINES, 0, routines, 2);
  const std::int32_t members[] = {1, 0};
  orrery_trace_communicator(writer, 7, 1, members, 2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    orrery_trace_stream* stream = orrery_trace_open_stream(writer, rank);
    for (const Owned& o : random_operations(rank, operations)) {
      const orrery_trace_record view = o.view();
      orrery_trace_operation(stream, &view);
    }
    orrery_trace_close_stream(stream, 1);
  }
  REQUIRE(orrery_trace_close(writer) == 0);
  return file.read();
}

/// A trace of one rank that does just that.
std::string one_rank(const std::vector<Owned>& operations) {
  const TemporaryFile file;
  orrery_trace_writer* writer = orrery_trace_create(file.path.c_str(), 1);
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  for (const Owned& o : operations) {
    const orrery_trace_record view = o.view();
    orrery_trace_operation(stream, &view);
  }
  orrery_trace_close_stream(stream, 1);
  REQUIRE(orrery_trace_close(writer) == 0);
  return file.read();
}

void check_same(const op::Operation& found, const Beside& beside, const Owned& expected) {
  const orrery_trace_record& r = expected.record;
  CHECK(static_cast<int>(found.kind) == r.kind);
  CHECK(static_cast<int>(found.mode) == r.mode);
  CHECK(static_cast<int>(found.collective) == r.collective);
  CHECK(found.flags == r.flags);
  CHECK(found.routine == r.routine);
  CHECK(found.algorithm == r.algorithm);
  CHECK(found.peer == r.peer);
  CHECK(found.tag == r.tag);
  CHECK(found.comm == r.comm);
  CHECK(found.request == r.request);
  CHECK(std::memcmp(&found.compute_s, &r.compute_s, sizeof r.compute_s) == 0);
  CHECK(found.bytes.count == r.bytes);
  CHECK(found.element == r.element);
  CHECK(found.extent == r.extent);
  CHECK(std::vector<std::uint32_t>(found.requests.begin(), found.requests.end()) == expected.requests);
  CHECK(std::vector<std::int64_t>(found.counts.begin(), found.counts.end()) == expected.counts);
  CHECK(beside.site == r.site);
  CHECK(found.measured ==
        op::Measurement{.site = r.site, .faults = r.faults, .instructions = r.instructions, .warm = r.warm});
  CHECK(beside.thread == r.thread);
  CHECK(beside.datatype == r.datatype);
  CHECK(beside.ran == r.ran);
  CHECK(beside.end_ns == r.end_ns);
  if (r.end_ns >= 0) CHECK(beside.begin_ns == r.begin_ns);
}

/// Reads all that is there, whatever is; @return operations of all ranks.
std::size_t read_all(const std::string& path) {
  std::size_t found = 0;
  try {
    const File file(path);
    for (std::uint32_t rank = 0; rank < file.streams() && rank < 1000; ++rank) {
      Decoder decoder(file, rank);
      for (Decoder::What what = decoder.next(); what != Decoder::What::End; what = decoder.next()) ++found;
    }
  } catch (const InputError&) {
  }
  return found;
}

/// A file of one rank gives the operations that were written.
void check_read_back(const std::vector<Owned>& written) {
  const TemporaryFile file(one_rank(written));
  const File trace(file.path);
  Decoder decoder(trace, 0);
  for (const Owned& expected : written) {
    REQUIRE(decoder.next() == Decoder::What::Operation);
    check_same(decoder.operation(), decoder.beside(), expected);
  }
}

}  // namespace

TEST_CASE("the checksum is XXH64") {
  // Values of the reference implementation (github.com/Cyan4973/xxHash, xxhsum of these texts).
  CHECK(orrery_trace_checksum("", 0, 0) == 0xef46db3751d8e999u);
  CHECK(orrery_trace_checksum("abc", 3, 0) == 0x44bc2cf5ad770999u);
  const std::string long_text = "Nobody inspects the spammish repetition";
  CHECK(orrery_trace_checksum(long_text.data(), long_text.size(), 0) == 0xfbcea83c8a378bf1u);
}

TEST_CASE("a trace gives back every field of every operation") {
  constexpr std::size_t many = 20'000;  // several blocks
  const TemporaryFile file(two_ranks(many));
  const File trace(file.path);
  CHECK(trace.damage().empty());
  CHECK(trace.ranks() == 2);
  CHECK(trace.records() == 2 * many);
  CHECK(trace.blocks(0) > 3);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Decoder decoder(trace, rank);
    for (const Owned& expected : random_operations(rank, many)) {
      REQUIRE(decoder.next() == Decoder::What::Operation);
      check_same(decoder.operation(), decoder.beside(), expected);
    }
    CHECK(decoder.next() == Decoder::What::End);
    CHECK_FALSE(decoder.cut_off());
  }
}

TEST_CASE("an operation that differs in one field from what is expected is not taken for it") {
  using Change = void (*)(Owned&);
  const std::array changes = std::to_array<Change>({
      [](Owned& o) { ++o.record.kind; },       [](Owned& o) { ++o.record.mode; },
      [](Owned& o) { ++o.record.collective; }, [](Owned& o) { ++o.record.flags; },
      [](Owned& o) { ++o.record.routine; },    [](Owned& o) { ++o.record.algorithm; },
      [](Owned& o) { ++o.record.peer; },       [](Owned& o) { ++o.record.tag; },
      [](Owned& o) { ++o.record.comm; },       [](Owned& o) { ++o.record.request; },
      [](Owned& o) { ++o.record.bytes; },      [](Owned& o) { ++o.record.element; },
      [](Owned& o) { ++o.record.extent; },     [](Owned& o) { ++o.record.site; },
      [](Owned& o) { ++o.record.thread; },     [](Owned& o) { ++o.record.datatype; },
      [](Owned& o) { ++o.record.ran; },        [](Owned& o) { o.requests.clear(); },
      [](Owned& o) { o.requests = {0}; },      [](Owned& o) { o.requests.push_back(6); },
      [](Owned& o) { o.counts = {0}; },
  });
  Owned first, usual;
  first.record.kind = 2;
  usual.record.kind = 4;
  usual.requests = {5};
  for (Owned* o : {&first, &usual}) o->record.begin_ns = o->record.end_ns = -1;
  std::vector<Owned> written;
  for (const Change change : changes) {
    Owned other = usual;
    change(other);
    for (const Owned* o : {&first, &usual, &first, &other, &first, &other}) written.push_back(*o);
  }
  check_read_back(written);
}

TEST_CASE("page faults and instructions are those of the computation before their operation") {
  std::vector<Owned> written(40);
  for (std::size_t i = 0; i < written.size(); ++i) {
    orrery_trace_record& r = written[i].record;
    r.kind = 2;
    r.site = 3;
    r.compute_s = 1e-5;
    r.faults = i % 4 == 0 ? static_cast<std::uint32_t>(i) : 0;
    r.instructions = i % 5 == 0 ? std::uint64_t{i} << 40 : 0;
    r.warm = static_cast<std::uint16_t>(i % 3 == 0 ? 1'000 - i : 0);
    r.begin_ns = r.end_ns = -1;
  }
  check_read_back(written);
}

TEST_CASE("version 1 counts definitions from 2, as it has no measurements") {
  std::vector<Owned> written(3);
  for (Owned& o : written) {
    o.record.kind = 2;
    o.record.begin_ns = o.record.end_ns = -1;
  }
  written[1].record.peer = 7;  // the third is the first again: number 3, which in version 1 is the second definition
  std::string content = one_rank(written);
  content[8] = 1;
  const TemporaryFile file(content);
  const File trace(file.path);
  CHECK(trace.version() == 1);
  Decoder decoder(trace, 0);
  for (const std::int32_t peer : {0, 7, 7}) {
    REQUIRE(decoder.next() == Decoder::What::Operation);
    CHECK(decoder.operation().peer == peer);
  }
}

TEST_CASE("operations that come in any order are defined once each") {
  constexpr std::size_t different = 600, many = 5'000;
  std::vector<Owned> written;
  for (std::size_t i = 0; i < many; ++i) {
    const auto which = static_cast<std::uint32_t>(i < different ? i : i * i * 2654435761u % different);
    Owned o;
    o.record.kind = which % 2 == 0 ? 2 : 4;
    o.record.peer = static_cast<std::int32_t>(which % 20);
    o.record.bytes = 1'000'000'000'000 + which;  // a definition takes 8 bytes or more, of which 6 are these
    if (which % 3 == 0) o.requests = {which};
    if (which % 3 == 1) o.requests = {which, which + 1};
    o.record.begin_ns = o.record.end_ns = -1;
    written.push_back(o);
  }
  const std::string content = one_rank(written);
  // A block is cut at 32 KiB. A record that repeats another is its number (600 and more: two bytes), and nothing else.
  CHECK(content.size() < different * 24 + (many - different) * 2 + 1'000);
  const TemporaryFile file(content);
  const File trace(file.path);
  Decoder decoder(trace, 0);
  for (const Owned& expected : written) {
    REQUIRE(decoder.next() == Decoder::What::Operation);
    check_same(decoder.operation(), decoder.beside(), expected);
  }
}

TEST_CASE("a trace says where it comes from and what its numbers mean") {
  const TemporaryFile file(two_ranks(1));
  const File trace(file.path);
  CHECK(trace.property("program") == "ring");
  CHECK(trace.property("host").empty());
  CHECK(trace.name(ORRERY_TRACE_ROUTINES, 1) == "MPI_Send");
  CHECK(trace.name(ORRERY_TRACE_ROUTINES, 2).empty());
  REQUIRE(trace.communicator(7) != nullptr);
  CHECK(trace.communicator(7)->size == 2);
  CHECK(trace.communicator(7)->first_group == 1);
  CHECK(trace.communicator(7)->runs[0].apart == -1);
  CHECK(trace.communicator(8) == nullptr);
}

TEST_CASE("answers follow their operations") {
  const TemporaryFile file;
  orrery_trace_writer* writer = orrery_trace_create(file.path.c_str(), 1);
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  orrery_trace_record test{};
  test.kind = static_cast<std::uint8_t>(op::Kind::TestSome);
  test.end_ns = -1;
  orrery_trace_operation(stream, &test);
  const std::uint32_t completed[] = {5, 2};
  const orrery_trace_answer answer{.flag = 1,
                                   .source = 3,
                                   .tag = -2,
                                   .sequence = 9,
                                   .bytes = 1 << 20,
                                   .thread = 4,
                                   .completed = completed,
                                   .completed_length = 2};
  orrery_trace_answered(stream, &answer);
  orrery_trace_close_stream(stream, 1);
  REQUIRE(orrery_trace_close(writer) == 0);
  const File trace(file.path);
  Decoder decoder(trace, 0);
  CHECK_FALSE(decoder.answer_follows());
  CHECK(decoder.next() == Decoder::What::Operation);
  CHECK(decoder.answer_follows());
  CHECK(decoder.next() == Decoder::What::Answer);
  CHECK(decoder.answer().flag);
  CHECK(decoder.answer().source == 3);
  CHECK(decoder.answer().tag == -2);
  CHECK(decoder.answer().sequence == 9);
  CHECK(decoder.answer().bytes.count == 1 << 20);
  CHECK(decoder.answer().thread == 4);
  CHECK(std::vector<std::uint32_t>(decoder.answer().completed.begin(), decoder.answer().completed.end()) ==
        std::vector<std::uint32_t>{5, 2});
}

TEST_CASE("a trace that was cut off at any byte is known to be, and what is there is read") {
  const std::string whole = two_ranks(3000);
  std::size_t most = 0;
  for (std::size_t length = ORRERY_TRACE_HEAD_BYTES; length < whole.size(); length += 997) {
    const TemporaryFile file(whole.substr(0, length));
    const File trace(file.path);
    CHECK_FALSE(trace.damage().empty());
    const std::size_t found = read_all(file.path);
    CHECK(found >= most);  // never less than of a shorter file
    most = found;
  }
  CHECK(most > 3000);
}

TEST_CASE("a damaged block ends its stream, and the others stay whole") {
  std::string content = two_ranks(10'000);
  content[content.size() / 4] ^= 4;
  const TemporaryFile file(content);
  const File trace(file.path);
  std::vector<std::size_t> found;
  std::vector<bool> cut;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Decoder decoder(trace, rank);
    found.push_back(0);
    while (decoder.next() != Decoder::What::End) ++found.back();
    cut.push_back(decoder.cut_off());
  }
  CHECK(cut == std::vector<bool>{true, false});
  CHECK(found[0] < 10'000);
  CHECK(found[0] > 1000);
  CHECK(found[1] == 10'000);
  const auto damaged = trace.damaged_blocks();
  REQUIRE(damaged.size() == 1);
  CHECK(damaged[0].rank == 0);
  CHECK(damaged[0].offset < content.size() / 4);
  CHECK(File(TemporaryFile(two_ranks(10'000)).path).damaged_blocks().empty());
}

TEST_CASE("what is no trace is refused with the reason") {
  CHECK_THROWS_AS(File("/nonexistent/trace"), InputError);
  CHECK_THROWS_AS(File("/tmp"), InputError);
  CHECK_THROWS_AS(File(TemporaryFile("").path), InputError);
  CHECK_THROWS_AS(File(TemporaryFile("nonsense, but more than eight bytes of it").path), InputError);
  std::string later = two_ranks(1);
  later[8] = 9;
  const TemporaryFile of_later(later);
  CHECK_THROWS_WITH(File(of_later.path), Catch::Contains("version 9"));
  std::string huge = two_ranks(1);
  huge[15] = 0x70;
  const TemporaryFile of_many(huge);
  CHECK_THROWS_WITH(File(of_many.path), Catch::Contains("too few for the streams"));
}

namespace {

/// A trace whose index names each chunk `times` times; checksums are right.
std::string with_index_repeated(std::string content, int times) {
  std::uint64_t at = 0;
  std::memcpy(&at, content.data() + content.size() - ORRERY_TRACE_FOOT_BYTES, sizeof at);
  orrery_trace_chunk head;
  std::memcpy(&head, content.data() + at, sizeof head);
  const std::string entries = content.substr(at + ORRERY_TRACE_CHUNK_HEAD_BYTES, head.bytes);
  std::string index;
  for (int i = 0; i < times; ++i) index += entries;
  head.bytes = head.unpacked = static_cast<std::uint32_t>(index.size());
  std::memcpy(content.data() + at, &head, sizeof head);
  const std::uint64_t of_head = orrery_trace_checksum(content.data() + at, 32, 0);
  head.checksum = orrery_trace_checksum(index.data(), index.size(), of_head);
  std::memcpy(content.data() + at, &head, sizeof head);
  const std::string foot = content.substr(content.size() - ORRERY_TRACE_FOOT_BYTES);
  index.resize((index.size() + 7) / 8 * 8);
  return content.substr(0, at + ORRERY_TRACE_CHUNK_HEAD_BYTES) + index + foot;
}

}  // namespace

TEST_CASE("a piece that the index names twice is read once") {
  const std::string whole = two_ranks(500);
  const TemporaryFile same(with_index_repeated(whole, 1)), repeated(with_index_repeated(whole, 1000));
  const File once(same.path), many(repeated.path);
  CHECK(once.damage().empty());
  REQUIRE_FALSE(many.damage().empty());
  CHECK_THAT(many.damage().front(), Catch::Contains("the index is missing or damaged"));
  CHECK(many.records() == once.records());
  CHECK(many.properties() == once.properties());
  CHECK(read_all(repeated.path) == read_all(same.path));
}

TEST_CASE("what a damaged trace is searched for is bounded by its size") {
  // Each of these heads claims all that follows, so that finding out that its checksum is wrong reads all of it.
  std::string content = two_ranks(1).substr(0, ORRERY_TRACE_HEAD_BYTES);
  const std::size_t heads = 40'000;
  for (std::size_t i = 0; i < heads; ++i) {
    orrery_trace_chunk head{};
    head.magic = ORRERY_TRACE_CHUNK_MAGIC;
    head.kind = ORRERY_TRACE_NAMES;
    head.bytes = static_cast<std::uint32_t>((heads - i - 1) * sizeof head);
    content.append(reinterpret_cast<const char*>(&head), sizeof head);
  }
  const TemporaryFile file(content);
  const File trace(file.path);
  CHECK(std::any_of(trace.damage().begin(), trace.damage().end(),
                    [](const std::string& what) { return what.ends_with("too much of it is damaged"); }));
}

TEST_CASE("a text that is longer than what is behind its length is none") {
  // Found by fuzz_trace: the length's own byte had been counted among those that are left.
  const std::array bytes{std::byte{3}, std::byte{'a'}, std::byte{'b'}};
  Scanner scanner(bytes);
  CHECK(scanner.text().empty());
  CHECK(scanner.failed());
  CHECK(scanner.at_end());
}

TEST_CASE("texts are UTF-8, whatever the file says") {
  const TemporaryFile out;
  orrery_trace_writer* writer = orrery_trace_create(out.path.c_str(), 1);
  // A lone continuation; a slash in two bytes, a surrogate, a code beyond Unicode, a sequence that is cut off.
  orrery_trace_property(writer, "broken", "a\x80z \xc0\xaf \xed\xa0\x80 \xf4\x90\x80\x80 \xe2\x82");
  orrery_trace_property(writer, "whole", "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x9a\x80");
  orrery_trace_close(writer);
  const File file(out.path);
  CHECK(file.property("broken") == "a?z ?? ??? ???? ??");
  CHECK(file.property("whole") == "h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x9a\x80");
}

TEST_CASE("bytes that nobody wrote neither crash the reader nor make it hang") {
  const std::string whole = two_ranks(400);
  const unsigned seed = 20260207;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::string content = whole;
    for (unsigned i = random() % 8 + 1; i > 0; --i) content[random() % content.size()] = static_cast<char>(random());
    const TemporaryFile file(content);
    CHECK(read_all(file.path) <= 4 * content.size());
  }
}

TEST_CASE("the numbers of kinds are those of version 1 of the format") {
  // Operations may be added behind the last; a number that changes makes old traces wrong.
  CHECK(static_cast<int>(op::Kind::Isend) == 2);
  CHECK(static_cast<int>(op::Kind::Probe) == 10);
  CHECK(static_cast<int>(op::Kind::Collective) == 18);
  CHECK(static_cast<int>(op::Kind::Put) == 23);
  CHECK(static_cast<int>(op::Kind::FileRead) == 29);
  CHECK(static_cast<int>(op::Kind::Finalize) == 39);
  CHECK(static_cast<int>(op::CollectiveKind::NeighborAlltoallw) == 21);
  CHECK(static_cast<int>(op::CollectiveKind::NewComm) == 22);
  CHECK(int{op::Blocking} == 1);
  CHECK(int{op::Apart} == 128);
}
