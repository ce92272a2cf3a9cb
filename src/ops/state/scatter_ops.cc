// Scatter*: combine rows of a variable with rows of `updates`. ScatterNd*: combine slices, each selected by several
// indices. For reference and resource variables. Indices are checked before anything is changed; a row that occurs
// twice is combined twice, in order.
#include "absl/strings/str_cat.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/nd_index.h"
#include "ops/state/element_arithmetic.h"
#include "ops/state/indices.h"
#include "ops/state/variable_access.h"

namespace weir::ops {
namespace {

enum class Indexing { kRows, kNd };

// Slice k of the updates is combined with slice rows[k] of the variable. A slice has `width` elements.
struct Slices {
  std::vector<int64_t> rows;
  int64_t width = 1;
  bool one_update = false;  // the updates are a scalar, used for every element
};

Result<Slices> RowSlices(const Tensor& var, const Tensor& indices, const Tensor& updates) {
  if (var.rank() < 1) return InvalidArgument("params must be at least 1-D, got shape {}", var.shape());
  Slices slices{.one_update = updates.rank() == 0};
  bool fits = slices.one_update || updates.rank() == indices.rank() + var.rank() - 1;
  for (int d = 0; fits && !slices.one_update && d < updates.rank(); ++d) {
    fits = updates.dim(d) == (d < indices.rank() ? indices.dim(d) : var.dim(d - indices.rank() + 1));
  }
  if (!fits) {
    return InvalidArgument(
        "Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], got updates.shape {}, "
        "indices.shape {}, params.shape {}",
        updates.shape(), indices.shape(), var.shape());
  }
  for (int d = 1; d < var.rank(); ++d) slices.width *= var.dim(d);
  WEIR_ASSIGN(slices.rows, CheckedIndices(indices, var.dim(0)));
  return slices;
}

Result<Slices> NdSlices(const Tensor& var, const Tensor& indices, const Tensor& updates) {
  if (var.rank() < 1) return InvalidArgument("Output must be at least 1-D, got shape: {}", var.shape());
  if (indices.rank() < 1) return InvalidArgument("Indices must be at least 1-D, got shape: {}", indices.shape());
  const int batch = indices.rank() == 1 ? 1 : indices.rank() - 1;
  const int64_t depth = indices.rank() == 1 ? 1 : indices.dim(indices.rank() - 1);
  if (depth < 1 || depth > var.rank()) {
    return InvalidArgument("The last dimension of indices {} must be between 1 and the rank of the variable {}",
                           indices.shape(), var.shape());
  }
  bool fits = updates.rank() == batch + var.rank() - static_cast<int>(depth);
  for (int d = 0; fits && d < updates.rank(); ++d) {
    fits = updates.dim(d) == (d < batch ? indices.dim(d) : var.dim(d - batch + static_cast<int>(depth)));
  }
  if (!fits) {
    return InvalidArgument("updates of shape {} do not match indices of shape {} and a variable of shape {}",
                           updates.shape(), indices.shape(), var.shape());
  }
  Slices slices;
  int64_t count = 1;
  for (int d = 0; d < batch; ++d) count *= indices.dim(d);
  for (int d = static_cast<int>(depth); d < var.rank(); ++d) slices.width *= var.dim(d);
  slices.rows.resize(static_cast<size_t>(count));
  for (int64_t k = 0; k < count; ++k) {
    int64_t row = 0;
    for (int d = 0; d < depth; ++d) {
      const int64_t index = indices.Int(k * depth + d);
      if (index < 0 || index >= var.dim(d)) {
        std::string all;
        for (int e = 0; e < depth; ++e) absl::StrAppend(&all, e == 0 ? "" : ", ", indices.Int(k * depth + e));
        return InvalidArgument("indices[{}] = [{}] does not index into shape {}", k, all, var.shape());
      }
      row = row * var.dim(d) + index;
    }
    slices.rows[static_cast<size_t>(k)] = row;
  }
  return slices;
}

// Combines `n` elements at `out` with those at `in`, or with the one element at `in`. The only code of these ops that
// depends on the element type.
using CombineLoop = void (*)(void* out, const void* in, int64_t n, bool one_update);

template <Combine op, class T>
void CombineAll(void* to, const void* from, int64_t n, bool one_update) {
  T* out = static_cast<T*>(to);
  const T* in = static_cast<const T*>(from);
  if (one_update) {
    for (int64_t i = 0; i < n; ++i) out[i] = CombineElements<op, T>(out[i], *in);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = CombineElements<op, T>(out[i], in[i]);
  }
}

// Assignment needs no arithmetic, so it only depends on the size of an element.
CombineLoop ReplaceLoop(DType dtype) {
  if (dtype == kString) return CombineAll<Combine::kUpdate, std::string>;
  if (!IsPlain(dtype)) return nullptr;
  switch (ElementSize(dtype)) {
    case 1:
      return CombineAll<Combine::kUpdate, uint8_t>;
    case 2:
      return CombineAll<Combine::kUpdate, uint16_t>;
    case 4:
      return CombineAll<Combine::kUpdate, uint32_t>;
    case 8:
      return CombineAll<Combine::kUpdate, uint64_t>;
    case 16:
      return CombineAll<Combine::kUpdate, std::complex<double>>;
    default:
      return nullptr;
  }
}

// Null if the op is not defined for `dtype`.
CombineLoop LoopOf(Combine op, DType dtype) {
  if (op == Combine::kUpdate) return ReplaceLoop(dtype);
  CombineLoop loop = nullptr;
  auto choose = [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>) {
      if (op == Combine::kMin) loop = CombineAll<Combine::kMin, T>;
      if (op == Combine::kMax) loop = CombineAll<Combine::kMax, T>;
    }
    if (op == Combine::kAdd) loop = CombineAll<Combine::kAdd, T>;
    if (op == Combine::kSub) loop = CombineAll<Combine::kSub, T>;
    if (op == Combine::kMul) loop = CombineAll<Combine::kMul, T>;
    if (op == Combine::kDiv) loop = CombineAll<Combine::kDiv, T>;
  };
  WithNumberType(dtype, choose);
  return loop;
}

bool HasZero(const Tensor& integers) {
  const auto size = static_cast<int64_t>(ElementSize(integers.dtype()));
  const char* bytes = static_cast<const char*>(integers.raw());
  for (int64_t i = 0; i < integers.num_elements(); ++i) {
    if (std::all_of(bytes + i * size, bytes + (i + 1) * size, [](char b) { return b == 0; })) return true;
  }
  return false;
}

Status RunScatter(KernelContext& ctx, Combine op, const Slices& slices, const Tensor& var, const Tensor& updates) {
  const CombineLoop combine = LoopOf(op, var.dtype());
  if (combine == nullptr) return Unimplemented("scattering elements of type {} is not supported", var.dtype());
  const int64_t width = slices.width;
  if (op == Combine::kDiv && IsInteger(var.dtype()) && width > 0 && HasZero(updates))
    return InvalidArgument("Integer division by zero");
  const auto size = static_cast<int64_t>(ElementSize(var.dtype()));
  char* const to = static_cast<char*>(var.raw());
  const char* const from = static_cast<const char*>(updates.raw());
  return ForRowsInOrder(ctx, slices.rows, 5 + width, [&](int64_t k, int64_t row) {
    combine(to + row * width * size, slices.one_update ? from : from + k * width * size, width, slices.one_update);
  });
}

Result<Kernel> MakeScatter(Combine op, Indexing indexing, HandleKind handle_kind) {
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(VariableUpdate update, VariableUpdate::Begin(ctx, handle_kind, 1, Extent::kSparse));
    const Tensor& var = update.value(0);
    const Tensor& indices = ctx.input(1);
    const Tensor& updates = ctx.input(2);
    if (var.dtype() != updates.dtype()) {
      return InvalidArgument("the variable is of type {}, updates are of type {}", var.dtype(), updates.dtype());
    }
    WEIR_ASSIGN(const Slices slices,
                indexing == Indexing::kNd ? NdSlices(var, indices, updates) : RowSlices(var, indices, updates));
    if (var.num_elements() == 0 || slices.rows.empty()) return OkStatus();
    return RunScatter(ctx, op, slices, var, updates);
  });
}

