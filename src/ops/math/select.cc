// Selection of elements by a condition: Select (equal shapes, or whole rows by a vector), SelectV2 (broadcasting),
// ClipByValue. Select only copies elements, so it has one loop per element size.
#include <array>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/shape_context.h"
#include "ops/math/broadcast.h"
#include "ops/math/broadcast_gradient.h"
#include "ops/math/elementwise.h"
#include "ops/math/gpu_elementwise.h"

namespace weir::ops {
namespace {

template <class T>
void SelectLoop(const void* condition, const void* t, const void* e, void* out, int64_t n, Strides s) {
  const bool* c = static_cast<const bool*>(condition);
  const T* x = static_cast<const T*>(t);
  const T* y = static_cast<const T*>(e);
  T* z = static_cast<T*>(out);
  if (s == Strides{1, 1, 1}) {
    WEIR_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) z[i] = c[i] ? x[i] : y[i];
  } else {
    for (int64_t i = 0; i < n; ++i) z[i] = c[i * s[0]] ? x[i * s[1]] : y[i * s[2]];
  }
}

TernaryLoop SelectLoopFor(DType type) {
  if (type == kString) return SelectLoop<std::string>;
  if (type == kResource) return SelectLoop<ResourceHandle>;
  if (!IsPlain(type)) return nullptr;
  switch (ElementSize(type)) {
    case 1:
      return SelectLoop<uint8_t>;
    case 2:
      return SelectLoop<uint16_t>;
    case 4:
      return SelectLoop<uint32_t>;
    case 8:
      return SelectLoop<uint64_t>;
    case 16:
      return SelectLoop<std::array<uint64_t, 2>>;
    default:
      return nullptr;
  }
}

// Null for types that are not plain.
TernaryLoop PlainSelectLoop(DType type) { return IsPlain(type) ? SelectLoopFor(type) : nullptr; }

// Runs the loop over the three inputs, broadcast with the given shapes.
Status RunTernary(KernelContext& ctx, TernaryLoop loop, const Shape& a, const Shape& b, const Shape& c,
                  std::array<size_t, 3> sizes) {
  WEIR_ASSIGN(BroadcastPlan plan, BroadcastPlan::Make({&a, &b, &c}));
  const char* in[3];
  for (int i = 0; i < 3; ++i) in[i] = static_cast<const char*>(ctx.input(i).raw());
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, plan.shape()));
  Strides strides;
  for (int i = 0; i < 3; ++i) strides[i] = plan.is_scalar_in_run(i) ? 0 : 1;
  char* z = static_cast<char*>(out.raw());
  const int64_t out_size = static_cast<int64_t>(ElementSize(out.dtype()));
  return ctx.ParallelFor(out.num_elements(), 2, [&](int64_t begin, int64_t end) {
    plan.ForRuns(begin, end, [&](const BroadcastPlan::Offsets& at, int64_t o, int64_t n) {
      loop(in[0] + at[0] * static_cast<int64_t>(sizes[0]), in[1] + at[1] * static_cast<int64_t>(sizes[1]),
           in[2] + at[2] * static_cast<int64_t>(sizes[2]), z + o * out_size, n, strides);
    });
  });
}

Result<Kernel> MakeSelectV2(KernelSetup& setup) {
  const DType type = BaseType(setup.output_type(0));
  TernaryLoop loop = SelectLoopFor(type);
  if (loop == nullptr) return InvalidArgument("cannot select among elements of type {}", type);
  const size_t size = ElementSize(type);
  return Kernel::Sync([loop, size](KernelContext& ctx) -> Status {
           return RunTernary(ctx, loop, ctx.input(0).shape(), ctx.input(1).shape(), ctx.input(2).shape(),
                             {1, size, size});
         })
      .Cheap();
}

Result<Kernel> MakeSelect(KernelSetup& setup) {
  const DType type = BaseType(setup.output_type(0));
  TernaryLoop loop = SelectLoopFor(type);
  if (loop == nullptr) return InvalidArgument("cannot select among elements of type {}", type);
  const size_t size = ElementSize(type);
  return Kernel::Sync([loop, size](KernelContext& ctx) -> Status {
           const Shape& condition = ctx.input(0).shape();
           const Shape& t = ctx.input(1).shape();
           const Shape& e = ctx.input(2).shape();
           if (!(t == e)) {
             return InvalidArgument("'then' and 'else' must have the same size, but received: {} vs. {}", t, e);
           }
           if (condition.rank() == 0) {
             ctx.set_output(0, ctx.input(ctx.input(0).scalar<bool>() ? 1 : 2));
             return OkStatus();
           }
           Shape seen = condition;
           if (!(condition == t)) {
             if (condition.rank() != 1 || t.rank() < 1 || condition[0] != t[0]) {
               return InvalidArgument(
                   "Inputs to Select must have the same shape, or 'cond' must be a vector as long as the first "
                   "dimension of "
                   "'then': 'cond' has shape {}, 'then' {}",
                   condition, t);
             }
             for (int d = 1; d < t.rank(); ++d) WEIR_TRY(seen.AddDim(1));  // whole rows
           }
           return RunTernary(ctx, loop, seen, t, e, {1, size, size});
         })
      .Cheap();
}

