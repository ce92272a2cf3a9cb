// Non-maximum suppression that may lower the scores of overlapping boxes instead of dropping them
// (NonMaxSuppressionV5), takes the overlaps as a matrix (NonMaxSuppressionWithOverlaps), or selects boxes of several
// classes per image (CombinedNonMaxSuppression).
#include <cmath>
#include <functional>
#include <limits>
#include <queue>

#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/image/box_overlap.h"

namespace weir::ops {
namespace {

struct SoftLimits {
  int64_t max_output_size = 0;
  float overlap = 0.5f;
  float score = -std::numeric_limits<float>::infinity();
  float sigma = 0;  // 0: overlapping boxes are dropped
};
struct SelectedBox {
  int32_t box;
  float score;
};

// Selects boxes by descending scores. overlap(i, j) compares two of them.
template <class Score, class Compare>
std::vector<SelectedBox> SelectSoftly(int64_t count, const SoftLimits& limits, Score score, Compare overlap) {
  struct Candidate {
    int32_t box;
    float score;
    size_t compared = 0;  // the number of selected boxes that it was compared with
    bool operator<(const Candidate& other) const {
      return score == other.score ? box > other.box : score < other.score;
    }
  };
  std::priority_queue<Candidate> candidates;
  for (int64_t i = 0; i < count; ++i) {
    if (score(i) > limits.score) candidates.push({static_cast<int32_t>(i), score(i)});
  }
  // Like TensorFlow, which flushes denormal numbers to zero.
  const bool soft = limits.sigma >= std::numeric_limits<float>::min();
  const float scale = soft ? -0.5f / limits.sigma : 0;
  std::vector<SelectedBox> selected;
  while (static_cast<int64_t>(selected.size()) < limits.max_output_size && !candidates.empty()) {
    Candidate next = candidates.top();
    candidates.pop();
    const float before = next.score;
    bool dropped = false;
    for (size_t j = selected.size(); j-- > next.compared && !dropped;) {
      const float common = overlap(next.box, selected[j].box);
      if (soft) next.score *= std::exp(scale * common * common);
      // A score that is not a number is dropped, too: it never compares equal and would be tried without end.
      dropped = (!soft && common > limits.overlap) || !(next.score > limits.score);
    }
    if (dropped) continue;
    next.compared = selected.size();
    if (next.score == before) {
      selected.push_back({next.box, next.score});
    } else {
      candidates.push(next);
    }
  }
  return selected;
}

Status CheckBoxes(const Tensor& boxes, const Tensor& scores) {
  if (boxes.rank() != 2 || boxes.dim(1) != 4)
    return InvalidArgument("boxes must be [number, 4], got {}", boxes.shape());
  if (scores.rank() != 1 || scores.dim(0) != boxes.dim(0))
    return InvalidArgument("scores has incompatible shape {} for boxes {}", scores.shape(), boxes.shape());
  return OkStatus();
}

Result<SoftLimits> LimitsOf(const KernelContext& ctx, int size, int overlap, int score) {
  SoftLimits limits;
  if (ctx.input(size).rank() != 0)
    return InvalidArgument("max_output_size must be 0-D, got shape {}", ctx.input(size).shape());
  limits.max_output_size = ctx.input(size).Int(0);
  if (limits.max_output_size < 0)
    return InvalidArgument("max_output_size must be non-negative, got {}", limits.max_output_size);
  WEIR_ASSIGN(limits.overlap, ThresholdOf(ctx.input(overlap), "iou_threshold"));
  WEIR_ASSIGN(limits.score, ThresholdOf(ctx.input(score), "score_threshold"));
  return limits;
}

template <class T>
Result<Kernel> MakeSoft(KernelSetup& setup) {
  WEIR_ASSIGN(const bool pad, setup.Attr<bool>("pad_to_max_output_size"));
  return Kernel::Sync([pad](KernelContext& ctx) -> Status {
    const Tensor &boxes = ctx.input(0), &scores = ctx.input(1);
    WEIR_ASSIGN(SoftLimits limits, LimitsOf(ctx, 2, 3, 4));
    WEIR_ASSIGN(limits.sigma, ThresholdOf(ctx.input(5), "soft_nms_sigma"));
    if (!(limits.overlap >= 0 && limits.overlap <= 1))
      return InvalidArgument("iou_threshold must be in [0, 1], got {}", limits.overlap);
    if (limits.sigma < 0) return InvalidArgument("soft_nms_sigma must be non-negative, got {}", limits.sigma);
    WEIR_TRY(CheckBoxes(boxes, scores));
    const auto selected = SelectSoftly(
        boxes.dim(0), limits, [&](int64_t i) { return static_cast<float>(scores.data<T>()[i]); },
        [&](int64_t i, int64_t j) { return Overlap(boxes.data<T>(), i, j); });
    const auto count = static_cast<int64_t>(selected.size());
    const int64_t size = pad ? limits.max_output_size : count;
    WEIR_ASSIGN(const Tensor indices, ctx.Allocate(0, Shape{size}));
    WEIR_ASSIGN(const Tensor chosen_scores, ctx.Allocate(1, Shape{size}));
    WEIR_ASSIGN(const Tensor valid, ctx.Allocate(2, Shape{}));
    for (int64_t i = 0; i < size; ++i) {
      const SelectedBox box = i < count ? selected[static_cast<size_t>(i)] : SelectedBox{0, 0};
      indices.data<int32_t>()[i] = box.box;
      chosen_scores.data<T>()[i] = static_cast<T>(box.score);
    }
    valid.scalar<int32_t>() = static_cast<int32_t>(count);
    return OkStatus();
  });
}

Result<Kernel> MakeWithOverlaps(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor &overlaps = ctx.input(0), &scores = ctx.input(1);
    WEIR_ASSIGN(const SoftLimits limits, LimitsOf(ctx, 2, 3, 4));
    if (overlaps.rank() != 2 || overlaps.dim(0) != overlaps.dim(1))
      return InvalidArgument("overlaps must be square, got {}", overlaps.shape());
    const int64_t n = overlaps.dim(0);
    if (scores.rank() != 1 || scores.dim(0) != n)
      return InvalidArgument("scores has incompatible shape {} for {} boxes", scores.shape(), n);
    const auto selected = SelectSoftly(
        n, limits, [&](int64_t i) { return scores.data<float>()[i]; },
        [&](int64_t i, int64_t j) { return overlaps.data<float>()[i * n + j]; });
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{static_cast<int64_t>(selected.size())}));
    for (size_t i = 0; i < selected.size(); ++i) out.data<int32_t>()[i] = selected[i].box;
    return OkStatus();
  });
}

