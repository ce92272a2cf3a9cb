// Where: the positions of all nonzero elements, in row-major order.
#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/array/elements.h"

namespace weir::ops {
namespace {

// Calls f(is_set), where is_set(i) tells whether element i is nonzero.
template <class F>
auto WithTest(const Tensor& t, F&& f) {
  switch (t.dtype()) {
    case kFloat:
      return f([p = t.data<float>()](int64_t i) { return p[i] != 0.0f; });
    case kDouble:
      return f([p = t.data<double>()](int64_t i) { return p[i] != 0.0; });
    case kHalf:
    case kBFloat16:  // not zero or negative zero
      return f([p = static_cast<const uint16_t*>(t.raw())](int64_t i) { return (p[i] & 0x7fff) != 0; });
    case kComplex64:
      return f([p = t.data<std::complex<float>>()](int64_t i) { return p[i] != std::complex<float>(); });
    case kComplex128:
      return f([p = t.data<std::complex<double>>()](int64_t i) { return p[i] != std::complex<double>(); });
    default:
      break;
  }
  switch (ElementSize(t.dtype())) {
    case 1:
      return f([p = static_cast<const uint8_t*>(t.raw())](int64_t i) { return p[i] != 0; });
    case 2:
      return f([p = static_cast<const uint16_t*>(t.raw())](int64_t i) { return p[i] != 0; });
    case 4:
      return f([p = static_cast<const uint32_t*>(t.raw())](int64_t i) { return p[i] != 0; });
    default:
      return f([p = static_cast<const uint64_t*>(t.raw())](int64_t i) { return p[i] != 0; });
  }
}

Status RunWhere(KernelContext& ctx) {
  const Tensor& t = ctx.input(0);
  const int64_t n = t.num_elements();
  const int rank = t.rank();
  return WithTest(t, [&](auto is_set) -> Status {
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i) count += is_set(i) ? 1 : 0;
    WEIR_ASSIGN(Shape shape, Shape::Make({count, rank}));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    int64_t* to = out.data<int64_t>();
    int64_t* const end = to + out.num_elements();
    // A variable may change between the two passes, so never write more than was allocated.
    for (int64_t i = 0; i < n && to != end; ++i) {
      if (!is_set(i)) continue;
      int64_t rest = i;
      for (int d = rank - 1; d >= 0; --d) {
        to[d] = rest % t.dim(d);
        rest /= t.dim(d);
      }
      to += rank;
    }
    std::fill(to, end, 0);
    return OkStatus();
  });
}

}  // namespace

void RegisterWhere(OpRegistry& registry) {
  registry.Add({
      .name = "Where",
      .signature = "input: T -> index: int64",
      .attrs = {"T: {numbertype, bool} = DT_BOOL"},
      .shape = [](ShapeContext& ctx) -> Status {
        const PartialShape& in = ctx.input(0);
        ctx.set_output(0, PartialShape({kUnknownDim, in.known_rank() ? in.rank() : kUnknownDim}));
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(RunWhere); }),
  });
}

}  // namespace weir::ops
