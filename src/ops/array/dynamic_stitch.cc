// DynamicPartition: distributes rows to parts by partition number. DynamicStitch: merges parts by index. Together they
// implement lookups in a table that is partitioned over several devices.
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/elements.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

bool StartsWith(const Shape& shape, const Shape& prefix) {
  if (shape.rank() < prefix.rank()) return false;
  for (int i = 0; i < prefix.rank(); ++i) {
    if (shape[i] != prefix[i]) return false;
  }
  return true;
}

Result<Kernel> MakeDynamicPartition(KernelSetup& setup) {
  const int n = setup.num_outputs();
  return Kernel::Sync([n](KernelContext& ctx) -> Status {
    const Tensor &data = ctx.input(0), &partitions = ctx.input(1);
    if (!StartsWith(data.shape(), partitions.shape()))
      return InvalidArgument("data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
                             data.shape(), partitions.shape());
    const Ints part = IntsOf(partitions);
    std::vector<int64_t> counts(static_cast<size_t>(n));
    for (size_t i = 0; i < part.size(); ++i) {
      if (part[i] < 0 || part[i] >= n) return InvalidArgument("partitions[{}] = {} is not in [0, {})", i, part[i], n);
      ++counts[static_cast<size_t>(part[i])];
    }
    std::vector<Tensor> outs;
    int64_t row = 1;
    for (int i = partitions.rank(); i < data.rank(); ++i) row *= data.dim(i);
    for (int k = 0; k < n; ++k) {
      DimVector dims = {counts[static_cast<size_t>(k)]};
      for (int i = partitions.rank(); i < data.rank(); ++i) dims.push_back(data.dim(i));
      WEIR_ASSIGN(Shape shape, Shape::Make(dims));
      WEIR_ASSIGN(Tensor out, ctx.Allocate(k, shape));
      outs.push_back(std::move(out));
    }
    if (data.num_elements() == 0) return OkStatus();
    const Elements elements(data.dtype());
    std::vector<int64_t> next(static_cast<size_t>(n));
    for (size_t i = 0; i < part.size(); ++i) {
      const auto p = static_cast<size_t>(part[i]);
      elements.Copy(elements.At(outs[p], next[p]++ * row), elements.At(data, static_cast<int64_t>(i) * row), row);
    }
    return OkStatus();
  });
}

Status DynamicPartitionShape(ShapeContext& ctx) {
  const PartialShape &data = ctx.input(0), &partitions = ctx.input(1);
  if (!partitions.known_rank() || !data.known_rank()) return OkStatus();
  if (data.rank() < partitions.rank())
    return InvalidArgument("data {} must start with the dimensions of partitions {}", data, partitions);
  WEIR_ASSIGN(PartialShape prefix, data.Sub(0, partitions.rank()));
  WEIR_TRY(prefix.Merge(partitions).status());
  WEIR_ASSIGN(PartialShape rest, data.Sub(partitions.rank()));
  const PartialShape out = PartialShape({kUnknownDim}).Concat(rest);
  for (int i = 0; i < ctx.num_outputs(); ++i) ctx.set_output(i, out);
  return OkStatus();
}

// Merges the gradients of the parts in the original order of the rows.
Result<Gradients> DynamicPartitionGradient(GradientContext& g) {
  const Output data = g.input(0), partitions = g.input(1);
  const Output shape = ShapeOf(partitions);
  const Output numbers = Reshape(Range(0, Prod(shape, {0}), 1), shape);
  const OutputList indices = DynamicPartition(numbers, partitions, g.num_outputs());
  InputList parts;
  for (int i = 0; i < g.num_outputs(); ++i) parts.push_back(g.d_output(i));
  const Output rows = ParallelDynamicStitch(InputList(indices.begin(), indices.end()), parts);
  return Gradients{Reshape(rows, ShapeOf(data)), std::monostate{}};
}

// Returns data.shape without its prefix indices.shape, which must be the same for all pairs.
Result<DimVector> RowDims(KernelContext& ctx, int n) {
  DimVector dims;
  for (int k = 0; k < n; ++k) {
    const Shape &indices = ctx.input(k).shape(), &data = ctx.input(n + k).shape();
    if (!StartsWith(data, indices))
      return InvalidArgument("data[{}].shape = {} does not start with indices[{}].shape = {}", k, data, k, indices);
    DimVector rest(data.begin() + indices.rank(), data.end());
    if (k > 0 && rest != dims)
      return InvalidArgument(
          "Need data[0].shape[{}:] = data[{}].shape[{}:], got data[0].shape = {}, data[{}].shape = {}",
          ctx.input(0).rank(), k, indices.rank(), ctx.input(n).shape(), k, data);
    dims = std::move(rest);
  }
  return dims;
}

