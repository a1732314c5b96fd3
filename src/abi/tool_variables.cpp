// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <vector>

#include "abi/tool.hpp"
#include "abi/tool_support.hpp"

namespace orrery::abi::by_hand {
namespace {

using mpi::tool::ControlVariable;
using mpi::tool::PerformanceVariable;

/// Handles that are valid: others are told apart from them without being looked into.
template <class Object>
class Handles {
 public:
  Object* add(Object object) { return all_.emplace_back(std::make_unique<Object>(object)).get(); }
  [[nodiscard]] Object* find(const void* handle) const {
    for (const auto& held : all_) {
      if (held.get() == handle) return held.get();
    }
    return nullptr;
  }
  void remove(const Object* object) {
    std::erase_if(all_, [&](const auto& held) { return held.get() == object; });
  }
  template <class Condition>
  void remove_if(Condition&& condition) {
    std::erase_if(all_, [&](const auto& held) { return condition(*held); });
  }

 private:
  std::vector<std::unique_ptr<Object>> all_;
};

struct Control {
  const ControlVariable* variable;
};
struct Session {
  char unused = 0;
};
struct Performance {
  const PerformanceVariable* variable;
  const Session* session;
};

Handles<Control> controls;
Handles<Session> sessions;
Handles<Performance> performances;

int class_of(const PerformanceVariable& variable) {
  switch (variable.variable_class) {
    case mpi::tool::Class::Counter: return MPI_T_PVAR_CLASS_COUNTER;
    case mpi::tool::Class::Aggregate: return MPI_T_PVAR_CLASS_AGGREGATE;
    case mpi::tool::Class::Timer: return MPI_T_PVAR_CLASS_TIMER;
  }
  return MPI_T_PVAR_CLASS_GENERIC;
}

MPI_Datatype datatype_of(mpi::tool::Type type) {
  switch (type) {
    case mpi::tool::Type::Int: return MPI_INT;
    case mpi::tool::Type::Double: return MPI_DOUBLE;
    case mpi::tool::Type::Wide: return MPI_UNSIGNED_LONG_LONG;
    case mpi::tool::Type::Text: return MPI_CHAR;
  }
  return MPI_DATATYPE_NULL;
}

const Control& control(MPI_T_cvar_handle handle) {
  check_tool();
  const Control* found = controls.find(handle);
  if (found == nullptr) throw mpi::Error{MPI_T_ERR_INVALID_HANDLE, "not a handle of a control variable"};
  return *found;
}

const Session& session_of(MPI_T_pvar_session handle) {
  check_tool();
  const Session* found = sessions.find(handle);
  if (found == nullptr) throw mpi::Error{MPI_T_ERR_INVALID_SESSION, "not a session of performance variables"};
  return *found;
}

const Performance& performance(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  const Session& owner = session_of(session);
  const Performance* found = performances.find(handle);
  if (found == nullptr || found->session != &owner) {
    throw mpi::Error{MPI_T_ERR_INVALID_HANDLE, "not a handle of a performance variable in this session"};
  }
  return *found;
}

/// Variables always run and are only read: what would change one fails, what would change all changes none.
void refuse(MPI_T_pvar_session session, MPI_T_pvar_handle handle, int error) {
  if (handle == MPI_T_PVAR_ALL_HANDLES) return static_cast<void>(session_of(session));
  (void)performance(session, handle);
  throw mpi::Error{error, "the variable always runs, and can only be read"};
}

}  // namespace

void t_cvar_get_num(int* number) {
  check_tool();
  tell(number, mpi::tool::control_variables().size());
}

void t_cvar_get_info(int index, char* name, int* name_length, int* verbosity, MPI_Datatype* datatype, MPI_T_enum* type,
                     char* description, int* description_length, int* bind, int* scope) {
  const ControlVariable& variable = element(mpi::tool::control_variables(), index);
  tell_text(variable.name, name, name_length);
  tell_text(variable.description, description, description_length);
  tell(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  if (datatype != nullptr) *datatype = datatype_of(variable.datatype);
  if (type != nullptr) {
    auto* enumeration = const_cast<mpi::tool::Enumeration*>(variable.enumeration);
    *type = enumeration != nullptr ? reinterpret_cast<MPI_T_enum>(enumeration) : MPI_T_ENUM_NULL;
  }
  tell(bind, MPI_T_BIND_NO_OBJECT);
  tell(scope, MPI_T_SCOPE_CONSTANT);
}

void t_cvar_get_index(const char* name, int* index) { tell_index(mpi::tool::control_variables(), name, index); }

void t_cvar_handle_alloc(int index, void* /*object*/, MPI_T_cvar_handle* handle, int* count) {
  const ControlVariable& variable = element(mpi::tool::control_variables(), index);
  if (handle == nullptr) throw mpi::Error{MPI_T_ERR_INVALID, "the handle is a null pointer"};
  tell(count, variable.datatype == mpi::tool::Type::Text ? text_room : 1);
  *handle = reinterpret_cast<MPI_T_cvar_handle>(controls.add({&variable}));
}

void t_cvar_handle_free(MPI_T_cvar_handle* handle) {
  if (handle == nullptr) throw mpi::Error{MPI_T_ERR_INVALID_HANDLE, "the handle is a null pointer"};
  controls.remove(&control(*handle));
  *handle = MPI_T_CVAR_HANDLE_NULL;
}

void t_cvar_read(MPI_T_cvar_handle handle, void* buffer) { copy_value(control(handle).variable->read(), buffer); }

void t_cvar_write(MPI_T_cvar_handle handle, const void* /*buffer*/) {
  (void)control(handle);
  throw mpi::Error{MPI_T_ERR_CVAR_SET_NEVER, "settings of a run cannot be changed from inside it"};
}

void t_pvar_get_num(int* number) {
  check_tool();
  tell(number, mpi::tool::performance_variables().size());
}

void t_pvar_get_info(int index, char* name, int* name_length, int* verbosity, int* variable_class,
                     MPI_Datatype* datatype, MPI_T_enum* type, char* description, int* description_length, int* bind,
                     int* readonly, int* continuous, int* atomic) {
  const PerformanceVariable& variable = element(mpi::tool::performance_variables(), index);
  tell_text(variable.name, name, name_length);
  tell_text(variable.description, description, description_length);
  tell(verbosity, MPI_T_VERBOSITY_USER_BASIC);
  tell(variable_class, class_of(variable));
  if (datatype != nullptr)
    *datatype = variable.variable_class == mpi::tool::Class::Timer ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG;
  if (type != nullptr) *type = MPI_T_ENUM_NULL;
  tell(bind, MPI_T_BIND_NO_OBJECT);
  tell(readonly, 1);
  tell(continuous, 1);
  tell(atomic, 0);
}

void t_pvar_get_index(const char* name, int variable_class, int* index) {
  int found = 0;
  tell_index(mpi::tool::performance_variables(), name, &found);
  if (class_of(mpi::tool::performance_variables()[static_cast<std::size_t>(found)]) != variable_class) {
    throw mpi::Error{MPI_T_ERR_INVALID_NAME, "no variable of this class has this name"};
  }
  tell(index, found);
}

void t_pvar_session_create(MPI_T_pvar_session* session) {
  check_tool();
  if (session == nullptr) throw mpi::Error{MPI_T_ERR_INVALID, "the session is a null pointer"};
  *session = reinterpret_cast<MPI_T_pvar_session>(sessions.add({}));
}

void t_pvar_session_free(MPI_T_pvar_session* session) {
  if (session == nullptr) throw mpi::Error{MPI_T_ERR_INVALID_SESSION, "the session is a null pointer"};
  const Session& freed = session_of(*session);
  performances.remove_if([&](const Performance& performance) { return performance.session == &freed; });
  sessions.remove(&freed);
  *session = MPI_T_PVAR_SESSION_NULL;
}

void t_pvar_handle_alloc(MPI_T_pvar_session session, int index, void* /*object*/, MPI_T_pvar_handle* handle,
                         int* count) {
  const PerformanceVariable& variable = element(mpi::tool::performance_variables(), index);
  const Session& owner = session_of(session);
  if (handle == nullptr) throw mpi::Error{MPI_T_ERR_INVALID, "the handle is a null pointer"};
  tell(count, 1);
  *handle = reinterpret_cast<MPI_T_pvar_handle>(performances.add({&variable, &owner}));
}

void t_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle* handle) {
  if (handle == nullptr) throw mpi::Error{MPI_T_ERR_INVALID_HANDLE, "the handle is a null pointer"};
  performances.remove(&performance(session, *handle));
  *handle = MPI_T_PVAR_HANDLE_NULL;
}

void t_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

void t_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  refuse(session, handle, MPI_T_ERR_PVAR_NO_STARTSTOP);
}

void t_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* buffer) {
  copy_value(performance(session, handle).variable->read(), buffer);
}

void t_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void* /*buffer*/) {
  refuse(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
}

void t_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle) {
  refuse(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
}

void t_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* /*buffer*/) {
  refuse(session, handle, MPI_T_ERR_PVAR_NO_WRITE);
}

}  // namespace orrery::abi::by_hand
