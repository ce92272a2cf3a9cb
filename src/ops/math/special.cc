// Ops of special functions. All are computed in double precision, for any element type.
#include <array>
#include <cmath>
#include <numbers>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/shape_context.h"
#include "ops/math/broadcast_gradient.h"
#include "ops/math/elementwise.h"
#include "ops/math/special_functions.h"

namespace weir::ops {
namespace {

constexpr double kTwoOverRootPi = 2 * std::numbers::inv_sqrtpi;

Output ErfGradient(Output x, Output, Output dy) { return dy * (Exp(-Square(x)) * kTwoOverRootPi); }
Output ErfcGradient(Output x, Output, Output dy) { return dy * (Exp(-Square(x)) * -kTwoOverRootPi); }
Output ErfinvGradient(Output, Output y, Output dy) { return dy * (Exp(Square(y)) * (1 / kTwoOverRootPi)); }
Output NdtriGradient(Output, Output y, Output dy) {
  return dy * (Exp(Square(y) / 2) * std::sqrt(2 * std::numbers::pi));
}
Output LgammaGradient(Output x, Output, Output dy) { return dy * weir::Digamma(x); }
Output DigammaGradient(Output x, Output, Output dy) { return dy * weir::Polygamma(Input(1), x); }

Output BesselI0Gradient(Output x, Output, Output dy) { return dy * BesselI1(x); }
Output BesselI0eGradient(Output x, Output y, Output dy) { return dy * (BesselI1e(x) - weir::Sign(x) * y); }
// value / x, and half of `at_zero` where x is 0.
Output OverX(Output value, Output x, Output at_zero) {
  const Output zero = Equal(x, ZerosLike(x));
  return Select(zero, at_zero / 2, value / Select(zero, OnesLike(x), x));
}
Output BesselI1Gradient(Output x, Output y, Output dy) {
  const Output i0 = BesselI0(x);
  return dy * (i0 - OverX(y, x, i0));
}
Output BesselI1eGradient(Output x, Output y, Output dy) {
  const Output i0 = BesselI0e(x);
  return dy * (i0 - weir::Sign(x) * y - OverX(y, x, i0));
}

// d igamma(a, x) / dx
Output GammaDensity(Output a, Output x) { return Exp(-x + (a - 1) * Log(x) - Lgamma(a)); }

Result<Gradients> IgammaGradient(GradientContext& g) {
  Output a = g.input(0);
  Output x = g.input(1);
  Output dz = g.d_output(0);
  return Unbroadcast(g, IgammaGradA(a, x) * dz, GammaDensity(a, x) * dz);
}
Result<Gradients> IgammacGradient(GradientContext& g) {
  Output a = g.input(0);
  Output x = g.input(1);
  Output dz = g.d_output(0);
  return Unbroadcast(g, -(IgammaGradA(a, x) * dz), -(GammaDensity(a, x) * dz));
}
Result<Gradients> ZetaGradient(GradientContext& g) {
  Output x = g.input(0);
  Output q = g.input(1);
  Output dq = -x * Zeta(x + 1, q) * g.d_output(0);
  return Gradients{std::monostate{}, UnbroadcastTo(q, dq, g.output(0))};
}
Result<Gradients> PolygammaGradient(GradientContext& g) {
  Output n = g.input(0);
  Output x = g.input(1);
  Output dx = weir::Polygamma(n + 1, x) * g.d_output(0);
  return Gradients{std::monostate{}, UnbroadcastTo(x, dx, g.output(0))};
}
Result<Gradients> BetaincGradient(GradientContext& g) {
  Output a = g.input(0);
  Output b = g.input(1);
  Output x = g.input(2);
  Output log_beta = Lgamma(a) + Lgamma(b) - Lgamma(a + b);
  Output density = Exp(Xlog1py(b - 1, -x) + Xlogy(a - 1, x) - log_beta);
  return Gradients{std::monostate{}, std::monostate{}, UnbroadcastTo(x, density * g.d_output(0), g.output(0))};
}

template <class T>
Result<Kernel> MakeBetainc(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    // Scalars are broadcast; all other inputs have one shape.
    Shape shape;
    for (int i = 0; i < 3; ++i) {
      const Shape& s = ctx.input(i).shape();
      if (s.rank() == 0) continue;
      if (shape.rank() != 0 && !(shape == s)) {
        return InvalidArgument("Shapes of a, b and x must be equal or scalar: {}, {}, {}", ctx.input(0).shape(),
                               ctx.input(1).shape(), ctx.input(2).shape());
      }
      shape = s;
    }
    std::array<const T*, 3> in;
    std::array<int64_t, 3> step;
    for (int i = 0; i < 3; ++i) {
      in[i] = ctx.input(i).data<T>();
      step[i] = ctx.input(i).rank() == 0 ? 0 : 1;
    }
    WEIR_ASSIGN(Tensor z, ctx.Allocate(0, shape));
    T* out = z.data<T>();
    return ctx.ParallelFor(z.num_elements(), 300, [&](int64_t i) {
      out[i] = static_cast<T>(ops::Betainc(in[0][i * step[0]], in[1][i * step[1]], in[2][i * step[2]]));
    });
  });
}

