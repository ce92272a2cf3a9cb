// Activations and the ops that compute their gradients, one table row each.
#include <cmath>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "op/gradient_context.h"
#include "op/shape_context.h"
#include "ops/math/elementwise.h"
#include "ops/math/gpu_elementwise.h"
#include "ops/math/vector_math.h"
#include "ops/nn/float_loops.h"

namespace weir::ops {
namespace {

constexpr char kReals[] = "half, bfloat16, float, double";
constexpr char kRealsAndIntegers[] = "realnumbertype";

// Constants of the scaled exponential linear unit.
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kSeluScale = 1.0507009873554804934193349852946;

struct ReluFn {
  template <class T>
  T operator()(T x) const {
    return x < T(0) ? T(0) : x;  // propagates NaN
  }
};
struct Relu6Fn {
  template <class T>
  T operator()(T x) const {
    return x < T(0) ? T(0) : x > T(6) ? T(6) : x;
  }
};
struct EluFn {
  template <class T>
  T operator()(T x) const {
    return x < T(0) ? std::expm1(x) : x;
  }
};
struct SeluFn {
  template <class T>
  T operator()(T x) const {
    return x < T(0) ? static_cast<T>(kSeluScale * kSeluAlpha) * std::expm1(x) : static_cast<T>(kSeluScale) * x;
  }
};
struct SoftsignFn {
  template <class T>
  T operator()(T x) const {
    return x / (T(1) + std::abs(x));
  }
};

// g: the incoming gradient; v: the input or output of the activation.
struct ReluGradFn {
  template <class T>
  T operator()(T g, T v) const {
    return v > T(0) ? g : T(0);
  }
};
struct Relu6GradFn {
  template <class T>
  T operator()(T g, T v) const {
    return v > T(0) && v < T(6) ? g : T(0);
  }
};
struct EluGradFn {  // v: the output
  template <class T>
  T operator()(T g, T v) const {
    return v < T(0) ? (v + T(1)) * g : g;
  }
};
struct SeluGradFn {  // v: the output
  template <class T>
  T operator()(T g, T v) const {
    return v < T(0) ? g * (v + static_cast<T>(kSeluScale * kSeluAlpha)) : g * static_cast<T>(kSeluScale);
  }
};
struct SoftplusGradFn {
  template <class T>
  T operator()(T g, T v) const {
    return g / (std::exp(-v) + T(1));
  }
};
struct SoftsignGradFn {
  template <class T>
  T operator()(T g, T v) const {
    const T d = T(1) + std::abs(v);
    return g / (d * d);
  }
};

Output ReluGradient(Output, Output y, Output dy) { return ReluGrad(dy, y); }
Output Relu6Gradient(Output, Output y, Output dy) { return Relu6Grad(dy, y); }
Output EluGradient(Output, Output y, Output dy) { return EluGrad(dy, y); }
Output SeluGradient(Output, Output y, Output dy) { return SeluGrad(dy, y); }
Output SoftplusGradient(Output x, Output, Output dy) { return SoftplusGrad(dy, x); }
Output SoftsignGradient(Output x, Output, Output dy) { return SoftsignGrad(dy, x); }

struct Activation {
  const char* name;
  const char* types;
  UnaryLoops loops;
  UnaryGradient gradient;
  int cost = 1;
  FoldStage fold = FoldStage::kNone;
};

struct ActivationGradient {
  const char* name;
  const char* signature;
  const char* types;
  BinaryLoops loops;
  GradientFn gradient;
};

// Gradients of the gradient ops, where TensorFlow has them.
Result<Gradients> ReluGradGradient(GradientContext& g) {
  Output x = g.input(1);
  return Gradients{ReluGrad(g.d_output(0), x), ZerosLike(x)};
}
Result<Gradients> Relu6GradGradient(GradientContext& g) {
  Output x = g.input(1);
  return Gradients{Relu6Grad(g.d_output(0), x), ZerosLike(x)};
}
Result<Gradients> EluGradGradient(GradientContext& g) {
  Output dy = g.input(0);
  Output y = g.input(1);
  Output d = g.d_output(0);
  Output zero = ZerosLike(y);
  return Gradients{EluGrad(d, y), Select(Less(y, zero), d * dy, zero)};
}
Result<Gradients> SeluGradGradient(GradientContext& g) {
  Output dy = g.input(0);
  Output y = g.input(1);
  Output d = g.d_output(0);
  Output zero = ZerosLike(y);
  return Gradients{SeluGrad(d, y), Select(Less(y, zero), d * dy, zero)};
}
Result<Gradients> SoftplusGradGradient(GradientContext& g) {
  Output dy = g.input(0);
  Output x = g.input(1);
  Output d = g.d_output(0);
  Output dx = d * dy / (Exp(-x) + 2.0f + Exp(x));
  return Gradients{SoftplusGrad(d, x), dx};
}

// Binary kernels that do not broadcast.
KernelList SameShapeBinaryKernels(const std::vector<DType>& types, const BinaryLoops& loops) {
  KernelList kernels = BinaryKernels(types, loops);
  for (KernelDef& def : kernels) {
    ElementLoop loop = LoopOf(def)->loop;
    loop.may_be_scalar = 0;
    auto same_shape = [make = def.make](KernelSetup& setup) -> Result<Kernel> {
      WEIR_ASSIGN(Kernel inner, make(setup));
      return Kernel::Sync([inner](KernelContext& ctx) -> Status {
        if (!(ctx.input(0).shape() == ctx.input(1).shape()))
          return InvalidArgument("inputs must have the same shape, not {} and {}", ctx.input(0).shape(),
                                 ctx.input(1).shape());
        return inner.Run(ctx);
      });
    };
    def.make = KernelWithLoop{.loop = loop, .make = same_shape};
  }
  return kernels;
}

// The slope of LeakyRelu is an attribute.
template <class T>
Result<Kernel> MakeLeakyRelu(KernelSetup& setup) {
  WEIR_ASSIGN(float alpha, setup.Attr<float>("alpha"));
  return Kernel::Sync([alpha](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(Tensor y, ctx.ForwardOrAllocate(0, 0));
    const T* in = ctx.input(0).data<T>();
    T* out = y.data<T>();
    return ctx.ParallelFor(y.num_elements(), 1, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto v = static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(in[i]);
        out[i] = static_cast<T>(v > 0 ? v : v * alpha);
      }
    });
  });
}
template <class T>
Result<Kernel> MakeLeakyReluGrad(KernelSetup& setup) {
  WEIR_ASSIGN(float alpha, setup.Attr<float>("alpha"));
  return Kernel::Sync([alpha](KernelContext& ctx) -> Status {
    if (!(ctx.input(0).shape() == ctx.input(1).shape()))
      return InvalidArgument("gradients {} and features {} must have the same shape", ctx.input(0).shape(),
                             ctx.input(1).shape());
    WEIR_ASSIGN(Tensor y, ctx.ForwardOrAllocate(0, 0));
    const T* g = ctx.input(0).data<T>();
    const T* x = ctx.input(1).data<T>();
    T* out = y.data<T>();
    return ctx.ParallelFor(y.num_elements(), 1, [=](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const auto v = static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(g[i]);
        out[i] = static_cast<T>(static_cast<float>(x[i]) > 0 ? v : v * alpha);
      }
    });
  });
}

}  // namespace

