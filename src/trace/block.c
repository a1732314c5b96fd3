/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace/block.h"

void orrery_trace_block_clear(orrery_trace_block* block) {
  block->bytes.size = 0;
  block->records = block->defined = 0;
  block->last = 0;
  block->last_end_ns = 0;
  memset(block->slots, 0, sizeof block->slots);
}

void orrery_trace_block_free(orrery_trace_block* block) {
  free(block->bytes.data);
  free(block->scratch.data);
  free(block->definitions);
}

static void put_requests(orrery_trace_bytes* out, const uint32_t* list, uint32_t length) {
  int64_t last = 0;
  orrery_trace_put_number(out, length);
  for (uint32_t i = 0; i < length; ++i) {
    orrery_trace_put_signed(out, (int64_t)list[i] - last);
    last = list[i];
  }
}

static void put_counts(orrery_trace_bytes* out, const int64_t* list, uint32_t length) {
  uint64_t last = 0;
  orrery_trace_put_number(out, length);
  for (uint32_t i = 0; i < length; ++i) {
    orrery_trace_put_signed(out, (int64_t)((uint64_t)list[i] - last)); /* differences may wrap around */
    last = (uint64_t)list[i];
  }
}

static unsigned fields_of(const orrery_trace_record* r) {
  unsigned fields = 0;
  if (r->mode != 0) fields |= ORRERY_TRACE_MODE;
  if (r->collective != 0) fields |= ORRERY_TRACE_COLLECTIVE;
  if (r->flags != 0) fields |= ORRERY_TRACE_FLAGS;
  if (r->routine != 0) fields |= ORRERY_TRACE_ROUTINE;
  if (r->algorithm != 0) fields |= ORRERY_TRACE_ALGORITHM;
  if (r->peer != 0) fields |= ORRERY_TRACE_PEER;
  if (r->comm != 0) fields |= ORRERY_TRACE_IN_COMM;
  if (r->request != 0) fields |= ORRERY_TRACE_REQUEST;
  if (r->bytes != 0) fields |= ORRERY_TRACE_BYTES;
  if (r->element != 0) fields |= ORRERY_TRACE_ELEMENT;
  if (r->requests_length != 0) fields |= ORRERY_TRACE_REQUESTS;
  if (r->counts_length != 0) fields |= ORRERY_TRACE_COUNTS;
  if (r->site != 0) fields |= ORRERY_TRACE_SITE;
  if (r->datatype != 0) fields |= ORRERY_TRACE_DATATYPE;
  if (r->ran != 0) fields |= ORRERY_TRACE_RAN;
  if (r->extent != 0) fields |= ORRERY_TRACE_EXTENT;
  if (r->thread != 0) fields |= ORRERY_TRACE_BY_THREAD;
  return fields;
}

/* All that stays the same when an operation happens again. */
static void put_definition(orrery_trace_bytes* out, const orrery_trace_record* r) {
  const unsigned fields = fields_of(r);
  orrery_trace_put_byte(out, r->kind);
  orrery_trace_put_number(out, fields);
  if (fields & ORRERY_TRACE_MODE) orrery_trace_put_byte(out, r->mode);
  if (fields & ORRERY_TRACE_COLLECTIVE) orrery_trace_put_byte(out, r->collective);
  if (fields & ORRERY_TRACE_FLAGS) orrery_trace_put_byte(out, r->flags);
  if (fields & ORRERY_TRACE_ROUTINE) orrery_trace_put_number(out, r->routine);
  if (fields & ORRERY_TRACE_ALGORITHM) orrery_trace_put_number(out, r->algorithm);
  if (fields & ORRERY_TRACE_PEER) orrery_trace_put_signed(out, r->peer);
  if (fields & ORRERY_TRACE_IN_COMM) orrery_trace_put_number(out, r->comm);
  if (fields & ORRERY_TRACE_REQUEST) orrery_trace_put_number(out, r->request);
  if (fields & ORRERY_TRACE_BYTES) orrery_trace_put_signed(out, r->bytes);
  if (fields & ORRERY_TRACE_ELEMENT) orrery_trace_put_signed(out, r->element);
  if (fields & ORRERY_TRACE_REQUESTS) put_requests(out, r->requests, r->requests_length);
  if (fields & ORRERY_TRACE_COUNTS) put_counts(out, r->counts, r->counts_length);
  if (fields & ORRERY_TRACE_SITE) orrery_trace_put_number(out, r->site);
  if (fields & ORRERY_TRACE_DATATYPE) orrery_trace_put_number(out, r->datatype);
  if (fields & ORRERY_TRACE_RAN) orrery_trace_put_number(out, r->ran);
  if (fields & ORRERY_TRACE_EXTENT) orrery_trace_put_signed(out, r->extent);
  if (fields & ORRERY_TRACE_BY_THREAD) orrery_trace_put_number(out, r->thread);
}

