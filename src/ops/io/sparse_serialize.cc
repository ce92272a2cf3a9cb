// Serialization of sparse tensors as three strings (TensorProtos of indices, values and shape), and deserialization.
#include "op/op_registry.h"
#include "ops/io/sparse_rows.h"
#include "ops/io/tensor_bytes.h"

namespace weir::ops {
namespace {

void SerializeTo(const SparseParts& sparse, std::string* to) {
  to[0] = TensorToBytes(sparse.indices);
  to[1] = TensorToBytes(sparse.values);
  to[2] = TensorToBytes(sparse.shape);
}

Result<Tensor> Parsed(const std::string& bytes, int64_t number, int column) {
  return TensorFromBytes(bytes, fmt::format("serialized_sparse[{}, {}]", number, column));
}

// Does not compare indices, values and shape: the reader does.
Result<Kernel> MakeSerialize(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const SparseParts sparse, UncheckedSparseInputs(ctx));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{3}));
    SerializeTo(sparse, out.data<std::string>());
    return OkStatus();
  });
}

Result<Kernel> MakeSerializeMany(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const SparseParts sparse, SparseInputs(ctx, Entries::kInside));
    WEIR_ASSIGN(const std::vector<SparseParts> rows, RowsOfSparse(sparse));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, Shape{static_cast<int64_t>(rows.size()), 3}));
    for (size_t i = 0; i < rows.size(); ++i) SerializeTo(rows[i], out.data<std::string>() + 3 * i);
    return OkStatus();
  });
}

Result<Kernel> MakeDeserialize(KernelSetup& setup, bool matrix) {
  WEIR_ASSIGN(const DType dtype, setup.Attr<DType>("dtype"));
  return Kernel::Sync([dtype, matrix](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    if (in.rank() < 1 || (matrix && in.rank() != 2) || in.dim(in.rank() - 1) != 3)
      return InvalidArgument("Serialized sparse should have {} with 3 columns, but has shape {}",
                             matrix ? "rank 2," : "at least rank 1,", in.shape());
    std::vector<SparseParts> parts;
    const std::string* from = in.data<std::string>();
    for (int64_t i = 0; i < in.num_elements() / 3; ++i) {
      SparseParts part;
      WEIR_ASSIGN(part.indices, Parsed(from[3 * i], i, 0));
      WEIR_ASSIGN(part.values, Parsed(from[3 * i + 1], i, 1));
      WEIR_ASSIGN(part.shape, Parsed(from[3 * i + 2], i, 2));
      parts.push_back(std::move(part));
    }
    const absl::Span<const int64_t> outer =
        absl::MakeConstSpan(in.shape().dims()).subspan(0, static_cast<size_t>(in.rank() - 1));
    WEIR_ASSIGN(SparseParts stacked, StackSparse(parts, dtype, outer));
    SetSparseTensorOutputs(ctx, std::move(stacked));
    return OkStatus();
  });
}

Status ThreeColumns(ShapeContext& ctx, int rank) {
  WEIR_ASSIGN(const PartialShape shape, rank > 0 ? ctx.WithRank(0, rank) : ctx.WithRankAtLeast(0, 1));
  if (shape.known_rank()) WEIR_TRY(MergeDims(shape[shape.rank() - 1], 3).status());
  SetSparseOutputShapes(ctx);
  return OkStatus();
}

}  // namespace

void RegisterSparseSerialize(OpRegistry& registry) {
  const char* const in = "sparse_indices: int64, sparse_values: T, sparse_shape: int64 -> serialized_sparse: out_type";
  const char* const out = "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64";
  registry.Add({
      .name = "SerializeSparse",
      .signature = in,
      .attrs = {"T: type", "out_type: {string} = DT_STRING"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(CheckSparseInputShapes(ctx));
        ctx.set_output(0, PartialShape{3});
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSerialize),
  });
  registry.Add({
      .name = "SerializeManySparse",
      .signature = in,
      .attrs = {"T: type", "out_type: {string} = DT_STRING"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_TRY(CheckSparseInputShapes(ctx));
        ctx.set_output(0, PartialShape{kUnknownDim, 3});
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSerializeMany),
  });
  registry.Add({
      .name = "DeserializeSparse",
      .signature = fmt::format("serialized_sparse: Tserialized -> {}", out),
      .attrs = {"dtype: type", "Tserialized: {string} = DT_STRING"},
      .shape = [](ShapeContext& ctx) { return ThreeColumns(ctx, 0); },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([](KernelSetup& setup) { return MakeDeserialize(setup, false); }),
  });
  registry.Add({
      .name = "DeserializeManySparse",
      .signature = fmt::format("serialized_sparse: string -> {}", out),
      .attrs = {"dtype: type"},
      .shape = [](ShapeContext& ctx) { return ThreeColumns(ctx, 2); },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([](KernelSetup& setup) { return MakeDeserialize(setup, true); }),
  });
}

}  // namespace weir::ops
