// Fingerprint: the hash of each row of a tensor, as bytes.
#include "op/op_registry.h"
#include "op/shape_context.h"
#include "ops/string/hash.h"

namespace weir::ops {
namespace {

constexpr int64_t kHashSize = 8;

constexpr const char* kFarmHash = "farmhash64";

void AppendHash(std::string_view data, std::string& to) {
  const uint64_t hash = FarmFingerprint64(data);
  for (int64_t i = 0; i < kHashSize; ++i) to.push_back(static_cast<char>(hash >> (8 * i) & 0xff));
}

Result<Kernel> MakeFingerprint(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    const Tensor &data = ctx.input(0), &method = ctx.input(1);
    if (data.rank() == 0) return InvalidArgument("data must be at least 1-dimensional, got a scalar");
    if (method.rank() != 0) return InvalidArgument("method must be scalar, got {}", method.shape());
    const std::string& name = *method.data<std::string>();
    if (name != kFarmHash) return InvalidArgument("Unsupported fingerprint method: {}", name);
    const int64_t rows = data.dim(0);
    WEIR_ASSIGN(const Tensor out, ctx.Allocate(0, Shape{rows, kHashSize}));
    if (rows == 0) return OkStatus();
    const int64_t row = data.num_elements() / rows;
    std::string hash, hashes;
    for (int64_t i = 0; i < rows; ++i) {
      hash.clear();
      if (data.dtype() != kString) {
        const size_t bytes = static_cast<size_t>(row) * ElementSize(data.dtype());
        AppendHash({static_cast<const char*>(data.raw()) + static_cast<size_t>(i) * bytes, bytes}, hash);
      } else if (data.rank() == 1) {
        AppendHash(data.data<std::string>()[i], hash);
      } else {  // the hash of the hashes of the row's strings
        hashes.clear();
        for (int64_t k = 0; k < row; ++k) AppendHash(data.data<std::string>()[i * row + k], hashes);
        AppendHash(hashes, hash);
      }
      std::copy(hash.begin(), hash.end(), reinterpret_cast<char*>(out.data<uint8_t>()) + i * kHashSize);
    }
    return OkStatus();
  });
}

Status FingerprintShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape data, ctx.WithRankAtLeast(0, 1));
  WEIR_TRY(ctx.WithRank(1, 0).status());
  const Tensor* method = ctx.constant(1);
  const bool known = method != nullptr && method->num_elements() == 1;
  if (known && *method->data<std::string>() != kFarmHash)
    return InvalidArgument("Unsupported method: {}", *method->data<std::string>());
  ctx.set_output(0, PartialShape{data.dim(0), known ? kHashSize : kUnknownDim});
  return OkStatus();
}

}  // namespace

void RegisterFingerprint(OpRegistry& registry) {
  registry.Add({
      .name = "Fingerprint",
      .signature = "data: T, method: string -> fingerprint: uint8",
      .attrs = {"T: type"},
      .shape = FingerprintShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeFingerprint),
  });
}

}  // namespace weir::ops
