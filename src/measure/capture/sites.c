/* SPDX-License-Identifier: BSD-3-Clause
 * Where calls come from. The address that a call goes back to says it, or, for call paths, the addresses of all
 * functions that are under way, as the tables for exceptions tell (.eh_frame, which compilers write for every
 * function). A place is written as "module+0xoffset", where the offset is the one that debuggers know; `orrery capture`
 * makes file and line of it after the run. */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "capture.h"

enum { most_frames = 64, text_bytes = 16384 };

static enum { without, sites, paths } wanted;

/* Return addresses, the innermost first. */
typedef struct place {
  const void* frames[most_frames];
  unsigned count;
} place;

/* What is known of an address, or of a path. */
typedef struct known {
  uint64_t hash;   /* 0: the slot is free */
  uint32_t number; /* of the place; 0: it has none yet */
  int is_mpi;      /* of an address: it lies in MPI itself, so that the caller's caller is meant */
} known;

static known* table; /* by hash; `capacity` is a power of two */
static uint32_t capacity, used, numbers;

void orrery_sites_start(void) {
  const char* text = getenv("ORRERY_CAPTURE_SITES");
  if (text == NULL) return;
  wanted = strcmp(text, "paths") == 0 ? paths : sites;
  orrery_trace_property(orrery_writer, "sites", wanted == paths ? "paths" : "calls");
}

/* Libraries of MPI, its bindings for Fortran, and this one. */
static int is_mpi(const void* address) {
  Dl_info in, own;
  if (dladdr(address, &in) == 0 || in.dli_fname == NULL) return 0;
  if (dladdr((const void*)(uintptr_t)&orrery_sites_start, &own) != 0 && own.dli_fbase == in.dli_fbase) return 1;
  const char* slash = strrchr(in.dli_fname, '/');
  const char* name = slash == NULL ? in.dli_fname : slash + 1;
  return strncmp(name, "libmpi", 6) == 0 || strncmp(name, "libpmpi", 7) == 0 || strncmp(name, "libfmpi", 7) == 0;
}

static _Unwind_Reason_Code add_frame(struct _Unwind_Context* context, void* to) {
  place* at = (place*)to;
  const void* address = (const void*)(uintptr_t)_Unwind_GetIP(context);
  if (address == NULL || at->count == most_frames) return _URC_END_OF_STACK;
  at->frames[at->count++] = address;
  return _URC_NO_REASON;
}

static uint64_t hash_of(const void* const* frames, unsigned count) {
  uint64_t hash = count;
  for (unsigned i = 0; i < count; ++i) {
    hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash | 1;
}

/* The slot of a hash: one that is used for it, or a free one. NULL: there is no memory. */
static known* slot_of(uint64_t hash) {
  if (2 * used >= capacity) {
    const uint32_t larger = capacity == 0 ? 256 : 2 * capacity;
    known* moved = (known*)calloc(larger, sizeof *moved);
    if (moved == NULL) return NULL;
    for (uint32_t i = 0; i < capacity; ++i) {
      if (table[i].hash == 0) continue;
      uint32_t at = (uint32_t)(table[i].hash >> 7) & (larger - 1);
      while (moved[at].hash != 0) at = (at + 1) & (larger - 1);
      moved[at] = table[i];
    }
    free(table);
    table = moved;
    capacity = larger;
  }
  uint32_t at = (uint32_t)(hash >> 7) & (capacity - 1);
  while (table[at].hash != 0 && table[at].hash != hash) at = (at + 1) & (capacity - 1);
  return &table[at];
}

/* The module that an address lies in, and where it was loaded. */
typedef struct module {
  uintptr_t address, bias;
  int found;
} module;

static int look_into(struct dl_phdr_info* info, size_t size, void* data) {
  module* wanted_module = (module*)data;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)* part = &info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
    if (part->p_type != PT_LOAD || wanted_module->address - begin >= part->p_memsz) continue;
    wanted_module->bias = info->dlpi_addr;
    wanted_module->found = 1;
    return 1;
  }
  return 0;
}

static size_t put_frame(char* text, size_t room, const void* frame) {
  char program[4096];
  Dl_info in;
  module at = {.address = (uintptr_t)frame - 1}; /* within the call, whose line is wanted */
  dl_iterate_phdr(look_into, &at);
  const char* name = at.found && dladdr((const void*)at.address, &in) != 0 ? in.dli_fname : "?";
  if (name[0] != '/') { /* the program, as it was started */
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length > 0) {
      program[length] = 0;
      name = program;
    }
  }
  const int written = snprintf(text, room, "%s+0x%llx", name, (unsigned long long)(at.address - at.bias));
  return written < 0 ? 0 : (size_t)written < room ? (size_t)written : room - 1;
}

/* The outermost first. */
static void write_place(uint32_t number, const place* at) {
  char text[text_bytes];
  size_t length = 0;
  for (unsigned i = at->count; i-- > 0 && length + 8 < sizeof text;) {
    length += put_frame(text + length, sizeof text - length - 5, at->frames[i]);
    if (i > 0) length += (size_t)snprintf(text + length, sizeof text - length, " => ");
  }
  const char* const written = text;
  orrery_trace_names(orrery_writer, ORRERY_TRACE_SITES, number, &written, 1);
}

static uint32_t number_of(const place* at) {
  const uint64_t hash = hash_of(at->frames, at->count);
  known* slot = slot_of(hash);
  if (slot == NULL) return 0;
  if (slot->hash == 0) {
    *slot = (known){.hash = hash, .number = ++numbers};
    ++used;
    write_place(slot->number, at);
  }
  return slot->number;
}

/* What is known of an address alone; to look for its module takes longer than all else. NULL: there is no memory. */
static known* known_address(const void* address) {
  const uint64_t hash = hash_of(&address, 1) ^ 2;
  known* slot = slot_of(hash);
  if (slot != NULL && slot->hash == 0) {
    *slot = (known){.hash = hash, .is_mpi = is_mpi(address)};
    ++used;
  }
  return slot;
}

static int lies_in_mpi(const void* address) {
  const known* slot = known_address(address);
  return slot != NULL && slot->is_mpi;
}

/* The frames of the program: without ours and those of MPI that lie above them. */
static uint32_t walked(void) {
  place all = {.count = 0};
  _Unwind_Backtrace(add_frame, &all);
  unsigned first = 0;
  while (first < all.count && lies_in_mpi(all.frames[first])) ++first;
  place at = {.count = wanted == paths ? all.count - first : all.count > first};
  memcpy(at.frames, all.frames + first, at.count * sizeof *at.frames);
  return at.count == 0 ? 0 : number_of(&at);
}

uint32_t orrery_site(const void* from) {
  if (wanted == without) return 0;
  if (wanted == paths) return walked();
  known* slot = known_address(from);
  if (slot == NULL) return 0;
  if (slot->is_mpi) return walked();
  if (slot->number == 0) {
    const place at = {.frames = {from}, .count = 1};
    const uint32_t number = number_of(&at); /* which may move the slots */
    slot = known_address(from);
    if (slot == NULL) return 0;
    slot->number = number;
  }
  return slot->number;
}
