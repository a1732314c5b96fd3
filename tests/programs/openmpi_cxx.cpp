// SPDX-License-Identifier: BSD-3-Clause
// MPI's bindings of C++, which mpi.h of Open MPI 4 declares, so that programs need their library: calls, and functions
// of the program that the library calls through them. Prints "fine" for each rank.
#include <mpi.h>

#include <cstdio>
#include <cstring>

/// What the bindings have for themselves.
extern "C" char ompi_mpi_errors_throw_exceptions[];
extern "C" void ompi_cxx_errhandler_set_callbacks(void* handler, void (*of_comm)(void*, int*, ...),
                                                  void (*of_file)(void*, int*, ...),
                                                  void (*of_window)(void*, int*, ...));

namespace {

int mistakes = 0;

void expect(bool is_so, const char* what) {
  if (is_so) return;
  ++mistakes;
  std::printf("wrong: %s\n", what);
}

// --- operations

/// 2x2 matrices, whose product depends on the order.
void multiply(const void* in, void* inout, int length, const MPI::Datatype& type) {
  expect(type.Get_size() == 4 * static_cast<int>(sizeof(long)), "the type that an operation gets");
  const long* a = static_cast<const long*>(in);
  long* b = static_cast<long*>(inout);
  for (int i = 0; i < length; ++i, a += 4, b += 4) {
    const long product[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                             a[2] * b[1] + a[3] * b[3]};
    std::memcpy(b, product, sizeof product);
  }
}

void operations(int rank, int ranks) {
  MPI::Datatype matrix = MPI::LONG.Create_contiguous(4);
  matrix.Commit();
  MPI::Op product;
  product.Init(multiply, false);
  const long own[4] = {1, rank + 1, 0, 1};  // the upper right elements are added up
  long all[4] = {};
  MPI::COMM_WORLD.Allreduce(own, all, 1, matrix, product);
  expect(all[0] == 1 && all[1] == ranks * (ranks + 1) / 2 && all[3] == 1, "an operation of the program");
  product.Free();
  matrix.Free();
}

// --- error handlers

int seen_class = 0, seen_size = 0;

void see(MPI::Comm& comm, int* code, ...) {
  seen_class = MPI::Get_error_class(*code);
  seen_size = comm.Get_size();
}

void see_of_file(MPI::File& /*file*/, int* code, ...) { seen_class = MPI::Get_error_class(*code); }
void see_of_window(MPI::Win& /*window*/, int* code, ...) { seen_class = MPI::Get_error_class(*code); }

struct Thrown {
  int code;
};

void throw_code(void*, int* code, ...) { throw Thrown{*code}; }

void error_handlers(int ranks) {
  int value = 0;
  MPI::Errhandler handler = MPI::Comm::Create_errhandler(see);
  MPI::COMM_WORLD.Set_errhandler(handler);
  MPI::COMM_WORLD.Send(&value, 1, MPI::INT, ranks, 0);
  expect(seen_class == MPI::ERR_RANK && seen_size == ranks, "an error handler of the program");
  MPI::COMM_WORLD.Call_errhandler(MPI::ERR_TAG);
  expect(seen_class == MPI::ERR_TAG, "an error handler that is called");
  handler.Free();

  MPI::Win window = MPI::Win::Create(&value, sizeof value, 1, MPI::INFO_NULL, MPI::COMM_WORLD);
  MPI::Errhandler of_window = MPI::Win::Create_errhandler(see_of_window);
  window.Set_errhandler(of_window);
  window.Call_errhandler(MPI::ERR_DISP);
  expect(seen_class == MPI::ERR_DISP, "an error handler of a window");
  window.Free();
  of_window.Free();

  MPI::File file = MPI::File::Open(MPI::COMM_SELF, "/dev/null", MPI::MODE_RDONLY, MPI::INFO_NULL);
  MPI::Errhandler of_file = MPI::File::Create_errhandler(see_of_file);
  file.Set_errhandler(of_file);
  file.Call_errhandler(MPI::ERR_AMODE);
  expect(seen_class == MPI::ERR_AMODE, "an error handler of a file");
  file.Close();
  of_file.Free();

  // Debian's bindings have been built so that they throw nothing, and set a variable instead.
  MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
  int thrown = 0;
#if OMPI_HAVE_CXX_EXCEPTION_SUPPORT
  try {
    MPI::COMM_WORLD.Send(&value, 1, MPI::INT, ranks, 0);
  } catch (const MPI::Exception& exception) {
    thrown = exception.Get_error_code();
  }
#else
  MPI::COMM_WORLD.Send(&value, 1, MPI::INT, ranks, 0);
  thrown = MPI::mpi_errno;
#endif
  expect(MPI::Get_error_class(thrown) == MPI::ERR_RANK, "what is to be thrown");
  // Others throw from a function that they put where this one is put, through the library.
  ompi_cxx_errhandler_set_callbacks(ompi_mpi_errors_throw_exceptions, throw_code, throw_code, throw_code);
  thrown = 0;
  try {
    MPI::COMM_WORLD.Send(&value, 1, MPI::INT, ranks, 0);
  } catch (const Thrown& error) {
    thrown = error.code;
  }
  expect(MPI::Get_error_class(thrown) == MPI::ERR_RANK, "an exception");
  MPI::COMM_WORLD.Barrier();  // the library is whole after that
  MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_ARE_FATAL);
}

// --- attributes

int copies = 0, deletions = 0;
bool is_cartesian = false;

int copy(const MPI::Comm& comm, int, void* extra, void* value, void* copied, bool& flag) {
  is_cartesian = dynamic_cast<const MPI::Cartcomm*>(&comm) != nullptr;
  copies += *static_cast<int*>(extra);
  *static_cast<void**>(copied) = static_cast<char*>(value) + 1;
  flag = true;
  return MPI::SUCCESS;
}