// --- several classes

struct CombinedSpec {
  bool per_class = false, clip = true;
};
struct CombinedBox {
  float score;
  int64_t type;
  int32_t box;
};

// The selected boxes of one image, of all classes, by descending scores.
std::vector<CombinedBox> SelectOfImage(const Tensor& boxes, const Tensor& scores, int64_t image,
                                       const SoftLimits& limits) {
  const int64_t n = boxes.dim(1), sets = boxes.dim(2), classes = scores.dim(2);
  const float* from = scores.data<float>() + image * n * classes;
  const float* corners = boxes.data<float>() + image * n * sets * 4;
  std::vector<CombinedBox> all;
  std::vector<float> of_class(static_cast<size_t>(n * 4));
  for (int64_t c = 0; c < classes; ++c) {
    if (c < sets) {
      for (int64_t i = 0; i < n; ++i) std::copy_n(corners + (i * sets + c) * 4, 4, of_class.data() + i * 4);
    }
    const auto selected = SelectSoftly(
        n, limits, [&](int64_t i) { return from[i * classes + c]; },
        [&](int64_t i, int64_t j) { return Overlap(of_class.data(), i, j); });
    for (const SelectedBox& box : selected) all.push_back({box.score, c, box.box});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const CombinedBox& a, const CombinedBox& b) { return a.score > b.score; });
  return all;
}

