#include "device/gpu/movement.h"

#include <algorithm>
#include <vector>

#include "device/cuda/cuda_sources.h"
#include "device/gpu/types.h"

namespace weir::gpu {
namespace {

constexpr int kMaxRank = 8;

GpuProgram ProgramOf(std::string_view function, size_t bytes, int rank = 1, DType index = kInt32) {
  return {.name = fmt::format("{} of {} bytes", function, bytes),
          .function = std::string(function),
          .source = CudaSource("movement"),
          .types = {{"T", std::string(BitsText(bytes))},
                    {"RANK", fmt::format("{}", rank)},
                    {"INDEX_TYPE", std::string(TypeText(index))}}};
}

struct Walk {
  int64_t dim, from, to;  // size and both strides
};

// Returns the largest unit (up to 16 bytes) that the copy can use if its innermost runs are contiguous; adapts `walk`.
size_t WidenUnits(size_t bytes, std::vector<Walk>& walk, const void* from, const void* to) {
  if (walk.empty() || walk.back().from != 1 || walk.back().to != 1) return bytes;
  const auto fits = [&](int64_t factor) {
    const auto unit = static_cast<uintptr_t>(factor) * bytes;
    if (walk.back().dim % factor != 0 || reinterpret_cast<uintptr_t>(from) % unit != 0 ||
        reinterpret_cast<uintptr_t>(to) % unit != 0)
      return false;
    return std::all_of(walk.begin(), walk.end() - 1,
                       [&](const Walk& w) { return w.from % factor == 0 && w.to % factor == 0; });
  };
  int64_t factor = static_cast<int64_t>(16 / bytes);
  while (factor > 1 && !fits(factor)) factor /= 2;
  for (size_t i = 0; i + 1 < walk.size(); ++i) walk[i].from /= factor, walk[i].to /= factor;
  walk.back().dim /= factor;
  return bytes * static_cast<size_t>(factor);
}

}  // namespace

Status StridedCopy(GpuStream& stream, size_t bytes, absl::Span<const int64_t> dims, const StridedSide& from,
                   const StridedSide& to) {
  std::vector<Walk> walk;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 0) return OkStatus();
    if (dims[d] == 1) continue;
    const Walk next{dims[d], from.strides[d], to.strides[d]};
    if (!walk.empty() && walk.back().from == next.from * next.dim && walk.back().to == next.to * next.dim) {
      walk.back() = {walk.back().dim * next.dim, next.from, next.to};
    } else {
      walk.push_back(next);
    }
  }
  if (walk.empty()) walk.push_back({1, 1, 1});
  if (walk.size() == 1 && walk[0].from == 1 && walk[0].to == 1)
    return stream.CopyOnDevice(to.data, from.data, static_cast<size_t>(walk[0].dim) * bytes);
  if (walk.size() > kMaxRank) return Unimplemented("a copy with {} dimensions on a GPU", walk.size());
  const size_t unit = WidenUnits(bytes, walk, from.data, to.data);
  const int rank = static_cast<int>(walk.size());
  std::vector<uint64_t> args = {reinterpret_cast<uintptr_t>(from.data), reinterpret_cast<uintptr_t>(to.data), 1};
  for (const Walk& w : walk) args.push_back(static_cast<uint64_t>(w.dim)), args[2] *= static_cast<uint64_t>(w.dim);
  for (const Walk& w : walk) args.push_back(static_cast<uint64_t>(w.from));
  for (const Walk& w : walk) args.push_back(static_cast<uint64_t>(w.to));
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("StridedCopy", unit, rank)));
  const void* const address = args.data();
  return stream.Launch(run, LinearShape(static_cast<int64_t>(args[2])), absl::MakeConstSpan(&address, 1));
}

