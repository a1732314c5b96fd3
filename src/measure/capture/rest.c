/* SPDX-License-Identifier: BSD-3-Clause
 * What the stream has kept back so far, in the mapped file RANK.rest: it outlives the process, however that ends. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture.h"

enum { rest_bytes = 64 * 1024 };

/* Start of the mapped file; trace::recover reads it (src/trace/merge.hpp). `size` is written last. */
typedef struct rest_head {
  char magic[8];
  uint32_t rank, sequence, records, unused;
  uint64_t size;
} rest_head;

static rest_head* rest;
static char path[4096];

void orrery_rest_start(const char* folder, uint32_t world_rank) {
  snprintf(path, sizeof path, "%s/%u.rest", folder, world_rank);
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return;
  /* Room must be there: a page of a full disk would end the process. */
  if (posix_fallocate(file, 0, rest_bytes) == 0) {
    void* mapped = mmap(NULL, rest_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) rest = mapped;
  }
  close(file);
  if (rest == NULL) return;
  memcpy(rest->magic, "ORRREST\n", 8);
  rest->rank = world_rank;
}

/* Copies what has come since the last time. */
void orrery_rest_keep(const orrery_trace_stream* stream) {
  const orrery_trace_kept_back kept = orrery_trace_kept(stream);
  if (rest == NULL) return;
  uint64_t from = rest->size;
  if (kept.sequence != rest->sequence || kept.size < from) {
    __atomic_store_n(&rest->size, 0, __ATOMIC_RELEASE);
    rest->sequence = kept.sequence;
    from = 0;
  }
  if (kept.size > rest_bytes - sizeof *rest) return; /* a very long list: it is in the file with the next block */
  memcpy((char*)(rest + 1) + from, kept.data + from, kept.size - from);
  rest->records = kept.records;
  __atomic_store_n(&rest->size, kept.size, __ATOMIC_RELEASE);
}

void orrery_rest_over(void) { unlink(path); }
