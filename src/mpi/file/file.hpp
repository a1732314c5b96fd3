// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/types.hpp"

/// Files (MPI-4.1, chapter 14), which are those of the host that runs the simulation.
///
/// A rank reads and writes the real file itself, at once; the kernel is told of the access and says how long it takes
/// on the simulated storage. Non-blocking and split collective routines differ from blocking ones in time only. What
/// two ranks must agree on by time - where a shared pointer is, who has a file for itself in atomic mode - the kernel
/// decides.
///
/// Collective accesses are those of the ranks one by one: no library's two-phase exchange is simulated.
namespace orrery::mpi {

// Values of the standard ABI.
inline constexpr int mode_append = 1;
inline constexpr int mode_create = 2;
inline constexpr int mode_delete_on_close = 4;
inline constexpr int mode_excl = 8;
inline constexpr int mode_rdonly = 16;
inline constexpr int mode_rdwr = 32;
inline constexpr int mode_sequential = 64;
inline constexpr int mode_unique_open = 128;
inline constexpr int mode_wronly = 256;
inline constexpr int seek_cur = 401;
inline constexpr int seek_end = 402;
inline constexpr int seek_set = 403;
inline constexpr int max_datarep_string = 128;

// Opening, closing, and the file as a whole (section 14.2).
void file_open(Comm& comm, const char* name, int amode, Info* info, File*& file);
void file_close(File*& file);
void file_delete(const char* name, Info* info);
void file_set_size(File& file, std::int64_t size);
void file_preallocate(File& file, std::int64_t size);
void file_get_size(File& file, std::int64_t& size);
void file_get_group(File& file, Group*& group);
void file_get_amode(File& file, int& amode);
void file_set_info(File& file, Info* info);
void file_get_info(File& file, Info*& info);

// Views (section 14.3).
void file_set_view(File& file, std::int64_t displacement, Datatype& etype, Datatype& filetype, const char* datarep,
                   Info* info);
void file_get_view(File& file, std::int64_t& displacement, Datatype*& etype, Datatype*& filetype, char* datarep);

// At explicit offsets (section 14.4.2).
void file_read_at(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type, Status* status);
void file_read_at_all(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type,
                      Status* status);
void file_write_at(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type,
                   Status* status);
void file_write_at_all(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type,
                       Status* status);
void file_iread_at(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type,
                   Request*& request);
void file_iread_at_all(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type,
                       Request*& request);
void file_iwrite_at(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type,
                    Request*& request);
void file_iwrite_at_all(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type,
                        Request*& request);

// At the individual pointer (section 14.4.3).
void file_read(File& file, void* buffer, std::int64_t count, Datatype& type, Status* status);
void file_read_all(File& file, void* buffer, std::int64_t count, Datatype& type, Status* status);
void file_write(File& file, const void* buffer, std::int64_t count, Datatype& type, Status* status);
void file_write_all(File& file, const void* buffer, std::int64_t count, Datatype& type, Status* status);
void file_iread(File& file, void* buffer, std::int64_t count, Datatype& type, Request*& request);
void file_iread_all(File& file, void* buffer, std::int64_t count, Datatype& type, Request*& request);
void file_iwrite(File& file, const void* buffer, std::int64_t count, Datatype& type, Request*& request);
void file_iwrite_all(File& file, const void* buffer, std::int64_t count, Datatype& type, Request*& request);
void file_seek(File& file, std::int64_t offset, int whence);
void file_get_position(File& file, std::int64_t& offset);
void file_get_byte_offset(File& file, std::int64_t offset, std::int64_t& displacement);

// At the shared pointer (section 14.4.4).
void file_read_shared(File& file, void* buffer, std::int64_t count, Datatype& type, Status* status);
void file_write_shared(File& file, const void* buffer, std::int64_t count, Datatype& type, Status* status);
void file_iread_shared(File& file, void* buffer, std::int64_t count, Datatype& type, Request*& request);
void file_iwrite_shared(File& file, const void* buffer, std::int64_t count, Datatype& type, Request*& request);
void file_read_ordered(File& file, void* buffer, std::int64_t count, Datatype& type, Status* status);
void file_write_ordered(File& file, const void* buffer, std::int64_t count, Datatype& type, Status* status);
void file_seek_shared(File& file, std::int64_t offset, int whence);
void file_get_position_shared(File& file, std::int64_t& offset);

// Split collective (section 14.4.5): the buffer that is given again at the end is not looked at.
void file_read_at_all_begin(File& file, std::int64_t offset, void* buffer, std::int64_t count, Datatype& type);
void file_read_at_all_end(File& file, void* buffer, Status* status);
void file_write_at_all_begin(File& file, std::int64_t offset, const void* buffer, std::int64_t count, Datatype& type);
void file_write_at_all_end(File& file, const void* buffer, Status* status);
void file_read_all_begin(File& file, void* buffer, std::int64_t count, Datatype& type);
void file_read_all_end(File& file, void* buffer, Status* status);
void file_write_all_begin(File& file, const void* buffer, std::int64_t count, Datatype& type);
void file_write_all_end(File& file, const void* buffer, Status* status);
void file_read_ordered_begin(File& file, void* buffer, std::int64_t count, Datatype& type);
void file_read_ordered_end(File& file, void* buffer, Status* status);
void file_write_ordered_begin(File& file, const void* buffer, std::int64_t count, Datatype& type);
void file_write_ordered_end(File& file, const void* buffer, Status* status);

// Interoperability and consistency (sections 14.5 and 14.6).
void file_get_type_extent(File& file, Datatype& type, std::int64_t& extent);
void register_datarep(const char* name, void (*read)(), void (*write)(), void (*extent)(), void* extra);
void register_datarep_c(const char* name, void (*read)(), void (*write)(), void (*extent)(), void* extra);
void file_set_atomicity(File& file, bool atomic);
void file_get_atomicity(File& file, bool& atomic);
void file_sync(File& file);

}  // namespace orrery::mpi
