/* SPDX-License-Identifier: BSD-3-Clause
 * The mapped file. It grows as cells come into use, so that a small program takes some kilobytes and a large one no
 * more than two megabytes for each rank. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "watch.h"

enum { slots = 2 * ORRERY_CELLS, cells_at_once = 16 };
static const size_t file_bytes = ORRERY_HEAD_BYTES + (size_t)ORRERY_CELLS * ORRERY_CELL_BYTES;

_Static_assert(sizeof(orrery_cell) == ORRERY_CELL_BYTES, "board.py reads cells of this size");
_Static_assert(sizeof(orrery_board) <= ORRERY_HEAD_BYTES, "the head has room for it");

orrery_board* orrery_watched;
static orrery_cell* cells;
static uint16_t table[slots]; /* number of a cell, from 1 */
static uint32_t room;         /* cells that the file has place for */
static int file = -1;

int orrery_board_open(const char* folder, uint32_t rank, uint32_t ranks) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%u.watch", folder, rank);
  file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return 0;
  /* Room must be there: a page of a full disk would end the process. */
  void* mapped = MAP_FAILED;
  if (posix_fallocate(file, 0, ORRERY_HEAD_BYTES) == 0)
    mapped = mmap(NULL, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    close(file);
    return 0;
  }
  orrery_board* board = (orrery_board*)mapped;
  cells = (orrery_cell*)((char*)mapped + ORRERY_HEAD_BYTES);
  board->rank = rank;
  board->ranks = ranks;
  board->cores = (uint32_t)sysconf(_SC_NPROCESSORS_ONLN);
  memcpy(board->magic, "ORRWATCH", sizeof board->magic);
  orrery_watched = board;
  return 1;
}

void orrery_board_close(void) {
  if (orrery_watched == NULL) return;
  munmap(orrery_watched, file_bytes);
  close(file);
  orrery_watched = NULL;
}

static int make_room(void) {
  if (orrery_watched->cells < room) return 1;
  if (room == ORRERY_CELLS) return 0;
  const off_t end = ORRERY_HEAD_BYTES + (off_t)room * ORRERY_CELL_BYTES;
  if (posix_fallocate(file, end, (off_t)cells_at_once * ORRERY_CELL_BYTES) != 0) return 0;
  room += cells_at_once;
  return 1;
}

static uint32_t hash(const uint64_t key[3]) {
  uint64_t mixed = key[0];
  for (int i = 1; i < 3; ++i) mixed = (mixed ^ mixed >> 29) * 0x9E3779B97F4A7C15u ^ key[i];
  mixed *= 0x9E3779B97F4A7C15u;
  return (uint32_t)(mixed >> 40) % slots;
}

static int fits(const orrery_cell* cell, enum orrery_cell_kind what, uint64_t comm, int32_t peer, int32_t tag,
                uint8_t collective, uint8_t bucket) {
  return cell->comm == comm && cell->peer == peer && cell->tag == tag && cell->what == what &&
         cell->collective == collective && cell->bucket == bucket;
}

orrery_cell* orrery_cell_of(enum orrery_cell_kind what, uint64_t comm, int32_t peer, int32_t tag, uint8_t collective,
                            uint8_t bucket) {
  const uint64_t key[3] = {comm, (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag,
                           (uint64_t)what << 16 | (uint64_t)collective << 8 | bucket};
  uint32_t slot = hash(key);
  for (; table[slot] != 0; slot = (slot + 1) % slots) {
    orrery_cell* cell = &cells[table[slot] - 1];
    if (fits(cell, what, comm, peer, tag, collective, bucket)) return cell;
  }
  if (comm == 0 || !make_room()) {
    ++orrery_watched->left[ORRERY_LEFT_NO_ROOM];
    return NULL;
  }
  orrery_cell* cell = &cells[orrery_watched->cells];
  cell->what = (uint8_t)what;
  cell->collective = collective;
  cell->bucket = bucket;
  cell->comm = comm;
  cell->peer = peer;
  cell->tag = tag;
  cell->stride = 1;
  cell->least_ns = INT64_MAX;
  __atomic_store_n(&orrery_watched->cells, orrery_watched->cells + 1, __ATOMIC_RELEASE);
  table[slot] = (uint16_t)orrery_watched->cells;
  return cell;
}

/* There are samples enough: every second one goes, and of the calls to come every second one is kept. */
static void thin_out(orrery_cell* cell) {
  for (int i = 0; 2 * i < ORRERY_SAMPLES; ++i) cell->samples[i] = cell->samples[2 * i];
  memset(&cell->samples[ORRERY_SAMPLES / 2], 0, sizeof cell->samples / 2);
  cell->stride *= 2;
}

static void begin_writing(orrery_cell* cell) {
  __atomic_store_n(&cell->version, cell->version + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_writing(orrery_cell* cell) { __atomic_store_n(&cell->version, cell->version + 1, __ATOMIC_RELEASE); }

int64_t orrery_cell_count(orrery_cell* cell, int64_t bytes, int64_t weight) {
  const int64_t number = cell->observed++;
  cell->calls += weight;
  cell->bytes += weight * bytes;
  if (number >= (int64_t)cell->stride * ORRERY_SAMPLES) {
    begin_writing(cell);
    thin_out(cell);
    end_writing(cell);
  }
  return number;
}

void orrery_cell_spent(orrery_cell* cell, int64_t ns, int64_t all_ns) {
  cell->time_ns += all_ns;
  if (ns < cell->least_ns) cell->least_ns = ns;
  if (ns > cell->most_ns) cell->most_ns = ns;
}

void orrery_cell_sample(orrery_cell* cell, int64_t number, const orrery_sample* sample) {
  const int64_t place = number / cell->stride; /* of two to some power */
  if ((number & (cell->stride - 1)) != 0 || place >= ORRERY_SAMPLES) return;
  begin_writing(cell);
  cell->samples[place] = *sample;
  end_writing(cell);
}
