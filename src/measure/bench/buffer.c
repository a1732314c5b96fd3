/* SPDX-License-Identifier: BSD-3-Clause
 * Buffers that are mapped before they are measured. */
#define _POSIX_C_SOURCE 200112L
#include <stdlib.h>
#include <string.h>

#include "bench.h"

char* orrery_buffer(int number, long long bytes) {
  static void* memory[2];
  static long long room[2];
  if (bytes > room[number] || !memory[number]) {
    free(memory[number]);
    room[number] = bytes > 65536 ? bytes : 65536;
    if (posix_memalign(&memory[number], 4096, (size_t)room[number]) != 0) orrery_fail("no memory", "message buffers");
    memset(memory[number], number + 1, (size_t)room[number]);
  }
  return memory[number];
}
