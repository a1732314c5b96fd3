// SPDX-License-Identifier: BSD-3-Clause
#include "abi/fortran/held.hpp"

#include "abi/fortran/handles.hpp"

namespace orrery::abi::fortran {

SectionCopy::SectionCopy(const Array& section, Use use)
    : section_(section), use_(use), copy_(static_cast<std::size_t>(section.bytes())) {
  fill();
}

void SectionCopy::fill() {
  section_.gather(copy_.data());
  if (use_ == Use::Written) before_ = copy_;
}

void SectionCopy::deliver() {
  if (use_ != Use::Written || copy_ == before_) return;
  section_.scatter_changes(copy_.data(), before_.data());
  before_ = copy_;
}

class HeldBuffers::Copies final : public mpi::Staging {
 public:
  void* add(const Array& section, SectionCopy::Use use) {
    all_.push_back(std::make_unique<SectionCopy>(section, use));
    return all_.back()->address();
  }
  void fill() override {
    for (const auto& copy : all_) copy->fill();
  }
  void deliver() override {
    for (const auto& copy : all_) copy->deliver();
  }

 private:
  std::vector<std::unique_ptr<SectionCopy>> all_;
};

HeldBuffers::HeldBuffers() = default;
HeldBuffers::~HeldBuffers() = default;

void* HeldBuffers::place(const void* descriptor, SectionCopy::Use use) {
  const Array array(descriptor);
  if (array.is_contiguous()) return address_of(array.base);
  if (copies_ == nullptr) copies_ = std::make_unique<Copies>();
  return copies_->add(array, use);
}

int HeldBuffers::keep_for_request(int code, const int* request) {
  if (copies_ != nullptr && code == MPI_SUCCESS) orrery_stage_request(from<MPI_Request>(*request), copies_.release());
  return code;
}

int HeldBuffers::keep_for_window(int code, const int* window, int target) {
  if (copies_ != nullptr && code == MPI_SUCCESS) orrery_stage_window(from<MPI_Win>(*window), target, copies_.release());
  return code;
}

}  // namespace orrery::abi::fortran
