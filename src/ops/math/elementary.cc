// Roots, exponentials, logarithms, trigonometric and hyperbolic functions, and the sigmoid. float and double use
// vector_math where it has the function; complex numbers are computed in double precision.
#include <cmath>

#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "ops/math/broadcast_gradient.h"
#include "ops/math/elementwise.h"
#include "ops/math/vector_math.h"

namespace weir::ops {
namespace {

using C128 = std::complex<double>;
constexpr char kTypes[] = "bfloat16, half, float, double, complex64, complex128";

C128 Log1pOf(C128 x) {
  // log(1 + x) would lose the low bits of a small x, so compute magnitude and angle separately.
  const double r = std::hypot(1 + x.real(), x.imag());
  const double log_r =
      std::abs(x) < 0.5 ? 0.5 * std::log1p(x.real() * (2 + x.real()) + x.imag() * x.imag()) : std::log(r);
  return {log_r, std::atan2(x.imag(), 1 + x.real())};
}
C128 Expm1Of(C128 x) {
  // exp(a)cos(b) - 1 = expm1(a)cos(b) - 2 sin(b/2)^2
  const double s = std::sin(x.imag() / 2);
  return {std::expm1(x.real()) * std::cos(x.imag()) - 2 * s * s, std::exp(x.real()) * std::sin(x.imag())};
}

template <class T>
T Conjugate(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x;
  else
    return std::conj(x);
}

UnaryLoops Spans(UnaryLoop f, UnaryLoop d) { return UnaryLoops{{{kFloat, f}, {kDouble, d}}}; }
template <class F>
UnaryLoops Library(F f) {
  return UnaryFor<float, double, C128>(f);
}

// conj() in the gradients below is for complex numbers: dy is the conjugate of the derivative.
Output SqrtGradient(Output, Output y, Output dy) { return SqrtGrad(y, dy); }
Output RsqrtGradient(Output, Output y, Output dy) { return RsqrtGrad(y, dy); }
Output ExpGradient(Output, Output y, Output dy) { return dy * ConjOf(y); }
Output Expm1Gradient(Output x, Output, Output dy) { return dy * Exp(ConjOf(x)); }
Output LogGradient(Output x, Output, Output dy) { return dy * Reciprocal(ConjOf(x)); }
Output Log1pGradient(Output x, Output, Output dy) { return dy * Reciprocal(1 + ConjOf(x)); }
Output SinGradient(Output x, Output, Output dy) { return dy * Cos(ConjOf(x)); }
Output CosGradient(Output x, Output, Output dy) { return -dy * Sin(ConjOf(x)); }
Output TanGradient(Output x, Output, Output dy) { return dy * Square(Reciprocal(Cos(ConjOf(x)))); }
Output SinhGradient(Output x, Output, Output dy) { return dy * Cosh(ConjOf(x)); }
Output CoshGradient(Output x, Output, Output dy) { return dy * Sinh(ConjOf(x)); }
Output TanhGradient(Output, Output y, Output dy) { return TanhGrad(ConjOf(y), dy); }
Output AsinGradient(Output x, Output, Output dy) { return dy * Reciprocal(Sqrt(1 - Square(ConjOf(x)))); }
Output AcosGradient(Output x, Output, Output dy) { return -dy * Reciprocal(Sqrt(1 - Square(ConjOf(x)))); }
Output AtanGradient(Output x, Output, Output dy) { return dy * Reciprocal(1 + Square(ConjOf(x))); }
Output AsinhGradient(Output, Output y, Output dy) { return dy / Cosh(ConjOf(y)); }
Output AcoshGradient(Output, Output y, Output dy) { return dy / Sinh(ConjOf(y)); }
Output AtanhGradient(Output x, Output, Output dy) { return dy * Reciprocal(1 - Square(ConjOf(x))); }
Output SigmoidGradient(Output, Output y, Output dy) { return SigmoidGrad(ConjOf(y), dy); }

// Gradients of the gradient ops, whose inputs are y and dy.
Result<Gradients> SqrtGradGradient(GradientContext& g) {  // z = 0.5 dy / conj(y)
  Output a = g.input(0);
  Output dz = g.d_output(0);
  Output ga = dz / a;
  return Gradients{-ConjOf(ga) * g.output(0), ga * 0.5};
}
Result<Gradients> RsqrtGradGradient(GradientContext& g) {  // z = -0.5 dy conj(y)^3
  Output b = g.input(1);
  Output ca = ConjOf(g.input(0));
  Output dz = g.d_output(0);
  Output cg = ConjOf(dz);
  return Gradients{cg * -1.5 * b * Square(ca), RsqrtGrad(ca, dz)};
}
Result<Gradients> TanhGradGradient(GradientContext& g) {  // z = dy (1 - y^2)
  Output a = ConjOf(g.input(0));
  Output dz = g.d_output(0);
  return Gradients{dz * -2 * ConjOf(g.input(1)) * a, TanhGrad(a, dz)};
}
Result<Gradients> SigmoidGradGradient(GradientContext& g) {  // z = dy y (1 - y)
  Output ca = ConjOf(g.input(0));
  Output cb = ConjOf(g.input(1));
  Output dz = g.d_output(0);
  Output gb = dz * cb;
  return Gradients{gb - gb * 2 * ca, SigmoidGrad(ca, dz)};
}

template <class F>
void AddGradOp(OpRegistry& registry, const std::string& name, F f, GradientFn gradient) {
  AddGradientOfUnary(registry, {.name = name,
                                .types = kTypes,
                                .loops = BinaryFor<float, double, C128>(f),
                                .gradient = std::move(gradient),
                                .signature = "y: T, dy: T -> z: T"});
}

}  // namespace

void RegisterElementary(OpRegistry& registry) {
  auto add = [&](const char* name, UnaryLoops loops, UnaryGradient gradient, int cost, OpTraits traits = {}) {
    AddUnary(registry, {.name = name,
                        .types = kTypes,
                        .loops = std::move(loops),
                        .gradient = FromXAndY(gradient),
                        .cost = cost,
                        .traits = traits});
  };
  auto complex = [](auto f) { return UnaryFor<C128>(f); };
  add("Sqrt",
      Spans(SpanLoop<float, SqrtInto>, SpanLoop<double, SqrtInto>).And(complex([](C128 x) { return std::sqrt(x); })),
      SqrtGradient, 1);
  add("Rsqrt", Spans(SpanLoop<float, RsqrtInto>, SpanLoop<double, RsqrtInto>).And(complex([](C128 x) {
    return 1.0 / std::sqrt(x);
  })),
      RsqrtGradient, 1);
  add("Exp",
      Spans(SpanLoop<float, ExpInto>, SpanLoop<double, ExpInto>).And(complex([](C128 x) { return std::exp(x); })),
      ExpGradient, 2);
  add("Expm1",
      Spans(SpanLoop<float, Expm1Into>, SpanLoop<double, Expm1Into>).And(complex([](C128 x) { return Expm1Of(x); })),
      Expm1Gradient, 2);
  add("Log",
      Spans(SpanLoop<float, LogInto>, SpanLoop<double, LogInto>).And(complex([](C128 x) { return std::log(x); })),
      LogGradient, 2);
  add("Log1p",
      Spans(SpanLoop<float, Log1pInto>, SpanLoop<double, Log1pInto>).And(complex([](C128 x) { return Log1pOf(x); })),
      Log1pGradient, 2);
  add("Sin",
      Spans(SpanLoop<float, SinInto>, SpanLoop<double, SinInto>).And(complex([](C128 x) { return std::sin(x); })),
      SinGradient, 2);
  add("Cos",
      Spans(SpanLoop<float, CosInto>, SpanLoop<double, CosInto>).And(complex([](C128 x) { return std::cos(x); })),
      CosGradient, 2);
  add("Tanh",
      Spans(SpanLoop<float, TanhInto>, SpanLoop<double, TanhInto>).And(complex([](C128 x) { return std::tanh(x); })),
      TanhGradient, 2, {.fold = FoldStage::kActivation});
  add("Sigmoid", Spans(SpanLoop<float, SigmoidInto>, SpanLoop<double, SigmoidInto>).And(complex([](C128 x) {
    return 1.0 / (1.0 + std::exp(-x));
  })),
      SigmoidGradient, 2, {.probabilities = Probabilities::kOfElements, .fold = FoldStage::kActivation});
  add("Tan", Library([](auto x) { return std::tan(x); }), TanGradient, 10);
  add("Sinh", Library([](auto x) { return std::sinh(x); }), SinhGradient, 10);
  add("Cosh", Library([](auto x) { return std::cosh(x); }), CoshGradient, 10);
  add("Asin", Library([](auto x) { return std::asin(x); }), AsinGradient, 10);
  add("Acos", Library([](auto x) { return std::acos(x); }), AcosGradient, 10);
  add("Atan", Library([](auto x) { return std::atan(x); }), AtanGradient, 10);
  add("Asinh", Library([](auto x) { return std::asinh(x); }), AsinhGradient, 10);
  add("Acosh", Library([](auto x) { return std::acosh(x); }), AcoshGradient, 10);
  add("Atanh", Library([](auto x) { return std::atanh(x); }), AtanhGradient, 10);

  AddGradOp(
      registry, "SqrtGrad", [](auto y, auto dy) { return decltype(y)(0.5) * dy / Conjugate(y); }, SqrtGradGradient);
  AddGradOp(
      registry, "RsqrtGrad",
      [](auto y, auto dy) {
        const auto c = Conjugate(y);
        return decltype(y)(-0.5) * dy * c * c * c;
      },
      RsqrtGradGradient);
  AddGradOp(
      registry, "TanhGrad", [](auto y, auto dy) { return dy * (decltype(y)(1) - y * y); }, TanhGradGradient);
  AddGradOp(
      registry, "SigmoidGrad", [](auto y, auto dy) { return dy * y * (decltype(y)(1) - y); }, SigmoidGradGradient);
}

}  // namespace weir::ops