// REQUIRES: `updates` has the shape indices.shape + var.shape[1:], or is a scalar.
Status ScatterShape(ShapeContext& c, HandleKind handle_kind, const std::string& type_attr) {
  WEIR_ASSIGN(const DType dtype, c.Attr<DType>(type_attr));
  WEIR_ASSIGN(PartialShape var, VariableShapeOf(c, handle_kind, 0, dtype));
  if (c.input(2).rank() != 0) {
    WEIR_ASSIGN(PartialShape slice, var.Sub(var.rank() == 0 ? 0 : 1));
    WEIR_TRY(c.input(2).Merge(c.input(1).Concat(slice)).status());
  }
  if (handle_kind == HandleKind::kRef) c.set_output(0, std::move(var));
  return OkStatus();
}

Status ScatterNdShape(ShapeContext& c, HandleKind handle_kind) {
  // As in TensorFlow, the kernel compares the types.
  PartialShape var = handle_kind == HandleKind::kRef ? c.input(0) : c.handle(0).shape;
  WEIR_ASSIGN(PartialShape indices, c.WithRankAtLeast(1, 1));
  WEIR_ASSIGN(PartialShape updates, c.WithRankAtLeast(2, 1));
  WEIR_TRY(CheckKnownNdShapes(indices, updates, var));
  if (handle_kind == HandleKind::kRef) c.set_output(0, std::move(var));
  return OkStatus();
}

