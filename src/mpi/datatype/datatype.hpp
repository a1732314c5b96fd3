// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "mpi/types.hpp"

namespace orrery::mpi {

/// A datatype: a type map, kept as runs of bytes, with lower bound and extent (MPI-4.1, section 5.1).
/// Objects are reference-counted: a committed type that is freed lives as long as a request or a derived type uses it.
struct Datatype;

[[nodiscard]] std::int64_t size_of(const Datatype& type);  ///< bytes of data in one element
[[nodiscard]] std::int64_t extent_of(const Datatype& type);
[[nodiscard]] std::int64_t lower_bound_of(const Datatype& type);
/// Where the data of `count` elements lies: first byte, relative to the buffer, and bytes from there to the last.
/// What a temporary copy of a buffer needs.
struct Span {
  std::int64_t first = 0;
  std::int64_t bytes = 0;
};
[[nodiscard]] Span span_of(const Datatype& type, std::int64_t count);
[[nodiscard]] bool is_contiguous(
    const Datatype& type);  ///< `count` elements are count × size bytes without gap at the buffer's start
void retain(Datatype& type);
void release(Datatype& type);
/// @throws Error (MPI_ERR_TYPE) when communication may not use the type yet
void check_committed(const Datatype& type);

// --- moving data
// -------------------------------------------------------------------------------------------------------
/// Copies `count` elements at `buffer` to `packed` (count × size bytes).
void pack(const void* buffer, std::int64_t count, const Datatype& type, std::byte* packed);
/// Copies `bytes` packed bytes into at most `count` elements at `buffer`; a last element may be partial.
void unpack(const std::byte* packed, std::int64_t bytes, void* buffer, std::int64_t count, const Datatype& type);
/// Copies between two typed buffers in one process; @return bytes copied, the smaller of the two.
std::int64_t copy(const void* from, std::int64_t from_count, const Datatype& from_type, void* to, std::int64_t to_count,
                  const Datatype& to_type);

/// Moves the packed form of a typed buffer in pieces, which may end anywhere, within a basic element too.
/// The type must outlive it.
class Cursor {
 public:
  Cursor(const void* buffer, std::int64_t count, const Datatype& type);
  ~Cursor();
  Cursor(Cursor&&) noexcept;
  Cursor& operator=(Cursor&&) noexcept;

  [[nodiscard]] std::int64_t size() const { return size_; }          ///< bytes, packed
  [[nodiscard]] std::int64_t position() const { return position_; }  ///< of the next byte
  void seek(std::int64_t position) { position_ = position; }         ///< in [0, size()]

  /// The next bytes of the buffer; @return how many: fewer than asked for only at the end.
  std::int64_t pack(std::span<std::byte> out);
  /// The next bytes of the buffer are set to those; the buffer must be writable.
  std::int64_t unpack(std::span<const std::byte> in);

