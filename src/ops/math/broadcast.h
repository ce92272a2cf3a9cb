// BroadcastPlan: aligns the elements of two or three inputs as in NumPy broadcasting. Dimensions are merged where
// possible, so that the work consists of long runs in which each input either advances or stays at one element.
#pragma once

#include <array>
#include <initializer_list>

#include "tensor/shape.h"

namespace weir::ops {

class BroadcastPlan final {
 public:
  static constexpr int kMaxInputs = 3;
  using Offsets = std::array<int64_t, kMaxInputs>;

  // Error: "Incompatible shapes: [2] vs. [3]".
  static Result<BroadcastPlan> Make(std::initializer_list<const Shape*> inputs);

  const Shape& shape() const { return shape_; }
  // Returns whether input i stays at one element within a run.
  bool is_scalar_in_run(int i) const { return strides_.back()[i] == 0; }
  int64_t run_length() const { return dims_.back(); }

  // Calls run(offsets of the inputs, offset of the output, count) for runs that cover the output elements [begin, end).
  template <class F>
  void ForRuns(int64_t begin, int64_t end, F&& run) const;

 private:
  Shape shape_;
  absl::InlinedVector<int64_t, 4> dims_;     // of the output, merged, outermost first; never empty
  absl::InlinedVector<Offsets, 4> strides_;  // per dimension, in elements; 0 where the input stays
};

template <class F>
void BroadcastPlan::ForRuns(int64_t begin, int64_t end, F&& run) const {
  if (begin >= end) return;
  const int last = static_cast<int>(dims_.size()) - 1;
  absl::InlinedVector<int64_t, 4> index(dims_.size());
  Offsets at{};
  int64_t rest = begin;
  for (int d = last; d >= 0; --d) {
    index[d] = rest % dims_[d];
    rest /= dims_[d];
    for (int i = 0; i < kMaxInputs; ++i) at[i] += index[d] * strides_[d][i];
  }
  for (int64_t out = begin; out < end;) {
    const int64_t count = std::min(dims_[last] - index[last], end - out);
    run(at, out, count);
    out += count;
    index[last] += count;
    for (int i = 0; i < kMaxInputs; ++i) at[i] += count * strides_[last][i];
    for (int d = last; d > 0 && index[d] == dims_[d]; --d) {
      index[d] = 0;
      ++index[d - 1];
      for (int i = 0; i < kMaxInputs; ++i) at[i] += strides_[d - 1][i] - dims_[d] * strides_[d][i];
    }
  }
}

}  // namespace weir::ops
