// CumulativeLogsumexp: the logarithm of the running sum of exponentials along one axis.
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/node_builder.h"
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/int_inputs.h"

namespace weir::ops {
namespace {

double LogAddExp(double a, double b) {
  const double high = std::max(a, b), low = std::min(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

template <class T>
Result<Kernel> MakeLogsumexp(KernelSetup& setup) {
  WEIR_ASSIGN(const bool exclusive, setup.Attr<bool>("exclusive"));
  WEIR_ASSIGN(const bool reverse, setup.Attr<bool>("reverse"));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    const Tensor x = ctx.input(0);
    if (ctx.input(1).rank() != 0) return InvalidArgument("ScanOp: axis must be a scalar, not {}", ctx.input(1).shape());
    const int64_t given = ctx.input(1).Int(0);
    if (given < -x.rank() || given >= x.rank())
      return InvalidArgument("ScanOp: Expected scan axis in the range [{}, {}), but got {}", -x.rank(), x.rank(),
                             given);
    const int axis = static_cast<int>(given < 0 ? given + x.rank() : given);
    WEIR_ASSIGN(const Tensor y, ctx.Allocate(0, x.shape()));
    if (x.num_elements() == 0) return OkStatus();
    const int64_t n = x.dim(axis);
    int64_t inner = 1;
    for (int d = axis + 1; d < x.rank(); ++d) inner *= x.dim(d);
    return ctx.ParallelFor(x.num_elements() / n, 30 * n, [&](int64_t line) {
      const int64_t start = line / inner * n * inner + line % inner;
      double sum = -std::numeric_limits<double>::infinity();
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = start + (reverse ? n - 1 - k : k) * inner;
        const double next = LogAddExp(sum, static_cast<double>(x.data<T>()[at]));
        y.data<T>()[at] = static_cast<T>(exclusive ? sum : next);
        sum = next;
      }
    });
  });
}

// Computed from the logarithms of the positive and of the negative gradients.
Result<Gradients> LogsumexpGradient(GradientContext& g) {
  WEIR_ASSIGN(const bool exclusive, g.Attr<bool>("exclusive"));
  WEIR_ASSIGN(const bool reverse, g.Attr<bool>("reverse"));
  const Output x = g.input(0), axis = g.input(1), y = g.output(0), dy = g.d_output(0);
  const double lowest = x.base_dtype() == kHalf     ? -65504
                        : x.base_dtype() == kDouble ? std::numeric_limits<double>::lowest()
                                                    : -3.3895313892515355e38;
  const Output none = Cast(Constant(x.graph(), Tensor::Scalar(lowest)), x.base_dtype()) * OnesLike(dy);
  const auto part = [&](Output sign) {
    const Output logs = Select(Greater(sign, ZerosLike(dy)), Log(sign), none);
    return Exp(CumulativeLogsumexp(logs - y, axis, {.exclusive = exclusive, .reverse = !reverse}) + x);
  };
  return Gradients{part(dy) - part(-dy), std::monostate{}};
}

}  // namespace

void RegisterCumulativeLogsumexp(OpRegistry& registry) {
  registry.Add({
      .name = "CumulativeLogsumexp",
      .signature = "x: T, axis: Tidx -> out: T",
      .attrs = {"exclusive: bool = false", "reverse: bool = false", "T: {bfloat16, half, float, double}",
                "Tidx: {int32, int64} = DT_INT32"},
      .shape = SameAsInput(0),
      .gradient = LogsumexpGradient,
      .kernels = CpuKernels<float, double, half, bfloat16>(WEIR_FOR_TYPE(MakeLogsumexp)),
  });
}

}  // namespace weir::ops
