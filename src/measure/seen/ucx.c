/* SPDX-License-Identifier: BSD-3-Clause */
/* MPICH over UCX sends all messages by these two functions, where each rank is a node of its own (MPIR_CVAR_NOLOCAL=1).
 * The dynamic linker prefers those of the program. Just enough of UCX's interface; layouts are those of UCX 1.x. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>

#include "seen.h"

struct parameters {
  unsigned mask, flags;
  void *request, *callback;
  unsigned long datatype;
};
struct operations {
  void* (*start_pack)(void*, const void*, size_t), *(*start_unpack)(void*, void*, size_t);
  size_t (*packed_size)(void*);
};
enum { HAS_DATATYPE = 1 << 3, CLASS = 7, SHIFT = 3, MOST_TYPES = 256, MOST_RANKS = 65536 };

/* Datatypes that are not contiguous, which MPICH makes for derived ones. */
static struct {
  unsigned long handle;
  struct operations operations; /* a copy: the caller's does not last */
  void* context;
} types[MOST_TYPES];
static int type_count;
static void* endpoints[MOST_RANKS];
static int expected = -1;

void ucx_expect(int destination) { expected = destination < MOST_RANKS ? destination : -1; }

int ucp_dt_create_generic(const struct operations* operations, void* context, unsigned long* handle);
int ucp_dt_create_generic(const struct operations* operations, void* context, unsigned long* handle) {
  static int (*create)(const struct operations*, void*, unsigned long*);
  int result, i = 0;
  if (!create) *(void**)&create = dlsym(RTLD_NEXT, "ucp_dt_create_generic");
  result = create(operations, context, handle);
  while (i < type_count && types[i].handle != *handle) i++;
  if (i == MOST_TYPES) return result;
  if (i == type_count) type_count++;
  types[i].handle = *handle;
  types[i].operations = *operations;
  types[i].context = context;
  return result;
}

/* Bytes of a message. A state that is begun to ask for its size is left: its end would give up the datatype. */
static size_t bytes_of(const void* data, size_t count, const struct parameters* given) {
  int i;
  if (!given || !(given->mask & HAS_DATATYPE)) return count;
  if (!(given->datatype & CLASS)) return count * (given->datatype >> SHIFT);
  for (i = 0; i < type_count; i++)
    if (types[i].handle == given->datatype) {
      void* const state = types[i].operations.start_pack(types[i].context, data, count);
      return types[i].operations.packed_size(state);
    }
  return count;
}

static void see(void* endpoint, const void* data, size_t count, const struct parameters* given) {
  int i;
  if (expected >= 0) {
    endpoints[expected] = endpoint;
    expected = -1;
    return;
  }
  for (i = 0; i < MOST_RANKS; i++)
    if (endpoints[i] == endpoint) {
      seen_message(i, bytes_of(data, count, given));
      return;
    }
}

typedef void* (*sender)(void*, const void*, size_t, unsigned long, const struct parameters*);

void* ucp_tag_send_nbx(void* endpoint, const void* data, size_t count, unsigned long tag,
                       const struct parameters* given);
void* ucp_tag_send_nbx(void* endpoint, const void* data, size_t count, unsigned long tag,
                       const struct parameters* given) {
  static sender send;
  if (!send) *(void**)&send = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  see(endpoint, data, count, given);
  return send(endpoint, data, count, tag, given);
}

void* ucp_tag_send_sync_nbx(void* endpoint, const void* data, size_t count, unsigned long tag,
                            const struct parameters* given);
void* ucp_tag_send_sync_nbx(void* endpoint, const void* data, size_t count, unsigned long tag,
                            const struct parameters* given) {
  static sender send;
  if (!send) *(void**)&send = dlsym(RTLD_NEXT, "ucp_tag_send_sync_nbx");
  see(endpoint, data, count, given);
  return send(endpoint, data, count, tag, given);
}
