// DecodeRaw: the bytes of strings of equal length as numbers, in a new last dimension.
#include <bit>
#include <cstring>

#include "op/shape_context.h"
#include "ops/string/map_strings.h"

namespace weir::ops {
namespace {

// Copies words of `size` bytes with the bytes of each turned around.
void CopyReversed(const char* from, size_t bytes, size_t size, char* to) {
  for (size_t word = 0; word < bytes; word += size) {
    for (size_t i = 0; i < size; ++i) to[word + i] = from[word + size - 1 - i];
  }
}

Result<Kernel> MakeDecodeRaw(KernelSetup& setup) {
  WEIR_ASSIGN(const DType dtype, setup.Attr<DType>("out_type"));
  WEIR_ASSIGN(const bool little_endian, setup.Attr<bool>("little_endian"));
  const auto size = static_cast<int64_t>(ElementSize(dtype));
  // Complex numbers are two words.
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
}

}  // namespace weir::ops
