// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collective/hierarchy.hpp"
#include "op/script.hpp"

/// Collective algorithms as streams, and the selectors that choose among them.
///
/// An algorithm is a function from a `Call` to the stream of one rank. It names regions of the call's buffers, so that
/// the kernel can time it and the tests can execute it. `peer` and `root` are ranks of the communicator. Tags tell
/// parts of a call apart that go on at once, and are 0 otherwise: whoever runs the stream separates one call from the
/// next.
namespace orrery::collective {

using op::CollectiveKind;

/// One rank's view of one collective call.
///
/// `bytes` means, as in the recorded files: bcast, reduce, allreduce, scan, exscan: the whole vector;
/// gather(v), scatter(v), allgather: one rank's block (gatherv, scatterv: this rank's own); alltoall: the block for one
/// peer; reduce_scatter_block: one rank's block; reduce_scatter: the whole input vector; barrier: 0; new_comm: what
/// each rank tells all others (a colour and a key) before they agree on the communicator's number.
/// `counts`, in bytes: gatherv and scatterv: per rank, at the root only; allgatherv and reduce_scatter: per rank,
/// everywhere; alltoallv and alltoallw: what goes to each rank, then what comes from each (2 × size); neighbourhood
/// collectives: the number of destinations, then rank and bytes of each, then rank and bytes of each source, in the
/// order in which messages between the same two ranks belong together. Blocks lie one after the other in the buffers
/// (regions of v-collectives are packed), also those of neighbours; the input of neighbor_allgather(v) is one block.
///
/// `Input` is what the rank gives, and is never written; `Output` is what it gets. Bcast has only an output, which at
/// the root holds the data from the beginning; `Output` of reduce and gather(v) and `Input` of scatter(v) exist at the
/// root only; `Output` of rank 0 of exscan is left alone. MPI_IN_PLACE is the caller's business; `in_place` says that
/// it was given to an alltoall(v, w), for which libraries have algorithms that save what they overwrite.
///
/// On an inter-communicator data goes to the other group. `self` and `size` are those of the rank's own group; peers
/// are its ranks, then those of the other group (`size` + their rank); `root` may be `op::root_here` or `op::no_part`.
/// Counts per rank are counts per rank of the other group, but in reduce_scatter; and as blocks that come may differ
/// from those that go, allgather and alltoall have one count: the bytes of one that comes.
struct Call {
  CollectiveKind kind = CollectiveKind::Barrier;
  int self = 0;
  int size = 1;
  int remote_size = 0;   ///< ranks of the other group; 0: an intra-communicator
  bool in_first = true;  ///< of the two groups, so that they can take turns
  int root = 0;
  Bytes bytes = {};
  std::int64_t element = 1;               ///< bytes of one element: segments and blocks are cut at multiples of it; the
                                          ///< same on all ranks (shared_elements.hpp)
  std::int64_t extent = 0;                ///< bytes from one element to the next in memory; 0: as `element`
  bool commutative = true;                ///< the reduction's operation commutes
  bool built_in = true;                   ///< it is one of MPI's own
  bool in_place = false;                  ///< of alltoall(v, w)
  bool immediate = false;                 ///< a non-blocking call
  std::int64_t late_ns = 0;               ///< so late a rank sees that a non-blocking call is over
  Bytes segment = {};                     ///< 0: not segmented
  int fanout = 0;                         ///< chains, or children of a node; 0: the algorithm's own
  const class Selector* parts = nullptr;  ///< who chooses for the calls that an algorithm is made of; null: Open MPI
  std::span<const std::int64_t> counts = {};  ///< owned by the caller until the stream has ended
  const Places* places = nullptr;             ///< where the ranks are, where that is known; owned like `counts`
  Hierarchy hierarchy = {};
};

/// How many counts a call must give on this rank, at least; 0 for kinds without.
[[nodiscard]] std::size_t counts_needed(const Call& call);

/// The algorithm of the same collective that an algorithm leaves a call to, as the code of libraries does where it
/// cannot work as its name says. Names are in static memory; false: it leaves it to none.
struct HandOver {
  std::string_view to = {};
  std::string_view why = {};
  explicit operator bool() const { return !to.empty(); }
};

/// An algorithm and what must hold for it to be used: data, not code.
struct Algorithm {
  CollectiveKind kind;
  std::string_view name;             ///< as published: "ring", "binomial", "bruck"
  std::string_view defined_in = {};  ///< namespace of its function: the name of the collective that shares it
  op::Script (*stream)(Call);
  bool power_of_two_only = false;
  bool commutative_only = false;
  bool even_only = false;          ///< even communicator size
  bool two_only = false;           ///< two ranks
  bool equal_blocks_only = false;  ///< all counts alike
  bool segments = false;           ///< obeys `Call::segment`
  bool radix = false;              ///< obeys `Call::fanout` as its radix
  bool inter = false;              ///< for inter-communicators, and no others
  std::string_view openmpi = {};   ///< the method's name in Open MPI's `tuned` component, if it is there
  std::string_view libnbc = {};    ///< the same in its component for non-blocking calls
  /// Its names in MPICH for blocking and for immediate calls, separated by blanks.
  std::string_view mpich = {};
  std::string_view mpich_immediate = {};
  std::string_view otherwise = {};  ///< name of the one that Open MPI runs instead where this one does not serve
  std::string_view source = {};     ///< publication
  bool topology = false;            ///< needs `Call::places`
  /// What else may hinder it, as `refusal` says it; null: nothing.
  std::string_view (*hindrance)(const Call&) = nullptr;
  /// Which calls that it accepts its stream leaves to another one; null: none.
  HandOver (*hands_over)(const Call&) = nullptr;

