// CTCLoss: the negative log probability of label sequences, summed over all alignments with the time steps, and its
// gradient with respect to the logits. The last class is the blank. Each row of the batch is computed by the
// forward-backward recursion over the labels with blanks before, between and after them.
#include <cmath>
#include <limits>

#include "absl/strings/str_join.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/nn/log_sum.h"

namespace weir::ops {
namespace {

struct CtcSettings {
  bool collapse_repeated = false;
  bool merge_repeated = true;
  bool ignore_longer = false;
};

using Labels = std::vector<int32_t>;

// The label sequence of each row. The indices must be sorted.
Result<std::vector<Labels>> LabelsByRow(const Tensor& indices, const Tensor& values, int64_t batch) {
  if (indices.rank() != 2 || indices.dim(1) != 2)
    return InvalidArgument("labels_indices must be a matrix with 2 columns, but has the shape {}", indices.shape());
  if (values.rank() != 1 || values.dim(0) != indices.dim(0))
    return InvalidArgument(
        "labels_indices and labels_values must contain the same number of rows, but saw shapes: {} "
        "vs. {}",
        indices.shape(), values.shape());
  std::vector<Labels> rows(static_cast<size_t>(batch));
  const int64_t* at = indices.data<int64_t>();
  for (int64_t i = 0; i < indices.dim(0); ++i, at += 2) {
    if (at[0] < 0 || at[0] >= batch || at[1] < 0)
      return InvalidArgument("label SparseTensor is not valid: indices[{}] = [{},{}] is out of bounds for {} rows", i,
                             at[0], at[1], batch);
    if (i > 0 && (at[0] < at[-2] || (at[0] == at[-2] && at[1] <= at[-1])))
      return InvalidArgument("label SparseTensor is not valid: indices[{}] = [{},{}] is {}", i, at[0], at[1],
                             at[0] == at[-2] && at[1] == at[-1] ? "repeated" : "out of order");
    rows[static_cast<size_t>(at[0])].push_back(values.data<int32_t>()[i]);
  }
  return rows;
}

// The target of one row: its labels up to the first null label (one that is at least the blank), checked.
Result<Labels> CtcTarget(const CtcSettings& how, const Labels& labels, int64_t row, int64_t length, int64_t classes) {
  if (labels.empty()) return InvalidArgument("Labels length is zero in batch {}", row);
  const auto text = [](const Labels& list) { return absl::StrJoin(list, ","); };
  Labels target;
  bool ended = false;
  for (size_t i = 0; i < labels.size(); ++i) {
    if (how.collapse_repeated && i > 0 && labels[i] == labels[i - 1]) continue;
    if (labels[i] >= classes - 1) {
      ended = true;
      continue;
    }
    if (ended)
      return InvalidArgument(
          "Saw a non-null label (index >= num_classes - 1) following a null label, batch: {} "
          "num_classes: {} labels: {} labels seen so far: {}",
          row, classes, text(labels), text(target));
    if (labels[i] < 0)
      return InvalidArgument("All labels must be nonnegative integers, batch: {} labels: {}", row, text(labels));
    target.push_back(labels[i]);
  }
  if (!how.ignore_longer && static_cast<int64_t>(labels.size()) > length)
    return InvalidArgument(
        "Not enough time for target transition sequence (required: {}, available: {}), batch: {}. You "
        "can turn this error into a warning by using the flag ignore_longer_outputs_than_inputs",
        labels.size(), length, row);
  return target;
}

// The logits of one row of the batch and the gradient for them; consecutive time steps are `stride` elements apart.
template <class T>
struct CtcRow {
  const T* logits;
  T* gradient;
  int64_t length, classes, stride;
  Labels path;  // blank, label, blank, ..., label, blank