static int has_lists(const orrery_trace_record* r) { return r->counts_length > 0 || r->requests_length > 1; }

static orrery_trace_key key_of(const orrery_trace_record* r) {
  orrery_trace_key key = {.bytes = r->bytes,
                          .element = r->element,
                          .extent = r->extent,
                          .comm = r->comm,
                          .request = r->request,
                          .site = r->site,
                          .datatype = r->datatype,
                          .ran = r->ran,
                          .thread = r->thread,
                          .peer = r->peer,
                          .routine = r->routine,
                          .algorithm = r->algorithm,
                          .kind = r->kind,
                          .mode = r->mode,
                          .collective = r->collective,
                          .flags = r->flags};
  key.has_lists = has_lists(r) != 0;
  key.requests_length = r->requests_length == 1;
  key.waits_for = r->requests_length == 1 ? r->requests[0] : 0;
  return key;
}

/* Whether a record has that key, and no longer list. Field by field: most records are only compared, and to make a key
 * of each takes as long again. */
static int has_key(const orrery_trace_record* r, const orrery_trace_key* key) {
  const uint64_t wide = (uint64_t)((r->bytes ^ key->bytes) | (r->element ^ key->element) | (r->extent ^ key->extent));
  const uint32_t waits_for = r->requests_length == 1 ? r->requests[0] : 0;
  const uint32_t numbers = (r->comm ^ key->comm) | (r->request ^ key->request) | (r->site ^ key->site) |
                           (r->datatype ^ key->datatype) | (r->ran ^ key->ran) | (r->thread ^ key->thread) |
                           (waits_for ^ key->waits_for) | (uint32_t)(r->peer ^ key->peer) |
                           (r->requests_length ^ key->requests_length) | r->counts_length;
  const int small = (r->routine ^ key->routine) | (r->algorithm ^ key->algorithm) | (r->kind ^ key->kind) |
                    (r->mode ^ key->mode) | (r->collective ^ key->collective) | (r->flags ^ key->flags) |
                    key->has_lists;
  return (wide | numbers | (uint64_t)(uint32_t)small) == 0;
}

/* What is defined by the number that came behind the last one before: that is quicker to see than to look for it, and
 * mostly it is the one, as programs are loops. -1: another one is. */
static int expected_definition(const orrery_trace_block* block, const orrery_trace_record* record) {
  const int expected = block->last == 0 ? -1 : (int)block->definitions[block->last - 1].next - 1;
  return expected >= 0 && has_key(record, &block->definitions[expected].key) ? expected : -1;
}

/* Where a record without long lists is looked for: in loops that take turns the expected one is often another. */
static uint32_t slot_of(const orrery_trace_record* r) {
  const uint64_t odd = 0x9E3779B97F4A7C15u; /* spreads what differs in few bits over the high ones */
  const uint64_t waits_for = r->requests_length == 1 ? (uint64_t)r->requests[0] + 1 : 0;
  const uint64_t parts[] = {(uint64_t)r->bytes,
                            (uint64_t)r->request << 32 | (uint32_t)r->peer,
                            (uint64_t)r->comm << 33 | waits_for,
                            (uint64_t)r->element ^ ((uint64_t)r->site << 32 | (r->ran ^ r->thread << 24)),
                            (uint64_t)r->extent ^ ((uint64_t)r->datatype << 32),
                            (uint64_t)r->routine << 48 | (uint64_t)r->algorithm << 32 | (uint64_t)r->kind << 24 |
                                (uint64_t)r->mode << 16 | (uint64_t)r->collective << 8 | r->flags};
  uint64_t hash = 0;
  for (unsigned i = 0; i < sizeof parts / sizeof *parts; ++i) {
    hash = (hash ^ parts[i]) * odd;
    hash ^= hash >> 32;
  }
  return (uint32_t)(hash % ORRERY_TRACE_SLOTS);
}

