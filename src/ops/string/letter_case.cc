// StringLower, StringUpper and StringStrip. Without an encoding only ASCII letters have a case. With "utf-8" Unicode's
// language-independent case mappings apply, and invalid UTF-8 becomes U+FFFD.
#include <unicode/ustring.h>

#include "absl/strings/ascii.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

using Utf16 = std::vector<UChar>;

// Calls an ICU conversion function twice: for the size of the result, then for the result.
template <class Char, class F>
Result<std::vector<Char>> Converted(F&& convert) {
  std::vector<Char> out;
  int32_t size = 0;
  UErrorCode error = U_ZERO_ERROR;
  size = convert(nullptr, 0, &error);
  if (error != U_BUFFER_OVERFLOW_ERROR && U_FAILURE(error))
    return InvalidArgument("Unicode conversion failed: {}", u_errorName(error));
  out.resize(static_cast<size_t>(size));
  if (size == 0) return out;
  error = U_ZERO_ERROR;
  convert(out.data(), size, &error);
  if (U_FAILURE(error)) return InvalidArgument("Unicode conversion failed: {}", u_errorName(error));
  return out;
}

Result<std::string> UnicodeCase(const std::string& text, bool upper) {
  if (text.empty()) return std::string();
  // ICU's lengths are 32-bit, and conversions may triple the size.
  if (text.size() > (1u << 28))
    return InvalidArgument("a string of {} bytes is too long to change its case", text.size());
  const auto bytes = static_cast<int32_t>(text.size());
  WEIR_ASSIGN(const Utf16 wide, Converted<UChar>([&](UChar* to, int32_t size, UErrorCode* error) {
                int32_t needed = 0;
                u_strFromUTF8WithSub(to, size, &needed, text.data(), bytes, 0xFFFD, nullptr, error);
                return needed;
              }));
  const auto wide_size = static_cast<int32_t>(wide.size());
  WEIR_ASSIGN(const Utf16 changed, Converted<UChar>([&](UChar* to, int32_t size, UErrorCode* error) {
                return (upper ? u_strToUpper : u_strToLower)(to, size, wide.data(), wide_size, "", error);
              }));
  WEIR_ASSIGN(const std::vector<char> utf8, Converted<char>([&](char* to, int32_t size, UErrorCode* error) {
                int32_t needed = 0;
                u_strToUTF8(to, size, &needed, changed.data(), static_cast<int32_t>(changed.size()), error);
                return needed;
              }));
  return std::string(utf8.begin(), utf8.end());
}

template <bool kUpper>
Result<Kernel> MakeLetterCase(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string encoding, setup.Attr<std::string>("encoding"));
  if (!encoding.empty() && encoding != "utf-8")
    return InvalidArgument("only utf-8 or '' (no encoding) is supported, received '{}'", encoding);
  const bool unicode = !encoding.empty();
  return Kernel::Sync([unicode](KernelContext& ctx) -> Status {
    if (unicode)
      return TryMapStrings<std::string>(ctx, [](const std::string& text) { return UnicodeCase(text, kUpper); });
    return MapStrings<std::string>(ctx, [](const std::string& text) {
      return kUpper ? absl::AsciiStrToUpper(text) : absl::AsciiStrToLower(text);
    });
  });
}

std::string Strip(const std::string& text) { return std::string(absl::StripAsciiWhitespace(text)); }

}  // namespace

void RegisterLetterCase(OpRegistry& registry) {
  registry.Add({
      .name = "StringLower",
      .signature = "input: string -> output: string",
      .attrs = {"encoding: string = ''"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeLetterCase<false>),
  });
  registry.Add({
      .name = "StringUpper",
      .signature = "input: string -> output: string",
      .attrs = {"encoding: string = ''"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeLetterCase<true>),
  });
  registry.Add({
      .name = "StringStrip",
      .signature = "input: string -> output: string",
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeStringMap<std::string, Strip>),
  });
}

}  // namespace weir::ops