 private:
  struct Data;
  std::unique_ptr<const Data> data_;
  std::int64_t size_ = 0;
  std::int64_t position_ = 0;
};

// --- handles
// -----------------------------------------------------------------------------------------------------------
/// The predefined type of a handle value of the standard ABI (0x200 <= value < 0x300); null if there is none, or if the
/// platform lacks it.
[[nodiscard]] Datatype* predefined_datatype(std::uint32_t abi_value);
/// MPI_BYTE.
[[nodiscard]] inline Datatype& type_byte() { return *predefined_datatype(0x247); }
/// The predefined type of a handle value, also one that the platform lacks: it has a name, and is made of nothing.
[[nodiscard]] Datatype* named_datatype(std::uint32_t abi_value);
/// The handle value of a predefined type; 0 for others.
[[nodiscard]] std::uint32_t abi_value_of(const Datatype& type);
/// The predefined type that all elements of the type map have, as one-sided accumulation needs it; null if they differ
/// or there are none. A pair type is its own.
[[nodiscard]] Datatype* element_type(const Datatype& type);
/// Whether all elements of the type map are floating-point or complex numbers.
[[nodiscard]] bool is_of_reals(const Datatype& type);

/// Handle in the binary interface that the program uses, for callbacks. The bindings set it for the types they hand
/// out; until then predefined types have their value in the standard ABI. It is stored in a pointer, so that on a
/// little-endian host the address of a handle is right also where handles are ints.
[[nodiscard]] void* abi_handle(const Datatype& type);
void set_abi_handle(Datatype& type, void* handle);

// --- constructors (MPI-4.1, sections 5.1.2 to 5.1.9)
// ------------------------------------------------------------------- Displacements and strides are in extents of the
// old type, with an h in bytes.
void type_contiguous(std::int64_t count, Datatype& old_type, Datatype*& new_type);
void type_vector(std::int64_t count, std::int64_t block_length, std::int64_t stride, Datatype& old_type,
                 Datatype*& new_type);
void type_create_hvector(std::int64_t count, std::int64_t block_length, std::int64_t stride, Datatype& old_type,
                         Datatype*& new_type);
void type_indexed(std::int64_t count, IntArray block_lengths, IntArray displacements, Datatype& old_type,
                  Datatype*& new_type);
void type_create_hindexed(std::int64_t count, IntArray block_lengths, IntArray displacements, Datatype& old_type,
                          Datatype*& new_type);
void type_create_indexed_block(std::int64_t count, std::int64_t block_length, IntArray displacements,
                               Datatype& old_type, Datatype*& new_type);
void type_create_hindexed_block(std::int64_t count, std::int64_t block_length, IntArray displacements,
                                Datatype& old_type, Datatype*& new_type);
void type_create_struct(std::int64_t count, IntArray block_lengths, IntArray displacements, Datatype* const* types,
                        Datatype*& new_type);
void type_create_resized(Datatype& old_type, std::int64_t lb, std::int64_t extent, Datatype*& new_type);
void type_dup(Datatype& old_type, Datatype*& new_type);

// Values of the standard ABI.
inline constexpr int order_c = 12;
inline constexpr int order_fortran = 15;
inline constexpr int distribute_none = 16;
inline constexpr int distribute_block = 17;
inline constexpr int distribute_cyclic = 18;
inline constexpr int distribute_default = 19;  ///< MPI_DISTRIBUTE_DFLT_DARG

void type_create_subarray(int dimensions, IntArray sizes, IntArray sub_sizes, IntArray starts, int order,
                          Datatype& old_type, Datatype*& new_type);
void type_create_darray(int size, int rank, int dimensions, IntArray sizes, IntArray distributions, IntArray arguments,
                        IntArray process_sizes, int order, Datatype& old_type, Datatype*& new_type);

// Types by what a Fortran program asks of them (MPI-4.1, section 19.1.9).
void type_create_f90_real(int precision, int range, Datatype*& new_type);
void type_create_f90_complex(int precision, int range, Datatype*& new_type);
void type_create_f90_integer(int range, Datatype*& new_type);

inline constexpr int typeclass_logical = 191;
inline constexpr int typeclass_integer = 192;
inline constexpr int typeclass_real = 193;
inline constexpr int typeclass_complex = 194;
void type_match_size(int type_class, int size, Datatype*& type);
/// The predefined pair of a value and an index; null if there is none.
void type_get_value_index(Datatype& value_type, Datatype& index_type, Datatype*& pair_type);

void type_commit(Datatype*& type);
void type_free(Datatype*& type);

// --- inquiry
// -----------------------------------------------------------------------------------------------------------
// A type that the platform lacks has the size and the extent `undefined` (MPI-5.0, section 20.4).
void type_size(const Datatype& type, std::int64_t& size);
void type_get_extent(const Datatype& type, std::int64_t& lb, std::int64_t& extent);
void type_get_true_extent(const Datatype& type, std::int64_t& lb, std::int64_t& extent);
void type_set_name(Datatype& type, const char* name);
void type_get_name(const Datatype* type, char* name, int& length);  ///< null: MPI_DATATYPE_NULL

/// How a type was made (values of the standard ABI).
enum class Combiner : int {
  Named = 101,
  Dup = 102,
  Contiguous = 103,
  Vector = 104,
  Hvector = 105,
  Indexed = 106,
  Hindexed = 107,
  IndexedBlock = 108,
  HindexedBlock = 109,
  Struct = 110,
  Subarray = 111,
  Darray = 112,
  F90Real = 113,
  F90Complex = 114,
  F90Integer = 115,
  Resized = 116,
  ValueIndex = 117,
};

/// Says that the type was made by the large-count form (..._c) of its constructor: counts and displacements are then
/// decoded as large counts. The bindings say so; types with a value beyond int are always decoded that way.
void mark_large_count(Datatype& type);
/// All numbers of the large-count form. In the int form `large_counts` must be checked: when it is not 0, the type can
/// only be decoded by the large-count form, and the int form is an error (MPI_ERR_TYPE).
void type_get_envelope(const Datatype& type, std::int64_t& integers, std::int64_t& addresses,
                       std::int64_t& large_counts, std::int64_t& datatypes, int& combiner);
/// The types handed out are new references to derived types, or predefined ones.
void type_get_contents(const Datatype& type, std::int64_t max_integers, std::int64_t max_addresses,
                       std::int64_t max_large_counts, std::int64_t max_datatypes, int* integers,
                       std::int64_t* addresses, std::int64_t* large_counts, Datatype** datatypes);

/// Number of elements received; `undefined` if it is not whole.
void get_count(const Status& status, const Datatype& type, std::int64_t& count);
/// Number of basic elements received; `undefined` if the last is cut.
void get_elements(const Status& status, const Datatype& type, std::int64_t& count);
void status_set_elements(Status& status, const Datatype& type, std::int64_t count);

// --- attributes
// --------------------------------------------------------------------------------------------------------
void type_create_keyval(void (*copy)(), void (*destroy)(), int& key, void* extra);
void type_free_keyval(int& key);
void type_set_attr(Datatype& type, int key, void* value);
void type_get_attr(const Datatype& type, int key, void* value, bool& flag);  ///< `value`: address of a pointer
void type_delete_attr(Datatype& type, int key);

// --- packing, addresses
// ------------------------------------------------------------------------------------------------
void pack(const void* in, std::int64_t in_count, const Datatype& type, void* out, std::int64_t out_size,
          std::int64_t& position, Comm& comm);
void unpack(const void* in, std::int64_t in_size, std::int64_t& position, void* out, std::int64_t out_count,
            const Datatype& type, Comm& comm);
void pack_size(std::int64_t count, const Datatype& type, Comm& comm, std::int64_t& size);
void pack_external(const char* representation, const void* in, std::int64_t in_count, const Datatype& type, void* out,
                   std::int64_t out_size, std::int64_t& position);
void unpack_external(const char* representation, const void* in, std::int64_t in_size, std::int64_t& position,
                     void* out, std::int64_t out_count, const Datatype& type);
void pack_external_size(const char* representation, std::int64_t count, const Datatype& type, std::int64_t& size);

void get_address(const void* location, std::int64_t& address);
[[nodiscard]] std::int64_t aint_add(std::int64_t base, std::int64_t displacement);
[[nodiscard]] std::int64_t aint_diff(std::int64_t address, std::int64_t from);

}  // namespace orrery::mpi
