// Elementwise kernels over the strings of input 0.
#pragma once

#include <string>

#include "op/kernel.h"
#include "tensor/strings.h"

namespace weir::ops {

constexpr int64_t kNanosPerString = 100;

// `one`: Out(const std::string&). Called from several threads at the same time; cannot fail.
template <class Out, class F>
Status MapStrings(KernelContext& ctx, F&& one) {
  const Tensor& in = ctx.input(0);
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, in.shape()));
  const std::string* from = in.data<std::string>();
  Out* to = out.data<Out>();
  return ctx.ParallelFor(in.num_elements(), kNanosPerString, [&](int64_t i) {
    to[i] = one(from[i]);
    if constexpr (std::is_same_v<Out, std::string>) ReserveString(to[i]);
  });
}

// `one`: Result<Out>(const std::string&). The first error ends the kernel.
template <class Out, class F>
Status TryMapStrings(KernelContext& ctx, F&& one) {
  const Tensor& in = ctx.input(0);
  WEIR_ASSIGN(Tensor out, ctx.Allocate(0, in.shape()));
  const std::string* from = in.data<std::string>();
  Out* to = out.data<Out>();
  for (int64_t i = 0; i < in.num_elements(); ++i) {
    WEIR_ASSIGN(to[i], one(from[i]));
    if constexpr (std::is_same_v<Out, std::string>) ReserveString(to[i]);
  }
  return OkStatus();
}

// A kernel that applies a plain function, without attributes.
template <class Out, Out (*kOne)(const std::string&)>
Result<Kernel> MakeStringMap(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) { return MapStrings<Out>(ctx, kOne); });
}

// Returns the string in input i, which must be a scalar.
inline Result<std::string> ScalarString(KernelContext& ctx, int i, const char* what) {
  const Tensor& t = ctx.input(i);
  if (t.rank() != 0) return InvalidArgument("{} must be a scalar, but received shape {}", what, t.shape());
  return t.scalar<std::string>();
}

}  // namespace weir::ops
