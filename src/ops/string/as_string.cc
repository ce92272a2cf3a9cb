// AsString: formats numbers as printf does, with width, precision and fill flags.
#include <cstdio>

#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

// More digits than any number has. Prevents a wrong attribute from allocating gigabytes per element.
constexpr int64_t kMaxFieldSize = 1 << 20;

template <class T>
constexpr bool kIsComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <class T>
constexpr bool kIsFloating = std::is_same_v<T, half> || std::is_same_v<T, bfloat16> || std::is_floating_point_v<T>;

struct NumberFormat {
  std::string text;  // printf format for one double, long long or unsigned long long
  int64_t width = -1;
  bool pad_right = false;  // for strings
};

template <class V>
std::string Print(const NumberFormat& format, V value) {
  char small[64];
  const int size = std::snprintf(small, sizeof(small), format.text.c_str(), value);
  if (size < 0) return "";
  if (size < static_cast<int>(sizeof(small))) return std::string(small, static_cast<size_t>(size));
  std::string text(static_cast<size_t>(size) + 1, '\0');
  std::snprintf(text.data(), text.size(), format.text.c_str(), value);
  text.pop_back();
  return text;
}

template <class T>
std::string ToText(const NumberFormat& format, const T& value) {
  if constexpr (std::is_same_v<T, std::string>) {
    const auto width = static_cast<size_t>(std::max<int64_t>(format.width, 0));
    if (value.size() >= width) return value;
    const std::string padding(width - value.size(), ' ');
    return format.pad_right ? value + padding : padding + value;
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (kIsComplex<T>) {
    return fmt::format("({},{})", Print(format, static_cast<double>(value.real())),
                       Print(format, static_cast<double>(value.imag())));
  } else if constexpr (kIsFloating<T>) {
    return Print(format,
                 static_cast<double>(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(value)));
  } else if constexpr (std::is_signed_v<T>) {
    return Print(format, static_cast<long long>(value));
  } else {
    return Print(format, static_cast<unsigned long long>(value));
  }
}

template <class T>
Result<NumberFormat> FormatOf(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t precision, setup.Attr<int64_t>("precision"));
  WEIR_ASSIGN(const bool scientific, setup.Attr<bool>("scientific"));
  WEIR_ASSIGN(const bool shortest, setup.Attr<bool>("shortest"));
  WEIR_ASSIGN(const int64_t width, setup.Attr<int64_t>("width"));
  WEIR_ASSIGN(const std::string fill, setup.Attr<std::string>("fill"));
  constexpr bool kFraction = kIsFloating<T> || kIsComplex<T>;
  constexpr bool kText = std::is_same_v<T, std::string>;
  const DType dtype = DTypeOf<T>();
  if constexpr (!kFraction && !kText) {
    if (scientific || shortest)
      return InvalidArgument("scientific and shortest format not supported for datatype {}", dtype);
    if (precision >= 0) return InvalidArgument("precision not supported for datatype {}", dtype);
  }
  if (scientific && shortest) return InvalidArgument("Cannot select both scientific and shortest notation");
  if (fill.size() > 1) return InvalidArgument("Fill string must be one or fewer characters");
  if (!fill.empty() && std::string_view(" +-0#").find(fill[0]) == std::string_view::npos)
    return InvalidArgument("Fill argument not supported: {}", fill);
  if (width > kMaxFieldSize || precision > kMaxFieldSize)
    return InvalidArgument("width {} and precision {} must not exceed {}", width, precision, kMaxFieldSize);
  NumberFormat format;
  format.width = width;
  format.pad_right = fill == "-";
  format.text = "%" + fill;
  if (width > -1) format.text += fmt::format("{}", width);
  if (precision > -1) format.text += fmt::format(".{}", precision);
  if constexpr (kFraction) {
    format.text += scientific ? "e" : shortest ? "g" : "f";
  } else {
    format.text += std::is_signed_v<T> ? "lld" : "llu";
  }
  return format;
}

template <class T>
Result<Kernel> MakeAsString(KernelSetup& setup) {
  WEIR_ASSIGN(const NumberFormat format, FormatOf<T>(setup));
  return Kernel::Sync([format](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, in.shape()));
    const T* from = in.data<T>();
    std::string* to = out.data<std::string>();
    return ctx.ParallelFor(in.num_elements(), 200, [&](int64_t i) {
      to[i] = ToText(format, from[i]);
      ReserveString(to[i]);
    });
  });
}

}  // namespace

void RegisterAsString(OpRegistry& registry) {
  registry.Add({
      .name = "AsString",
      .signature = "input: T -> output: string",
      .attrs = {"T: {realnumbertype, complex64, complex128, bool, "
                "string}",
                "precision: int = -1", "scientific: bool = false", "shortest: bool = false", "width: int = -1",
                "fill: string = ''"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernels<float, double, int32_t, uint8_t, int16_t, int8_t, int64_t, bfloat16, uint16_t, half,
                            uint32_t, uint64_t, std::complex<float>, std::complex<double>, bool, std::string>(
          WEIR_FOR_TYPE(MakeAsString)),
  });
}

}  // namespace weir::ops
