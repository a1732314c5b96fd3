/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "trace/block.h"

/* Blocks are written when they have this many bytes: large enough that their heads do not count, small enough that
 * thousands of ranks can have one each. */
enum { block_bytes = 32 * 1024 };

struct orrery_trace_writer {
  int descriptor;
  int error; /* errno of what went wrong first */
  uint64_t size;
  orrery_trace_bytes index;
  orrery_trace_bytes payload;   /* of chunks that are no blocks, while they are made */
  orrery_trace_stream* streams; /* that are open: a list */
};

struct orrery_trace_stream {
  orrery_trace_writer* writer;
  orrery_trace_stream *next, *previous; /* open streams of the writer */
  uint32_t rank, sequence;
  orrery_trace_block block;
};

static int give_up(orrery_trace_writer* writer, int error) {
  if (writer->error == 0) writer->error = error != 0 ? error : EIO;
  return writer->error;
}

static int write_all(orrery_trace_writer* writer, const void* data, size_t length) {
  const char* at = (const char*)data;
  while (length > 0) {
    const ssize_t written = write(writer->descriptor, at, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return give_up(writer, errno);
    at += written;
    length -= (size_t)written;
    writer->size += (uint64_t)written;
  }
  return 0;
}

/* Appends a chunk: head, payload, padding. */
static int write_chunk(orrery_trace_writer* writer, orrery_trace_chunk chunk, const orrery_trace_bytes* payload) {
  static const unsigned char zeros[8] = {0};
  orrery_trace_bytes head = {0};
  const uint64_t place = writer->size;
  if (writer->error != 0) return writer->error;
  if (payload->failed) return give_up(writer, ENOMEM);
  if (payload->size > UINT32_MAX) return give_up(writer, EFBIG);
  orrery_trace_put_fixed(&head, ORRERY_TRACE_CHUNK_MAGIC, 4);
  orrery_trace_put_byte(&head, chunk.kind);
  orrery_trace_put_byte(&head, chunk.codec);
  orrery_trace_put_fixed(&head, chunk.flags, 2);
  orrery_trace_put_fixed(&head, chunk.rank, 4);
  orrery_trace_put_fixed(&head, chunk.sequence, 4);
  orrery_trace_put_fixed(&head, payload->size, 4);
  orrery_trace_put_fixed(&head, payload->size, 4);
  orrery_trace_put_fixed(&head, chunk.records, 4);
  orrery_trace_put_fixed(&head, 0, 4);
  if (!head.failed) {
    const uint64_t of_head = orrery_trace_checksum(head.data, head.size, 0);
    orrery_trace_put_fixed(&head, orrery_trace_checksum(payload->data, payload->size, of_head), 8);
  }
  if (head.failed) {
    give_up(writer, ENOMEM);
  } else if (write_all(writer, head.data, head.size) == 0 && write_all(writer, payload->data, payload->size) == 0) {
    write_all(writer, zeros, (8 - writer->size % 8) % 8);
  }
  free(head.data);
  if (writer->error == 0 && chunk.kind != ORRERY_TRACE_INDEX) {
    orrery_trace_put_fixed(&writer->index, place, 8);
    orrery_trace_put_fixed(&writer->index, chunk.rank, 4);
    orrery_trace_put_fixed(&writer->index, chunk.sequence, 4);
    orrery_trace_put_fixed(&writer->index, chunk.records, 4);
    orrery_trace_put_fixed(&writer->index, chunk.kind, 4);
  }
  return writer->error;
}

orrery_trace_writer* orrery_trace_create(const char* path, uint32_t ranks) {
  orrery_trace_writer* writer = (orrery_trace_writer*)calloc(1, sizeof *writer);
  if (writer == NULL) return NULL;
  writer->descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  orrery_trace_bytes* head = &writer->payload;
  orrery_trace_put(head, ORRERY_TRACE_MAGIC, 8);
  orrery_trace_put_fixed(head, ORRERY_TRACE_VERSION, 4);
  orrery_trace_put_fixed(head, ranks, 4);
  orrery_trace_put_fixed(head, 0, 8);
  if (writer->descriptor >= 0 && !head->failed && write_all(writer, head->data, head->size) == 0) return writer;
  const int error = head->failed ? ENOMEM : errno;
  orrery_trace_abandon(writer);
  errno = error;
  return NULL;
}

int orrery_trace_property(orrery_trace_writer* writer, const char* key, const char* value) {
  writer->payload.size = 0;
  orrery_trace_put_text(&writer->payload, key);
  orrery_trace_put_text(&writer->payload, value);
  return write_chunk(writer, (orrery_trace_chunk){.kind = ORRERY_TRACE_PROPERTIES, .records = 1}, &writer->payload);
}

int orrery_trace_names(orrery_trace_writer* writer, enum orrery_trace_table table, uint32_t first,
                       const char* const* texts, uint32_t count) {
  writer->payload.size = 0;
  orrery_trace_put_number(&writer->payload, (uint64_t)table);
  orrery_trace_put_number(&writer->payload, first);
  for (uint32_t i = 0; i < count; ++i) orrery_trace_put_text(&writer->payload, texts[i]);
  return write_chunk(writer, (orrery_trace_chunk){.kind = ORRERY_TRACE_NAMES, .records = count}, &writer->payload);
}

int orrery_trace_communicator(orrery_trace_writer* writer, uint32_t comm, uint32_t first_group, const int32_t* members,
                              uint32_t count) {
  orrery_trace_bytes* out = &writer->payload;
  uint32_t runs = 0;
  out->size = 0;
  orrery_trace_put_number(out, comm);
  orrery_trace_put_number(out, first_group);
  orrery_trace_put_number(out, count);
  /* Runs of equal distance: how many, the first, and how far apart. */
  for (uint32_t i = 0; i < count; ++runs) {
    const int64_t apart = i + 1 < count ? (int64_t)members[i + 1] - members[i] : 0;
    uint32_t length = i + 1 < count ? 2 : 1;
    while (i + length < count && (int64_t)members[i + length] - members[i + length - 1] == apart) ++length;
    orrery_trace_put_number(out, length);
    orrery_trace_put_signed(out, members[i]);
    orrery_trace_put_signed(out, apart);
    i += length;
  }
  return write_chunk(writer, (orrery_trace_chunk){.kind = ORRERY_TRACE_COMM, .records = runs}, out);
}

int orrery_trace_local(orrery_trace_writer* writer, uint32_t rank, const orrery_trace_local_calls* calls,
                       uint32_t count) {
  orrery_trace_bytes* out = &writer->payload;
  out->size = 0;
  orrery_trace_put_number(out, rank);
  for (uint32_t i = 0; i < count; ++i) {
    orrery_trace_put_number(out, calls[i].phase);
    orrery_trace_put_number(out, calls[i].routine);
    orrery_trace_put_number(out, calls[i].calls);
    orrery_trace_put_number(out, calls[i].time_ns);
  }
  return write_chunk(writer, (orrery_trace_chunk){.kind = ORRERY_TRACE_LOCAL, .records = count}, out);
}

orrery_trace_stream* orrery_trace_open_stream(orrery_trace_writer* writer, uint32_t rank) {
  orrery_trace_stream* stream = (orrery_trace_stream*)calloc(1, sizeof *stream);
  if (stream == NULL) return NULL;
  stream->writer = writer;
  stream->rank = rank;
  stream->next = writer->streams;
  if (stream->next != NULL) stream->next->previous = stream;
  writer->streams = stream;
  return stream;
}

static void free_stream(orrery_trace_stream* stream) {
  if (stream->next != NULL) stream->next->previous = stream->previous;
  if (stream->previous != NULL) stream->previous->next = stream->next;
  if (stream->writer->streams == stream) stream->writer->streams = stream->next;
  orrery_trace_block_free(&stream->block);
  free(stream);
}

static int write_block(orrery_trace_stream* stream, uint16_t flags) {
  orrery_trace_block* block = &stream->block;
  const orrery_trace_chunk chunk = {.kind = ORRERY_TRACE_BLOCK,
                                    .flags = flags,
                                    .rank = stream->rank,
                                    .sequence = stream->sequence++,
                                    .records = block->records};
  if (block->scratch.failed) give_up(stream->writer, ENOMEM);
  const int error = write_chunk(stream->writer, chunk, &block->bytes);
  orrery_trace_block_clear(block);
  return error;
}

int orrery_trace_operation(orrery_trace_stream* stream, const orrery_trace_record* record) {
  if (stream->writer->error != 0) return stream->writer->error;
  if (stream->block.bytes.size >= block_bytes) write_block(stream, 0);
  orrery_trace_block_operation(&stream->block, record);
  return stream->writer->error;
}

int orrery_trace_answered(orrery_trace_stream* stream, const orrery_trace_answer* answer) {
  if (stream->writer->error == 0) orrery_trace_block_answer(&stream->block, answer);
  return stream->writer->error;
}

int orrery_trace_flush(orrery_trace_stream* stream) {
  if (stream->block.records == 0) return stream->writer->error;
  return write_block(stream, 0);
}

orrery_trace_kept_back orrery_trace_kept(const orrery_trace_stream* stream) {
  return (orrery_trace_kept_back){stream->block.bytes.data, stream->block.bytes.size, stream->block.records,
                                  stream->sequence};
}

int orrery_trace_close_stream(orrery_trace_stream* stream, int complete) {
  orrery_trace_writer* writer = stream->writer;
  if (complete || stream->block.records > 0) write_block(stream, complete ? ORRERY_TRACE_LAST : 0);
  free_stream(stream);
  return writer->error;
}

int orrery_trace_close(orrery_trace_writer* writer) {
  const uint64_t place = writer->size;
  const uint32_t entries = (uint32_t)(writer->index.size / ORRERY_TRACE_INDEX_ENTRY_BYTES);
  write_chunk(writer, (orrery_trace_chunk){.kind = ORRERY_TRACE_INDEX, .records = entries}, &writer->index);
  writer->payload.size = 0;
  orrery_trace_put_fixed(&writer->payload, place, 8);
  orrery_trace_put(&writer->payload, ORRERY_TRACE_FOOT_MAGIC, 8);
  if (writer->error == 0) write_all(writer, writer->payload.data, writer->payload.size);
  const int error = writer->error;
  orrery_trace_abandon(writer);
  return error;
}

void orrery_trace_abandon(orrery_trace_writer* writer) {
  if (writer->descriptor >= 0) close(writer->descriptor);
  while (writer->streams != NULL) free_stream(writer->streams);
  free(writer->index.data);
  free(writer->payload.data);
  free(writer);
}
