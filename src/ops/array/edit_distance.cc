// EditDistance: the Levenshtein distance between sequences in two sparse tensors. The last dimension is the position in
// a sequence; the others identify the sequence.
#include <limits>
#include <map>

#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"
#include "ops/array/strided_copy.h"

namespace weir::ops {
namespace {

struct Sparse {
  Tensor indices, values;
  Ints shape;
  // The values of the sequence at each flat position of the output, in order.
  std::map<int64_t, std::vector<int64_t>> sequences;
};

bool SameElement(const Elements& elements, const Tensor& a, int64_t i, const Tensor& b, int64_t j) {
  if (a.dtype() == kString) return a.data<std::string>()[i] == b.data<std::string>()[j];
  if (a.dtype() == kFloat) return a.data<float>()[i] == b.data<float>()[j];
  if (a.dtype() == kDouble) return a.data<double>()[i] == b.data<double>()[j];
  return std::memcmp(elements.At(a, i), elements.At(b, j), elements.size()) == 0;
}

Result<Sparse> ReadSparse(KernelContext& ctx, int first, const char* what) {
  Sparse s{ctx.input(first), ctx.input(first + 1), {}, {}};
  if (s.indices.rank() != 2)
    return InvalidArgument("{}_indices should be a matrix, but got shape {}", what, s.indices.shape());
  if (s.values.rank() != 1)
    return InvalidArgument("{}_values should be a vector, but got shape {}", what, s.values.shape());
  if (ctx.input(first + 2).rank() != 1)
    return InvalidArgument("{}_shape should be a vector, but got shape {}", what, ctx.input(first + 2).shape());
  WEIR_ASSIGN(s.shape, VectorInts(ctx.input(first + 2), what));
  for (const int64_t size : s.shape) {
    if (size < 0) return InvalidArgument("Dimension {} must be >= 0: {}_shape", size, what);
  }
  if (s.indices.dim(0) != s.values.dim(0) || s.indices.dim(1) != static_cast<int64_t>(s.shape.size()))
    return InvalidArgument("{}: the shapes of indices ({}) and values ({}) do not match each other and the rank {}",
                           what, s.indices.shape(), s.values.shape(), s.shape.size());
  if (s.shape.size() < 2)
    return InvalidArgument("{}_shape should have at least 2 elements, but got: {}", what, s.shape.size());
  return s;
}

Status GroupSequences(Sparse* s, const Shape& out, const char* what) {
  const DimVector strides = RowMajorStrides(out);
  const int64_t rank = s->indices.dim(1);
  for (int64_t k = 0; k < s->indices.dim(0); ++k) {
    int64_t at = 0;
    bool fits = true;
    for (int64_t d = 0; d + 1 < rank; ++d) {
      int64_t offset = 0;
      fits = fits &&
             !__builtin_mul_overflow(s->indices.data<int64_t>()[k * rank + d], strides[static_cast<int>(d)], &offset) &&
             !__builtin_add_overflow(at, offset, &at);
    }
    if (!fits || at < 0 || at >= out.num_elements())
      return Internal(
          "Got an inner product {} which would require writing to outside of the buffer for the output tensor (max "
          "elements {}): row {} of {}_indices",
          at, out.num_elements(), k, what);
    s->sequences[at].push_back(k);
  }
  return OkStatus();
}

float Distance(const Elements& elements, const Sparse& a, const std::vector<int64_t>& x, const Sparse& b,
               const std::vector<int64_t>& y) {
  std::vector<int64_t> row(y.size() + 1);
  for (size_t j = 0; j <= y.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t diagonal = row[0];
    row[0] = static_cast<int64_t>(i) + 1;
    for (size_t j = 0; j < y.size(); ++j) {
      const int64_t above = row[j + 1];
      const bool same = SameElement(elements, a.values, x[i], b.values, y[j]);
      row[j + 1] = same ? diagonal : 1 + std::min({diagonal, above, row[j]});
      diagonal = above;
    }
  }
  return static_cast<float>(row[y.size()]);
}

Result<Kernel> MakeEditDistance(KernelSetup& setup) {
  WEIR_ASSIGN(bool normalize, setup.Attr<bool>("normalize"));
  return Kernel::Sync([normalize](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Sparse hypothesis, ReadSparse(ctx, 0, "hypothesis"));
    WEIR_ASSIGN(Sparse truth, ReadSparse(ctx, 3, "truth"));
    if (hypothesis.shape.size() != truth.shape.size())
      return InvalidArgument("hypothesis_shape and truth_shape should have the same length, got {} and {}",
                             hypothesis.shape.size(), truth.shape.size());
    DimVector dims;
    for (size_t i = 0; i + 1 < truth.shape.size(); ++i) dims.push_back(std::max(hypothesis.shape[i], truth.shape[i]));
    WEIR_ASSIGN(Shape shape, Shape::Make(dims));
    WEIR_TRY(GroupSequences(&hypothesis, shape, "hypothesis"));
    WEIR_TRY(GroupSequences(&truth, shape, "truth"));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    out.ZeroFill();
    const Elements elements(truth.values.dtype());
    const std::vector<int64_t> none;
    for (const auto& [at, y] : truth.sequences) {
      auto it = hypothesis.sequences.find(at);
      const std::vector<int64_t>& x = it == hypothesis.sequences.end() ? none : it->second;
      const float d = Distance(elements, hypothesis, x, truth, y);
      out.data<float>()[at] = normalize ? d / static_cast<float>(y.size()) : d;
    }
    for (const auto& [at, x] : hypothesis.sequences) {
      if (truth.sequences.count(at) != 0) continue;
      out.data<float>()[at] = normalize ? std::numeric_limits<float>::infinity() : static_cast<float>(x.size());
    }
    return OkStatus();
  });
}

Status EditDistanceShape(ShapeContext& ctx) {
  for (int i : {0, 3}) {
    WEIR_ASSIGN(const PartialShape indices, ctx.WithRank(i, 2));
    WEIR_ASSIGN(const PartialShape values, ctx.WithRank(i + 1, 1));
    WEIR_ASSIGN(const PartialShape shape, ctx.WithRank(i + 2, 1));
    if (!MergeDims(indices[0], values[0]).ok())
      return InvalidArgument("Number of elements in index ({}) and values ({}) do not match.", indices[0], values[0]);
    if (!MergeDims(indices[1], shape[0]).ok())
      return InvalidArgument("Index rank ({}) and shape rank ({}) do not match.", indices[1], shape[0]);
  }
  const std::optional<Ints> a = ConstantInts(ctx, 2), b = ConstantInts(ctx, 5);
  if (!a || !b) {
    return OkStatus();
  }
  if (a->size() != b->size() || a->empty())
    return InvalidArgument("Num dimensions of hypothesis_shape ({}) must match those of truth_shape ({})", a->size(),
                           b->size());
  DimVector dims;
  for (size_t i = 0; i + 1 < a->size(); ++i) dims.push_back(std::max((*a)[i], (*b)[i]));
  WEIR_ASSIGN(PartialShape out, PartialShape::Make(dims));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

}  // namespace

void RegisterEditDistance(OpRegistry& registry) {
  registry.Add({
      .name = "EditDistance",
      .signature = "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64, "
                   "truth_values: T, truth_shape: int64 -> output: float",
      .attrs = {"normalize: bool = true", "T: type"},
      .shape = EditDistanceShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeEditDistance),
  });
}

}  // namespace weir::ops