/* Whether the definition of that number is the one in `scratch`. */
static int is_defined_by(const orrery_trace_block* block, int number) {
  const orrery_trace_bytes* wanted = &block->scratch;
  const orrery_trace_definition* known = &block->definitions[number];
  return known->length == wanted->size && memcmp(block->bytes.data + known->place, wanted->data, wanted->size) == 0;
}

/* Number of the definition of `record`, or -1, and then it is in `scratch`; `slot` is where it would be. With longer
 * lists only its bytes say what it is. */
static int find_definition(orrery_trace_block* block, const orrery_trace_record* record, uint32_t* slot) {
  orrery_trace_bytes* bytes = &block->scratch;
  const int lists = has_lists(record);
  bytes->size = 0;
  if (lists) put_definition(bytes, record);
  *slot = lists ? (uint32_t)(orrery_trace_checksum(bytes->data, bytes->size, 0) % ORRERY_TRACE_SLOTS) : slot_of(record);
  for (; block->slots[*slot] != 0; *slot = (*slot + 1) % ORRERY_TRACE_SLOTS) {
    const int number = block->slots[*slot] - 1;
    if (lists ? is_defined_by(block, number) : has_key(record, &block->definitions[number].key)) return number;
  }
  if (!lists) put_definition(bytes, record);
  return -1;
}

/* For one more definition. */
static int has_room(orrery_trace_block* block) {
  if (block->defined < block->capacity) return 1;
  if (block->defined >= ORRERY_TRACE_MOST_DEFINED) return 0;
  const uint32_t wanted = 4 * block->defined + 16;
  const uint32_t capacity = wanted < ORRERY_TRACE_MOST_DEFINED ? wanted : ORRERY_TRACE_MOST_DEFINED;
  orrery_trace_definition* larger = (orrery_trace_definition*)realloc(block->definitions, capacity * sizeof *larger);
  if (larger == NULL) return 0; /* it is defined again next time */
  block->definitions = larger;
  block->capacity = capacity;
  return 1;
}

/* `number`: of the definition of what happens now, or -1 if the block has no room for it. */
static void follow(orrery_trace_block* block, int number) {
  if (block->last != 0) block->definitions[block->last - 1].next = (uint16_t)(number + 1);
  block->last = (uint16_t)(number + 1);
}

/* Nanoseconds that give `seconds` again to the last bit, or -1. */
static int64_t nanoseconds_of(double seconds) {
  if (!(seconds > 0 && seconds < 1e9)) return -1;
  const int64_t ns = (int64_t)(seconds * 1e9 + 0.5);
  return (double)ns * 1e-9 == seconds ? ns : -1;
}

/* The definition in `scratch` gets a number, if there is one left; it will lie at `place`. */
static void define(orrery_trace_block* block, const orrery_trace_record* record, uint32_t slot, size_t place) {
  if (has_room(block)) {
    orrery_trace_definition* made = &block->definitions[block->defined];
    made->key = key_of(record);
    made->place = (uint32_t)place;
    made->length = (uint32_t)block->scratch.size;
    made->tag = record->tag;
    made->next = 0;
    block->slots[slot] = (uint16_t)(block->defined + 1);
    follow(block, (int)block->defined);
  } else {
    follow(block, -1);
  }
  ++block->defined;
}

