// CTCGreedyDecoder and CTCBeamSearchDecoder: label sequences for the outputs of a network that was trained with
// CTCLoss. The last class is the blank. Results are sparse matrices, one row per row of the batch.
#include <atomic>
#include <cmath>
#include <deque>

#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/nn/log_sum.h"

namespace weir::ops {
namespace {

using LabelList = std::vector<int64_t>;

Status CheckDecoderInputs(KernelContext& ctx) {
  const Tensor &inputs = ctx.input(0), &lengths = ctx.input(1);
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor, but has the shape {}", inputs.shape());
  if (inputs.num_elements() == 0)
    return InvalidArgument("inputs must not be empty, but have the shape {}", inputs.shape());
  if (lengths.rank() != 1) return InvalidArgument("sequence_length is not a vector");
  if (lengths.dim(0) != inputs.dim(1))
    return FailedPrecondition("len(sequence_length) != batch_size. len(sequence_length): {} batch_size: {}",
                              lengths.num_elements(), inputs.dim(1));
  for (int64_t row = 0; row < lengths.dim(0); ++row)
    if (lengths.data<int32_t>()[row] > inputs.dim(0))
      return FailedPrecondition("sequence_length({}) <= {}", row, inputs.dim(0));
  return OkStatus();
}

// Sets the outputs indices, values and shape of a sparse matrix; they are `stride` apart.
Status SetSparseRows(KernelContext& ctx, int first, int stride, const std::vector<LabelList>& rows) {
  int64_t count = 0, longest = 0;
  for (const LabelList& row : rows) {
    count += static_cast<int64_t>(row.size());
    longest = std::max(longest, static_cast<int64_t>(row.size()));
  }
  WEIR_ASSIGN(const Tensor indices, ctx.Allocate(first, Shape{count, 2}));
  WEIR_ASSIGN(const Tensor values, ctx.Allocate(first + stride, Shape{count}));
  WEIR_ASSIGN(const Tensor shape, ctx.Allocate(first + 2 * stride, Shape{2}));
  auto *at = indices.data<int64_t>(), *value = values.data<int64_t>();
  for (size_t r = 0; r < rows.size(); ++r) {
    for (size_t i = 0; i < rows[r].size(); ++i) {
      *at++ = static_cast<int64_t>(r);
      *at++ = static_cast<int64_t>(i);
      *value++ = rows[r][i];
    }
  }
  shape.data<int64_t>()[0] = static_cast<int64_t>(rows.size());
  shape.data<int64_t>()[1] = longest;
  return OkStatus();
}

template <class T>
Result<Kernel> MakeCtcGreedy(KernelSetup& setup) {
  WEIR_ASSIGN(const bool merge, setup.Attr<bool>("merge_repeated"));
  return Kernel::Sync([merge](KernelContext& ctx) -> Status {
    WEIR_TRY(CheckDecoderInputs(ctx));
    const Tensor& inputs = ctx.input(0);
    const int64_t batch = inputs.dim(1), classes = inputs.dim(2);
    WEIR_ASSIGN(const Tensor score, ctx.Allocate(3, Shape{batch, 1}));
    std::vector<LabelList> rows(static_cast<size_t>(batch));
    for (int64_t r = 0; r < batch; ++r) {
      T sum = 0;
      int64_t last = -1;
      for (int64_t t = 0; t < ctx.input(1).data<int32_t>()[r]; ++t) {
        const T* x = inputs.data<T>() + (t * batch + r) * classes;
        const int64_t best = std::max_element(x, x + classes) - x;
        sum -= x[best];
        if (best != classes - 1 && !(merge && best == last)) rows[static_cast<size_t>(r)].push_back(best);
        last = best;
      }
      score.data<T>()[r] = sum;
    }
    return SetSparseRows(ctx, 0, 1, rows);
  });
}

// --- beam search ---

// Log probabilities of all paths to a prefix: those that end with a blank, and those that end with its last label.
template <class T>
struct PrefixScore {
  T total = kLogZero<T>;
  T blank = total;
  T label = total;
};

// A prefix of labels, in a tree. It is active while it is in the beam.
template <class T>
struct Prefix {
  Prefix* parent = nullptr;  // null for the empty prefix
  int64_t label = -1;
  PrefixScore<T> before, now;
  std::vector<Prefix*> children = {};