Status Transpose(GpuStream& stream, size_t bytes, const void* x, absl::Span<const int64_t> x_dims,
                 absl::Span<const int> permutation, void* y) {
  const size_t rank = x_dims.size();
  std::vector<int64_t> x_strides(rank), from(rank), to(rank), dims(rank);
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0;) x_strides[d] = stride, stride *= x_dims[d];
  const int64_t n = stride;
  stride = 1;
  for (size_t d = rank; d-- > 0;) {
    dims[d] = x_dims[static_cast<size_t>(permutation[d])];
    from[d] = x_strides[static_cast<size_t>(permutation[d])];
    to[d] = stride;
    stride *= dims[d];
  }
  // Checks whether the permutation only transposes matrices in a batch: it swaps two adjacent groups of dimensions.
  std::vector<size_t> moved;  // permutation without dimensions of size 1
  for (size_t d = 0; d < rank; ++d) {
    if (dims[d] != 1) moved.push_back(static_cast<size_t>(permutation[d]));
  }
  // In `order`, the first `same` dimensions stay in place, and [split, end) must come before [same, split).
  std::vector<size_t> order = moved;
  std::sort(order.begin(), order.end());
  size_t same = 0;
  while (same < moved.size() && moved[same] == order[same]) ++same;
  if (same < moved.size() && n > 0) {
    const size_t split = static_cast<size_t>(std::find(order.begin(), order.end(), moved[same]) - order.begin());
    std::vector<size_t> swapped(order.begin(), order.begin() + static_cast<int64_t>(same));
    swapped.insert(swapped.end(), order.begin() + static_cast<int64_t>(split), order.end());
    swapped.insert(swapped.end(), order.begin() + static_cast<int64_t>(same),
                   order.begin() + static_cast<int64_t>(split));
    int64_t batch = 1, rows = 1, columns = 1;
    for (size_t i = 0; i < order.size(); ++i) (i < same ? batch : i < split ? rows : columns) *= x_dims[order[i]];
    if (swapped == moved && batch <= 65535) {
      WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("TransposeTiles", bytes)));
      const LaunchShape shape{
          .blocks = {static_cast<uint32_t>((columns + 31) / 32),
                     static_cast<uint32_t>(std::min<int64_t>((rows + 31) / 32, 65535)), static_cast<uint32_t>(batch)},
          .threads = {32, 8, 1}};
      return LaunchWith(stream, run, shape, x, y, rows, columns);
    }
  }
  return StridedCopy(stream, bytes, dims, {const_cast<void*>(x), from}, {y, to});
}

Status Gather(GpuStream& stream, size_t bytes, const void* x, DType index_type, const void* indices, void* y,
              int64_t outer, int64_t limit, int64_t count, int64_t inner, uint32_t node) {
  // Copies larger units, up to 16 bytes, if sizes and addresses allow it.
  while (bytes < 16 && inner % 2 == 0 && reinterpret_cast<uintptr_t>(x) % (bytes * 2) == 0 &&
         reinterpret_cast<uintptr_t>(y) % (bytes * 2) == 0) {
    bytes *= 2, inner /= 2;
  }
  const int64_t n = outer * count * inner;
  if (n == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("Gather", bytes, 1, index_type)));
  return LaunchWith(stream, run, LinearShape(n), x, indices, y, n, limit, count, inner, stream.fault_address(), node);
}

Status GatherTuples(GpuStream& stream, size_t bytes, const void* x, DType index_type, const void* indices, void* y,
                    int64_t count, absl::Span<const int64_t> limits, int64_t inner, uint32_t node) {
  struct {
    int64_t limits[7] = {};
  } tuple;
  if (limits.size() > std::size(tuple.limits)) return Unimplemented("indices of {} dimensions on a GPU", limits.size());
  std::copy(limits.begin(), limits.end(), tuple.limits);
  const int64_t n = count * inner;
  const int depth = static_cast<int>(limits.size());
  if (n == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("GatherTuples", bytes, 1, index_type)));
  return LaunchWith(stream, run, LinearShape(n), x, indices, y, n, inner, depth, tuple, stream.fault_address(), node);
}

Status OneHot(GpuStream& stream, size_t bytes, DType index_type, const void* indices, const void* on, const void* off,
              void* y, int64_t outer, int64_t depth, int64_t inner) {
  const int64_t n = outer * depth * inner;
  if (n == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("OneHot", bytes, 1, index_type)));
  return LaunchWith(stream, run, LinearShape(n), indices, on, off, y, n, depth, inner);
}

std::vector<GpuProgram> MovementPrograms(size_t bytes) {
  std::vector<GpuProgram> programs;
  for (const char* function : {"FillWide", "StridedCopy", "TransposeTiles", "Gather", "GatherTuples", "OneHot"})
    programs.push_back(ProgramOf(function, bytes, 3, kInt64));
  return programs;
}

}  // namespace weir::gpu
