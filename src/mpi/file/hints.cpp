// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <string_view>

#include "mpi/file/file.hpp"
#include "mpi/file/internal.hpp"

/// Hints (MPI-4.1, section 14.2.8): those that the standard reserves are kept and told again; none changes anything.
namespace orrery::mpi {
namespace {

constexpr std::array<std::string_view, 15> reserved{
    "access_style", "collective_buffering", "cb_block_size", "cb_buffer_size", "cb_nodes",     "chunked",
    "chunked_item", "chunked_size",         "filename",      "file_perm",      "io_node_list", "nb_proc",
    "num_io_nodes", "striping_factor",      "striping_unit"};

}  // namespace

void keep_hints(File& file, const Info* info) {
  Info* hints = &file.hints;
  keep_known(hints, info, reserved);
}

void file_set_info(File& file, Info* info) { keep_hints(file, info); }

void file_get_info(File& file, Info*& info) { info_dup(&file.hints, info); }

}  // namespace orrery::mpi