Status RunCombined(KernelContext& ctx, const CombinedSpec& spec) {
  const Tensor &boxes = ctx.input(0), &scores = ctx.input(1);
  if (boxes.rank() != 4 || boxes.dim(3) != 4)
    return InvalidArgument("boxes must be 4-D with last dimension 4, got {}", boxes.shape());
  if (scores.rank() != 3) return InvalidArgument("scores must be 3-D, got {}", scores.shape());
  if (boxes.dim(0) != scores.dim(0) || boxes.dim(1) != scores.dim(1))
    return InvalidArgument("boxes {} and scores {} have incompatible shapes", boxes.shape(), scores.shape());
  if (boxes.dim(2) != 1 && boxes.dim(2) != scores.dim(2))
    return InvalidArgument("third dimension of boxes must be either 1 or num classes, got {}", boxes.shape());
  WEIR_ASSIGN(const SoftLimits limits, LimitsOf(ctx, 2, 4, 5));
  if (!(limits.overlap >= 0 && limits.overlap <= 1))
    return InvalidArgument("iou_threshold must be in [0, 1], got {}", limits.overlap);
  if (ctx.input(3).rank() != 0)
    return InvalidArgument("max_total_size must be 0-D, got shape {}", ctx.input(3).shape());
  int64_t total = ctx.input(3).Int(0);
  if (total <= 0) return InvalidArgument("max_total_size must be > 0, got {}", total);
  if (spec.per_class) total = std::min(total, limits.max_output_size * scores.dim(2));
  const int64_t batch = boxes.dim(0), sets = boxes.dim(2);
  WEIR_ASSIGN(const Shape shape, Shape::Make({batch, total}));
  WEIR_ASSIGN(const Shape box_shape, Shape::Make({batch, total, 4}));
  WEIR_ASSIGN(const Tensor out_boxes, ctx.Allocate(0, box_shape));
  WEIR_ASSIGN(const Tensor out_scores, ctx.Allocate(1, shape));
  WEIR_ASSIGN(const Tensor out_classes, ctx.Allocate(2, shape));
  WEIR_ASSIGN(const Tensor valid, ctx.Allocate(3, Shape{batch}));
  for (int i = 0; i < 3; ++i) ctx.output(i).ZeroFill();
  return ctx.ParallelFor(batch, boxes.dim(1) * scores.dim(2) * 100, [&](int64_t image) {
    const std::vector<CombinedBox> all = SelectOfImage(boxes, scores, image, limits);
    const int64_t count = std::min<int64_t>(total, static_cast<int64_t>(all.size()));
    for (int64_t i = 0; i < count; ++i) {
      const CombinedBox& chosen = all[static_cast<size_t>(i)];
      const int64_t set = sets == 1 ? 0 : chosen.type;
      const float* from = boxes.data<float>() + ((image * boxes.dim(1) + chosen.box) * sets + set) * 4;
      const int64_t at = image * total + i;
      for (int64_t c = 0; c < 4; ++c)
        out_boxes.data<float>()[at * 4 + c] = spec.clip ? std::clamp(from[c], 0.0f, 1.0f) : from[c];
      out_scores.data<float>()[at] = chosen.score;
      out_classes.data<float>()[at] = static_cast<float>(chosen.type);
    }
    valid.data<int32_t>()[image] = static_cast<int32_t>(count);
  });
}

Result<Kernel> MakeCombined(KernelSetup& setup) {
  CombinedSpec spec;
  WEIR_ASSIGN(spec.per_class, setup.Attr<bool>("pad_per_class"));
  WEIR_ASSIGN(spec.clip, setup.Attr<bool>("clip_boxes"));
  return Kernel::Sync([spec](KernelContext& ctx) { return RunCombined(ctx, spec); });
}

// --- shapes

Status SoftShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape boxes, ctx.WithRank(0, 2));
  WEIR_ASSIGN(const PartialShape scores, ctx.WithRank(1, 1));
  for (int i = 2; i < 6; ++i) WEIR_TRY(ctx.WithRank(i, 0).status());
  WEIR_TRY(MergeDims(boxes.dim(0), scores.dim(0)).status());
  WEIR_TRY(MergeDims(boxes.dim(1), 4).status());
  WEIR_ASSIGN(const bool pad, ctx.Attr<bool>("pad_to_max_output_size"));
  int64_t size = kUnknownDim;
  if (const Tensor* max = ctx.constant(2); pad && max != nullptr && max->num_elements() == 1) {
    size = max->Int(0);
    if (size < 0)
      return InvalidArgument("Dimension size, given by scalar input 2, must be non-negative but is {}", size);
  }
  ctx.set_output(0, PartialShape{size});
  ctx.set_output(1, PartialShape{size});
  ctx.set_output(2, PartialShape::Scalar());
  return OkStatus();
}

