// SerializeTensor, ParseTensor and DecodeCompressed.
#include "io/compression.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/io/tensor_bytes.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeSerializeTensor(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    ctx.set_output(0, Tensor::Scalar(TensorToBytes(ctx.input(0))));
    return OkStatus();
  });
}

Result<Kernel> MakeParseTensor(KernelSetup& setup) {
  WEIR_ASSIGN(const DType dtype, setup.Attr<DType>("out_type"));
  return Kernel::Sync([dtype](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const std::string bytes, ScalarString(ctx, 0, "serialized"));
    WEIR_ASSIGN(Tensor tensor, TensorFromBytes(bytes, "serialized"));
    if (tensor.dtype() != dtype)
      return InvalidArgument("Type mismatch between parsed tensor ({}) and dtype ({})", OpDefTypeName(tensor.dtype()),
                             OpDefTypeName(dtype));
    ctx.set_output(0, std::move(tensor));
    return OkStatus();
  });
}

Result<Kernel> MakeDecodeCompressed(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string name, setup.Attr<std::string>("compression_type"));
  WEIR_ASSIGN(const io::Compression compression, io::ParseCompression(name));
  return Kernel::Sync([compression](KernelContext& ctx) {
    return TryMapStrings<std::string>(ctx,
                                      [&](const std::string& bytes) { return io::Decompress(bytes, compression); });
  });
}

}  // namespace

void RegisterTensorStrings(OpRegistry& registry) {
  registry.Add({
      .name = "SerializeTensor",
      .signature = "tensor: T -> serialized: string",
      .attrs = {"T: type"},
      .shape = ScalarOutputs(),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSerializeTensor),
  });
  registry.Add({
      .name = "ParseTensor",
      .signature = "serialized: string -> output: out_type",
      .attrs = {"out_type: type"},
      .shape = UnknownOutputs(),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeParseTensor),
  });
  registry.Add({
      .name = "DecodeCompressed",
      .signature = "bytes: string -> output: string",
      .attrs = {"compression_type: string = ''"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecodeCompressed),
  });
}

}  // namespace weir::ops
