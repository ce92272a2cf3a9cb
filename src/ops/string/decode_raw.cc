// DecodeRaw: reinterprets the bytes of strings of equal length as numbers, in a new last dimension. DecodePaddedRaw:
// accepts strings of any length, truncated or zero-padded to a given length.
#include <bit>
#include <cstring>

#include "op/shape_context.h"
#include "ops/array/int_inputs.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

// Copies words of `size` bytes, reversing the bytes of each.
void CopyReversed(const char* from, size_t bytes, size_t size, char* to) {
  for (size_t word = 0; word < bytes; word += size) {
    for (size_t i = 0; i < size; ++i) to[word + i] = from[word + size - 1 - i];
  }
}

Result<Kernel> MakeDecodeRaw(KernelSetup& setup) {
  WEIR_ASSIGN(const DType dtype, setup.Attr<DType>("out_type"));
  WEIR_ASSIGN(const bool little_endian, setup.Attr<bool>("little_endian"));
  const auto size = static_cast<int64_t>(ElementSize(dtype));
  // A complex number consists of two words.
  const int64_t word = dtype == kComplex64 || dtype == kComplex128 ? size / 2 : size;
  const bool reverse = word > 1 && little_endian != (std::endian::native == std::endian::little);
  return Kernel::Sync([dtype, size, word, reverse](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    const std::string* from = in.data<std::string>();
    const size_t bytes = in.num_elements() == 0 ? 0 : from[0].size();
    for (int64_t i = 0; i < in.num_elements(); ++i) {
      if (from[i].size() != bytes)
        return InvalidArgument(
            "DecodeRaw requires input strings to all be the same size, but element {} has size {} != {}", i, bytes,
            from[i].size());
    }
    if (bytes % static_cast<size_t>(size) != 0)
      return InvalidArgument("Input to DecodeRaw has length {} that is not a multiple of {}, the size of {}", bytes,
                             size, dtype);
    Shape shape = in.shape();
    WEIR_TRY(shape.AddDim(static_cast<int64_t>(bytes) / size));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    if (bytes == 0) return OkStatus();
    char* to = static_cast<char*>(out.raw());
    for (int64_t i = 0; i < in.num_elements(); ++i, to += bytes) {
      if (reverse)
        CopyReversed(from[i].data(), bytes, static_cast<size_t>(word), to);
      else
        std::memcpy(to, from[i].data(), bytes);
      if (dtype == kBool) {
        for (size_t b = 0; b < bytes; ++b) to[b] = to[b] != 0;
      }
    }
    return OkStatus();
  });
}

Status CheckLength(int64_t length, DType dtype) {
  if (length <= 0) return InvalidArgument("fixed_length ({}) must be greater than zero", length);
  if (length % static_cast<int64_t>(ElementSize(dtype)) != 0)
    return InvalidArgument("fixed_length ({}) must be evenly divisible by {}, the size of {}", length,
                           ElementSize(dtype), dtype);
  return OkStatus();
}

Result<Kernel> MakeDecodePaddedRaw(KernelSetup& setup) {
  WEIR_ASSIGN(const DType dtype, setup.Attr<DType>("out_type"));
  WEIR_ASSIGN(const bool little_endian, setup.Attr<bool>("little_endian"));
  const size_t size = ElementSize(dtype);
  const bool reverse = size > 1 && little_endian != (std::endian::native == std::endian::little);
  return Kernel::Sync([dtype, size, reverse](KernelContext& ctx) -> Status {
    const Tensor& in = ctx.input(0);
    if (ctx.input(1).rank() != 0)
      return InvalidArgument("fixed_length must be a scalar, got shape {}", ctx.input(1).shape());
    WEIR_ASSIGN(const int64_t length, ScalarInt(ctx.input(1), "fixed_length"));
    WEIR_TRY(CheckLength(length, dtype));
    Shape shape = in.shape();
    WEIR_TRY(shape.AddDim(length / static_cast<int64_t>(size)));
    WEIR_ASSIGN(Tensor out, ctx.Allocate(0, shape));
    char* to = static_cast<char*>(out.raw());
    std::string reversible;
    for (int64_t i = 0; i < in.num_elements(); ++i, to += length) {
      const std::string& from = in.data<std::string>()[i];
      const size_t taken = std::min(from.size(), static_cast<size_t>(length));
      if (!reverse) {
        std::memcpy(to, from.data(), taken);
        std::memset(to + taken, 0, static_cast<size_t>(length) - taken);
      } else {
        reversible.assign(from, 0, taken);
        reversible.resize(static_cast<size_t>(length));
        CopyReversed(reversible.data(), reversible.size(), size, to);
      }
    }
    return OkStatus();
  });
}

Status PaddedRawShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const DType dtype, ctx.Attr<DType>("out_type"));
  WEIR_TRY(ctx.WithRank(1, 0).status());
  const std::optional<int64_t> length = ConstantInt(ctx, 1);
  if (length) WEIR_TRY(CheckLength(*length, dtype));
  if (ctx.input(0).known_rank())
    ctx.set_output(0, ctx.input(0).Concat(
                          PartialShape{length ? *length / static_cast<int64_t>(ElementSize(dtype)) : kUnknownDim}));
  return OkStatus();
}

}  // namespace

void RegisterDecodeRaw(OpRegistry& registry) {
  registry.Add({
      .name = "DecodeRaw",
      .signature = "bytes: string -> output: out_type",
      .attrs = {"out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, "
                "bool, bfloat16}",
                "little_endian: bool = true"},
      .shape = [](ShapeContext& ctx) -> Status {
        ctx.set_output(0, ctx.input(0).known_rank() ? ctx.input(0).Concat(PartialShape{kUnknownDim}) : PartialShape());
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecodeRaw),
  });
  registry.Add({
      .name = "DecodePaddedRaw",
      .signature = "input_bytes: string, fixed_length: int32 -> output: out_type",
      .attrs = {"out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}",
                "little_endian: bool = true"},
      .shape = PaddedRawShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeDecodePaddedRaw),
  });
}

}  // namespace weir::ops
