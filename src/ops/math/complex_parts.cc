// Composition and decomposition of complex numbers.
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "op/shape_context.h"
#include "ops/math/broadcast_gradient.h"
#include "ops/math/elementwise.h"

namespace weir::ops {
namespace {

using C64 = std::complex<float>;
using C128 = std::complex<double>;

// complex64 pairs with float, complex128 with double.
KernelList Paired(KernelList kernels, bool output_is_complex) {
  for (KernelDef& def : kernels) {
    const DType type = def.types[0].second;
    const DType other =
        output_is_complex ? (type == kFloat ? kComplex64 : kComplex128) : (type == kComplex64 ? kFloat : kDouble);
    def.types.emplace_back("Tout", other);
  }
  return kernels;
}

void AddPart(OpRegistry& registry, const std::string& name, const std::string& signature, const UnaryLoops& loops,
             UnaryGradient gradient) {
  registry.Add({
      .name = name,
      .signature = signature,
      .attrs = {"T: {complex64, complex128} = DT_COMPLEX64", "Tout: {float, double} = DT_FLOAT"},
      .shape = SameAsInput(0),
      .gradient = FromXAndY(gradient),
      .kernels = Paired(UnaryKernels({kComplex64, kComplex128}, loops, 2), false),
  });
}

Output AsComplex(Output real, Output imag) {
  return Complex(real, imag, {.Tout = real.base_dtype() == kDouble ? kComplex128 : kComplex64});
}
Output AsComplex(Output real) { return Cast(real, real.base_dtype() == kDouble ? kComplex128 : kComplex64); }
Output RealOf(Output x) { return Real(x, {.Tout = x.base_dtype() == kComplex128 ? kDouble : kFloat}); }
Output ImagOf(Output x) { return Imag(x, {.Tout = x.base_dtype() == kComplex128 ? kDouble : kFloat}); }

Output RealGradient(Output, Output, Output dy) { return AsComplex(dy); }
Output ImagGradient(Output, Output, Output dy) { return AsComplex(ZerosLike(dy), dy); }
Output AngleGradient(Output x, Output, Output dy) {
  return -AsComplex(dy) * Reciprocal(AsComplex(ImagOf(x), RealOf(x)));
}
Output ComplexAbsGradient(Output x, Output, Output dy) { return AsComplex(dy) * Sign(x); }

}  // namespace

void RegisterComplexParts(OpRegistry& registry) {
  registry.Add({
      .name = "Conj",
      .signature = "input: T -> output: T",
      .attrs = {"T: {complex64, complex128, variant} = DT_COMPLEX64"},
      .shape = SameAsInput(0),
      .gradient = FromXAndY([](Output, Output, Output dy) { return Conj(dy); }),
      .kernels = UnaryKernels({kComplex64, kComplex128}, UnaryFor<C64, C128>([](auto x) { return std::conj(x); })),
  });
  AddPart(registry, "Real", "input: T -> output: Tout", UnaryFor<C64, C128>([](auto x) { return x.real(); }),
          RealGradient);
  AddPart(registry, "Imag", "input: T -> output: Tout", UnaryFor<C64, C128>([](auto x) { return x.imag(); }),
          ImagGradient);
  AddPart(registry, "Angle", "input: T -> output: Tout", UnaryFor<C64, C128>([](auto x) { return std::arg(x); }),
          AngleGradient);
  AddPart(registry, "ComplexAbs", "x: T -> y: Tout", UnaryFor<C64, C128>([](auto x) { return std::abs(x); }),
          ComplexAbsGradient);
  registry.Add({
      .name = "Complex",
      .signature = "real: T, imag: T -> out: Tout",
      .attrs = {"T: {float, double} = DT_FLOAT", "Tout: {complex64, complex128} = DT_COMPLEX64"},
      .shape = BroadcastInputs(),
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        Output dz = g.d_output(0);
        return Unbroadcast(g, RealOf(dz), ImagOf(dz));
      },
      .kernels = Paired(BinaryKernels({kFloat, kDouble}, BinaryFor<float, double>([](auto x, auto y) {
                                        return std::complex<decltype(x)>(x, y);
                                      })),
                        true),
  });
}

}  // namespace weir::ops
