// SPDX-License-Identifier: BSD-3-Clause
#include "abi/tool.hpp"
#include "abi/tool_support.hpp"

/// There are no events: every index, name and handle of one is wrong.
namespace orrery::abi::by_hand {
namespace {

[[noreturn]] void no_event(int error) {
  check_tool();
  throw mpi::Error{error, "there are no events"};
}

}  // namespace

void t_source_get_num(int* number) {
  check_tool();
  tell(number, 0);
}

void t_event_get_num(int* number) {
  check_tool();
  tell(number, 0);
}

void t_source_get_info(int, char*, int*, char*, int*, MPI_T_source_order*, MPI_Count*, MPI_Count*, MPI_Info*) {
  no_event(MPI_T_ERR_INVALID_INDEX);
}

void t_source_get_timestamp(int, MPI_Count*) { no_event(MPI_T_ERR_INVALID_INDEX); }

void t_event_get_info(int, char*, int*, int*, MPI_Datatype[], MPI_Aint[], int*, MPI_T_enum*, MPI_Info*, char*, int*,
                      int*) {
  no_event(MPI_T_ERR_INVALID_INDEX);
}

void t_event_get_index(const char*, int*) { no_event(MPI_T_ERR_INVALID_NAME); }

void t_event_handle_alloc(int, void*, MPI_Info, MPI_T_event_registration*) { no_event(MPI_T_ERR_INVALID_INDEX); }

void t_event_handle_get_info(MPI_T_event_registration, MPI_Info*) { no_event(MPI_T_ERR_INVALID_HANDLE); }

void t_event_handle_set_info(MPI_T_event_registration, MPI_Info) { no_event(MPI_T_ERR_INVALID_HANDLE); }

void t_event_register_callback(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info, void*, MPI_T_event_cb_function*) {
  no_event(MPI_T_ERR_INVALID_HANDLE);
}

void t_event_callback_get_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info*) {
  no_event(MPI_T_ERR_INVALID_HANDLE);
}

void t_event_callback_set_info(MPI_T_event_registration, MPI_T_cb_safety, MPI_Info) {
  no_event(MPI_T_ERR_INVALID_HANDLE);
}

void t_event_handle_free(MPI_T_event_registration, void*, MPI_T_event_free_cb_function*) {
  no_event(MPI_T_ERR_INVALID_HANDLE);
}

void t_event_set_dropped_handler(MPI_T_event_registration, MPI_T_event_dropped_cb_function*) {
  no_event(MPI_T_ERR_INVALID_HANDLE);
}

void t_event_read(MPI_T_event_instance, int, void*) { no_event(MPI_T_ERR_INVALID_HANDLE); }

void t_event_copy(MPI_T_event_instance, void*) { no_event(MPI_T_ERR_INVALID_HANDLE); }

void t_event_get_timestamp(MPI_T_event_instance, MPI_Count*) { no_event(MPI_T_ERR_INVALID_HANDLE); }

void t_event_get_source(MPI_T_event_instance, int*) { no_event(MPI_T_ERR_INVALID_HANDLE); }

}  // namespace orrery::abi::by_hand