  bool active() const { return now.total != kLogZero<T>; }
};

// Bounds the memory of a beam that is wider than any useful one.
constexpr size_t kMaxPrefixes = size_t{1} << 24;

// The beam of one row of the batch.
template <class T>
class PrefixBeam {
 public:
  PrefixBeam(int64_t width, int64_t classes) : width_(static_cast<size_t>(width)), classes_(classes) {
    Prefix<T>& root = tree_.emplace_back();
    root.now.total = root.now.blank = 0;
    Push(&root);
  }

  // Extends the prefixes by one time step.
  void Step(const T* x) {
    const T top = *std::max_element(x, x + classes_);
    T sum = 0;
    for (int64_t c = 0; c < classes_; ++c) sum += std::exp(x[c] - top);
    const T norm = top + std::log(sum);
    const std::vector<Prefix<T>*> branches = Ranked();
    beam_.clear();
    for (Prefix<T>* p : branches) p->before = p->now;
    for (Prefix<T>* p : branches) {
      if (p->parent != nullptr) {
        if (p->parent->active())
          p->now.label =
              LogSum(p->now.label, p->label == p->parent->label ? p->parent->before.blank : p->parent->before.total);
        p->now.label += x[p->label] - norm;
      }
      p->now.blank = p->before.total + x[classes_ - 1] - norm;
      p->now.total = LogSum(p->now.blank, p->now.label);
      Push(p);
    }
    for (Prefix<T>* p : branches)
      if (IsCandidate(p->before.total)) Grow(p, x, norm);
  }

  // Whether the tree has become too large; some prefixes are then missing.
  bool full() const { return tree_.size() >= kMaxPrefixes; }

  // The prefixes in the beam, most likely first.
  std::vector<Prefix<T>*> Ranked() const {
    std::vector<Prefix<T>*> ranked = beam_;
    std::stable_sort(ranked.begin(), ranked.end(), Better);
    return ranked;
  }

 private:
  static bool Better(const Prefix<T>* a, const Prefix<T>* b) { return a->now.total > b->now.total; }

  void Push(Prefix<T>* p) {
    beam_.push_back(p);
    std::push_heap(beam_.begin(), beam_.end(), Better);
  }

  // The least likely prefix is at the front of the heap.
  bool IsCandidate(T total) const {
    return total > kLogZero<T> && (beam_.size() < width_ || total > beam_.front()->now.total);
  }

  void Grow(Prefix<T>* p, const T* x, T norm) {
    for (int64_t label = 0; label + 1 < classes_; ++label) {
      const auto found =
          std::find_if(p->children.begin(), p->children.end(), [&](Prefix<T>* c) { return c->label == label; });
      if (found != p->children.end() && (*found)->active()) continue;
      PrefixScore<T> score;
      score.label = score.total = x[label] - norm + (label == p->label ? p->before.blank : p->before.total);
      Prefix<T>* child = found == p->children.end() ? nullptr : *found;
      if (!IsCandidate(score.total)) {
        // As in TensorFlow, a prefix that has left the beam in this step and does not return has no children in this
        // step.
        if (child != nullptr) child->before = {};
        continue;
      }
      if (child == nullptr) {
        if (full()) return;
        child = &tree_.emplace_back();
        child->parent = p;
        child->label = label;
        p->children.push_back(child);
      }
      if (beam_.size() == width_) {
        std::pop_heap(beam_.begin(), beam_.end(), Better);
        beam_.back()->now = {};
        beam_.pop_back();
      }
      child->now = score;
      Push(child);
    }
  }

