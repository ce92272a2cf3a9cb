// Bitcast: reinterprets the bytes as another type. If element sizes differ, the last dimension is added or removed.
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeBitcast(KernelSetup& setup) {
  const DType to = setup.output_type(0);
  const auto in_size = static_cast<int64_t>(ElementSize(BaseType(setup.input_type(0))));
  const auto out_size = static_cast<int64_t>(ElementSize(to));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
           const Tensor& t = ctx.input(0);
           Shape shape = t.shape();
           if (out_size > in_size) {
             const int64_t ratio = out_size / in_size;
             if (shape.rank() == 0 || shape[shape.rank() - 1] != ratio)
               return InvalidArgument("Cannot bitcast from {} to {}: shape {} must end in a dimension of {}", t.dtype(),
                                      to, t.shape(), ratio);
             shape.RemoveLastDims(1);
           } else if (out_size < in_size) {
             WEIR_TRY(shape.AddDim(in_size / out_size));
           }
           if (t.num_elements() == 0) {
             WEIR_ASSIGN(Tensor empty, Tensor::Allocate(to, shape));
             ctx.set_output(0, std::move(empty));
           } else {
             ctx.set_output(0, Tensor::FromBuffer(to, shape, t.buffer(), t.raw()));
           }
           return OkStatus();
         })
      .Cheap();
}

Status BitcastShape(ShapeContext& ctx) {
  PartialShape shape = ctx.input(0);
  if (!shape.known_rank()) return OkStatus();
  WEIR_ASSIGN(DType to, ctx.Attr<DType>("type"));
  const auto in_size = static_cast<int64_t>(ElementSize(BaseType(ctx.input_type(0))));
  const auto out_size = static_cast<int64_t>(ElementSize(to));
  if (in_size == 0 || out_size == 0) return InvalidArgument("Cannot bitcast from {} to {}", ctx.input_type(0), to);
  if (out_size > in_size) {
    const int64_t ratio = out_size / in_size;
    if (shape.rank() == 0) return InvalidArgument("Cannot bitcast a scalar {} to {}", ctx.input_type(0), to);
    const int64_t last = shape[shape.rank() - 1];
    if (last != kUnknownDim && last != ratio)
      return InvalidArgument("Cannot bitcast due to shape. {} does not match {}", last, ratio);
    shape.RemoveDim(shape.rank() - 1);
  } else if (out_size < in_size) {
    shape.AddDim(in_size / out_size);
  }
  ctx.set_output(0, std::move(shape));
  return OkStatus();
}

}  // namespace

void RegisterBitcast(OpRegistry& registry) {
  const std::string types =
      "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complex64, "
      "complex128, qint8, quint8, qint16, quint16, qint32}";
  registry.Add({
      .name = "Bitcast",
      .signature = "input: T -> output: type",
      .attrs = {"T: " + types, "type: " + types},
      .shape = BitcastShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeBitcast),
      .traits = {.memory = OutputMemory::kMayShareAnyType},
  });
}

}  // namespace weir::ops
