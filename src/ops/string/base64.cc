// EncodeBase64 and DecodeBase64 with the web-safe alphabet (- and _). Padding is optional in both directions.
#include "absl/strings/escaping.h"
#include "op/shape_context.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

bool IsWebSafe(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

Result<std::string> Decode(const std::string& text) {
  size_t size = text.size();
  while (size > 0 && text.size() - size < 2 && text[size - 1] == '=') --size;
  const bool padded = size < text.size();
  if (padded ? text.size() % 4 != 0 : size % 4 == 1)
    return InvalidArgument("a base64 string of {} characters ends too early or has the wrong padding", text.size());
  for (size_t i = 0; i < size; ++i) {
    if (!IsWebSafe(text[i]))
      return InvalidArgument("Invalid character found in base64: byte {} at {}",
                             static_cast<int>(static_cast<unsigned char>(text[i])), i);
  }
  std::string out;
  uint32_t bits = 0;
  int have = 0;
  out.reserve(size / 4 * 3 + 2);
  for (size_t i = 0; i < size; ++i) {
    const char c = text[i];
    const int value = c == '-' ? 62 : c == '_' ? 63 : c <= '9' ? c - '0' + 52 : c <= 'Z' ? c - 'A' : c - 'a' + 26;
    bits = (bits << 6) | static_cast<uint32_t>(value);
    have += 6;
    if (have >= 8) {
      have -= 8;
      out.push_back(static_cast<char>(bits >> have));
    }
  }
  return out;
}

Result<Kernel> MakeEncode(KernelSetup& setup) {
  WEIR_ASSIGN(const bool pad, setup.Attr<bool>("pad"));
  return Kernel::Sync([pad](KernelContext& ctx) {
    return MapStrings<std::string>(ctx, [pad](const std::string& text) {
      std::string out = absl::WebSafeBase64Escape(text);
      while (pad && out.size() % 4 != 0) out.push_back('=');
      return out;
    });
  });
}

Result<Kernel> MakeDecode(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) { return TryMapStrings<std::string>(ctx, Decode); });
}

}  // namespace

void RegisterBase64(OpRegistry& registry) {
  registry.Add({
      .name = "DecodeBase64",
      .signature = "input: string -> output: string",
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecode),
  });
  registry.Add({
      .name = "EncodeBase64",
      .signature = "input: string -> output: string",
      .attrs = {"pad: bool = false"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeEncode),
  });
}

}  // namespace weir::ops