Status OverlapsShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape overlaps, ctx.WithRank(0, 2));
  WEIR_ASSIGN(const PartialShape scores, ctx.WithRank(1, 1));
  for (int i = 2; i < 5; ++i) WEIR_TRY(ctx.WithRank(i, 0).status());
  WEIR_ASSIGN(const int64_t n, MergeDims(overlaps.dim(0), scores.dim(0)));
  WEIR_TRY(MergeDims(overlaps.dim(1), n).status());
  ctx.set_output(0, PartialShape{kUnknownDim});
  return OkStatus();
}

Status CombinedShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape boxes, ctx.WithRank(0, 4));
  WEIR_ASSIGN(const PartialShape scores, ctx.WithRank(1, 3));
  for (int i = 2; i < 6; ++i) WEIR_TRY(ctx.WithRank(i, 0).status());
  WEIR_ASSIGN(const int64_t batch, MergeDims(boxes.dim(0), scores.dim(0)));
  WEIR_TRY(MergeDims(boxes.dim(1), scores.dim(1)).status());
  WEIR_TRY(MergeDims(boxes.dim(3), 4).status());
  WEIR_ASSIGN(const bool per_class, ctx.Attr<bool>("pad_per_class"));
  int64_t total = kUnknownDim;
  const Tensor *of_class = ctx.constant(2), *given = ctx.constant(3);
  if (of_class != nullptr && of_class->num_elements() == 1 && of_class->Int(0) < 0)
    return InvalidArgument("Dimension size, given by scalar input 2, must be non-negative but is {}", of_class->Int(0));
  if (given != nullptr && given->num_elements() == 1) {
    if (given->Int(0) <= 0) return InvalidArgument("max_total_size should be > 0, got {}", given->Int(0));
    if (!per_class) {
      total = given->Int(0);
    } else if (of_class != nullptr && of_class->num_elements() == 1 && scores.dim(2) >= 0) {
      total = std::min(given->Int(0), of_class->Int(0) * scores.dim(2));
    }
  }
  ctx.set_output(0, PartialShape{batch, total, 4});
  ctx.set_output(1, PartialShape{batch, total});
  ctx.set_output(2, PartialShape{batch, total});
  ctx.set_output(3, PartialShape{batch});
  return OkStatus();
}

}  // namespace

void RegisterSoftSuppression(OpRegistry& registry) {
  registry.Add({
      .name = "NonMaxSuppressionV5",
      .signature =
          "boxes: T, scores: T, max_output_size: int32, iou_threshold: T, score_threshold: T, soft_nms_sigma: T "
          "-> selected_indices: int32, selected_scores: T, valid_outputs: int32",
      .attrs = {"T: {half, float} = DT_FLOAT", "pad_to_max_output_size: bool = false"},
      .shape = SoftShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<half, float>(WEIR_FOR_TYPE(MakeSoft)),
  });
  registry.Add({
      .name = "NonMaxSuppressionWithOverlaps",
      .signature = "overlaps: float, scores: float, max_output_size: int32, overlap_threshold: float, score_threshold: "
                   "float -> selected_indices: int32",
      .shape = OverlapsShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeWithOverlaps),
  });
  registry.Add({
      .name = "CombinedNonMaxSuppression",
      .signature = "boxes: float, scores: float, max_output_size_per_class: int32, max_total_size: int32, "
                   "iou_threshold: float, score_threshold: float -> nmsed_boxes: float, nmsed_scores: float, "
                   "nmsed_classes: float, valid_detections: int32",
      .attrs = {"pad_per_class: bool = false", "clip_boxes: bool = true"},
      .shape = CombinedShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeCombined),
  });
}

}  // namespace weir::ops
