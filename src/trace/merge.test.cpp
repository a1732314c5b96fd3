// SPDX-License-Identifier: BSD-3-Clause
#include "trace/merge.hpp"

#include "base/error.hpp"
#include "catch.hpp"
#include "op/op.hpp"
#include "trace/decoder.hpp"
#include "trace/trace.test.hpp"

using namespace orrery;
using namespace orrery::trace;
using namespace orrery::trace::testing;

namespace {

orrery_trace_record barrier_on(std::uint32_t comm) {
  orrery_trace_record r{};
  r.kind = static_cast<std::uint8_t>(op::Kind::Collective);
  r.comm = comm;
  r.begin_ns = 1000;
  r.end_ns = 2000;
  return r;
}

/// A rank's own trace, as the capture library writes it: communicators in the order in which the rank made them.
struct Part {
  Part(std::uint32_t rank, const std::vector<std::vector<std::int32_t>>& comms, const char* drift_ns = "0") {
    orrery_trace_writer* writer = orrery_trace_create(file.path.c_str(), 2);
    orrery_trace_property(writer, "rank", std::to_string(rank).c_str());
    orrery_trace_property(writer, "clock_drift_ns", drift_ns);
    orrery_trace_property(writer, "clock_span_ns", "2000");
    orrery_trace_stream* stream = orrery_trace_open_stream(writer, rank);
    for (std::uint32_t i = 0; i < comms.size(); ++i) {
      orrery_trace_communicator(writer, i + 1, 0, comms[i].data(), static_cast<std::uint32_t>(comms[i].size()));
      const orrery_trace_record record = barrier_on(i + 1);
      orrery_trace_operation(stream, &record);
    }
    orrery_trace_close_stream(stream, 1);
    orrery_trace_close(writer);
  }
  TemporaryFile file;
};

std::vector<std::uint32_t> comms_of(const File& file, std::uint32_t rank) {
  std::vector<std::uint32_t> found;
  Decoder decoder(file, rank);
  while (decoder.next() == Decoder::What::Operation) found.push_back(decoder.operation().comm);
  return found;
}

}  // namespace

TEST_CASE("Communicators with the same members are the same in the order in which they were made") {
  // Rank 0 made one of its own between the two that it shares with rank 1.
  const Part first(0, {{0, 1}, {0}, {0, 1}});
  const Part second(1, {{0, 1}, {0, 1}});
  const TemporaryFile out;
  const Merged merged = merge({first.file.path, second.file.path}, out.path, {{"kind", "test"}}, {});
  CHECK(merged.missing.empty());
  CHECK(merged.cut_off.empty());
  CHECK(merged.operations == 5);
  const File file(out.path);
  CHECK(file.damage().empty());
  CHECK(file.property("kind") == "test");
  const auto of_first = comms_of(file, 0);
  CHECK(comms_of(file, 1) == std::vector{of_first[0], of_first[2]});
  CHECK(file.communicators().size() == 3);
}

TEST_CASE("Times of a clock that drifted are stretched to those of rank 0") {
  const Part fast(0, {{0}}), slow(1, {{1}}, "200");  // 200 ns behind after 2,000: a tenth
  const TemporaryFile out;
  merge({fast.file.path, slow.file.path}, out.path, {}, {});
  const File file(out.path);
  Decoder decoder(file, 1);
  REQUIRE(decoder.next() == Decoder::What::Operation);
  CHECK(decoder.beside().begin_ns == 1100);
  CHECK(decoder.beside().end_ns == 2200);
}

TEST_CASE("What a killed rank had in no block yet is read from its other file") {
  const TemporaryFile part, rest, out;
  orrery_trace_writer* writer = orrery_trace_create(part.path.c_str(), 1);
  orrery_trace_property(writer, "rank", "0");
  orrery_trace_stream* stream = orrery_trace_open_stream(writer, 0);
  const orrery_trace_record record = barrier_on(0);
  orrery_trace_operation(stream, &record);
  orrery_trace_flush(stream);
  orrery_trace_operation(stream, &record);
  orrery_trace_operation(stream, &record);
  const orrery_trace_kept_back kept = orrery_trace_kept(stream);
  CHECK(kept.sequence == 1);
  CHECK(kept.records == 2);
  std::string content = "ORRREST\n";
  const std::uint32_t head[] = {0, kept.sequence, kept.records, 0};
  const std::uint64_t size = kept.size;
  content.append(reinterpret_cast<const char*>(head), sizeof head);
  content.append(reinterpret_cast<const char*>(&size), sizeof size);
  content.append(reinterpret_cast<const char*>(kept.data), kept.size);
  rest.write(content);
  orrery_trace_abandon(writer);

  CHECK(recover(part.path, rest.path));
  CHECK_FALSE(recover(part.path, rest.path));  // it is there now
  const Merged merged = merge({part.path}, out.path, {}, {});
  CHECK(merged.operations == 3);
  CHECK(merged.cut_off == std::vector<std::uint32_t>{0});
}

TEST_CASE("Ranks that left no file are named, and without any there is no trace") {
  const Part second(1, {});
  const TemporaryFile out;
  CHECK(merge({second.file.path}, out.path, {}, {}).missing == std::vector<std::uint32_t>{0});
  CHECK_THROWS_AS(merge({}, out.path, {}, {}), InputError);
}

TEST_CASE("Call sites of all ranks have one number for each place, and the text that is given for it") {
  const auto part = [](const TemporaryFile& file, std::uint32_t rank, std::vector<const char*> sites) {
    orrery_trace_writer* writer = orrery_trace_create(file.path.c_str(), 2);
    orrery_trace_property(writer, "rank", std::to_string(rank).c_str());
    orrery_trace_names(writer, ORRERY_TRACE_SITES, 1, sites.data(), static_cast<std::uint32_t>(sites.size()));
    orrery_trace_stream* stream = orrery_trace_open_stream(writer, rank);
    for (std::uint32_t site = 1; site <= sites.size(); ++site) {
      orrery_trace_record record = barrier_on(0);
      record.site = site;
      orrery_trace_operation(stream, &record);
    }
    const orrery_trace_local_calls local{0, 3, 4, 5};
    orrery_trace_local(writer, rank, &local, 1);
    orrery_trace_close_stream(stream, 1);
    orrery_trace_close(writer);
  };
  const TemporaryFile first, second, out;
  part(first, 0, {"a+0x1", "a+0x2"});
  part(second, 1, {"a+0x2", "a+0x3"});
  merge({first.path, second.path}, out.path, {}, {}, {{"a+0x1", "a.c:7 main"}, {"a+0x3", "a.c:7 main"}});
  const File file(out.path);
  std::vector<std::string> found;
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    Decoder decoder(file, rank);
    while (decoder.next() == Decoder::What::Operation)
      found.emplace_back(file.name(ORRERY_TRACE_SITES, decoder.beside().site));
    REQUIRE(file.local_calls(rank).size() == 1);
    CHECK(file.local_calls(rank)[0].calls == 4);
  }
  CHECK(found == std::vector<std::string>{"a.c:7 main", "a+0x2", "a+0x2", "a.c:7 main"});
  CHECK(file.names(ORRERY_TRACE_SITES).size() == 2);
}
