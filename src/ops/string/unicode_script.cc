// UnicodeScript: ICU's number of the script (Latin, Han, ...) of each code point; -1 if it is not a code point.
#include <unicode/uscript.h>

#include "op/kernel.h"
#include "op/shape_context.h"

namespace weir::ops {
namespace {

Result<Kernel> MakeUnicodeScript(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, in.shape()));
    const int32_t* from = in.data<int32_t>();
    int32_t* to = out.data<int32_t>();
    return ctx.ParallelFor(in.num_elements(), 20, [=](int64_t i) {
      UErrorCode error = U_ZERO_ERROR;
      const UScriptCode script = uscript_getScript(from[i], &error);
      to[i] = U_FAILURE(error) ? USCRIPT_INVALID_CODE : script;
    });
  });
}

}  // namespace

void RegisterUnicodeScript(OpRegistry& registry) {
  registry.Add({
      .name = "UnicodeScript",
      .signature = "input: int32 -> output: int32",
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeUnicodeScript),
  });
}

}  // namespace weir::ops