  /// Why it cannot serve this call, a clause in static memory: its kind and size, the operation's properties, and
  /// `counts` where they are needed. Empty: it can.
  [[nodiscard]] std::string_view refusal(const Call& call) const;
  [[nodiscard]] bool accepts(const Call& call) const;
};

/// All algorithms, sorted by kind; the position is `op::Operation::algorithm` - 1.
[[nodiscard]] std::span<const Algorithm> algorithms();
/// Null if there is none of this name.
[[nodiscard]] const Algorithm* find(CollectiveKind kind, std::string_view name);

/// The algorithm that Open MPI calls by this name; null if there is none.
[[nodiscard]] const Algorithm* find_openmpi(CollectiveKind kind, std::string_view name);
/// The one that its component for non-blocking calls, `libnbc`, calls by this name; null if there is none.
[[nodiscard]] const Algorithm* find_libnbc(CollectiveKind kind, std::string_view name);

/// The algorithm that MPICH calls by this name, in the immediate form or not; null if there is none.
[[nodiscard]] const Algorithm* find_mpich(CollectiveKind kind, std::string_view name, bool immediate);

/// How many bytes of scratch memory the call's stream uses on this rank; costs as much as reading the stream.
[[nodiscard]] std::int64_t scratch_bytes(const Algorithm& algorithm, const Call& call);

/// "allreduce" for Allreduce, and back.
[[nodiscard]] std::string_view name(CollectiveKind kind);
[[nodiscard]] std::optional<CollectiveKind> kind_named(std::string_view name);

/// Who decides which algorithm a call uses.
enum class Decider : std::uint8_t {
  Selector,  ///< without a word of the user's
  Fixed,     ///< the user, for all calls of the collective
  Rules,     ///< the user's rules file, which may also leave a call to the selector
  Trace,     ///< what was recorded
};

/// An algorithm that was asked for and does not serve the call, so that another one does; names are in static memory.
struct Unserved {
  std::string_view algorithm = {};  ///< empty: what was asked for, if anything was, serves the call
  std::string_view why = {};        ///< as `Algorithm::refusal`
  Decider by = Decider::Selector;   ///< who asked for it
  bool operator==(const Unserved&) const = default;
};

struct Choice {
  const Algorithm* algorithm = nullptr;
  Bytes segment = {};
  int fanout = 0;
  const class Selector* parts = nullptr;  ///< as `Call::parts`
  Hierarchy hierarchy = {};
  Decider by = Decider::Selector;
  Unserved instead_of = {};

  [[nodiscard]] Call applied_to(Call call) const {
    call.segment = segment;
    call.fanout = fanout;
    call.parts = parts;
    call.hierarchy = hierarchy;
    return call;
  }
};

/// The choice under the name of the algorithm that sends its messages: where the one that was chosen hands the call
/// over, the one that it is handed to, and `instead_of` names what was asked for by whom. A single rank sends none.
/// @param choice of an algorithm that accepts the call
[[nodiscard]] Choice after_hand_overs(Choice choice, const Call& call);

/// Which algorithm a call uses. All ranks of one call must be given the same answer, so it depends only on what they
/// share (for v-collectives: not on `counts`, which differ from rank to rank, unless the kind shares them).
class Selector {
 public:
  virtual ~Selector() = default;
  [[nodiscard]] virtual Choice choose(const Call& call) const = 0;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whether what it chooses needs `Call::places`.
  [[nodiscard]] virtual bool needs_places() const { return false; }
  /// Kinds that the user says something about: `Fixed` by an algorithm for all their calls, `Rules` by rules.
  [[nodiscard]] virtual std::vector<CollectiveKind> asked(Decider /*by*/) const { return {}; }
};

/// A rule of a user's for calls of some sizes, both limits included; in bytes as `dynamic_bytes` has them. Without an
/// algorithm the library decides.
struct DynamicRule {
  std::int64_t bytes_from = 0;
  std::int64_t bytes_to = std::numeric_limits<std::int64_t>::max();
  Choice choice;
};

/// Which ranks of a communicator rules are for.
enum class RankDistribution : std::uint8_t {
  Any,
  OnePerNode,  ///< each is on a node of its own
  SingleNode,  ///< all are on one node
};

/// For communicators of some sizes, both limits included: the first rule that fits decides.
struct DynamicRules {
  CollectiveKind kind = CollectiveKind::Barrier;
  int size_from = 0;
  int size_to = std::numeric_limits<int>::max();
  std::vector<DynamicRule> rules;
  RankDistribution ranks = RankDistribution::Any;
};

/// Names that `make_selector` knows.
[[nodiscard]] std::vector<std::string> selector_names();
/// "default": the built-in table of size thresholds after Thakur, Rabenseifner and Gropp 2005
/// (doi:10.1177/1094342005051521); "openmpi-4.1", "mpich-4.0" and so on: what those libraries choose without settings
/// (openmpi_rules.hpp, mpich_rules.hpp), unless rules of the user's (dynamic_rules.hpp, or `mpich`, as a tuning file of
/// MPICH's says them, for immediate calls too) say something else. All are
/// overruled per kind by `fixed`, e.g. "allreduce=ring,bcast=chain:segment=32KiB". Where the fixed algorithm does not
/// accept a call (its size, an operation that does not commute) the table decides, and `Choice::instead_of` says so;
/// where the table's first choice does not, its next line does. The last line of each kind accepts every call. The
/// table itself is in selector.cpp. `choose` throws InputError if a call lacks the counts that its kind needs.
/// @throws InputError naming the part of `fixed` that is wrong and what would be right
[[nodiscard]] std::unique_ptr<Selector> make_selector(std::string_view name = "default", std::string_view fixed = {},
                                                      std::vector<DynamicRules> rules = {},
                                                      const class MpichRules* mpich = nullptr);

}  // namespace orrery::collective
