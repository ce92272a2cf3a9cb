// LRN: local response normalization along the last of four dimensions, and its gradient. y[k] = x[k] * norm[k]^-beta,
// norm[k] = bias + alpha * (sum of x^2 from k - depth_radius to k + depth_radius).
#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/build/nn_ops.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

struct Lrn {
  int64_t radius;
  float bias;
  float alpha;
  float beta;

  static Result<Lrn> Make(KernelSetup& setup) {
    WEIR_ASSIGN(const int64_t radius, setup.Attr<int64_t>("depth_radius"));
    if (radius < 0 || radius > std::numeric_limits<int32_t>::max())
      return InvalidArgument("depth_radius must be in [0, {}], but is {}", std::numeric_limits<int32_t>::max(), radius);
    WEIR_ASSIGN(const float bias, setup.Attr<float>("bias"));
    WEIR_ASSIGN(const float alpha, setup.Attr<float>("alpha"));
    WEIR_ASSIGN(const float beta, setup.Attr<float>("beta"));
    return Lrn{radius, bias, alpha, beta};
  }

  int64_t Begin(int64_t k) const { return std::max<int64_t>(0, k - radius); }
  int64_t End(int64_t k, int64_t depth) const { return std::min(depth, k + radius + 1); }
  int64_t CostPerRow(int64_t depth) const { return depth * (std::min(depth, 2 * radius + 1) + 20); }

  // Computes the norms of one row.
  template <class T>
  void Norms(const T* x, int64_t depth, float* norms) const {
    for (int64_t k = 0; k < depth; ++k) {
      float sum = 0;
      for (int64_t i = Begin(k); i < End(k, depth); ++i) sum += static_cast<float>(x[i]) * static_cast<float>(x[i]);
      norms[k] = bias + alpha * sum;
    }
  }
};

Status CheckImages(const Tensor& x) {
  if (x.rank() != 4) return InvalidArgument("input must be 4-dimensional, but has the shape {}", x.shape());
  return OkStatus();
}

template <class T>
Result<Kernel> MakeLrn(KernelSetup& setup) {
  WEIR_ASSIGN(const Lrn lrn, Lrn::Make(setup));
  return Kernel::Sync([lrn](KernelContext& ctx) -> Status {
    WEIR_TRY(CheckImages(ctx.input(0)));
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, ctx.input(0).shape()));
    if (y.num_elements() == 0) return OkStatus();
    const int64_t depth = y.dim(3);
    const T* in = ctx.input(0).data<T>();
    T* out = y.data<T>();
    return ctx.ParallelFor(y.num_elements() / depth, lrn.CostPerRow(depth), [=](int64_t begin, int64_t end) {
      std::vector<float> norms(static_cast<size_t>(depth));
      for (int64_t row = begin; row < end; ++row) {
        const T* x = in + row * depth;
        lrn.Norms(x, depth, norms.data());
        for (int64_t k = 0; k < depth; ++k)
          out[row * depth + k] =
              static_cast<T>(static_cast<float>(x[k]) * std::pow(norms[static_cast<size_t>(k)], -lrn.beta));
      }
    });
  });
}

// dx[k] = dy[k] * norm[k]^-beta - 2 alpha beta x[k] * (sum of dy * y / norm over the neighbours of k).
template <class T>
Result<Kernel> MakeLrnGrad(KernelSetup& setup) {
  WEIR_ASSIGN(const Lrn lrn, Lrn::Make(setup));
  return Kernel::Sync([lrn](KernelContext& ctx) -> Status {
    for (int i = 0; i < 3; ++i) {
      WEIR_TRY(CheckImages(ctx.input(i)));
      if (!(ctx.input(i).shape() == ctx.input(0).shape()))
        return InvalidArgument("input_grads, input_image and output_image must have one shape, but have {}, {} and {}",
                               ctx.input(0).shape(), ctx.input(1).shape(), ctx.input(2).shape());
    }
    WEIR_ASSIGN(const Tensor dx, ctx.Allocate(0, ctx.input(0).shape()));
    if (dx.num_elements() == 0) return OkStatus();
    const int64_t depth = dx.dim(3);
    const T *grads = ctx.input(0).data<T>(), *images = ctx.input(1).data<T>(), *results = ctx.input(2).data<T>();
    T* out = dx.data<T>();
    return ctx.ParallelFor(dx.num_elements() / depth, 2 * lrn.CostPerRow(depth), [=](int64_t begin, int64_t end) {
      std::vector<float> norms(static_cast<size_t>(depth)), shares(static_cast<size_t>(depth));
      for (int64_t row = begin; row < end; ++row) {
        const T *dy = grads + row * depth, *x = images + row * depth, *y = results + row * depth;
        lrn.Norms(x, depth, norms.data());
        for (int64_t k = 0; k < depth; ++k)
          shares[static_cast<size_t>(k)] =
              static_cast<float>(dy[k]) * static_cast<float>(y[k]) / norms[static_cast<size_t>(k)];
        for (int64_t k = 0; k < depth; ++k) {
          float sum = 0;
          for (int64_t i = lrn.Begin(k); i < lrn.End(k, depth); ++i) sum += shares[static_cast<size_t>(i)];
          const float own = static_cast<float>(dy[k]) * std::pow(norms[static_cast<size_t>(k)], -lrn.beta);
          out[row * depth + k] = static_cast<T>(own - 2 * lrn.alpha * lrn.beta * static_cast<float>(x[k]) * sum);
        }
      }
    });
  });
}

Status LrnGradShape(ShapeContext& ctx) {
  WEIR_ASSIGN(PartialShape shape, ctx.WithRank(0, 4));
  for (int i = 1; i < 3; ++i) {
    WEIR_ASSIGN(shape, shape.Merge(ctx.input(i)));
  }
  ctx.set_output(0, shape);
  return OkStatus();
}

Result<Gradients> LrnGradient(GradientContext& g) {
  WEIR_ASSIGN(const int64_t radius, g.Attr<int64_t>("depth_radius"));
  WEIR_ASSIGN(const float bias, g.Attr<float>("bias"));
  WEIR_ASSIGN(const float alpha, g.Attr<float>("alpha"));
  WEIR_ASSIGN(const float beta, g.Attr<float>("beta"));
  return Gradients{LRNGrad(g.d_output(0), g.input(0), g.output(0),
                           {.depth_radius = radius, .bias = bias, .alpha = alpha, .beta = beta})};
}

}  // namespace

void RegisterLrn(OpRegistry& registry) {
  const std::vector<std::string> attrs = {"depth_radius: int = 5", "bias: float = 1.0", "alpha: float = 1.0",
                                          "beta: float = 0.5", "T: {half, bfloat16, float} = DT_FLOAT"};
  registry.Add({
      .name = "LRN",
      .signature = "input: T -> output: T",
      .attrs = attrs,
      .shape = SameAsInput(0, {.min_rank = 4, .max_rank = 4}),
      .gradient = LrnGradient,
      .kernels = CpuKernels<half, bfloat16, float>(WEIR_FOR_TYPE(MakeLrn)),
  });
  registry.Add({
      .name = "LRNGrad",
      .signature = "input_grads: T, input_image: T, output_image: T -> output: T",
      .attrs = attrs,
      .shape = LrnGradShape,
      .kernels = CpuKernels<half, bfloat16, float>(WEIR_FOR_TYPE(MakeLrnGrad)),
  });
}

}  // namespace weir::ops
