// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/types.hpp"

namespace orrery::mpi {

// Levels of thread support, as in the standard ABI.
inline constexpr int thread_single = 0;
inline constexpr int thread_funneled = 1024;
inline constexpr int thread_serialized = 2048;
inline constexpr int thread_multiple = 4096;

// Start and end (MPI-4.1, section 11.2).
void init(int* argc, char*** argv);
void init_thread(int* argc, char*** argv, int required, int& provided);
void initialized(bool& flag);
void finalize();
void finalized(bool& flag);
/// For sessions: the process becomes a rank if it is none, and stays one until it ends.
void enter_session(int required);
void leave_session();
void query_thread(int& provided);
void is_thread_main(bool& flag);
[[noreturn]] void abort(Comm& comm, int error_code);

// Inquiry (MPI-4.1, section 9.1).
void get_version(int& version, int& subversion);
void get_library_version(char* version, int& length);
void get_processor_name(char* name, int& length);
/// A level above 0 begins the phase of that number in the profile, 0 or less ends the innermost one, if there is one
/// (MPI-4.1, section 15.2.4, leaves the meaning of levels to the profiler).
void pcontrol(int level);

/// Ends the run for an error under MPI_ERRORS_ARE_FATAL: says "rank R: ROUTINE: MPI_ERR_X: text".
[[noreturn]] void fatal(const char* routine, const Error& error);
/// Ends the run because the program called a routine that does not exist yet.
[[noreturn, gnu::visibility("default")]] void missing(const char* routine);
/// Ends the run with `text`, which the launcher repeats, and `code` as the rank's exit status.
[[noreturn]] void end_run(const std::string& text, int code);

}  // namespace orrery::mpi
