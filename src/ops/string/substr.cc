// Substr and StringLength, in bytes or in UTF-8 characters. A character is a byte and the continuation bytes (10xxxxxx)
// after it, whether or not they are valid UTF-8.
#include <algorithm>

#include "op/shape_context.h"
#include "ops/math/broadcast.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Moves *at forward by n characters. Returns false if the text has fewer.
bool Forward(std::string_view text, int64_t n, size_t* at) {
  for (; n > 0 && *at < text.size(); --n) {
    ++*at;
    while (*at < text.size() && IsContinuation(text[*at])) ++*at;
  }
  return n <= 0;
}
// Moves *at back by n characters. Returns false if there are fewer before it.
bool Back(std::string_view text, int64_t n, size_t* at) {
  for (; n > 0 && *at > 0; --n) {
    --*at;
    while (*at > 0 && IsContinuation(text[*at])) --*at;
  }
  return n <= 0;
}

Status OutOfString(int64_t pos, std::string_view text) {
  return InvalidArgument("pos {} out of range for string b'{}'", pos, text);
}

Result<std::string> SubstrOfBytes(std::string_view text, int64_t pos, int64_t len) {
  const auto size = static_cast<int64_t>(text.size());
  if (pos < -size || pos > size) return OutOfString(pos, text);
  const int64_t begin = pos < 0 ? pos + size : pos;
  // A negative length means the rest of the string.
  return std::string(
      text.substr(static_cast<size_t>(begin), len < 0 ? std::string_view::npos : static_cast<size_t>(len)));
}

Result<std::string> SubstrOfCharacters(std::string_view text, int64_t pos, int64_t len) {
  size_t begin = 0;
  size_t end = text.size();
  if (pos >= 0) {
    if (!Forward(text, pos, &begin)) return OutOfString(pos, text);
    end = begin;
    Forward(text, len, &end);
    return std::string(text.substr(begin, end - begin));
  }
  if (len < 0) return OutOfString(pos, text);
  begin = text.size();
  if (pos < -static_cast<int64_t>(text.size()) || !Back(text, -pos, &begin)) return OutOfString(pos, text);
  end = begin;
  Forward(text, len, &end);
  return std::string(text.substr(begin, end - begin));
}

Result<Kernel> MakeSubstr(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string unit, setup.Attr<std::string>("unit"));
  const auto cut = unit == "UTF8_CHAR" ? SubstrOfCharacters : SubstrOfBytes;
  return Kernel::Sync([cut](KernelContext& ctx) -> Status {
    const Tensor& input = ctx.input(0);
    const Tensor& pos = ctx.input(1);
    const Tensor& len = ctx.input(2);
    if (!(pos.shape() == len.shape()))
      return InvalidArgument("pos and len should have the same shape, got: {} vs. {}", pos.shape(), len.shape());
    WEIR_ASSIGN(const BroadcastPlan plan, BroadcastPlan::Make({&input.shape(), &pos.shape()}));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, plan.shape()));
    const std::string* from = input.data<std::string>();
    std::string* to = out.data<std::string>();
    const int64_t text_step = plan.is_scalar_in_run(0) ? 0 : 1;
    const int64_t window_step = plan.is_scalar_in_run(1) ? 0 : 1;
    Status status;
    plan.ForRuns(0, out.num_elements(), [&](const BroadcastPlan::Offsets& at, int64_t place, int64_t count) {
      for (int64_t i = 0; i < count && status.ok(); ++i) {
        const int64_t window = at[1] + i * window_step;
        Result<std::string> part = cut(from[at[0] + i * text_step], pos.Int(window), len.Int(window));
        if (part.ok())
          to[place + i] = *std::move(part);
        else
          status = part.status();
      }
    });
    return status;
  });
}

Status SubstrShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape window, ctx.input(1).Merge(ctx.input(2)));
  WEIR_ASSIGN(PartialShape out, BroadcastShapes(ctx.input(0), window));
  ctx.set_output(0, std::move(out));
  return OkStatus();
}

Result<Kernel> MakeStringLength(KernelSetup& setup) {
  WEIR_ASSIGN(const std::string unit, setup.Attr<std::string>("unit"));
  const bool characters = unit == "UTF8_CHAR";
  return Kernel::Sync([characters](KernelContext& ctx) {
    return MapStrings<int32_t>(ctx, [characters](const std::string& text) {
      int64_t size = static_cast<int64_t>(text.size());
      if (characters) size -= std::count_if(text.begin(), text.end(), IsContinuation);
      return static_cast<int32_t>(size);
    });
  });
}

}  // namespace

void RegisterSubstr(OpRegistry& registry) {
  registry.Add({
      .name = "Substr",
      .signature = "input: string, pos: T, len: T -> output: string",
      .attrs = {"T: {int32, int64}", "unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"},
      .shape = SubstrShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSubstr),
  });
  registry.Add({
      .name = "StringLength",
      .signature = "input: string -> output: int32",
      .attrs = {"unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'"},
      .shape = SameAsInput(0),
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeStringLength),
  });
}

}  // namespace weir::ops
