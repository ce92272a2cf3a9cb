// GRUBlockCell: one step of a GRU in one node, and its gradient. The gates are in the order reset, update:
//   r, u = sigmoid([x, h_prev] w_ru + b_ru), c = tanh([x, r h_prev] w_c + b_c), h = u h_prev + (1 - u) c.
#include <cmath>

#include "device/cpu/gemm.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/nn/float_values.h"

namespace weir::ops {
namespace {

enum GruBlockInput { kGruX, kGruH, kGruWru, kGruWc, kGruBru, kGruBc };

struct GruBlockSizes {
  int64_t batch = 0, inputs = 0, units = 0;
};

Result<GruBlockSizes> GruSizes(KernelContext& ctx) {
  const Tensor &x = ctx.input(kGruX), &h = ctx.input(kGruH);
  if (x.rank() != 2) return InvalidArgument("x must be a matrix, but has the shape {}", x.shape());
  if (h.rank() != 2 || h.dim(0) != x.dim(0))
    return InvalidArgument("h_prev must be a matrix with {} rows, as x, but has the shape {}", x.dim(0), h.shape());
  const GruBlockSizes s{x.dim(0), x.dim(1), h.dim(1)};
  if (std::max(s.inputs, s.units) > int64_t{1} << 40)
    return InvalidArgument("a GRU cannot have {} inputs and {} units", s.inputs, s.units);
  const auto check = [&](int i, const char* name, std::initializer_list<int64_t> dims) -> Status {
    WEIR_ASSIGN(const Shape wanted, Shape::Make(dims));
    if (ctx.input(i).shape() == wanted) return OkStatus();
    return InvalidArgument("{} must have the shape {}, not {}", name, wanted, ctx.input(i).shape());
  };
  WEIR_TRY(check(kGruWru, "w_ru", {s.inputs + s.units, 2 * s.units}));
  WEIR_TRY(check(kGruWc, "w_c", {s.inputs + s.units, s.units}));
  WEIR_TRY(check(kGruBru, "b_ru", {2 * s.units}));
  WEIR_TRY(check(kGruBc, "b_c", {s.units}));
  return s;
}

// out = x w[:inputs] + h w[inputs:], with `columns` columns.
Status GruProduct(ThreadPool* pool, const GruBlockSizes& s, int64_t columns, const float* x, const float* h,
                  const float* w, float* out) {
  GemmLayout layout{.m = s.batch, .n = columns, .k = s.inputs};
  WEIR_TRY(Gemm(pool, layout, x, w, out));
  layout.k = s.units;
  layout.accumulate = true;
  return Gemm(pool, layout, h, w + s.inputs * columns, out);
}

float GruSigmoid(float x) { return 1 / (1 + std::exp(-x)); }

Result<Kernel> MakeGruBlock(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const GruBlockSizes s, GruSizes(ctx));
    const Shape shape{s.batch, s.units};
    float* out[4];
    for (int i = 0; i < 4; ++i) {
      WEIR_ASSIGN(const Tensor value, ctx.Allocate(i, shape));
      out[i] = value.data<float>();
    }
    if (shape.num_elements() == 0) return OkStatus();
    auto [r, u, c, next] = out;
    const float *x = ctx.input(kGruX).data<float>(), *h = ctx.input(kGruH).data<float>(),
                *b_ru = ctx.input(kGruBru).data<float>(), *b_c = ctx.input(kGruBc).data<float>();
    WEIR_ASSIGN(const Tensor gates, ZeroFloats({s.batch, 2 * s.units}));
    WEIR_ASSIGN(const Tensor kept, ZeroFloats({s.batch, s.units}));
    float *g = gates.data<float>(), *rh = kept.data<float>();
    const int64_t n = s.units;
    WEIR_TRY(GruProduct(ctx.step().pool, s, 2 * n, x, h, ctx.input(kGruWru).data<float>(), g));
    for (int64_t row = 0; row < s.batch; ++row) {
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = row * n + k;
        r[at] = GruSigmoid(g[row * 2 * n + k] + b_ru[k]);
        u[at] = GruSigmoid(g[row * 2 * n + n + k] + b_ru[n + k]);
        rh[at] = r[at] * h[at];
      }
    }
    WEIR_TRY(GruProduct(ctx.step().pool, s, n, x, rh, ctx.input(kGruWc).data<float>(), c));
    for (int64_t row = 0; row < s.batch; ++row) {
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = row * n + k;
        c[at] = std::tanh(c[at] + b_c[k]);
        next[at] = u[at] * h[at] + (1 - u[at]) * c[at];
      }
    }
    return OkStatus();
  });
}

