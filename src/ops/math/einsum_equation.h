// The equation of an Einsum: "ab,bc->ac", "...ij,...jk->...ik", "ii->i". One or two inputs and exactly one output; a
// label is any character but ',' and '.'; "..." stands for any number of dimensions that broadcast.
#ifndef WEIR_OPS_MATH_EINSUM_EQUATION_H_
#define WEIR_OPS_MATH_EINSUM_EQUATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/shape.h"

namespace weir::ops {

// The labels of one tensor in order. An ellipsis stands between `before` and `after`.
struct Subscripts {
  std::string before;
  std::string after;
  bool ellipsis = false;

  static Result<Subscripts> Parse(std::string_view text);
  std::string ToString() const { return before + (ellipsis ? "..." : "") + after; }
  int num_labels() const { return static_cast<int>(before.size() + after.size()); }
  bool Has(char label) const {
    return before.find(label) != std::string::npos || after.find(label) != std::string::npos;
  }
  bool HasRepeated() const;
  // How many dimensions the ellipsis stands for in a tensor of that rank; an error when the rank does not fit.
  Result<int> EllipsisRank(int rank, int input) const;
};

struct EinsumEquation {
  std::vector<Subscripts> inputs;
  Subscripts output;

  // REQUIRES nothing: the text comes from a user.
  static Result<EinsumEquation> Parse(std::string_view text, int num_inputs);
};

// Labels as numbers: those of the equation as characters, those of ellipses from kFirstEllipsisLabel on, counted from
// the last dimension: dimensions that broadcast against each other have one label.
constexpr int kFirstEllipsisLabel = 256;
// The labels of all dimensions of a tensor of that rank.
Result<std::vector<int>> LabelDimensions(const Subscripts& subscripts, int rank, int input);
// The labels of the output, when ellipses stand for `ellipsis_rank` dimensions.
Result<std::vector<int>> LabelOutput(const Subscripts& output, int ellipsis_rank);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_EINSUM_EQUATION_H_
