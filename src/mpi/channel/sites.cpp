// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/channel/sites.hpp"

#include <cstring>

namespace orrery::mpi::channel {
namespace {

struct Name {
  const char* file;
  std::int32_t line;
  SiteKind kind;
};

/// Among those added since `until` was the newest.
Site* find(const Memory& memory, Offset newest, Offset until, const Name& name) {
  for (Offset at = newest; at != until; at = memory.as<Site>(at)->next) {
    auto* site = memory.as<Site>(at);
    const bool same = site->line == name.line && site->kind == name.kind;
    if (same && std::strcmp(memory.as<char>(site->file), name.file) == 0) return site;
  }
  return nullptr;
}

}  // namespace

Site& site(Memory& memory, const char* file, std::int32_t line, SiteKind kind, const std::function<Offset()>& make) {
  const Name name{file, line, kind};
  auto& newest = memory.header().sites;
  Offset seen = newest.load(std::memory_order_acquire);
  if (Site* known = find(memory, seen, 0, name)) return *known;
  const std::size_t length = std::strlen(file) + 1;
  const Offset text = memory.allocate(length);
  std::memcpy(memory.at(text), file, length);
  const Offset made = memory.allocate(sizeof(Site));
  auto* site =
      new (memory.at(made)) Site{.next = 0, .file = text, .line = line, .kind = kind, .number = 0, .what = make()};
  for (;;) {
    site->next = seen;
    site->number = seen == 0 ? 1 : memory.as<Site>(seen)->number + 1;
    const Offset looked_at = seen;
    if (newest.compare_exchange_strong(seen, made, std::memory_order_acq_rel)) return *site;
    if (Site* known = find(memory, seen, looked_at, name)) return *known;
  }
}

void for_each_site(const Memory& memory, const std::function<void(const Site&)>& visit) {
  for (Offset at = memory.header().sites.load(std::memory_order_acquire); at != 0; at = memory.as<Site>(at)->next)
    visit(*memory.as<Site>(at));
}

}  // namespace orrery::mpi::channel