int destroy(MPI::Comm&, int, void*, void* extra) {
  deletions += *static_cast<int*>(extra);
  return MPI::SUCCESS;
}

int copy_of_type(const MPI::Datatype& type, int, void*, const void* value, void* copied, bool& flag) {
  expect(type.Get_size() == 8, "the type whose attribute is copied");
  *static_cast<const void**>(copied) = value;
  flag = true;
  return MPI::SUCCESS;
}

int destroy_of_type(MPI::Datatype&, int, void*, void*) {
  ++deletions;
  return MPI::SUCCESS;
}

int copy_of_window(const MPI::Win&, int, void*, void*, void*, bool&) { return MPI::SUCCESS; }

int destroy_of_window(MPI::Win&, int, void*, void*) {
  ++deletions;
  return MPI::SUCCESS;
}

void attributes(int ranks) {
  static char text[] = "text";
  int step = 10;
  void* got = nullptr;
  int key = MPI::Comm::Create_keyval(copy, destroy, &step);
  MPI::Intracomm first = MPI::COMM_WORLD.Dup();
  first.Set_attr(key, text);
  MPI::Intracomm second = first.Dup();
  expect(copies == 10 && !is_cartesian, "a copy function");
  expect(second.Get_attr(key, &got) && got == text + 1, "what a copy function made");
  const bool periods[] = {false};
  MPI::Cartcomm grid = MPI::COMM_WORLD.Create_cart(1, &ranks, periods, false);
  grid.Set_attr(key, text);
  MPI::Cartcomm other = grid.Dup();
  expect(copies == 20 && is_cartesian, "a copy function of a grid");
  second.Delete_attr(key);
  expect(deletions == 10, "a delete function");
  for (MPI::Comm* comm : {static_cast<MPI::Comm*>(&first), static_cast<MPI::Comm*>(&second)}) comm->Free();
  grid.Free();
  other.Free();
  expect(deletions == 40, "delete functions of communicators that are freed");
  MPI::Comm::Free_keyval(key);

  key = MPI::Datatype::Create_keyval(copy_of_type, destroy_of_type, nullptr);
  MPI::Datatype pair = MPI::INT.Create_contiguous(2);
  pair.Set_attr(key, text);
  MPI::Datatype twin = pair.Dup();
  expect(twin.Get_attr(key, &got) && got == text, "an attribute of a type");
  pair.Free();
  twin.Free();
  expect(deletions == 42, "delete functions of types");

  key = MPI::Win::Create_keyval(copy_of_window, destroy_of_window, nullptr);
  MPI::Win window = MPI::Win::Create(&step, sizeof step, 1, MPI::INFO_NULL, MPI::COMM_WORLD);
  window.Set_attr(key, text);
  window.Free();
  expect(deletions == 43, "a delete function of a window");
}

// --- data representations

void read_upper(void* user, MPI::Datatype&, int count, void* file, MPI::Offset, void*) {
  for (int i = 0; i < count; ++i) static_cast<char*>(user)[i] = static_cast<char*>(file)[i] - 1;
}
void write_upper(void* user, MPI::Datatype&, int count, void* file, MPI::Offset, void*) {
  for (int i = 0; i < count; ++i) static_cast<char*>(file)[i] = static_cast<char*>(user)[i] + 1;
}
void extent_of_one(const MPI::Datatype& type, MPI::Aint& extent, void*) { extent = type.Get_size(); }

void data_representations(const char* name) {
  MPI::Register_datarep("shifted", read_upper, write_upper, extent_of_one, nullptr);
  MPI::File file = MPI::File::Open(MPI::COMM_SELF, name, MPI::MODE_CREATE | MPI::MODE_RDWR | MPI::MODE_DELETE_ON_CLOSE,
                                   MPI::INFO_NULL);
  char text[] = "HAL", got[4] = {};
  file.Set_view(0, MPI::CHAR, MPI::CHAR, "shifted", MPI::INFO_NULL);
  file.Write_at(0, text, 3, MPI::CHAR);
  file.Read_at(0, got, 3, MPI::CHAR);
  expect(std::strcmp(got, "HAL") == 0, "what a data representation reads");
  file.Set_view(0, MPI::CHAR, MPI::CHAR, "native", MPI::INFO_NULL);
  file.Read_at(0, got, 3, MPI::CHAR);
  expect(std::strcmp(got, "IBM") == 0, "what a data representation writes");
  file.Close();
}

}  // namespace

int main(int count, char** arguments) {
  MPI::Init(count, arguments);
  const int rank = MPI::COMM_WORLD.Get_rank(), ranks = MPI::COMM_WORLD.Get_size();
  int sum = 0, got = -1;
  MPI::COMM_WORLD.Allreduce(&rank, &sum, 1, MPI::INT, MPI::SUM);
  MPI::Intracomm twin = MPI::COMM_WORLD.Dup();
  MPI::Status status;
  MPI::Request request = twin.Irecv(&got, 1, MPI::INT, MPI::ANY_SOURCE, 3);
  twin.Send(&rank, 1, MPI::INT, (rank + 1) % ranks, 3);
  request.Wait(status);
  twin.Free();
  expect(sum == ranks * (ranks - 1) / 2, "a sum");
  expect(got == status.Get_source() && status.Get_tag() == 3 && request == MPI::REQUEST_NULL, "a status");
  operations(rank, ranks);
  error_handlers(ranks);
  attributes(ranks);
  char name[32];
  std::snprintf(name, sizeof name, "shifted.%d", rank);
  data_representations(name);
  if (mistakes == 0) std::puts("fine");
  MPI::Finalize();
}
