// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/communicator/leader.hpp"

#include <limits>
#include <optional>

#include "base/error.hpp"
#include "mpi/collective/collective.hpp"
#include "mpi/datatype/datatype.hpp"

namespace orrery::mpi {

op::CommId found_by_leader(Comm& comm, int leader, int error_class, const std::function<op::CommId()>& find) {
  constexpr op::CommId failed = std::numeric_limits<op::CommId>::max();
  op::CommId id = no_comm;
  std::optional<Error> error;
  if (comm.rank == leader) {
    try {
      id = find();
    } catch (const Error& caught) {
      error = caught;
      id = failed;
    }
  }
  bcast(&id, sizeof id, type_byte(), leader, comm);
  if (error) throw *error;
  if (id == failed) throw Error{error_class, concat("rank ", leader, ", which acts for all, could not do it")};
  return id;
}

}  // namespace orrery::mpi
