// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "mpi/error/errors.hpp"
#include "mpi/topology/topology.hpp"

namespace orrery::mpi {

namespace {

std::vector<int> divisors_of(int number) {
  std::vector<int> small, large;
  for (int i = 1; i <= number / i; ++i) {
    if (number % i != 0) continue;
    small.push_back(i);
    if (i != number / i) large.push_back(number / i);
  }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

/// The largest integer whose `power`-th power is at most `number`.
int root_below(int number, std::size_t power) {
  const auto fits = [&](int root) {
    long long product = 1;
    for (std::size_t i = 0; i < power && product <= number; ++i) product *= root;
    return product <= number;
  };
  int root = static_cast<int>(std::pow(number, 1.0 / static_cast<double>(power)));
  while (root > 1 && !fits(root)) --root;
  while (fits(root + 1)) ++root;
  return root;
}

/// Looks for the factors of a number, not increasing, whose largest and smallest differ least; among these the smallest
/// is as large as can be, then the next to it, and so on. The first factor is tried from small to large, so that
/// the search can stop as soon as even the best distribution of the rest is worse than what is known.
class MostEqual {
 public:
  MostEqual(int number, std::size_t count) : divisors_(divisors_of(number)), factors_(count) {
    choose(number, 0, number);
  }
  [[nodiscard]] const std::vector<int>& factors() const { return best_; }

 private:
  void choose(int rest, std::size_t position, int most) {
    const std::size_t left = factors_.size() - position;
    if (left == 1) {
      if (rest > most) return;
      factors_[position] = rest;
      const bool better =
          best_.empty() || spread(rest) < spread_of_best_ ||
          (spread(rest) == spread_of_best_ &&
           std::lexicographical_compare(best_.rbegin(), best_.rend(), factors_.rbegin(), factors_.rend()));
      if (better) {
        best_ = factors_;
        spread_of_best_ = spread(rest);
      }
      return;
    }
    const int mean = root_below(rest, left);
    for (auto factor = std::lower_bound(divisors_.begin(), divisors_.end(), mean); factor != divisors_.end();
         ++factor) {
      if (*factor > most) return;
      if (rest % *factor != 0) continue;
      factors_[position] = *factor;
      // The smallest of the others is at most their mean.
      if (!best_.empty() && spread(root_below(rest / *factor, left - 1)) > spread_of_best_) return;
      choose(rest / *factor, position + 1, *factor);
    }
  }
  [[nodiscard]] int spread(int smallest) const { return factors_[0] - smallest; }

  std::vector<int> divisors_;
  std::vector<int> factors_;
  std::vector<int> best_;
  int spread_of_best_ = 0;
};

}  // namespace

void dims_create(int nodes, int ndims, int* dims) {
  if (nodes < 1) throw Error{err_arg, concat("a grid of ", nodes, " nodes")};
  if (ndims < 0) throw Error{err_dims, concat("a grid of ", ndims, " dimensions")};
  if (ndims > 0 && dims == nullptr) throw Error{err_arg, "dims is a null pointer"};
  std::size_t open = 0;
  int rest = nodes;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] < 0) throw Error{err_dims, concat("dimension ", i, " is ", dims[i])};
    if (dims[i] == 0) {
      ++open;
    } else if (rest % dims[i] == 0) {
      rest /= dims[i];
    } else {
      throw Error{err_dims, concat("the given dimensions do not divide ", nodes, " nodes")};
    }
  }
  if (open == 0) {
    if (ndims > 0 && rest != 1) throw Error{err_dims, concat("the given dimensions do not make ", nodes, " nodes")};
    return;
  }
  const MostEqual chosen(rest, open);
  auto next = chosen.factors().begin();
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] == 0) dims[i] = *next++;
  }
}

}  // namespace orrery::mpi
