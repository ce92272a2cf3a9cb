// Reshape, ExpandDims, Squeeze: change the shape only. The output shares the input's memory.
#include <algorithm>

#include "graph/build/array_ops.h"
#include "op/gpu_kernel.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

Result<Shape> ReshapedShape(const Tensor& t, const Tensor& shape) {
  if (shape.rank() != 1) return InvalidArgument("sizes input must be 1-D, not {}", shape.shape());
  Ints sizes = IntsOf(shape);
  int unknown = -1;
  bool has_zero = false;
  int64_t known = 1;  // product of the nonzero sizes
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == -1) {
      if (unknown != -1) return InvalidArgument("Only one input size may be -1, not both {} and {}", unknown, i);
      unknown = static_cast<int>(i);
    } else if (sizes[i] < 0) {
      return InvalidArgument("Size {} must be non-negative, not {}", i, sizes[i]);
    } else if (sizes[i] == 0) {
      has_zero = true;
    } else {
      WEIR_ASSIGN(known, CheckedMultiply(known, sizes[i]));
    }
  }
  if (unknown != -1) {
    // If a size of zero is requested, zero sizes of the input are ignored as well: [0,6] as [0,-1] is [0,6].
    int64_t elements = 1;
    for (int64_t d : t.shape()) elements *= has_zero && d == 0 ? 1 : d;
    if (elements % known != 0)
      return InvalidArgument(
          "Input to reshape is a tensor with {} values, but the requested shape requires a multiple of {}",
          t.num_elements(), known);
    sizes[static_cast<size_t>(unknown)] = elements / known;
  }
  WEIR_ASSIGN(Shape out, Shape::Make(sizes));
  if (out.num_elements() != t.num_elements())
    return InvalidArgument("Input to reshape is a tensor with {} values, but the requested shape has {}",
                           t.num_elements(), out.num_elements());
  return out;
}

Result<Kernel> MakeReshape(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(Shape shape, ReshapedShape(ctx.input(0), ctx.input(1)));
           ctx.set_output(0, ctx.input(0).Reshaped(shape));
           return OkStatus();
         })
      .Cheap();
}

Status ReshapeShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape out, ShapeArgument(ctx, 1));
  if (!out.known_rank()) return OkStatus();
  int unknown = -1;
  int num_unknown = 0;
  int64_t known = 1;
  for (int i = 0; i < out.rank(); ++i) {
    if (out[i] == kUnknownDim) {
      unknown = i;
      ++num_unknown;
    } else {
      WEIR_ASSIGN(known, CheckedMultiply(known, out[i]));
    }
  }
  const int64_t elements = ctx.input(0).num_elements();
  if (elements >= 0) {
    if (num_unknown == 0 && known != elements)
      return InvalidArgument("Cannot reshape a tensor with {} elements to shape {} ({} elements)", elements, out,
                             known);
    // A single unknown size follows from the number of elements, whether it is -1 or just not known yet.
    if (num_unknown == 1 && known > 0) {
      if (elements % known != 0)
        return InvalidArgument("Cannot reshape a tensor with {} elements to shape {} ({} elements)", elements, out,
                               known);
      out.SetDim(unknown, elements / known);
    }
  }
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

Result<Gradients> BackToInputShape(GradientContext& g) {
  Gradients out(static_cast<size_t>(g.num_inputs()));
  out[0] = Reshape(g.d_output(0), ShapeOf(g.input(0)));
  return out;
}

Result<Kernel> MakeExpandDims(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
           const Tensor& t = ctx.input(0);
           WEIR_ASSIGN(int64_t dim, ScalarInt(ctx.input(1), "'dim' input"));
           if (dim < -t.rank() - 1 || dim > t.rank())
             return InvalidArgument("Tried to expand dim index {} for tensor with {} dimensions.", dim, t.rank());
           Shape shape = t.shape();
           WEIR_TRY(shape.InsertDim(static_cast<int>(dim < 0 ? dim + t.rank() + 1 : dim), 1));
           ctx.set_output(0, t.Reshaped(shape));
           return OkStatus();
         })
      .Cheap();
}