  int64_t positions() const { return static_cast<int64_t>(path.size()); }
  bool IsBlank(int64_t u) const { return path[static_cast<size_t>(u)] == classes - 1; }
  // Whether a path may go from position u - 2 directly to u.
  bool Skips(int64_t u, bool merge) const {
    return u > 1 && !IsBlank(u) && !(merge && path[static_cast<size_t>(u)] == path[static_cast<size_t>(u - 2)]);
  }
  bool Stays(int64_t u, bool merge) const { return merge || IsBlank(u); }
};

// Writes the probabilities of the classes at each step to `gradient`.
template <class T>
void SoftmaxOfRow(const CtcRow<T>& row) {
  for (int64_t t = 0; t < row.length; ++t) {
    const T* x = row.logits + t * row.stride;
    T* y = row.gradient + t * row.stride;
    const T top = *std::max_element(x, x + row.classes);
    T sum = 0;
    for (int64_t c = 0; c < row.classes; ++c) sum += y[c] = std::exp(x[c] - top);
    for (int64_t c = 0; c < row.classes; ++c) y[c] /= sum;
  }
}

// The loss of one row; turns the probabilities in `gradient` into the gradient. `forward` has length * positions
// elements.
template <class T>
T CtcLossOfRow(const CtcRow<T>& row, bool merge, T* forward) {
  const int64_t n = row.positions();
  const auto log_probability = [&row](int64_t t, int64_t u) {
    return std::log(row.gradient[t * row.stride + row.path[static_cast<size_t>(u)]]);
  };
  std::fill_n(forward, row.length * n, kLogZero<T>);
  for (int64_t u = 0; u < std::min<int64_t>(2, n); ++u) forward[u] = log_probability(0, u);
  for (int64_t t = 1; t < row.length; ++t) {
    const T* before = forward + (t - 1) * n;
    for (int64_t u = 0; u < n; ++u) {
      T sum = row.Stays(u, merge) ? before[u] : kLogZero<T>;
      if (u > 0) sum = LogSum(sum, before[u - 1]);
      if (row.Skips(u, merge)) sum = LogSum(sum, before[u - 2]);
      forward[t * n + u] = sum + log_probability(t, u);
    }
  }
  const T* last = forward + (row.length - 1) * n;
  const T total = n > 1 ? LogSum(last[n - 1], last[n - 2]) : last[0];
  if (total == kLogZero<T>) return -total;  // no path: the gradient stays the probabilities
  // backward[u]: the log probability of all ways to go on from position u after step t.
  std::vector<T> backward(static_cast<size_t>(n), kLogZero<T>), later(static_cast<size_t>(n));
  for (int64_t u = std::max<int64_t>(0, n - 2); u < n; ++u) backward[static_cast<size_t>(u)] = 0;
  std::vector<T> sums(static_cast<size_t>(row.classes));
  for (int64_t t = row.length - 1; t >= 0; --t) {
    if (t + 1 < row.length) {
      for (int64_t u = 0; u < n; ++u)
        later[static_cast<size_t>(u)] = backward[static_cast<size_t>(u)] + log_probability(t + 1, u);
      for (int64_t u = 0; u < n; ++u) {
        T sum = row.Stays(u, merge) ? later[static_cast<size_t>(u)] : kLogZero<T>;
        if (u + 1 < n) sum = LogSum(sum, later[static_cast<size_t>(u + 1)]);
        if (u + 2 < n && row.Skips(u + 2, merge)) sum = LogSum(sum, later[static_cast<size_t>(u + 2)]);
        backward[static_cast<size_t>(u)] = sum;
      }
    }
    // The gradient of step t + 1 replaces its probabilities only now, after the loop above has read them.
    if (t + 1 < row.length)
      for (int64_t c = 0; c < row.classes; ++c) row.gradient[(t + 1) * row.stride + c] -= sums[static_cast<size_t>(c)];
    std::fill(sums.begin(), sums.end(), kLogZero<T>);
    for (int64_t u = 0; u < n; ++u) {
      T& sum = sums[static_cast<size_t>(row.path[static_cast<size_t>(u)])];
      sum = LogSum(sum, forward[t * n + u] + backward[static_cast<size_t>(u)]);
    }
    for (T& sum : sums) sum = std::exp(sum - total);
  }
  for (int64_t c = 0; c < row.classes; ++c) row.gradient[c] -= sums[static_cast<size_t>(c)];
  return -total;
}

struct CtcBatch {
  int64_t steps, rows, classes;
  std::vector<int64_t> lengths;
  std::vector<Labels> targets;
  std::vector<bool> skipped;  // rows whose labels are too many for their length
};

Result<CtcBatch> ReadCtcBatch(KernelContext& ctx, const CtcSettings& how) {
  const Tensor &inputs = ctx.input(0), &lengths = ctx.input(3);
  if (inputs.rank() != 3) return InvalidArgument("inputs is not a 3-Tensor, but has the shape {}", inputs.shape());
  CtcBatch batch{inputs.dim(0), inputs.dim(1), inputs.dim(2), {}, {}, {}};
  if (batch.rows == 0) return InvalidArgument("batch_size must not be 0");
  if (batch.steps == 0) return InvalidArgument("Max time or first dimension of input cannot be 0.");
  if (batch.classes == 0 || batch.classes > std::numeric_limits<int32_t>::max())
    return InvalidArgument(
        "the number of classes must be positive and fit the labels, but the inputs have the shape {}", inputs.shape());
  if (lengths.rank() != 1 || lengths.dim(0) != batch.rows)
    return InvalidArgument("len(sequence_length) != batch_size. len(sequence_length): {} batch_size: {}",
                           lengths.num_elements(), batch.rows);
  WEIR_ASSIGN(const std::vector<Labels> labels, LabelsByRow(ctx.input(1), ctx.input(2), batch.rows));
  for (int64_t row = 0; row < batch.rows; ++row) {
    const int64_t length = lengths.data<int32_t>()[row];
    if (length < 0) return InvalidArgument("seq_len({}) < 0", row);
    if (length > batch.steps) return InvalidArgument("sequence_length({}) <= {}", row, batch.steps);
    const Labels& given = labels[static_cast<size_t>(row)];
    WEIR_ASSIGN(Labels target, CtcTarget(how, given, row, length, batch.classes));
    batch.skipped.push_back(length == 0 || static_cast<int64_t>(target.size()) > length);
    batch.lengths.push_back(length);
    batch.targets.push_back(std::move(target));
  }
  return batch;
}

template <class T>
Result<Kernel> MakeCtcLoss(KernelSetup& setup) {
  CtcSettings how;
  WEIR_ASSIGN(how.collapse_repeated, setup.Attr<bool>("preprocess_collapse_repeated"));
  WEIR_ASSIGN(how.merge_repeated, setup.Attr<bool>("ctc_merge_repeated"));
  WEIR_ASSIGN(how.ignore_longer, setup.Attr<bool>("ignore_longer_outputs_than_inputs"));
  return Kernel::Sync([how](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const CtcBatch batch, ReadCtcBatch(ctx, how));
    WEIR_ASSIGN(const Tensor loss, ctx.Allocate(0, Shape{batch.rows}));
    WEIR_ASSIGN(const Tensor gradient, ctx.Allocate(1, ctx.input(0).shape()));
    loss.ZeroFill();
    gradient.ZeroFill();
    std::vector<Status> errors(static_cast<size_t>(batch.rows));
    const auto compute = [&](int64_t r) -> Status {
      const auto at = static_cast<size_t>(r);
      if (batch.skipped[at]) return OkStatus();
      const int64_t offset = r * batch.classes;
      CtcRow<T> row{ctx.input(0).data<T>() + offset,
                    gradient.data<T>() + offset,
                    batch.lengths[at],
                    batch.classes,
                    batch.rows * batch.classes,
                    {}};
      const auto blank = static_cast<int32_t>(batch.classes - 1);
      for (const int32_t label : batch.targets[at]) row.path.insert(row.path.end(), {blank, label});
      row.path.push_back(blank);
      WEIR_ASSIGN(const Shape shape, Shape::Make({row.length, row.positions()}));
      WEIR_ASSIGN(const Tensor forward, Tensor::Allocate(DTypeOf<T>(), shape));
      SoftmaxOfRow(row);
      loss.data<T>()[r] = CtcLossOfRow(row, how.merge_repeated, forward.data<T>());
      return OkStatus();
    };
    WEIR_TRY(ctx.ParallelFor(batch.rows, 20 * batch.steps * batch.classes,
                             [&](int64_t r) { errors[static_cast<size_t>(r)] = compute(r); }));
    for (const Status& error : errors) WEIR_TRY(error);
    return OkStatus();
  });
}

Status CtcLossShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape inputs, ctx.WithRank(0, 3));
  WEIR_ASSIGN(const PartialShape indices, ctx.WithRank(1, 2));
  WEIR_ASSIGN(const PartialShape values, ctx.WithRank(2, 1));
  WEIR_ASSIGN(const PartialShape lengths, ctx.WithRank(3, 1));
  WEIR_TRY(MergeDims(indices[0], values[0]).status());
  WEIR_ASSIGN(const int64_t batch, MergeDims(inputs[1], lengths[0]));
  ctx.set_output(0, PartialShape{batch});
  ctx.set_output(1, PartialShape{inputs[0], batch, inputs[2]});
  return OkStatus();
}

}  // namespace

void RegisterCtcLoss(OpRegistry& registry) {
  registry.Add({
      .name = "CTCLoss",
      .signature = "inputs: T, labels_indices: int64, labels_values: int32, sequence_length: int32 -> loss: T, "
                   "gradient: T",
      .attrs = {"preprocess_collapse_repeated: bool = false", "ctc_merge_repeated: bool = true",
                "ignore_longer_outputs_than_inputs: bool = false", "T: {float, double} = DT_FLOAT"},
      .shape = CtcLossShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        const Output once = PreventGradient(
            g.output(1), {.message = "The second derivative of CTCLoss is not available: its gradient is computed "
                                     "together with the loss."});
        const Output scale = ExpandDims(ExpandDims(g.d_output(0), 0), -1);  // [1, batch, 1]
        return Gradients{once * scale, std::monostate{}, std::monostate{}, std::monostate{}};
      },
      .kernels = CpuKernels<float, double>(WEIR_FOR_TYPE(MakeCtcLoss)),
  });
}

}  // namespace weir::ops
