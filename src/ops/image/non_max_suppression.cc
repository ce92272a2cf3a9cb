// NonMaxSuppression and its versions: select the boxes with the highest scores, dropping those that overlap a selected
// one too much. A box is given by two opposite corners, in any order. If scores are equal, the first box is selected.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/image/box_overlap.h"

namespace weir::ops {
namespace {

struct Limits {
  int64_t max_output_size = 0;
  float iou = 0.5f;
  float score = -std::numeric_limits<float>::infinity();
};

template <class T>
Result<std::vector<int32_t>> Select(const Tensor& boxes, const Tensor& scores, const Limits& limits) {
  if (boxes.rank() != 2 || boxes.dim(1) != 4)
    return InvalidArgument("boxes must be [number, 4], got {}", boxes.shape());
  if (scores.rank() != 1 || scores.dim(0) != boxes.dim(0))
    return InvalidArgument("scores has incompatible shape {} for boxes {}", scores.shape(), boxes.shape());
  if (limits.max_output_size < 0)
    return InvalidArgument("max_output_size must be non-negative, got {}", limits.max_output_size);
  if (!(limits.iou >= 0 && limits.iou <= 1))
    return InvalidArgument("iou_threshold must be in [0, 1], got {}", limits.iou);
  const T* score = scores.data<T>();
  std::vector<int32_t> order;
  for (int64_t i = 0; i < scores.num_elements(); ++i) {
    if (static_cast<float>(score[i]) > limits.score) order.push_back(static_cast<int32_t>(i));
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return static_cast<float>(score[a]) > static_cast<float>(score[b]); });
  std::vector<int32_t> chosen;
  for (const int32_t i : order) {
    if (static_cast<int64_t>(chosen.size()) >= limits.max_output_size) break;
    const bool free = std::none_of(chosen.begin(), chosen.end(),
                                   [&](int32_t j) { return Overlap(boxes.data<T>(), i, j) > limits.iou; });
    if (free) chosen.push_back(i);
  }
  return chosen;
}

// Inputs: boxes, scores, max_output_size, from V2 on iou_threshold, from V3 on score_threshold. V4 also outputs the
// number of selected boxes, and can pad with zeros.
template <class T>
Result<Kernel> MakeSuppress(KernelSetup& setup) {
  Limits base;
  if (setup.HasAttr("iou_threshold")) {
    WEIR_ASSIGN(base.iou, setup.Attr<float>("iou_threshold"));
  }
  bool pad = false;
  if (setup.HasAttr("pad_to_max_output_size")) {
    WEIR_ASSIGN(pad, setup.Attr<bool>("pad_to_max_output_size"));
  }
  return Kernel::Sync([base, pad](KernelContext& ctx) -> Status {
    Limits limits = base;
    if (ctx.input(2).rank() != 0)
      return InvalidArgument("max_output_size must be 0-D, got shape {}", ctx.input(2).shape());
    limits.max_output_size = ctx.input(2).Int(0);
    if (ctx.num_inputs() > 3) {
      WEIR_ASSIGN(limits.iou, ThresholdOf(ctx.input(3), "iou_threshold"));
    }
    if (ctx.num_inputs() > 4) {
      WEIR_ASSIGN(limits.score, ThresholdOf(ctx.input(4), "score_threshold"));
    }
    WEIR_ASSIGN(std::vector<int32_t> chosen, Select<T>(ctx.input(0), ctx.input(1), limits));
    const auto count = static_cast<int32_t>(chosen.size());
    const int64_t size = pad ? std::max<int64_t>(limits.max_output_size, count) : count;
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{size}));
    std::fill_n(out.data<int32_t>(), size, 0);
    std::copy(chosen.begin(), chosen.end(), out.data<int32_t>());
    if (ctx.num_outputs() > 1) {
      WEIR_ASSIGN(const Tensor valid, ctx.Allocate(1, Shape{}));
      valid.scalar<int32_t>() = count;
    }
    return OkStatus();
  });
}

Status SuppressedShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape boxes, ctx.WithRank(0, 2));
  WEIR_ASSIGN(const PartialShape scores, ctx.WithRank(1, 1));
  for (int i = 2; i < ctx.num_inputs(); ++i) WEIR_TRY(ctx.WithRank(i, 0).status());
  WEIR_TRY(MergeDims(boxes.dim(0), scores.dim(0)).status());
  WEIR_TRY(MergeDims(boxes.dim(1), 4).status());
  int64_t size = kUnknownDim;
  if (const Result<bool> pad = ctx.Attr<bool>("pad_to_max_output_size"); pad.ok() && *pad) {
    if (const Tensor* max = ctx.constant(2); max != nullptr && max->num_elements() == 1) {
      size = max->Int(0);
      if (size < 0)
        return InvalidArgument("Dimension size, given by scalar input 2, must be non-negative but is {}", size);
    }
  }
  ctx.set_output(0, PartialShape{size});
  if (ctx.num_outputs() > 1) ctx.set_output(1, PartialShape::Scalar());
  return OkStatus();
}

}  // namespace

void RegisterNonMaxSuppression(OpRegistry& registry) {
  const std::vector<std::string> types = {"T: {half, float} = DT_FLOAT", "T_threshold: {half, float} = DT_FLOAT"};
  registry.Add({
      .name = "NonMaxSuppression",
      .signature = "boxes: float, scores: float, max_output_size: int32 -> selected_indices: int32",
      .attrs = {"iou_threshold: float = 0.5"},
      .shape = SuppressedShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSuppress<float>),
  });
  registry.Add({
      .name = "NonMaxSuppressionV2",
      .signature = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold -> selected_indices: int32",
      .attrs = types,
      .shape = SuppressedShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<half, float>(WEIR_FOR_TYPE(MakeSuppress)),
  });
  registry.Add({
      .name = "NonMaxSuppressionV3",
      .signature = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, "
                   "score_threshold: T_threshold -> selected_indices: int32",
      .attrs = types,
      .shape = SuppressedShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<half, float>(WEIR_FOR_TYPE(MakeSuppress)),
  });
  registry.Add({
      .name = "NonMaxSuppressionV4",
      .signature = "boxes: T, scores: T, max_output_size: int32, iou_threshold: T_threshold, "
                   "score_threshold: T_threshold -> selected_indices: int32, valid_outputs: int32",
      .attrs = {types[0], types[1], "pad_to_max_output_size: bool = false"},
      .shape = SuppressedShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<half, float>(WEIR_FOR_TYPE(MakeSuppress)),
  });
}

}  // namespace weir::ops
