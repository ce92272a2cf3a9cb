// The update rules of the optimizers on plain arrays: one pass that reads gradient, slots and parameter once each,
// vectorized for the instruction set found at run time. No threads, no checks: apply_ops.cc has both.
#pragma once

#include <cstdint>

namespace weir::ops {

enum class UpdateRule {
  kGradientDescent,
  kProximalGradientDescent,
  kAdadelta,
  kAdagrad,
  kAdagradDA,
  kProximalAdagrad,
  kFtrl,
  kFtrlV2,
  kMomentum,
  kKerasMomentum,
  kAdam,
  kAdaMax,
  kRmsProp,
  kCenteredRmsProp,
  kAddSign,
  kPowerSign,
};
constexpr int kMaxUpdateSlots = 4;
constexpr int kMaxUpdateScalars = 6;

// The scalar inputs of the op, in their order, and its boolean attribute (use_nesterov, update_slots,
// multiply_linear_by_lr) where it has one.
template <class F>
struct UpdateScalars {
  F in[kMaxUpdateScalars] = {};
  bool flag = false;
};

// Which rows of the slots meet which rows of the gradient. Row k of the gradient updates row rows[k] (row k when rows
// is null) of every slot, in order; only rows with rows[k] % shards == shard.
struct UpdateRows {
  const int64_t* rows = nullptr;
  int64_t count = 1;
  int64_t width = 0;
  int64_t shard = 0;
  int64_t shards = 1;
};

// slots: the parameter first, then the others as the op names them.
void RunUpdate(UpdateRule rule, const UpdateScalars<float>& scalars, float* const* slots, const float* grad,
               const UpdateRows& rows);
void RunUpdate(UpdateRule rule, const UpdateScalars<double>& scalars, double* const* slots, const double* grad,
               const UpdateRows& rows);

}  // namespace weir::ops
