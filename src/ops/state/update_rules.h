// The update rules of the optimizers on plain arrays: one pass that reads gradient, slots and parameter once each,
// vectorized for the instruction set found at run time. No threads, no checks: apply_ops.cc does both.
#pragma once

#include <cstdint>

namespace weir::ops {

enum class UpdateRule {
  kGradientDescent,
  kProximalGradientDescent,
  kAdadelta,
  kAdagrad,
  kAdagradV2,
  kAdagradDA,
  kProximalAdagrad,
  kFtrl,
  kFtrlV2,
  kMomentum,
  kKerasMomentum,
  kAdam,
  kAdamWithAmsgrad,
  kAdaMax,
  kRmsProp,
  kCenteredRmsProp,
  kAddSign,
  kPowerSign,
};
constexpr int kMaxUpdateSlots = 4;
constexpr int kMaxUpdateScalars = 6;

// The scalar inputs of the op, in order, and its boolean attribute, if it has one (use_nesterov, update_slots,
// multiply_linear_by_lr).
template <class F>
struct UpdateScalars {
  F in[kMaxUpdateScalars] = {};
  bool flag = false;
};

// Row k of the gradient updates row rows[k] of every slot (row k if `rows` is null), in order of k. Only rows with
// rows[k] % shards == shard are updated.
struct UpdateRows {
  const int64_t* rows = nullptr;
  int64_t count = 1;
  int64_t width = 0;
  int64_t shard = 0;
  int64_t shards = 1;
};

// `slots`: the parameter first, then the others in the order of the op's inputs.
void RunUpdate(UpdateRule rule, const UpdateScalars<float>& scalars, float* const* slots, const float* grad,
               const UpdateRows& rows);
void RunUpdate(UpdateRule rule, const UpdateScalars<double>& scalars, double* const* slots, const double* grad,
               const UpdateRows& rows);

}  // namespace weir::ops