  const size_t width_;
  const int64_t classes_;
  std::deque<Prefix<T>> tree_;
  std::vector<Prefix<T>*> beam_;  // a heap
};

template <class T>
LabelList LabelsOf(const Prefix<T>* prefix, bool merge) {
  LabelList labels;
  int64_t next = -1;
  for (; prefix->parent != nullptr; prefix = prefix->parent) {
    if (!merge || prefix->label != next) labels.push_back(prefix->label);
    next = prefix->label;
  }
  std::reverse(labels.begin(), labels.end());
  return labels;
}

template <class T>
Result<Kernel> MakeCtcBeamSearch(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t width, setup.Attr<int64_t>("beam_width"));
  WEIR_ASSIGN(const int64_t paths, setup.Attr<int64_t>("top_paths"));
  WEIR_ASSIGN(const bool merge, setup.Attr<bool>("merge_repeated"));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    WEIR_TRY(CheckDecoderInputs(ctx));
    if (paths > width) return InvalidArgument("requested more paths than the beam width.");
    const Tensor& inputs = ctx.input(0);
    const int64_t batch = inputs.dim(1), classes = inputs.dim(2);
    WEIR_ASSIGN(const Shape shape, Shape::Make({batch, paths}));
    std::vector<std::vector<LabelList>> found(static_cast<size_t>(batch));
    std::vector<std::vector<T>> scores(static_cast<size_t>(batch));
    std::atomic<bool> full = false;
    const auto decode = [&](int64_t r) {
      PrefixBeam<T> beam(width, classes);
      for (int64_t t = 0; t < ctx.input(1).data<int32_t>()[r] && !ctx.cancel().cancelled(); ++t)
        beam.Step(inputs.data<T>() + (t * batch + r) * classes);
      if (beam.full()) full = true;
      for (const Prefix<T>* prefix : beam.Ranked()) {
        if (static_cast<int64_t>(found[static_cast<size_t>(r)].size()) == paths) break;
        found[static_cast<size_t>(r)].push_back(LabelsOf(prefix, merge));
        scores[static_cast<size_t>(r)].push_back(prefix->now.total);
      }
    };
    WEIR_TRY(ctx.ParallelFor(batch, 20 * inputs.dim(0) * classes * std::min<int64_t>(width, 100), decode));
    if (ctx.cancel().cancelled()) return ctx.cancel().reason();
    if (full) return ResourceExhausted("a beam of width {} needs more than {} prefixes", width, kMaxPrefixes);
    for (const auto& row : found)
      if (static_cast<int64_t>(row.size()) < paths)
        return InvalidArgument("Less leaves in the beam search than requested.");
    WEIR_ASSIGN(const Tensor score, ctx.Allocate(static_cast<int>(3 * paths), shape));
    for (int64_t p = 0; p < paths; ++p) {
      std::vector<LabelList> rows;
      for (int64_t r = 0; r < batch; ++r) {
        rows.push_back(found[static_cast<size_t>(r)][static_cast<size_t>(p)]);
        score.data<T>()[r * paths + p] = scores[static_cast<size_t>(r)][static_cast<size_t>(p)];
      }
      WEIR_TRY(SetSparseRows(ctx, static_cast<int>(p), static_cast<int>(paths), rows));
    }
    return OkStatus();
  });
}

Status DecoderShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape inputs, ctx.WithRank(0, 3));
  WEIR_ASSIGN(const PartialShape lengths, ctx.WithRank(1, 1));
  WEIR_ASSIGN(const int64_t batch, MergeDims(inputs[1], lengths[0]));
  const int count = (ctx.num_outputs() - 1) / 3;  // paths
  for (int p = 0; p < count; ++p) {
    ctx.set_output(p, PartialShape{kUnknownDim, 2});
    ctx.set_output(count + p, PartialShape{kUnknownDim});
    ctx.set_output(2 * count + p, PartialShape{2});
  }
  ctx.set_output(3 * count, PartialShape{batch, count});
  return OkStatus();
}

}  // namespace

void RegisterCtcDecoders(OpRegistry& registry) {
  registry.Add({
      .name = "CTCGreedyDecoder",
      .signature = "inputs: T, sequence_length: int32 -> decoded_indices: int64, decoded_values: int64, "
                   "decoded_shape: int64, log_probability: T",
      .attrs = {"merge_repeated: bool = false", "T: {float, double} = DT_FLOAT"},
      .shape = DecoderShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<float, double>(WEIR_FOR_TYPE(MakeCtcGreedy)),
  });
  registry.Add({
      .name = "CTCBeamSearchDecoder",
      .signature = "inputs: T, sequence_length: int32 -> decoded_indices: top_paths * int64, decoded_values: top_paths "
                   "* int64, decoded_shape: top_paths * int64, log_probability: T",
      .attrs = {"beam_width: int >= 1", "top_paths: int >= 1", "merge_repeated: bool = true",
                "T: {float, double} = DT_FLOAT"},
      .shape = DecoderShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<float, double>(WEIR_FOR_TYPE(MakeCtcBeamSearch)),
  });
}

}  // namespace weir::ops
