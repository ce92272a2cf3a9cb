#include "ops/nn/float_values.h"

namespace weir::ops {

Result<Tensor> AsFloats(const Tensor& values) {
  if (values.dtype() == kFloat) return values;
  WEIR_ASSIGN(Tensor copy, Tensor::Allocate(kFloat, values.shape()));
  const half* from = values.data<half>();
  float* to = copy.data<float>();
  for (int64_t i = 0; i < values.num_elements(); ++i) to[i] = static_cast<float>(from[i]);
  return copy;
}

Status SetFromFloats(KernelContext& ctx, int output, const Tensor& floats) {
  if (ctx.output_type(output) == kFloat) {
    ctx.set_output(output, floats);
    return OkStatus();
  }
  WEIR_ASSIGN(const Tensor values, ctx.Allocate(output, floats.shape()));
  const float* from = floats.data<float>();
  half* to = values.data<half>();
  for (int64_t i = 0; i < floats.num_elements(); ++i) to[i] = static_cast<half>(from[i]);
  return OkStatus();
}

Result<Tensor> ZeroFloats(std::initializer_list<int64_t> dims) {
  WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor zeros, Tensor::Allocate(kFloat, shape));
  zeros.ZeroFill();
  return zeros;
}

}  // namespace weir::ops
