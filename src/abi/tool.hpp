// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi.h"

/// The tool interface (MPI-4.1, chapter 15) over what `mpi/tool/tool.hpp` has to tell. Its routines take null pointers
/// for what the caller does not want, and return their errors: no error handler is called for them.
namespace orrery::abi::by_hand {

void t_init_thread(int required, int* provided);
void t_finalize();

void t_enum_get_info(MPI_T_enum type, int* items, char* name, int* name_length);
void t_enum_get_item(MPI_T_enum type, int item, int* value, char* name, int* name_length);

void t_cvar_get_num(int* number);
void t_cvar_get_info(int index, char* name, int* name_length, int* verbosity, MPI_Datatype* datatype, MPI_T_enum* type,
                     char* description, int* description_length, int* bind, int* scope);
void t_cvar_get_index(const char* name, int* index);
void t_cvar_handle_alloc(int index, void* object, MPI_T_cvar_handle* handle, int* count);
void t_cvar_handle_free(MPI_T_cvar_handle* handle);
void t_cvar_read(MPI_T_cvar_handle handle, void* buffer);
void t_cvar_write(MPI_T_cvar_handle handle, const void* buffer);

void t_pvar_get_num(int* number);
void t_pvar_get_info(int index, char* name, int* name_length, int* verbosity, int* variable_class,
                     MPI_Datatype* datatype, MPI_T_enum* type, char* description, int* description_length, int* bind,
                     int* readonly, int* continuous, int* atomic);
void t_pvar_get_index(const char* name, int variable_class, int* index);
void t_pvar_session_create(MPI_T_pvar_session* session);
void t_pvar_session_free(MPI_T_pvar_session* session);
void t_pvar_handle_alloc(MPI_T_pvar_session session, int index, void* object, MPI_T_pvar_handle* handle, int* count);
void t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle);
void t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
void t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
void t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer);
void t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* buffer);
void t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
void t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer);

void t_category_get_num(int* number);
void t_category_get_info(int index, char* name, int* name_length, char* description, int* description_length,
                         int* cvars, int* pvars, int* categories);
void t_category_get_num_events(int index, int* events);
void t_category_get_index(const char* name, int* index);
void t_category_get_cvars(int index, int length, int indices[]);
void t_category_get_pvars(int index, int length, int indices[]);
void t_category_get_events(int index, int length, int indices[]);
void t_category_get_categories(int index, int length, int indices[]);
void t_category_changed(int* number);

// There are no events, and no sources of them.
void t_source_get_num(int* number);
void t_source_get_info(int index, char* name, int* name_length, char* description, int* description_length,
                       MPI_T_source_order* order, MPI_Count* ticks_per_second, MPI_Count* max_ticks, MPI_Info* info);
void t_source_get_timestamp(int index, MPI_Count* timestamp);
void t_event_get_num(int* number);
void t_event_get_info(int index, char* name, int* name_length, int* verbosity, MPI_Datatype datatypes[],
                      MPI_Aint displacements[], int* elements, MPI_T_enum* type, MPI_Info* info, char* description,
                      int* description_length, int* bind);
void t_event_get_index(const char* name, int* index);
void t_event_handle_alloc(int index, void* object, MPI_Info info, MPI_T_event_registration* registration);
void t_event_handle_get_info(MPI_T_event_registration registration, MPI_Info* info);
void t_event_handle_set_info(MPI_T_event_registration registration, MPI_Info info);
void t_event_register_callback(MPI_T_event_registration registration, MPI_T_cb_safety safety, MPI_Info info,
                               void* user_data, MPI_T_event_cb_function* function);
void t_event_callback_get_info(MPI_T_event_registration registration, MPI_T_cb_safety safety, MPI_Info* info);
void t_event_callback_set_info(MPI_T_event_registration registration, MPI_T_cb_safety safety, MPI_Info info);
void t_event_handle_free(MPI_T_event_registration registration, void* user_data,
                         MPI_T_event_free_cb_function* function);
void t_event_set_dropped_handler(MPI_T_event_registration registration, MPI_T_event_dropped_cb_function* function);
void t_event_read(MPI_T_event_instance event, int element, void* buffer);
void t_event_copy(MPI_T_event_instance event, void* buffer);
void t_event_get_timestamp(MPI_T_event_instance event, MPI_Count* timestamp);
void t_event_get_source(MPI_T_event_instance event, int* index);

}  // namespace orrery::abi::by_hand
