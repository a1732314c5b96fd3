// SPDX-License-Identifier: BSD-3-Clause
#include "abi/foreign/by_hand.hpp"

#include <string>

#include "abi/foreign/handles.hpp"
#include "abi/foreign/numbers.hpp"
#include "standard_entries.hpp"

namespace orrery::abi::foreign::by_hand {

int get_version(int* major, int* minor) {
  const int result = entries::MPI_Get_version(major, minor);
  if (result == MPI_SUCCESS) {
    *major = version;
    *minor = subversion;
  }
  return code(result);
}

/// Behind the name of the library that it stands for, whose programs look for it, Orrery's own.
int get_library_version(char* text, int* length) {
  const int result = entries::MPI_Get_library_version(text, length);
  if (result != MPI_SUCCESS || *says_it_is == '\0') return code(result);
  const std::string both = std::string(says_it_is) + ", interface of " + text;
  *length = static_cast<int>(both.copy(text, MPI_MAX_LIBRARY_VERSION_STRING - 1));
  text[*length] = '\0';
  return MPI_SUCCESS;
}

// --- attributes
// --------------------------------------------------------------------------------------------------------

namespace {

/// Where the program is told to look for the number of a predefined attribute, by its standard key.
template <int key, class Category>
void show(void* value) {
  static int shown;
  void*& place = *static_cast<void**>(value);
  shown = static_cast<int>(Category::foreign(*static_cast<int*>(place)));
  place = &shown;
}

int shown_attribute(int result, int key, void* value, const int* flag) {
  if (result != MPI_SUCCESS || *flag == 0) return code(result);
  switch (key) {
    case MPI_HOST: show<MPI_HOST, category::rank>(value); break;
    case MPI_IO: show<MPI_IO, category::rank>(value); break;
    case MPI_LASTUSEDCODE: show<MPI_LASTUSEDCODE, category::error>(value); break;
    case MPI_WIN_CREATE_FLAVOR: show<MPI_WIN_CREATE_FLAVOR, category::flavor>(value); break;
    case MPI_WIN_MODEL: show<MPI_WIN_MODEL, category::memory_model>(value); break;
    default: break;
  }
  return MPI_SUCCESS;
}

int standard_key(int keyval) { return static_cast<int>(category::keyval::standard(keyval)); }

}  // namespace

int comm_get_attr(Comm comm, int keyval, void* value, int* flag) {
  const int key = standard_key(keyval);
  return shown_attribute(entries::MPI_Comm_get_attr(handle_in<MPI_Comm>(comm), key, value, flag), key, value, flag);
}

int win_get_attr(Win win, int keyval, void* value, int* flag) {
  const int key = standard_key(keyval);
  return shown_attribute(entries::MPI_Win_get_attr(handle_in<MPI_Win>(win), key, value, flag), key, value, flag);
}

int attr_get(Comm comm, int keyval, void* value, int* flag) {
  const int key = standard_key(keyval);
  return shown_attribute(entries::MPI_Attr_get(handle_in<MPI_Comm>(comm), key, value, flag), key, value, flag);
}

// --- error codes
// -------------------------------------------------------------------------------------------------------

int error_class(int errorcode, int* errorclass) {
  if (category::error::nameless(errorcode)) {
    *errorclass = errorcode;
    return MPI_SUCCESS;
  }
  return code(entries::MPI_Error_class(static_cast<int>(category::error::standard(errorcode)),
                                       NumberOut<category::error, int>(errorclass)));
}

int error_string(int errorcode, char* string, int* resultlen) {
  const bool nameless = category::error::nameless(errorcode);
  const int known = nameless ? MPI_ERR_UNKNOWN : static_cast<int>(category::error::standard(errorcode));
  return code(entries::MPI_Error_string(known, TextOut<max_error_string, MPI_MAX_ERROR_STRING>(string),
                                        LengthOut<max_error_string>(resultlen)));
}

// --- contents of datatypes
// ---------------------------------------------------------------------------------------------

namespace {

/// Numbers other than counts among the integers of a constructor (MPI-4.1, section 5.1.13).
int shown_contents(int result, MPI_Datatype type, int* integers) {
  MPI_Count count = 0, others = 0;
  int combiner = 0;
  if (result == MPI_SUCCESS) {
    result = entries::MPI_Type_get_envelope_c(type, &count, &others, &others, &others, &combiner);
  }
  const bool has_order = combiner == MPI_COMBINER_SUBARRAY || combiner == MPI_COMBINER_DARRAY;
  if (result != MPI_SUCCESS || !has_order) return code(result);
  integers[count - 1] = static_cast<int>(category::order::foreign(integers[count - 1]));
  if (combiner == MPI_COMBINER_SUBARRAY) return MPI_SUCCESS;
  // Size, rank, dimensions; sizes, unless they are large counts; distributions, their arguments, process grid; order.
  const int dimensions = integers[2];
  int* const distributions = integers + (count == 4 * dimensions + 4 ? 3 + dimensions : 3);
  for (int i = 0; i < dimensions; ++i) {
    distributions[i] = static_cast<int>(category::distribution::foreign(distributions[i]));
    int& argument = distributions[dimensions + i];
    argument = static_cast<int>(category::distribution_argument::foreign(argument));
  }
  return MPI_SUCCESS;
}

}  // namespace

int type_get_contents(Datatype type, int max_integers, int max_addresses, int max_datatypes, int* integers,
                      MPI_Aint* addresses, Datatype* datatypes) {
  const auto standard = handle_in<MPI_Datatype>(type);
  const int result = entries::MPI_Type_get_contents(standard, max_integers, max_addresses, max_datatypes, integers,
                                                    addresses, HandlesOut<MPI_Datatype>(datatypes, max_datatypes));
  return shown_contents(result, standard, integers);
}

int type_get_contents_c(Datatype type, MPI_Count max_integers, MPI_Count max_addresses, MPI_Count max_large_counts,
                        MPI_Count max_datatypes, int* integers, MPI_Aint* addresses, MPI_Count* large_counts,
                        Datatype* datatypes) {
  const auto standard = handle_in<MPI_Datatype>(type);
  const int result =
      entries::MPI_Type_get_contents_c(standard, max_integers, max_addresses, max_large_counts, max_datatypes, integers,
                                       addresses, large_counts, HandlesOut<MPI_Datatype>(datatypes, max_datatypes));
  return shown_contents(result, standard, integers);
}

}  // namespace orrery::abi::foreign::by_hand
