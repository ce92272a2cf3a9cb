// CheckNumerics: forwards its input, or fails if it contains NaN or infinity.
#include <atomic>

#include "graph/build/array_ops.h"
#include "op/gradient_context.h"
#include "op/kernel.h"
#include "op/op_registry.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

constexpr int kNan = 1, kInf = 2;

// If all bits of the exponent are set, the value is an infinity or, with a nonzero mantissa, a NaN.
template <class Bits>
int Scan(const Bits* p, int64_t n, Bits infinity) {
  const Bits no_sign = static_cast<Bits>(~Bits{0}) >> 1;
  int found = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Bits magnitude = p[i] & no_sign;
    if (magnitude >= infinity) [[unlikely]]
      found |= magnitude == infinity ? kInf : kNan;
  }
  return found;
}

int ScanRange(const Tensor& t, int64_t begin, int64_t end) {
  const int64_t n = end - begin;
  switch (t.dtype()) {
    case kFloat:
      return Scan<uint32_t>(static_cast<const uint32_t*>(t.raw()) + begin, n, 0x7f800000u);
    case kDouble:
      return Scan<uint64_t>(static_cast<const uint64_t*>(t.raw()) + begin, n, 0x7ff0000000000000u);
    case kHalf:
      return Scan<uint16_t>(static_cast<const uint16_t*>(t.raw()) + begin, n, 0x7c00);
    default:
      return Scan<uint16_t>(static_cast<const uint16_t*>(t.raw()) + begin, n, 0x7f80);
  }
}

Result<Kernel> MakeCheckNumerics(KernelSetup& setup) {
  WEIR_ASSIGN(std::string message, setup.Attr<std::string>("message"));
  return Kernel::Sync([message](KernelContext& ctx) -> Status {
    const Tensor& t = ctx.input(0);
    std::atomic<int> found{0};
    WEIR_TRY(
        ctx.ParallelFor(t.num_elements(), 1, [&](int64_t begin, int64_t end) { found |= ScanRange(t, begin, end); }));
    switch (found.load()) {
      case 0:
        break;
      case kNan:
        return InvalidArgument("{} : Tensor had NaN values", message);
      case kInf:
        return InvalidArgument("{} : Tensor had Inf values", message);
      default:
        return InvalidArgument("{} : Tensor had Inf and NaN values", message);
    }
    ctx.set_output(0, t);
    return OkStatus();
  });
}

}  // namespace

void RegisterCheckNumerics(OpRegistry& registry) {
  registry.Add({
      .name = "CheckNumerics",
      .signature = "tensor: T -> output: T",
      .attrs = {"T: {bfloat16, half, float, double}", "message: string"},
      .shape = SameAsInput(0),
      .gradient = [](GradientContext& g) -> Result<Gradients> {
        WEIR_ASSIGN(std::string message, g.Attr<std::string>("message"));
        return Gradients{CheckNumerics(g.d_output(0),
                                       "Not a number (NaN) or infinity (Inf) values detected in gradient. " + message)};
      },
      .kernels = CpuKernel(MakeCheckNumerics),
      .traits = {.may_block = false, .keeps_inputs = false, .checks = true},
      .stateful = true,
  });
}

}  // namespace weir::ops