// d_x and d_h_prev, and the gradients at the inputs of the activations.
Result<Kernel> MakeGruBlockGrad(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const GruBlockSizes s, GruSizes(ctx));
    const Shape shape{s.batch, s.units};
    const char* const names[] = {"r", "u", "c", "d_h"};
    for (int i = 0; i < 4; ++i)
      if (!(ctx.input(6 + i).shape() == shape))
        return InvalidArgument("{} must have the shape {}, not {}", names[i], shape, ctx.input(6 + i).shape());
    WEIR_ASSIGN(const Tensor x_grad, ctx.Allocate(0, Shape{s.batch, s.inputs}));
    WEIR_ASSIGN(const Tensor h_grad, ctx.Allocate(1, shape));
    WEIR_ASSIGN(const Tensor c_grad, ctx.Allocate(2, shape));
    WEIR_ASSIGN(const Tensor ru_grad, ctx.Allocate(3, Shape{s.batch, 2 * s.units}));
    if (shape.num_elements() == 0) {
      x_grad.ZeroFill();
      return OkStatus();
    }
    const float *h = ctx.input(kGruH).data<float>(), *w_ru = ctx.input(kGruWru).data<float>(),
                *w_c = ctx.input(kGruWc).data<float>(), *r = ctx.input(6).data<float>(),
                *u = ctx.input(7).data<float>(), *c = ctx.input(8).data<float>(), *d_h = ctx.input(9).data<float>();
    float *d_x = x_grad.data<float>(), *d_h_prev = h_grad.data<float>(), *d_c = c_grad.data<float>(),
          *d_ru = ru_grad.data<float>();
    const int64_t n = s.units;
    for (int64_t at = 0; at < s.batch * n; ++at) d_c[at] = d_h[at] * (1 - u[at]) * (1 - c[at] * c[at]);
    WEIR_ASSIGN(const Tensor kept_grad, ZeroFloats({s.batch, n}));  // of r h_prev
    float* d_rh = kept_grad.data<float>();
    ThreadPool* const pool = ctx.step().pool;
    GemmLayout back{.m = s.batch, .n = s.inputs, .k = n, .transpose_b = true};
    WEIR_TRY(Gemm(pool, back, d_c, w_c, d_x));
    back.n = n;
    WEIR_TRY(Gemm(pool, back, d_c, w_c + s.inputs * n, d_rh));
    for (int64_t row = 0; row < s.batch; ++row) {
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = row * n + k;
        d_ru[row * 2 * n + k] = d_rh[at] * h[at] * r[at] * (1 - r[at]);
        d_ru[row * 2 * n + n + k] = d_h[at] * (h[at] - c[at]) * u[at] * (1 - u[at]);
        d_h_prev[at] = d_rh[at] * r[at] + d_h[at] * u[at];
      }
    }
    back = {.m = s.batch, .n = s.inputs, .k = 2 * n, .transpose_b = true, .accumulate = true};
    WEIR_TRY(Gemm(pool, back, d_ru, w_ru, d_x));
    back.n = n;
    return Gemm(pool, back, d_ru, w_ru + s.inputs * 2 * n, d_h_prev);
  });
}

Status GruBlockShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape x, ctx.WithRank(kGruX, 2));
  WEIR_ASSIGN(const PartialShape h, ctx.WithRank(kGruH, 2));
  for (int i = 0; i < 4; ++i) ctx.set_output(i, PartialShape{x[0], h[1]});
  return OkStatus();
}

Status GruBlockGradShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape x, ctx.WithRank(kGruX, 2));
  WEIR_ASSIGN(const PartialShape h, ctx.WithRank(kGruH, 2));
  WEIR_ASSIGN(const PartialShape w, ctx.WithRank(kGruWru, 2));
  ctx.set_output(0, x);
  ctx.set_output(1, PartialShape{x[0], h[1]});
  ctx.set_output(2, PartialShape{x[0], h[1]});
  ctx.set_output(3, PartialShape{x[0], w[1]});
  return OkStatus();
}

// Only h has a gradient: the other outputs are for the gradient.
Result<Gradients> GruBlockGradient(GradientContext& g) {
  const Output x = g.input(kGruX), h = g.input(kGruH), r = g.output(0);
  const auto back = GRUBlockCellGrad(x, h, g.input(kGruWru), g.input(kGruWc), g.input(kGruBru), g.input(kGruBc), r,
                                     g.output(1), g.output(2), g.d_output(3));
  const Output d_w_ru = MatMul(ConcatV2(InputList{x, h}, 1), back.d_r_bar_u_bar, {.transpose_a = true});
  const Output d_w_c = MatMul(ConcatV2(InputList{x, h * r}, 1), back.d_c_bar, {.transpose_a = true});
  return Gradients{back.d_x, back.d_h_prev, d_w_ru, d_w_c, BiasAddGrad(back.d_r_bar_u_bar), BiasAddGrad(back.d_c_bar)};
}

}  // namespace

void RegisterGruBlock(OpRegistry& registry) {
  const std::string inputs = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T";
  registry.Add({
      .name = "GRUBlockCell",
      .signature = inputs + " -> r: T, u: T, c: T, h: T",
      .attrs = {"T: {float}"},
      .shape = GruBlockShape,
      .gradient = GruBlockGradient,
      .kernels = CpuKernelForTypes("T", {kFloat}, MakeGruBlock),
  });
  registry.Add({
      .name = "GRUBlockCellGrad",
      .signature = inputs + ", r: T, u: T, c: T, d_h: T -> d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T",
      .attrs = {"T: {float}"},
      .shape = GruBlockGradShape,
      .kernels = CpuKernelForTypes("T", {kFloat}, MakeGruBlockGrad),
  });
}

}  // namespace weir::ops
