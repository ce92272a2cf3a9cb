#include "ops/math/broadcast.h"

#include <algorithm>

namespace weir::ops {

Result<BroadcastPlan> BroadcastPlan::Make(std::initializer_list<const Shape*> inputs) {
  WEIR_CHECK(inputs.size() <= kMaxInputs, inputs.size());
  int rank = 0;
  for (const Shape* s : inputs) rank = std::max(rank, s->rank());
  auto incompatible = [&] {
    std::string text;
    for (const Shape* s : inputs) text += (text.empty() ? "" : " vs. ") + s->ToString();
    return InvalidArgument("Incompatible shapes: {}", text);
  };

  DimVector full(rank, 1);
  for (const Shape* s : inputs) {
    for (int d = 0; d < s->rank(); ++d) {
      int64_t& size = full[rank - s->rank() + d];
      if (s->dim(d) == size || s->dim(d) == 1) continue;
      if (size != 1) return incompatible();
      size = s->dim(d);
    }
  }
  BroadcastPlan plan;
  WEIR_ASSIGN(plan.shape_, Shape::Make(full));
  if (plan.shape_.num_elements() == 0) {
    plan.dims_ = {0};
    plan.strides_ = {Offsets{}};
    return plan;
  }

  // From the innermost dimension outwards. Merge a dimension with the previous one if each input varies along both or
  // neither.
  Offsets elements;  // per input: number of elements within the current dimension
  elements.fill(1);
  std::array<bool, kMaxInputs> moving{};
  for (int d = rank - 1; d >= 0; --d) {
    if (full[d] == 1) continue;
    std::array<bool, kMaxInputs> moves{};
    Offsets stride{};
    int i = 0;
    for (const Shape* s : inputs) {
      const int own = d - (rank - s->rank());
      moves[i] = own >= 0 && s->dim(own) != 1;
      stride[i] = moves[i] ? elements[i] : 0;
      if (moves[i]) elements[i] *= full[d];
      ++i;
    }
    if (!plan.dims_.empty() && moves == moving) {
      plan.dims_.back() *= full[d];
    } else {
      plan.dims_.push_back(full[d]);
      plan.strides_.push_back(stride);
      moving = moves;
    }
  }
  if (plan.dims_.empty()) {
    plan.dims_ = {1};
    plan.strides_ = {Offsets{}};
  }
  std::reverse(plan.dims_.begin(), plan.dims_.end());
  std::reverse(plan.strides_.begin(), plan.strides_.end());
  return plan;
}

}  // namespace weir::ops