void Relu6Loop(const void* x, void* y, int64_t n) { UnaryLoopOf<float, Relu6Fn>(x, y, n); }
void EluLoop(const void* x, void* y, int64_t n) { UnaryLoopOf<float, EluFn>(x, y, n); }

void RegisterActivations(OpRegistry& registry) {
  const Activation activations[] = {
      {"Relu", kRealsAndIntegers,
       UnaryFor<double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(ReluFn{}).And(
           {{{kFloat, &ReluLoop}}}),
       ReluGradient, 1, FoldStage::kActivation},
      {"Relu6", kRealsAndIntegers,
       UnaryFor<double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(Relu6Fn{}).And(
           {{{kFloat, &Relu6Loop}}}),
       Relu6Gradient, 1, FoldStage::kActivation},
      {"Elu", kReals, UnaryFor<double>(EluFn{}).And({{{kFloat, &EluLoop}}}), EluGradient, 5, FoldStage::kActivation},
      {"Selu", kReals, UnaryFor<float, double>(SeluFn{}), SeluGradient, 5},
      {"Softplus", kReals,
       UnaryLoops{{{kFloat, &SpanLoop<float, SoftplusInto>}, {kDouble, &SpanLoop<double, SoftplusInto>}}},
       SoftplusGradient, 4},
      {"Softsign", kReals, UnaryFor<float, double>(SoftsignFn{}), SoftsignGradient},
  };
  for (const Activation& a : activations) {
    registry.Add({
        .name = a.name,
        .signature = "features: T -> activations: T",
        .attrs = {fmt::format("T: {{{}}}", a.types)},
        .shape = SameAsInput(0),
        .gradient = FromXAndY(a.gradient),
        .kernels = WithGpu(UnaryKernels(TypesNamed(a.types), a.loops, a.cost), GpuElementwise()),
        .traits = {.fold = a.fold},
    });
  }

  const char* features = "gradients: T, features: T -> backprops: T";
  const char* outputs = "gradients: T, outputs: T -> backprops: T";
  const ActivationGradient gradients[] = {
      {"ReluGrad", features, kRealsAndIntegers,
       BinaryFor<double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(ReluGradFn{})
           .And({{{kFloat, &ReluGradLoop}}}),
       ReluGradGradient},
      {"Relu6Grad", features, kRealsAndIntegers,
       BinaryFor<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
           Relu6GradFn{}),
       Relu6GradGradient},
      {"EluGrad", outputs, kReals, BinaryFor<float, double>(EluGradFn{}), EluGradGradient},
      {"SeluGrad", outputs, kReals, BinaryFor<float, double>(SeluGradFn{}), SeluGradGradient},
      {"SoftplusGrad", features, kReals, BinaryFor<float, double>(SoftplusGradFn{}), SoftplusGradGradient},
      {"SoftsignGrad", features, kReals, BinaryFor<float, double>(SoftsignGradFn{}), {}},
  };
  for (const ActivationGradient& a : gradients) {
    registry.Add({
        .name = a.name,
        .signature = a.signature,
        .attrs = {fmt::format("T: {{{}}}", a.types)},
        .shape = MergedInputs(),
        .gradient = a.gradient,
        .kernels = WithGpu(SameShapeBinaryKernels(TypesNamed(a.types), a.loops), GpuSameShape()),
    });
  }

  registry.Add({
      .name = "LeakyRelu",
      .signature = "features: T -> activations: T",
      .attrs = {"alpha: float = 0.2", "T: {half, bfloat16, float, double} = DT_FLOAT"},
      .shape = SameAsInput(0),
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(float alpha, g.Attr<float>("alpha"));
        return Gradients{LeakyReluGrad(g.d_output(0), g.input(0), {.alpha = alpha})};
      },
      .kernels = CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeLeakyRelu)),
  });
  registry.Add({
      .name = "LeakyReluGrad",
      .signature = "gradients: T, features: T -> backprops: T",
      .attrs = {"alpha: float = 0.2", "T: {half, bfloat16, float, double} = DT_FLOAT"},
      .shape = MergedInputs(),
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(float alpha, g.Attr<float>("alpha"));
        return Gradients{LeakyReluGrad(g.d_output(0), g.input(1), {.alpha = alpha}), ZerosLike(g.input(1))};
      },
      .kernels = CpuKernels<half, bfloat16, float, double>(WEIR_FOR_TYPE(MakeLeakyReluGrad)),
  });
}

}  // namespace weir::ops
