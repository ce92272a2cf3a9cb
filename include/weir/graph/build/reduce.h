// Reductions over literal axes, as gradients and models write them: ReduceSum(dy * y, -1, kKeepDims), ReduceMean(loss).
// Errors stay with the graph's build state.
#pragma once

#include <initializer_list>
#include <vector>

#include "weir/graph/input.h"

namespace weir {

constexpr bool kKeepDims = true;

// Which axes: a number, a list, or all of them; negative ones count from the end.
class Axes {
 public:
  Axes() : all_(true) {}
  Axes(int axis) : axes_{axis} {}
  Axes(int64_t axis) : axes_{axis} {}
  Axes(std::initializer_list<int64_t> axes) : axes_(axes) {}
  Axes(std::vector<int64_t> axes) : axes_(std::move(axes)) {}
  bool all() const { return all_; }
  const std::vector<int64_t>& axes() const { return axes_; }

 private:
  bool all_ = false;
  std::vector<int64_t> axes_;
};

Output ReduceSum(Output x, const Axes& axes = {}, bool keep_dims = false);
Output ReduceMean(Output x, const Axes& axes = {}, bool keep_dims = false);
Output ReduceProd(Output x, const Axes& axes = {}, bool keep_dims = false);
Output ReduceMax(Output x, const Axes& axes = {}, bool keep_dims = false);
Output ReduceMin(Output x, const Axes& axes = {}, bool keep_dims = false);
Output ReduceAll(Output x, const Axes& axes = {}, bool keep_dims = false);
Output ReduceAny(Output x, const Axes& axes = {}, bool keep_dims = false);

// The axes as an input of a reduction op on x: a constant, or 0..rank-1 where the rank is not known before the run.
Input AxesInput(Output x, const Axes& axes);

}  // namespace weir