Status ExpandDimsShape(ShapeContext& ctx) {
  PartialShape out = ctx.input(0);
  if (!out.known_rank()) return OkStatus();
  const std::optional<int64_t> dim = ConstantInt(ctx, 1);
  if (!dim) {
    if (ctx.constant(1) != nullptr)
      return InvalidArgument("'dim' input must be a tensor with a single value, got shape {}",
                             ctx.constant(1)->shape());
    return OkStatus();
  }
  if (*dim < -out.rank() - 1 || *dim > out.rank())
    return InvalidArgument("dim {} not in the interval [{}, {}].", *dim, -out.rank() - 1, out.rank());
  out.InsertDim(static_cast<int>(*dim < 0 ? *dim + out.rank() + 1 : *dim), 1);
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

// Returns the dimensions to drop, sorted. Empty: all of size 1.
Result<std::vector<int>> SqueezedDims(const Ints& attr, int rank) {
  std::vector<int> dims;
  for (int64_t d : attr) {
    if (d < -rank || d >= rank)
      return InvalidArgument("Tried to squeeze dim index {} for tensor with {} dimensions.", d, rank);
    dims.push_back(static_cast<int>(d < 0 ? d + rank : d));
  }
  std::sort(dims.begin(), dims.end());
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  return dims;
}

Result<Kernel> MakeSqueeze(KernelSetup& setup) {
  WEIR_ASSIGN(Ints attr, setup.Attr<Ints>("squeeze_dims"));
  return Kernel::Sync([attr](KernelContext& ctx) -> Status {
           const Tensor& t = ctx.input(0);
           WEIR_ASSIGN(std::vector<int> drop, SqueezedDims(attr, t.rank()));
           DimVector kept;
           for (int i = 0; i < t.rank(); ++i) {
             const bool requested = std::binary_search(drop.begin(), drop.end(), i);
             if (requested && t.dim(i) != 1)
               return InvalidArgument("Can not squeeze dim[{}], expected a dimension of 1, got {}", i, t.dim(i));
             if (!(requested || (attr.empty() && t.dim(i) == 1))) kept.push_back(t.dim(i));
           }
           WEIR_ASSIGN(Shape shape, Shape::Make(kept));
           ctx.set_output(0, t.Reshaped(shape));
           return OkStatus();
         })
      .Cheap();
}

Status SqueezeShape(ShapeContext& ctx) {
  const PartialShape& in = ctx.input(0);
  if (!in.known_rank()) return OkStatus();
  WEIR_ASSIGN(Ints attr, ctx.Attr<Ints>("squeeze_dims"));
  WEIR_ASSIGN(std::vector<int> drop, SqueezedDims(attr, in.rank()));
  DimVector kept;
  for (int i = 0; i < in.rank(); ++i) {
    if (std::binary_search(drop.begin(), drop.end(), i)) {
      if (in[i] != 1 && in[i] != kUnknownDim)
        return InvalidArgument("Can not squeeze dim[{}], expected a dimension of 1, got {}", i, in[i]);
    } else if (attr.empty()) {
      if (in[i] == kUnknownDim) return OkStatus();  // it may or may not be dropped
      if (in[i] != 1) kept.push_back(in[i]);
    } else {
      kept.push_back(in[i]);
    }
  }
  ctx.set_output(0, PartialShape(std::move(kept)));
  return OkStatus();
}

}  // namespace

void RegisterReshape(OpRegistry& registry) {
  registry.Add({
      .name = "Reshape",
      .signature = "tensor: T, shape: Tshape -> output: T",
      .attrs = {"T: type", "Tshape: {int32, int64} = DT_INT32"},
      .shape = ReshapeShape,
      .gradient = BackToInputShape,
      .kernels = ForwardsOnGpu(CpuKernel(MakeReshape), {"shape"}),
      .traits = {.memory = OutputMemory::kForwardsFirst, .brief = true},
  });
  registry.Add({
      .name = "ExpandDims",
      .signature = "input: T, dim: Tdim -> output: T",
      .attrs = {"T: type", "Tdim: {int32, int64} = DT_INT32"},
      .shape = ExpandDimsShape,
      .gradient = BackToInputShape,
      .kernels = ForwardsOnGpu(CpuKernel(MakeExpandDims), {"dim"}),
      .traits = {.memory = OutputMemory::kForwardsFirst, .brief = true},
  });
  registry.Add({
      .name = "Squeeze",
      .signature = "input: T -> output: T",
      .attrs = {"T: type", "squeeze_dims: list(int) >= 0 = []"},
      .shape = SqueezeShape,
      .gradient = BackToInputShape,
      .kernels = ForwardsOnGpu(CpuKernel(MakeSqueeze)),
      .traits = {.memory = OutputMemory::kForwardsFirst, .brief = true},
  });
}

}  // namespace weir::ops
