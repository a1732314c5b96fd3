// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

/// The C library's own allocator, under the names that it has besides the standard's.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void __libc_free(void* first);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* first, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
std::size_t malloc_usable_size(void* first);
}
