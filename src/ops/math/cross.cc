// Cross product of 3-element vectors: [..., 3] x [..., 3] -> [..., 3].
#include "graph/build/math_ops.h"
#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "ops/math/elementwise.h"

namespace weir::ops {
namespace {

// a * b - c * d; integers wrap around.
template <class T>
T Minor(T a, T b, T c, T d) {
  if constexpr (std::is_integral_v<T>) {
    auto wide = [](T v) { return static_cast<uint64_t>(v); };
    return static_cast<T>(wide(a) * wide(b) - wide(c) * wide(d));
  } else {
    return T(a * b - c * d);
  }
}

template <class T>
void CrossLoop(const void* x, const void* y, void* out, int64_t vectors) {
  const T* u = static_cast<const T*>(x);
  const T* v = static_cast<const T*>(y);
  T* w = static_cast<T*>(out);
  for (int64_t i = 0; i < vectors; ++i, u += 3, v += 3, w += 3) {
    w[0] = Minor(u[1], v[2], u[2], v[1]);
    w[1] = Minor(u[2], v[0], u[0], v[2]);
    w[2] = Minor(u[0], v[1], u[1], v[0]);
  }
}

Kernel MakeCross(void (*loop)(const void*, const void*, void*, int64_t)) {
  return Kernel::Sync([loop](KernelContext& ctx) -> Status {
    const Shape& a = ctx.input(0).shape();
    const Shape& b = ctx.input(1).shape();
    if (!(a == b)) return InvalidArgument("Both inputs must be of same shape: {} vs. {}", a, b);
    if (a.rank() < 1) return InvalidArgument("Input must be at least 1D");
    if (a[a.rank() - 1] != 3) {
      return FailedPrecondition("Cross-products are only defined for 3-element vectors, not {}", a);
    }
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, a));
    loop(ctx.input(0).raw(), ctx.input(1).raw(), out.raw(), a.num_elements() / 3);
    return OkStatus();
  });
}

Status CrossShape(ShapeContext& c) {
  WEIR_TRY(c.WithRankAtLeast(0, 1).status());
  WEIR_ASSIGN(PartialShape shape, c.input(0).Merge(c.input(1)));
  if (shape.known_rank()) {
    if (shape.rank() == 0) return InvalidArgument("Input must be at least 1D");
    const int last = shape.rank() - 1;
    WEIR_ASSIGN(const int64_t three, MergeDims(shape[last], 3));
    shape.SetDim(last, three);
  }
  c.set_output(0, shape);
  return OkStatus();
}

}  // namespace

void RegisterCross(OpRegistry& registry) {
  registry.Add({
      .name = "Cross",
      .signature = "a: T, b: T -> product: T",
      .attrs = {"T: realnumbertype"},
      .shape = CrossShape,
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        Output dz = g.d_output(0);
        return Gradients{Cross(g.input(1), dz), Cross(dz, g.input(0))};
      },
      .kernels = CpuKernels<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16, uint16_t, half,
                            uint32_t, uint64_t>(
          [](auto tag, KernelSetup&) -> Result<Kernel> { return MakeCross(CrossLoop<typename decltype(tag)::type>); }),
  });
}

}  // namespace weir::ops
