// SPDX-License-Identifier: BSD-3-Clause
#include <memory>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/point_to_point/checks.hpp"
#include "mpi/reduction/object.hpp"
#include "mpi/window/access_request.hpp"
#include "mpi/window/effect.hpp"

namespace orrery::mpi {
namespace {

/// The arguments that say what is done at the target.
struct At {
  int rank;
  std::int64_t displacement;
  std::int64_t count;
  Datatype& type;
};

/// Where the old values go.
struct Result {
  Data data;
  Datatype& type;
};

/// Writes the change down and tells the kernel, in whose order it will happen.
void change_place(Window& window, const TargetPlace& place, const Change& change, const std::optional<Result>& result,
                  AccessRequest* request) {
  auto effect =
      std::make_shared<PendingEffect>(window, place, change, result ? std::optional<Data>(result->data) : std::nullopt,
                                      result ? &result->type : nullptr);
  if (request != nullptr) {
    request->begin();
    request->waits_for(effect);
  }
  const op::Kind kind = result ? op::Kind::GetAccumulate : op::Kind::Accumulate;
  const op::RequestId own = request != nullptr ? request->id : 0;
  Target& target = target_of(window, place.rank);
  if (target.lock == Target::Lock::Exclusive) {
    effect->happen();
    return announce(window, place.rank, kind, place.bytes(), own);
  }
  announce(window, place.rank, kind, place.bytes(), own, effect->name());
  target.ordered = true;
  target.results |= effect->has_result();
  target.effects.push_back(std::move(effect));
  settle_some(window, place.rank);
}

void check_target_size(const char* whose, std::int64_t bytes, const TargetPlace& place) {
  if (bytes == place.bytes()) return;
  throw Error{err_truncate, concat("the ", whose, " has ", bytes, " bytes, the target ", place.bytes())};
}

void combine_in_window(const void* origin, std::int64_t count, Datatype& type, const std::optional<Result>& result,
                       const At& at, Op& op, Window& window, AccessRequest* request) {
  const bool looks_at_origin = op.operation != Operation::NoOperation;
  if (looks_at_origin) check_buffer(origin, count, type);
  if (!is_predefined(op)) throw Error{err_op, "accumulation takes predefined operations only"};
  TargetPlace place;
  if (!find_place(window, at.rank, at.displacement, at.count, at.type, place) || place.bytes() == 0) return;
  check_accumulate_op(op, at.type);
  const Data operand = Data::of(origin, looks_at_origin ? count : 0, type);
  if (looks_at_origin) check_target_size("origin", operand.bytes(), place);
  if (result) check_target_size("result", result->data.bytes(), place);
  change_place(window, place, {.operation = op.operation, .element = element_type(at.type), .operand = operand}, result,
               request);
}

/// The types that MPI_Compare_and_swap takes (MPI-4.1, section 12.3.4).
void check_swap_type(const Datatype& type) {
  using enum TypeGroup;
  const Basic* basic = single_basic(type);
  const TypeGroup group = basic != nullptr ? basic->group : None;
  if (group == CInteger || group == FortranInteger || group == Logical || group == MultiLanguage || group == Byte)
    return;
  throw Error{err_type, "MPI_Compare_and_swap takes integers, logical values and bytes"};
}

}  // namespace

void accumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type, int target,
                std::int64_t displacement, std::int64_t target_count, Datatype& target_type, Op& op, Window& window) {
  combine_in_window(origin, origin_count, origin_type, std::nullopt, {target, displacement, target_count, target_type},
                    op, window, nullptr);
}

void raccumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type, int target,
                 std::int64_t displacement, std::int64_t target_count, Datatype& target_type, Op& op, Window& window,
                 Request*& request) {
  auto made = std::make_unique<AccessRequest>(window);
  combine_in_window(origin, origin_count, origin_type, std::nullopt, {target, displacement, target_count, target_type},
                    op, window, made.get());
  request = made.release();
}

void get_accumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type, void* result,
                    std::int64_t result_count, Datatype& result_type, int target, std::int64_t displacement,
                    std::int64_t target_count, Datatype& target_type, Op& op, Window& window) {
  check_buffer(result, result_count, result_type);
  combine_in_window(origin, origin_count, origin_type, Result{Data::of(result, result_count, result_type), result_type},
                    {target, displacement, target_count, target_type}, op, window, nullptr);
}

void rget_accumulate(const void* origin, std::int64_t origin_count, Datatype& origin_type, void* result,
                     std::int64_t result_count, Datatype& result_type, int target, std::int64_t displacement,
                     std::int64_t target_count, Datatype& target_type, Op& op, Window& window, Request*& request) {
  check_buffer(result, result_count, result_type);
  auto made = std::make_unique<AccessRequest>(window);
  combine_in_window(origin, origin_count, origin_type, Result{Data::of(result, result_count, result_type), result_type},
                    {target, displacement, target_count, target_type}, op, window, made.get());
  request = made.release();
}

void fetch_and_op(const void* origin, void* result, Datatype& type, int target, std::int64_t displacement, Op& op,
                  Window& window) {
  if (!type.permanent) throw Error{err_type, "MPI_Fetch_and_op takes predefined datatypes"};
  get_accumulate(origin, 1, type, result, 1, type, target, displacement, 1, type, op, window);
}

void compare_and_swap(const void* origin, const void* compare, void* result, Datatype& type, int target,
                      std::int64_t displacement, Window& window) {
  check_buffer(origin, 1, type);
  check_buffer(compare, 1, type);
  check_buffer(result, 1, type);
  check_swap_type(type);
  TargetPlace place;
  if (!find_place(window, target, displacement, 1, type, place)) return;
  change_place(window, place,
               {.operation = Operation::Replace,
                .swap = true,
                .element = &type,
                .operand = Data::of(origin, 1, type),
                .compare = Data::of(compare, 1, type)},
               Result{Data::of(result, 1, type), type}, nullptr);
}

}  // namespace orrery::mpi