Result<Kernel> MakeDynamicStitch(KernelSetup& setup) {
  const int n = setup.num_inputs() / 2;
  return Kernel::Sync([n](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(DimVector dims, RowDims(ctx, n));
    std::vector<Ints> indices;
    int64_t rows = 0;
    for (int k = 0; k < n; ++k) {
      indices.push_back(IntsOf(ctx.input(k)));
      for (size_t i = 0; i < indices.back().size(); ++i) {
        const int64_t v = indices.back()[i];
        if (v < 0) return InvalidArgument("indices[{}][{}] = {} is out of range", k, i, v);
        rows = std::max(rows, v + 1);
      }
    }
    int64_t row = 1;
    for (int64_t d : dims) row *= d;
    dims.insert(dims.begin(), rows);
    WEIR_ASSIGN(Shape shape, Shape::Make(dims));
    WEIR_ASSIGN(Tensor merged, ctx.Allocate(0, shape));
    if (merged.num_elements() == 0) return OkStatus();
    const Elements elements(merged.dtype());
    // Rows without an index are set to zero.
    std::vector<bool> named(static_cast<size_t>(rows));
    for (int k = 0; k < n; ++k) {
      const Tensor& data = ctx.input(n + k);
      for (size_t i = 0; i < indices[static_cast<size_t>(k)].size(); ++i) {
        const int64_t v = indices[static_cast<size_t>(k)][i];
        named[static_cast<size_t>(v)] = true;
        elements.Copy(elements.At(merged, v * row), elements.At(data, static_cast<int64_t>(i) * row), row);
      }
    }
    for (int64_t v = 0; v < rows; ++v) {
      if (!named[static_cast<size_t>(v)]) elements.Clear(elements.At(merged, v * row), row);
    }
    return OkStatus();
  });
}

Status DynamicStitchShape(ShapeContext& ctx) {
  const int n = ctx.num_inputs() / 2;
  PartialShape rest;
  int64_t largest = -1;
  bool all_known = true;
  for (int k = 0; k < n; ++k) {
    if (const std::optional<Ints> indices = ConstantInts(ctx, k)) {
      for (int64_t v : *indices) largest = std::max(largest, v);
    } else {
      all_known = false;
    }
    const PartialShape &indices = ctx.input(k), &data = ctx.input(n + k);
    if (!indices.known_rank() || !data.known_rank()) continue;
    if (data.rank() < indices.rank())
      return InvalidArgument("data[{}] {} does not start with the shape {} of indices[{}]", k, data, indices, k);
    WEIR_ASSIGN(PartialShape prefix, data.Sub(0, indices.rank()));
    WEIR_TRY(prefix.Merge(indices).status());
    WEIR_ASSIGN(PartialShape own, data.Sub(indices.rank()));
    WEIR_ASSIGN(rest, rest.Merge(own));
  }
  if (rest.known_rank()) ctx.set_output(0, PartialShape({all_known ? largest + 1 : kUnknownDim}).Concat(rest));
  return OkStatus();
}

Result<Gradients> DynamicStitchGradient(GradientContext& g) {
  const int n = g.num_inputs() / 2;
  Gradients out(static_cast<size_t>(g.num_inputs()));
  const Output dy = g.d_output(0);
  for (int k = 0; k < n; ++k) out[static_cast<size_t>(n + k)] = GatherV2(dy, g.input(k), 0);
  return out;
}

}  // namespace

void RegisterDynamicStitch(OpRegistry& registry) {
  registry.Add({
      .name = "DynamicPartition",
      .signature = "data: T, partitions: int32 -> outputs: num_partitions * T",
      .attrs = {"num_partitions: int >= 1", "T: type"},
      .shape = DynamicPartitionShape,
      .gradient = DynamicPartitionGradient,
      .kernels = CpuKernel(MakeDynamicPartition),
  });
  for (const char* name : {"DynamicStitch", "ParallelDynamicStitch"}) {
    registry.Add({
        .name = name,
        .signature = "indices: N * int32, data: N * T -> merged: T",
        .attrs = {"N: int >= 1", "T: type"},
        .shape = DynamicStitchShape,
        .gradient = DynamicStitchGradient,
        .kernels = HostOnGpu(CpuKernel(MakeDynamicStitch), {kInt32}),
    });
  }
}

}  // namespace weir::ops
