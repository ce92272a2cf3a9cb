#include "ops/math/gpu_elementwise.h"

#include "device/gpu/elementwise.h"
#include "device/gpu_device.h"
#include "ops/math/broadcast.h"

namespace weir::ops {
namespace {

constexpr int kMaxInputs = 3;
enum class Fit { kBroadcast, kSameShape, kFlat };

TypeSet TypesOf(std::string_view op) {
  TypeSet types;
  for (const DType type : gpu::ElementTypes(op)) {
    if (kGpuPlain.contains(type)) types = types | TypeSet{type};
  }
  return types;
}

// The dimensions of input i for broadcasting to the result. Their number is at most the rank of the result.
DimVector DimsOf(const KernelContext& ctx, Fit fit, int i, const Shape& result) {
  const Shape& shape = ctx.input(i).shape();
  if (fit == Fit::kFlat) return result.dims();
  DimVector dims = shape.dims();
  // Select with one condition per row.
  const bool rows = ctx.node().op->name == "Select" && i == 0 && shape.rank() == 1;
  if (rows) dims.resize(static_cast<size_t>(std::max(result.rank(), 1)), 1);
  return dims;
}

Result<Shape> ResultShape(const KernelContext& ctx, Fit fit) {
  const Shape& first = ctx.input(0).shape();
  if (ctx.node().op->name == "Select") {
    const Shape& t = ctx.input(1).shape();
    const Shape& e = ctx.input(2).shape();
    const bool fits = first == t || first.rank() == 0 || (first.rank() == 1 && t.rank() > 0 && first[0] == t[0]);
    if (!(t == e) || !fits)
      return InvalidArgument("Inputs to operation {} of type Select must have compatible shapes: {}, {} and {}",
                             ctx.name(), first, t, e);
    return t;
  }
  switch (ctx.num_inputs()) {
    case 1:
      return first;
    case 2: {
      const Shape& second = ctx.input(1).shape();
      if (fit == Fit::kSameShape && !(first == second))
        return InvalidArgument("inputs must have the same shape, not {} and {}", first, second);
      if (fit == Fit::kFlat && first.num_elements() != second.num_elements())
        return InvalidArgument("The two arguments to a cwise op must have same number of elements, got {} and {}",
                               first.num_elements(), second.num_elements());
      if (fit != Fit::kBroadcast || first == second) return first;
      WEIR_ASSIGN(const BroadcastPlan plan, BroadcastPlan::Make({&first, &second}));
      return plan.shape();
    }
    default: {
      WEIR_ASSIGN(const BroadcastPlan plan,
                  BroadcastPlan::Make({&first, &ctx.input(1).shape(), &ctx.input(2).shape()}));
      return plan.shape();
    }
  }
}

template <Fit fit>
Result<Kernel> Make(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  const std::string op = setup.node().op->name;
  const double alpha = setup.HasAttr("alpha") ? setup.Attr<float>("alpha").value_or(0) : 0;
  const uint32_t node = setup.num_inputs() == 2 && !IsFloating(setup.input_type(0)) ? gpu.NumberOf(setup.node()) : 0;
  return Kernel::Sync([&gpu, stream = std::move(stream), op, alpha, node](KernelContext& ctx) -> Status {
           WEIR_ASSIGN(const Shape shape, ResultShape(ctx, fit));
           const int count = std::min(ctx.num_inputs(), kMaxInputs);
           std::array<DimVector, kMaxInputs> dims;
           std::array<gpu::ElementInput, kMaxInputs> inputs;
           for (int i = 0; i < count; ++i) {
             const Tensor& input = ctx.input(i);
             dims[i] = DimsOf(ctx, fit, i, shape);
             inputs[i] = {.data = input.raw(), .type = input.dtype(), .dims = dims[i]};
           }
           std::optional<Tensor> out;
           for (int i = 0; i < count && !out.has_value(); ++i) out = gpu.TryForward(ctx, i, 0, shape);
           if (!out.has_value()) {
             WEIR_ASSIGN(out, gpu.Allocate(ctx, 0, shape));
           }
           if (shape.num_elements() == 0) return OkStatus();
           const gpu::ElementStep step{.op = op, .inputs = {0, 1, 2}, .alpha = alpha};
           return gpu::Elementwise(*stream, absl::MakeSpan(inputs.data(), static_cast<size_t>(count)), {&step, 1},
                                   out->raw(), shape.dims(), node);
         })
      .Cheap();
}

Result<Kernel> MakeCast(KernelSetup& setup, GpuDevice& gpu) {
  WEIR_ASSIGN(std::shared_ptr<GpuStream> stream, gpu.stream());
  return Kernel::Sync([&gpu, stream = std::move(stream)](KernelContext& ctx) -> Status {
           const Tensor& x = ctx.input(0);
           if (x.dtype() == ctx.output_type(0)) {
             ctx.set_output(0, x);
             return OkStatus();
           }
           WEIR_ASSIGN(const Tensor y, gpu.Allocate(ctx, 0, x.shape()));
           return gpu::Cast(*stream, x.dtype(), x.raw(), y.dtype(), y.raw(), x.num_elements());
         })
      .Cheap();
}

}  // namespace

GpuKernel GpuElementwise(const char* attrs) {
  return {.make = Make<Fit::kBroadcast>, .attrs = attrs, .types_of = TypesOf};
}
GpuKernel GpuSameShape() { return {.make = Make<Fit::kSameShape>, .types_of = TypesOf}; }
GpuKernel GpuFlat() { return {.make = Make<Fit::kFlat>, .types_of = TypesOf}; }
GpuKernel GpuCast() { return {.make = MakeCast, .types = kGpuPlain | TypeSet{kInt32}, .attrs = "SrcT,DstT"}; }

}  // namespace weir::ops
