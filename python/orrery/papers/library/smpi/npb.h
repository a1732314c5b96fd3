/* SPDX-License-Identifier: BSD-3-Clause */
/* What the programs with the messages of NPB share: how they fail, and how classes are found by their names. */
#pragma once
#include <mpi.h>
#include <stdio.h>

/* Ends the run. */
static void fail(const char *program, const char *what) {
  fprintf(stderr, "%s: %s\n", program, what);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Where the class of this name stands among S, W, A, B, C. */
static int class_number(const char *program, const char *name) {
  static const char names[] = "SWABC";
  for (int i = 0; names[i]; ++i)
    if (names[i] == name[0] && name[1] == 0) return i;
  fail(program, "CLASS is one of S, W, A, B, C");
  return 0;
}