void orrery_trace_block_operation(orrery_trace_block* block, const orrery_trace_record* record) {
  enum { most_bytes = 9 * 10 }; /* of what is no definition */
  orrery_trace_bytes* out = &block->bytes;
  uint32_t slot = 0;
  int known = expected_definition(block, record);
  if (known < 0) known = find_definition(block, record, &slot);
  const int32_t step = record->kind == ORRERY_TRACE_KIND_COLLECTIVE ? 1 : 0;
  const int64_t expected = known >= 0 ? (int64_t)block->definitions[known].tag + step : 0;
  const int64_t ns = nanoseconds_of(record->compute_s);
  const uint64_t what = known >= 0 ? (uint64_t)known + ORRERY_TRACE_FIRST_DEFINED : ORRERY_TRACE_DEFINE;
  unsigned parts = 0;
  if (ns >= 0) parts |= ORRERY_TRACE_COMPUTE_NS;
  if (ns < 0 && record->compute_s != 0) parts |= ORRERY_TRACE_COMPUTE_DOUBLE;
  if (record->tag != expected) parts |= ORRERY_TRACE_TAG;
  if (record->end_ns >= 0) parts |= ORRERY_TRACE_STAMP;

  unsigned char* at = orrery_trace_room(out, most_bytes + (known < 0 ? block->scratch.size : 0));
  if (at == NULL) return;
  if (record->faults != 0 || record->instructions != 0 || record->warm != 0) {
    at = orrery_trace_write_number(at, ORRERY_TRACE_MEASURED << 4);
    at = orrery_trace_write_number(at, record->faults);
    at = orrery_trace_write_number(at, record->instructions);
    at = orrery_trace_write_number(at, record->warm);
  }
  at = orrery_trace_write_number(at, what << 4 | parts);
  if (known < 0) {
    define(block, record, slot, (size_t)(at - out->data));
    memcpy(at, block->scratch.data, block->scratch.size);
    at += block->scratch.size;
  } else {
    block->definitions[known].tag = record->tag;
    follow(block, known);
  }
  if (parts & ORRERY_TRACE_COMPUTE_NS) at = orrery_trace_write_number(at, (uint64_t)ns);
  if (parts & ORRERY_TRACE_COMPUTE_DOUBLE) {
    uint64_t bits = 0;
    memcpy(&bits, &record->compute_s, sizeof bits);
    for (int i = 0; i < 8; ++i) *at++ = (unsigned char)(bits >> (8 * i));
  }
  if (parts & ORRERY_TRACE_TAG) at = orrery_trace_write_signed(at, record->tag - expected);
  if (parts & ORRERY_TRACE_STAMP) {
    const int64_t took = record->end_ns > record->begin_ns ? record->end_ns - record->begin_ns : 0;
    at = orrery_trace_write_signed(at, record->begin_ns - block->last_end_ns);
    at = orrery_trace_write_number(at, (uint64_t)took);
    block->last_end_ns = record->begin_ns + took;
  }
  out->size = (size_t)(at - out->data);
  ++block->records;
}

void orrery_trace_block_answer(orrery_trace_block* block, const orrery_trace_answer* answer) {
  orrery_trace_bytes* out = &block->bytes;
  unsigned parts = 0;
  if (answer->flag) parts |= ORRERY_TRACE_YES;
  if (answer->source >= 0) parts |= ORRERY_TRACE_MESSAGE;
  if (answer->completed_length > 0) parts |= ORRERY_TRACE_COMPLETED;
  if (answer->thread != 0) parts |= ORRERY_TRACE_THREAD;
  orrery_trace_put_number(out, ORRERY_TRACE_ANSWER << 4);
  orrery_trace_put_byte(out, (unsigned char)parts);
  if (parts & ORRERY_TRACE_MESSAGE) {
    orrery_trace_put_signed(out, answer->source);
    orrery_trace_put_signed(out, answer->tag);
    orrery_trace_put_number(out, answer->sequence);
    orrery_trace_put_signed(out, answer->bytes);
  }
  if (parts & ORRERY_TRACE_COMPLETED) put_requests(out, answer->completed, answer->completed_length);
  if (parts & ORRERY_TRACE_THREAD) orrery_trace_put_number(out, answer->thread);
  ++block->records;
}
