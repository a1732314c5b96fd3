// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace orrery::mpi {

/// The error classes of MPI-5.0, section 9.4, with the values of the standard ABI.
enum ErrorClass : int {
  success = 0,
  err_buffer = 1,
  err_count = 2,
  err_type = 3,
  err_tag = 4,
  err_comm = 5,
  err_rank = 6,
  err_request = 7,
  err_root = 8,
  err_group = 9,
  err_op = 10,
  err_topology = 11,
  err_dims = 12,
  err_arg = 13,
  err_unknown = 14,
  err_truncate = 15,
  err_other = 16,
  err_intern = 17,
  err_pending = 18,
  err_in_status = 19,
  err_access = 20,
  err_amode = 21,
  err_assert = 22,
  err_bad_file = 23,
  err_base = 24,
  err_conversion = 25,
  err_disp = 26,
  err_dup_datarep = 27,
  err_file_exists = 28,
  err_file_in_use = 29,
  err_file = 30,
  err_info_key = 31,
  err_info_nokey = 32,
  err_info_value = 33,
  err_info = 34,
  err_io = 35,
  err_keyval = 36,
  err_locktype = 37,
  err_name = 38,
  err_no_mem = 39,
  err_not_same = 40,
  err_no_space = 41,
  err_no_such_file = 42,
  err_port = 43,
  err_quota = 44,
  err_read_only = 45,
  err_rma_attach = 46,
  err_rma_conflict = 47,
  err_rma_range = 48,
  err_rma_shared = 49,
  err_rma_sync = 50,
  err_service = 51,
  err_size = 52,
  err_spawn = 53,
  err_unsupported_datarep = 54,
  err_unsupported_operation = 55,
  err_win = 56,
  err_rma_flavor = 57,
  err_proc_aborted = 58,
  err_value_too_large = 59,
  err_session = 60,
  err_errhandler = 61,
  err_abi = 62,
};
inline constexpr int last_predefined_class = err_abi;
inline constexpr int err_lastcode = 16383;

/// What the standard says of a predefined class; null for other values.
[[nodiscard]] const char* error_class_text(int error_class);
/// Its name, as "MPI_ERR_TYPE"; null for other values.
[[nodiscard]] const char* error_class_name(int error_class);

}  // namespace orrery::mpi
