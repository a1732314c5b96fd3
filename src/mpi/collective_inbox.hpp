// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <unordered_map>

#include "mpi/kept.hpp"

namespace orrery::mpi {

/// Messages of collective calls that have arrived, by who sent them for which call.
class CollectiveInbox {
 public:
  struct Key {
    std::int32_t source;
    op::CommId comm;
    std::int32_t call;
    std::uint32_t part;
    friend bool operator==(const Key&, const Key&) = default;
  };

  void arrived(const channel::Message& record);
  [[nodiscard]] Kept* find(const Key& key);
  [[nodiscard]] Kept::Owner remove(Kept& kept);

 private:
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::unordered_multimap<Key, Kept::Owner, Hash> messages_;
};

}  // namespace orrery::mpi
