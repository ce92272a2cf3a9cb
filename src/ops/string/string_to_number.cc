// StringToNumber: parses each string as a number. Other strings are errors.
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"
#include "ops/string/number_text.h"

namespace weir::ops {
namespace {

template <class T>
Result<Kernel> MakeStringToNumber(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    return TryMapStrings<T>(ctx, [](const std::string& text) -> Result<T> {
      T value{};
      if (!ParseNumber(text, &value))
        return InvalidArgument("StringToNumberOp could not correctly convert string: {}", text);
      return value;
    });
  });
}

}  // namespace

void RegisterStringToNumber(OpRegistry& registry) {
  registry.Add({
      .name = "StringToNumber",
      .signature = "string_tensor: string -> output: out_type",
      .attrs = {"out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernelsFor<float, double, int32_t, int64_t, uint32_t, uint64_t>("out_type",
                                                                                    WEIR_FOR_TYPE(MakeStringToNumber)),
  });
}

}  // namespace weir::ops
