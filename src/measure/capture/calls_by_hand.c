/* SPDX-License-Identifier: BSD-3-Clause
 * Wrappers of the routines that begin and end the library's life. */
#include "calls.h"
#include "capture.h"
#include "locals.h"

ORRERY_PUBLIC int MPI_Init(int* argc, char*** argv) {
  static int (*real)(int*, char***);
  if (real == NULL) *(void**)&real = orrery_real("PMPI_Init");
  const int64_t begin_ns = orrery_now_ns();
  const int result = real(argc, argv);
  if (result == MPI_SUCCESS) orrery_initialised(ORRERY_ROUTINE_Init, MPI_THREAD_SINGLE, orrery_now_ns() - begin_ns);
  return result;
}
ORRERY_ALIAS(Init)

ORRERY_PUBLIC int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  static int (*real)(int*, char***, int, int*);
  if (real == NULL) *(void**)&real = orrery_real("PMPI_Init_thread");
  const int64_t begin_ns = orrery_now_ns();
  const int result = real(argc, argv, required, provided);
  if (result == MPI_SUCCESS) orrery_initialised(ORRERY_ROUTINE_Init_thread, *provided, orrery_now_ns() - begin_ns);
  return result;
}
ORRERY_ALIAS(Init_thread)

ORRERY_PUBLIC int MPI_Finalize(void) {
  static int (*real)(void);
  orrery_call call;
  if (real == NULL) *(void**)&real = orrery_real("PMPI_Finalize");
  if (!orrery_begin(&call, ORRERY_ROUTINE_Finalize, __builtin_return_address(0))) return real();
  orrery_over(&call);
  orrery_finalising(&call);
  orrery_end(&call);
  const int64_t begin_ns = orrery_now_ns();
  const int result = real();
  orrery_finalised(ORRERY_ROUTINE_Finalize, orrery_now_ns() - begin_ns);
  return result;
}
ORRERY_ALIAS(Finalize)

ORRERY_PUBLIC int MPI_Abort(MPI_Comm comm, int code) {
  static int (*real)(MPI_Comm, int);
  orrery_call call;
  if (real == NULL) *(void**)&real = orrery_real("PMPI_Abort");
  if (orrery_begin(&call, ORRERY_ROUTINE_Abort, __builtin_return_address(0))) {
    orrery_over(&call);
    orrery_nothing(&call);
    orrery_aborting(code);
    orrery_end(&call);
  }
  return real(comm, code);
}
ORRERY_ALIAS(Abort)

/* MPI_Pcontrol is there for tools; levels mean what they mean in `orrery run`: phases above 1, the end of one at 0. */
ORRERY_PUBLIC int MPI_Pcontrol(const int level, ...) {
  orrery_call call;
  if (!orrery_begin(&call, ORRERY_ROUTINE_Pcontrol, __builtin_return_address(0))) return MPI_SUCCESS;
  orrery_over(&call);
  orrery_trace_record record = orrery_record(level > 0 ? ORRERY_OP_PhaseBegin : ORRERY_OP_PhaseEnd);
  record.tag = level > 0 ? level : 0;
  if (level > 0 || orrery_phase_end()) {
    orrery_write(&call, &record);
    if (level > 0) orrery_phase_begin((uint32_t)level);
  } else {
    orrery_nothing(&call);
  }
  orrery_end(&call);
  return MPI_SUCCESS;
}
ORRERY_ALIAS(Pcontrol)
