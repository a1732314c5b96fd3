// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/file/agreement.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "mpi/collective/run.hpp"
#include "mpi/error/errors.hpp"

namespace orrery::mpi {
namespace {

constexpr std::int64_t number_bytes = 4;

class Agreement final : public HubExchange {
 public:
  Agreement(Comm& comm, const Agreed& own, const std::function<void(Agreed&)>& act)
      : HubExchange(comm), outcome_(own), act_(act) {
    time_as(op::CollectiveKind::Allreduce, 0, number_bytes, number_bytes);
    time_reduction();
  }

  [[nodiscard]] const Agreed& outcome() const { return outcome_; }

 private:
  [[nodiscard]] static Data data_of(Agreed& agreed) {
    return Data::of(std::as_bytes(std::span<const Agreed>(&agreed, 1)));
  }
  Data contribution() override { return data_of(outcome_); }
  void combine(int from, Piece piece) override {
    Agreed other;
    piece.read(data_of(other));
    if (outcome_.error_class != success) return;
    if (other.error_class != success) {
      outcome_ = other;
    } else if (other.value != outcome_.value) {
      outcome_ =
          Agreed::failed({err_not_same, concat("rank ", from, " says ", other.value, ", others ", outcome_.value)});
    }
  }
  void distribute() override {
    if (outcome_.error_class == success) {
      if (const auto error = error_in([&] { act_(outcome_); })) outcome_ = Agreed::failed(*error);
    }
    post_to_others(data_of(outcome_));
  }
  void result(Piece piece) override { piece.read(data_of(outcome_)); }

  Agreed outcome_;
  const std::function<void(Agreed&)>& act_;
};

}  // namespace

Agreed Agreed::failed(const Error& error) {
  Agreed agreed;
  agreed.error_class = error.error_class;
  error.text.copy(agreed.text, sizeof agreed.text - 1);
  return agreed;
}

Agreed agree(Comm& comm, std::int64_t value, const std::optional<Error>& own_error,
             const std::function<void(Agreed&)>& act) {
  Agreed own = own_error ? Agreed::failed(*own_error) : Agreed{};
  own.value = value;
  Agreement agreement(comm, own, act);
  run(agreement);
  if (agreement.outcome().error_class != success) {
    throw Error{agreement.outcome().error_class, agreement.outcome().text};
  }
  return agreement.outcome();
}

void agree(Comm& comm, const std::optional<Error>& own_error) {
  agree(comm, 0, own_error, [](Agreed&) {});
}

std::optional<Error> error_in(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace orrery::mpi