constexpr char kNumberList[] = ": numbertype";

void AddScatter(OpRegistry& registry, Combine op, Indexing indexing, const std::string& name,
                const std::string& resource_name) {
  const bool replaces = op == Combine::kUpdate;
  const bool orders = op == Combine::kMin || op == Combine::kMax;
  const bool nd = indexing == Indexing::kNd;
  auto kernels = [&](const std::string& attr, HandleKind handle_kind) {
    KernelFactory make = [=](KernelSetup&) { return MakeScatter(op, indexing, handle_kind); };
    if (replaces) return CpuKernel(make);
    if (orders && handle_kind == HandleKind::kRef) {
      return CpuKernelForTypes(attr, {kHalf, kBFloat16, kFloat, kDouble, kInt32, kInt64}, make);
    }
    return CpuKernelForTypes(attr, orders ? RealTypes() : NumberTypes(), make);
  };
  auto shape = [=](const std::string& attr, HandleKind handle_kind) -> ShapeFn {
    return [=](ShapeContext& c) { return nd ? ScatterNdShape(c, handle_kind) : ScatterShape(c, handle_kind, attr); };
  };
  const std::string locking = replaces ? "use_locking: bool = true" : "use_locking: bool = false";
  std::string types = replaces ? ": type" : kNumberList;
  registry.Add({
      .name = name,
      .signature = "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
      .attrs = {"T" + (orders ? std::string(": {half, bfloat16, float, double, int32, int64}") : types),
                "Tindices: {int32, int64}", locking},
      .shape = shape("T", HandleKind::kRef),
      .no_gradient = kNoGradient,
      .kernels = kernels("T", HandleKind::kRef),
      .traits = kVariableUpdate,
  });
  const std::string attr = nd ? "T" : "dtype";
  std::vector<std::string> attrs = {attr + (nd ? ": type" : types), "Tindices: {int32, int64}"};
  if (nd) attrs.push_back("use_locking: bool = true");
  registry.Add({
      .name = resource_name,
      .signature = nd ? "ref: resource, indices: Tindices, updates: T ->"
                      : "resource: resource, indices: Tindices, updates: dtype ->",
      .attrs = std::move(attrs),
      .shape = shape(attr, HandleKind::kResource),
      .no_gradient = kNoGradient,
      .kernels = kernels(attr, HandleKind::kResource),
      .traits = kVariableUpdate,
      .stateful = true,
  });
}

}  // namespace

void RegisterScatter(OpRegistry& registry) {
  AddScatter(registry, Combine::kUpdate, Indexing::kRows, "ScatterUpdate", "ResourceScatterUpdate");
  AddScatter(registry, Combine::kAdd, Indexing::kRows, "ScatterAdd", "ResourceScatterAdd");
  AddScatter(registry, Combine::kSub, Indexing::kRows, "ScatterSub", "ResourceScatterSub");
  AddScatter(registry, Combine::kMul, Indexing::kRows, "ScatterMul", "ResourceScatterMul");
  AddScatter(registry, Combine::kDiv, Indexing::kRows, "ScatterDiv", "ResourceScatterDiv");
  AddScatter(registry, Combine::kMin, Indexing::kRows, "ScatterMin", "ResourceScatterMin");
  AddScatter(registry, Combine::kMax, Indexing::kRows, "ScatterMax", "ResourceScatterMax");
  AddScatter(registry, Combine::kUpdate, Indexing::kNd, "ScatterNdUpdate", "ResourceScatterNdUpdate");
  AddScatter(registry, Combine::kAdd, Indexing::kNd, "ScatterNdAdd", "ResourceScatterNdAdd");
  AddScatter(registry, Combine::kSub, Indexing::kNd, "ScatterNdSub", "ResourceScatterNdSub");
}

}  // namespace weir::ops
