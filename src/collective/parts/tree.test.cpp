// SPDX-License-Identifier: BSD-3-Clause
#include "collective/parts/tree.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "catch.hpp"

namespace orrery::collective {
namespace {

using Make = std::function<TreeNode(int self, int size, int root)>;

struct TreeKind {
  std::string name;
  Make make;
};

const std::vector<TreeKind> tree_kinds{
    {"pipeline",
     [](int self, int size, int root) {
       return chains(self, {size, root}, 1);
     }},
    {"4 chains",
     [](int self, int size, int root) {
       return chains(self, {size, root}, 4);
     }},
    {"binary",
     [](int self, int size, int root) {
       return binary_tree(self, {size, root});
     }},
    {"doubling",
     [](int self, int size, int root) {
       return doubling_tree(self, {size, root});
     }},
    {"in order",
     [](int self, int size, int root) {
       return in_order_tree(self, {size, root});
     }},
    {"4-nomial",
     [](int self, int size, int root) {
       return knomial_tree(self, {size, root}, 4);
     }},
    {"in-order binary", [](int self, int size, int) { return in_order_binary_tree(self, size); }},
    {"3-ary",
     [](int self, int size, int root) {
       return kary_tree(self, {size, root}, 3);
     }},
    {"contiguous 3-nomial",
     [](int self, int size, int root) {
       return contiguous_knomial_tree(self, {size, root}, 3);
     }},
    {"contiguous binomial",
     [](int self, int size, int root) {
       return contiguous_knomial_tree(self, {size, root}, 2);
     }},
    {"descending 3-nomial",
     [](int self, int size, int root) {
       return descending_knomial_tree(self, {size, root}, 3);
     }},
};

/// "0→1 0→2 1→3": every node's children in the order in which they are served.
std::string edges(const Make& make, int size) {
  std::string text;
  for (int rank = 0; rank < size; ++rank) {
    for (const int child : make(rank, size, 0).children) text += concat(text.empty() ? "" : " ", rank, "→", child);
  }
  return text;
}

TEST_CASE("parents and children agree, and every rank but the root has one parent") {
  for (const TreeKind& kind : tree_kinds) {
    for (int size = 1; size <= 40; ++size) {
      for (int root = 0; root < size; ++root) {
        INFO(kind.name << " of " << size << " from " << root);
        std::set<int> served;
        int roots = 0;
        for (int rank = 0; rank < size; ++rank) {
          const TreeNode node = kind.make(rank, size, root);
          roots += node.is_root() ? 1 : 0;
          for (const int child : node.children) {
            REQUIRE(kind.make(child, size, root).parent == rank);
            REQUIRE(served.insert(child).second);
          }
        }
        REQUIRE(roots == 1);
        REQUIRE(static_cast<int>(served.size()) == size - 1);
      }
    }
  }
}

// The drawings of tree.hpp.
TEST_CASE("trees are those that their descriptions draw") {
  CHECK(edges([](int self, int size, int root) { return chains(self, {size, root}, 2); }, 6) == "0→1 0→4 1→2 2→3 4→5");
  CHECK(edges(tree_kinds[2].make, 7) == "0→1 0→2 1→3 1→5 2→4 2→6");
  CHECK(edges(tree_kinds[3].make, 8) == "0→1 0→2 0→4 1→3 1→5 2→6 3→7");
  CHECK(edges(tree_kinds[4].make, 8) == "0→1 0→2 0→4 2→3 4→5 4→6 6→7");
  CHECK(edges(
            [](int self, int size, int root) {
              return knomial_tree(self, {size, root}, 3);
            },
            9) == "0→3 0→6 0→1 0→2 3→4 3→5 6→7 6→8");
  CHECK(edges(
            [](int self, int size, int root) {
              return kary_tree(self, {size, root}, 3);
            },
            7) == "0→1 0→2 0→3 1→4 1→5 1→6");
  CHECK(edges(
            [](int self, int size, int root) {
              return contiguous_knomial_tree(self, {size, root}, 3);
            },
            9) == "0→1 0→4 0→7 0→8 1→2 1→3 4→5 4→6");
  CHECK(edges(
            [](int self, int size, int root) {
              return descending_knomial_tree(self, {size, root}, 3);
            },
            9) == "0→6 0→3 0→2 0→1 3→5 3→4 6→8 6→7");
  CHECK(edges(tree_kinds[6].make, 5) == "1→0 3→2 4→3 4→1");
}

TEST_CASE("in the in-order binary tree a node comes after all of its subtrees") {
  for (int size = 1; size <= 40; ++size) {
    for (int rank = 0; rank < size; ++rank) {
      const TreeNode node = in_order_binary_tree(rank, size);
      int nearer = rank;
      for (const int child : node.children) {
        CHECK(child < nearer);
        nearer = child;
      }
    }
  }
}

}  // namespace
}  // namespace orrery::collective
