// The equation of an Einsum: "ab,bc->ac", "...ij,...jk->...ik", "ii->i". One or two inputs and exactly one output. A
// label is any character but ',' and '.'; "..." stands for any number of dimensions that broadcast.
#ifndef WEIR_OPS_MATH_EINSUM_EQUATION_H_
#define WEIR_OPS_MATH_EINSUM_EQUATION_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/shape.h"

namespace weir::ops {

// The labels of one tensor in order. If there is an ellipsis, it is between `before` and `after`.
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
  // The number of dimensions that the ellipsis stands for in a tensor of this rank. An error if the rank does not
  // match.
  Result<int> EllipsisRank(int rank, int input) const;
};

struct EinsumEquation {
  std::vector<Subscripts> inputs;
  Subscripts output;

  // `text` comes from the user and may be anything.
  static Result<EinsumEquation> Parse(std::string_view text, int num_inputs);
};

// Labels as numbers. Labels of the equation are characters. Ellipsis dimensions are numbered from kFirstEllipsisLabel
// on, starting at the last dimension, so that dimensions that broadcast against each other have the same label.
constexpr int kFirstEllipsisLabel = 256;
// The labels of all dimensions of a tensor of this rank.
Result<std::vector<int>> LabelDimensions(const Subscripts& subscripts, int rank, int input);
// The labels of the output if ellipses stand for `ellipsis_rank` dimensions.
Result<std::vector<int>> LabelOutput(const Subscripts& output, int ellipsis_rank);

}  // namespace weir::ops

#endif  // WEIR_OPS_MATH_EINSUM_EQUATION_H_