Status BetaincShape(ShapeContext& c) {
  PartialShape shape = PartialShape::Scalar();
  bool known = true;
  for (int i = 0; i < 3; ++i) {
    const PartialShape& s = c.input(i);
    if (!s.known_rank()) {
      known = false;
    } else if (s.rank() != 0) {
      if (shape.rank() == 0) {
        shape = s;
      } else {
        WEIR_ASSIGN(shape, shape.Merge(s));
      }
    }
  }
  c.set_output(0, known || shape.rank() != 0 ? shape : PartialShape());
  return OkStatus();
}

}  // namespace

void RegisterSpecial(OpRegistry& registry) {
  const std::string reals = "bfloat16, half, float, double";
  auto unary = [&](const char* name, UnaryLoops loops, UnaryGradient gradient, int cost) {
    AddUnary(registry,
             {.name = name, .types = reals, .loops = std::move(loops), .gradient = FromXAndY(gradient), .cost = cost});
  };
  unary("Erf", UnaryFor<float, double>([](auto x) { return std::erf(x); }), ErfGradient, 10);
  unary("Erfc", UnaryFor<float, double>([](auto x) { return std::erfc(x); }), ErfcGradient, 15);
  unary("Erfinv", UnaryFor<double>([](double x) { return ErfInverse(x); }), ErfinvGradient, 150);
  unary("Ndtri", UnaryFor<double>([](double x) { return NormalQuantile(x); }), NdtriGradient, 150);
  unary("Lgamma", UnaryFor<double>([](double x) { return LogGamma(x); }), LgammaGradient, 30);
  unary("Digamma", UnaryFor<double>([](double x) { return ops::Digamma(x); }), DigammaGradient, 30);

  unary("BesselI0", UnaryFor<double>([](double x) { return std::exp(std::abs(x)) * ScaledBessel(0, x); }),
        BesselI0Gradient, 100);
  unary("BesselI0e", UnaryFor<double>([](double x) { return ScaledBessel(0, x); }), BesselI0eGradient, 100);
  unary("BesselI1", UnaryFor<double>([](double x) { return std::exp(std::abs(x)) * ScaledBessel(1, x); }),
        BesselI1Gradient, 100);
  unary("BesselI1e", UnaryFor<double>([](double x) { return ScaledBessel(1, x); }), BesselI1eGradient, 100);

  auto binary = [&](const char* name, std::string types, const char* signature, BinaryLoops loops,
                    GradientFn gradient) {
    AddBinary(registry, {.name = name,
                         .types = std::move(types),
                         .loops = std::move(loops),
                         .gradient = std::move(gradient),
                         .cost = 200,
                         .signature = signature});
  };
  binary("Igamma", reals, "a: T, x: T -> z: T", BinaryFor<double>([](double a, double x) { return ops::Igamma(a, x); }),
         IgammaGradient);
  binary("Igammac", reals, "a: T, x: T -> z: T",
         BinaryFor<double>([](double a, double x) { return ops::Igammac(a, x); }), IgammacGradient);
  binary("IgammaGradA", "float, double", "a: T, x: T -> z: T",
         BinaryFor<double>([](double a, double x) { return IgammaDerivative(a, x); }), {});
  binary("RandomGammaGrad", "float, double", "alpha: T, sample: T -> output: T",
         BinaryFor<double>([](double a, double x) { return GammaSampleDerivative(a, x); }), {});
  binary("Zeta", "float, double", "x: T, q: T -> z: T",
         BinaryFor<double>([](double x, double q) { return HurwitzZeta(x, q); }), ZetaGradient);
  binary("Polygamma", "float, double", "a: T, x: T -> z: T",
         BinaryFor<double>([](double n, double x) { return ops::Polygamma(n, x); }), PolygammaGradient);
  registry.Add({
      .name = "Betainc",
      .signature = "a: T, b: T, x: T -> z: T",
      .attrs = {"T: {float, double}"},
      .shape = BetaincShape,
      .gradient = BetaincGradient,
      .kernels = CpuKernels<float, double>(WEIR_FOR_TYPE(MakeBetainc)),
  });
}

}  // namespace weir::ops