Status SelectShape(ShapeContext& c) {
  WEIR_ASSIGN(PartialShape data, c.input(1).Merge(c.input(2)));
  const PartialShape& condition = c.input(0);
  if (condition.known_rank() && data.known_rank() && condition.rank() > 0) {
    if (condition.rank() == 1 && data.rank() > 1) {
      WEIR_ASSIGN(const int64_t rows, MergeDims(condition[0], data[0]));
      data.SetDim(0, rows);
    } else {
      WEIR_ASSIGN(data, data.Merge(condition));
    }
  } else if (condition.known_rank() && condition.rank() > 1) {
    data = condition;
  }
  c.set_output(0, data);
  return OkStatus();
}

Status SelectV2Shape(ShapeContext& c) {
  WEIR_ASSIGN(PartialShape data, BroadcastShapes(c.input(1), c.input(2)));
  WEIR_ASSIGN(PartialShape all, BroadcastShapes(c.input(0), data));
  c.set_output(0, all);
  return OkStatus();
}

Result<Gradients> SelectGradient(GradientContext& g) {
  Output condition = g.input(0);
  Output dz = g.d_output(0);
  Output zeros = ZerosLike(g.input(1));
  return Gradients{std::monostate{}, Select(condition, dz, zeros), Select(condition, zeros, dz)};
}

Result<Gradients> SelectV2Gradient(GradientContext& g) {
  Output condition = g.input(0);
  Output dz = g.d_output(0);
  Output z = g.output(0);
  return Gradients{std::monostate{}, UnbroadcastTo(g.input(1), SelectV2(condition, dz, 0), z),
                   UnbroadcastTo(g.input(2), SelectV2(condition, 0, dz), z)};
}

template <class T>
void ClipLoop(const void* t, const void* low, const void* high, void* out, int64_t n, Strides s) {
  const T* x = static_cast<const T*>(t);
  const T* lo = static_cast<const T*>(low);
  const T* hi = static_cast<const T*>(high);
  T* y = static_cast<T*>(out);
  for (int64_t i = 0; i < n; ++i) {
    const T v = x[i * s[0]];
    const T below = hi[i * s[2]] < v ? hi[i * s[2]] : v;
    y[i] = below < lo[i * s[1]] ? lo[i * s[1]] : below;
  }
}

Kernel MakeClip(TernaryLoop loop, size_t size) {
  return Kernel::Sync([loop, size](KernelContext& ctx) -> Status {
           const Shape& t = ctx.input(0).shape();
           for (int i : {1, 2}) {
             const Shape& bound = ctx.input(i).shape();
             if (bound.rank() != 0 && !(bound == t)) {
               return InvalidArgument(
                   "clip_value_min and clip_value_max must be either of the same shape as input, or a scalar. input "
                   "shape: "
                   "{} clip_value_min shape: {} clip_value_max shape: {}",
                   t, ctx.input(1).shape(), ctx.input(2).shape());
             }
           }
           return RunTernary(ctx, loop, t, ctx.input(1).shape(), ctx.input(2).shape(), {size, size, size});
         })
      .Cheap();
}

template <class... Ts>
KernelList ClipKernels() {
  return CpuKernels<Ts...>([](auto tag, KernelSetup&) -> Result<Kernel> {
    using T = typename decltype(tag)::type;
    return MakeClip(ClipLoop<T>, sizeof(T));
  });
}

Result<Gradients> ClipGradient(GradientContext& g) {
  Output x = g.input(0);
  Output low = g.input(1);
  Output high = g.input(2);
  Output dz = g.d_output(0);
  Output z = g.output(0);
  Output below = Less(x, low);
  Output above = Greater(x, high);
  return Gradients{SelectV2(LogicalOr(below, above), 0, dz), UnbroadcastTo(low, SelectV2(below, dz, 0), z),
                   UnbroadcastTo(high, SelectV2(above, dz, 0), z)};
}

}  // namespace

void RegisterSelect(OpRegistry& registry) {
  registry.Add({
      .name = "Select",
      .signature = "condition: bool, t: T, e: T -> output: T",
      .attrs = {"T: type"},
      .shape = SelectShape,
      .gradient = SelectGradient,
      .kernels = WithGpu(CpuKernel(KernelWithLoop{
                             .loop = {},
                             .choose = [](const AttrMap&, DType,
                                          DType output) { return ElementLoop{.ternary = PlainSelectLoop(output)}; },
                             .make = MakeSelect}),
                         GpuElementwise()),
      .traits = {.memory = OutputMemory::kMayShare},
  });
  registry.Add({
      .name = "SelectV2",
      .signature = "condition: bool, t: T, e: T -> output: T",
      .attrs = {"T: type"},
      .shape = SelectV2Shape,
      .gradient = SelectV2Gradient,
      .kernels = WithGpu(CpuKernel(KernelWithLoop{.loop = {},
                                                  .choose =
                                                      [](const AttrMap&, DType, DType output) {
                                                        return ElementLoop{.ternary = PlainSelectLoop(output),
                                                                           .may_be_scalar = 0b111};
                                                      },
                                                  .make = MakeSelectV2}),
                         GpuElementwise()),
  });
  registry.Add({
      .name = "ClipByValue",
      .signature = "t: T, clip_value_min: T, clip_value_max: T -> output: T",
      .attrs = {"T: numbertype"},
      .shape = SameAsInput(0),
      .gradient = ClipGradient,
      .kernels = ClipKernels<float, double, half, bfloat16, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t,
                             int64_t, uint64_t>(),
  });
}

}  // namespace weir::ops
