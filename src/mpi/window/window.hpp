// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "mpi/types.hpp"

/// One-sided communication (MPI-4.1, chapter 12).
///
/// Bytes move when a routine is called, straight between the processes' memories; the kernel is told of the transfer,
/// and the synchronisation waits for its simulated end. Where the outcome depends on the order in which several origins
/// reach a target, the kernel gives the order: locks are granted by it, accumulates carried out in it
/// (docs/design/one-sided.md).
namespace orrery::mpi {

// Values of the standard ABI.
inline constexpr int mode_nocheck = 1024;
inline constexpr int mode_noprecede = 2048;
inline constexpr int mode_noput = 4096;
inline constexpr int mode_nostore = 8192;
inline constexpr int mode_nosucceed = 16384;
inline constexpr int lock_exclusive = 301;
inline constexpr int lock_shared = 302;
inline constexpr int flavor_create = 311;
inline constexpr int flavor_allocate = 312;
inline constexpr int flavor_dynamic = 313;
inline constexpr int flavor_shared = 314;
inline constexpr int model_unified = 321;

// --- windows (section 12.2) ------------------------------------------------------------------------------------------
void win_create(void* base, std::int64_t size, std::int64_t unit, Info* info, Comm& comm, Window*& window);
/// `base`: address of a pointer.
void win_allocate(std::int64_t size, std::int64_t unit, Info* info, Comm& comm, void* base, Window*& window);
void win_allocate_shared(std::int64_t size, std::int64_t unit, Info* info, Comm& comm, void* base, Window*& window);
void win_shared_query(Window& window, int rank, std::int64_t& size, std::int64_t& unit, void* base);
void win_create_dynamic(Info* info, Comm& comm, Window*& window);
void win_attach(Window& window, void* base, std::int64_t size);
void win_detach(Window& window, const void* base);
void win_free(Window*& window);
void win_get_group(Window& window, Group*& group);
void win_set_info(Window& window, Info* info);
void win_get_info(Window& window, Info*& info);
void win_set_name(Window& window, const char* name);
/// Null: MPI_WIN_NULL, which has a name too (MPI-4.1, section 7.8).
void win_get_name(Window* window, char* name, int& length);

// --- attributes and error handlers -----------------------------------------------------------------------------------
void win_create_keyval(void (*copy)(), void (*destroy)(), int& key, void* extra);
void win_free_keyval(int& key);
void win_set_attr(Window& window, int key, void* value);
void win_get_attr(Window& window, int key, void* value, bool& flag);  ///< `value`: address of a pointer
void win_delete_attr(Window& window, int key);
void win_create_errhandler(void (*function)(), Errhandler*& errhandler);
void win_set_errhandler(Window& window, Errhandler& errhandler);
void win_get_errhandler(Window& window, Errhandler*& errhandler);
void win_call_errhandler(Window& window, int code);

// --- communication (section 12.3) ------------------------------------------------------------------------------------
void put(const void* origin, std::int64_t origin_count, Datatype& origin_type, int target, std::int64_t displacement,
         std::int64_t target_count, Datatype& target_type, Window& window);
void rput(const void* origin, std::int64_t origin_count, Datatype& origin_type, int target, std::int64_t displacement,
          std::int64_t target_count, Datatype& target_type, Window& window, Request*& request);
void get(void* origin, std::int64_t origin_count, Datatype& origin_type, int target, std::int64_t displacement,
         std::int64_t target_count, Datatype& target_type, Window& window);
void rget(void* origin, std::int64_t origin_count, Datatype& origin_type, int target, std::int64_t displacement,
          std::int64_t target_count, Datatype& target_type, Window& window, Request*& request);
void accumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type, int target,
                std::int64_t displacement, std::int64_t target_count, Datatype& target_type, Op& op, Window& window);
void raccumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type, int target,
                 std::int64_t displacement, std::int64_t target_count, Datatype& target_type, Op& op, Window& window,
                 Request*& request);
void get_accumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type, void* result,
                    std::int64_t result_count, Datatype& result_type, int target, std::int64_t displacement,
                    std::int64_t target_count, Datatype& target_type, Op& op, Window& window);
void rget_accumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type, void* result,
                     std::int64_t result_count, Datatype& result_type, int target, std::int64_t displacement,
                     std::int64_t target_count, Datatype& target_type, Op& op, Window& window, Request*& request);
void fetch_and_op(const void* origin, void* result, Datatype& type, int target, std::int64_t displacement, Op& op,
                  Window& window);
void compare_and_swap(const void* origin, const void* compare, void* result, Datatype& type, int target,
                      std::int64_t displacement, Window& window);

// --- synchronisation (section 12.5) ----------------------------------------------------------------------------------
void win_fence(int assertion, Window& window);
void win_start(Group& group, int assertion, Window& window);
void win_complete(Window& window);
void win_post(Group& group, int assertion, Window& window);
void win_wait(Window& window);
void win_test(Window& window, bool& flag);
void win_lock(int lock_type, int rank, int assertion, Window& window);
void win_lock_all(int assertion, Window& window);
void win_unlock(int rank, Window& window);
void win_unlock_all(Window& window);
void win_flush(int rank, Window& window);
void win_flush_all(Window& window);
void win_flush_local(int rank, Window& window);
void win_flush_local_all(Window& window);
void win_sync(Window& window);

}  // namespace orrery::mpi
