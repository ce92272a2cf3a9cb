#include "device/gpu/reduce.h"

#include <absl/cleanup/cleanup.h>

#include <algorithm>

#include "device/cuda/cuda_sources.h"
#include "device/gpu/types.h"

namespace weir::gpu {
namespace {

constexpr ReduceOp kOps[] = {
    {"Sum", "fsuc", "x", "To<A>(0)", "a + b", "a"},
    {"Mean", "f", "x", "To<A>(0)", "a + b", "a / (A)n"},
    {"Mean", "su", "x", "To<A>(0)", "a + b", "n == 0 ? a : (A)(a / (A)n)"},
    {"Prod", "fsuc", "x", "To<A>(1)", "a * b", "a"},
    {"Max", "fsu", "x", "Limits<A>::Lowest()", "a < b || b != b ? b : a", "a"},
    {"Min", "fsu", "x", "Limits<A>::Highest()", "b < a || b != b ? b : a", "a"},
    {"All", "b", "x", "true", "a && b", "a"},
    {"Any", "b", "x", "false", "a || b", "a"},
    {"L2Loss", "f", "x * x", "To<A>(0)", "a + b", "a / 2"},
};
constexpr DType kTypes[] = {kHalf,  kBFloat16, kFloat,  kDouble, kInt8,      kInt16,      kInt32, kInt64,
                            kUint8, kUint16,   kUint32, kUint64, kComplex64, kComplex128, kBool};
constexpr int kMaxAxes = 4;
constexpr int64_t kMaxBlocksY = 65535;
constexpr int64_t kEnoughBlocks = 264;  // two for each multiprocessor of the largest GPUs
constexpr int64_t kLeastShare = 2048;   // elements that a block should reduce at least

char KindOf(DType type) {
  if (type == kBool) return 'b';
  if (IsComplex(type)) return 'c';
  return IsFloating(type) ? 'f' : IsUnsigned(type) ? 'u' : 's';
}

const ReduceOp* Find(std::string_view name, DType type) {
  const auto* found = std::find_if(std::begin(kOps), std::end(kOps), [&](const ReduceOp& op) {
    return op.name == name && op.kinds.find(KindOf(type)) != std::string_view::npos;
  });
  return found == std::end(kOps) ? nullptr : found;
}

// The whole reduction (kWhole), or the first or second of its two runs.
enum class Run { kWhole, kFirst, kSecond };
GpuProgram ProgramOf(const ReduceOp& op, DType type, std::string_view function, Run run, int rank = 1) {
  const std::string_view text = TypeText(type), wide = TypeText(WideType(type));
  return {.name = fmt::format("{} of {} ({})", op.name, text, function),
          .function = std::string(function),
          .source = CudaSource("reduce"),
          .types = {{"T", std::string(run == Run::kSecond ? wide : text)},
                    {"A", std::string(wide)},
                    {"OUT", std::string(run == Run::kFirst ? wide : text)},
                    {"TAKE", std::string(run == Run::kSecond ? "x" : op.take)},
                    {"INIT", std::string(op.init)},
                    {"MERGE", std::string(op.merge)},
                    {"FINISH", std::string(run == Run::kFirst ? "a" : op.finish)},
                    {"RANK", fmt::format("{}", rank)}}};
}

// A run of adjacent dimensions that are all kept or all reduced, as one dimension. Dimensions of size 1 are dropped.
struct Axis {
  int64_t size;
  bool reduced;
};
std::vector<Axis> MergeAxes(absl::Span<const int64_t> dims, absl::Span<const bool> reduced) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!axes.empty() && axes.back().reduced == reduced[i]) {
      axes.back().size *= dims[i];
    } else {
      axes.push_back({dims[i], reduced[i]});
    }
  }
  return axes;
}

class Reducer {
 public:
  Reducer(GpuStream& stream, const ReduceOp& op, DType type) : stream_(stream), op_(op), type_(type) {}

  // [rows, n] to [rows].
  Status Rows(const void* x, int64_t rows, int64_t n, void* y) {
    if (n <= 1024 && rows > 1) {
      WEIR_ASSIGN(const GpuFunction run, stream_.Load(ProgramOf(op_, type_, "ReduceShortRows", Run::kWhole)));
      return LaunchWith(stream_, run, LinearShape(rows * 32), x, y, rows, n);
    }
    const int64_t most_parts = std::max<int64_t>((n + kLeastShare - 1) / kLeastShare, 1);  // n may be 0
    const int64_t parts = std::clamp(kEnoughBlocks / std::max<int64_t>(rows, 1), int64_t{1}, most_parts);
    LaunchShape shape{.blocks = {static_cast<uint32_t>(rows), static_cast<uint32_t>(parts), 1}, .threads = {256, 1, 1}};
    if (parts <= 1) {
      shape.blocks[1] = 1;
      WEIR_ASSIGN(const GpuFunction run, stream_.Load(ProgramOf(op_, type_, "ReduceRows", Run::kWhole)));
      return LaunchWith(stream_, run, shape, x, y, n, n);
    }
    WEIR_ASSIGN(void* const partial, Partial(rows * parts));
    const absl::Cleanup free = [&] { stream_.Free(partial); };
    WEIR_ASSIGN(const GpuFunction first, stream_.Load(ProgramOf(op_, type_, "ReduceRows", Run::kFirst)));
    WEIR_TRY(LaunchWith(stream_, first, shape, x, partial, n, n));
    WEIR_ASSIGN(const GpuFunction second, stream_.Load(ProgramOf(op_, type_, "ReduceRows", Run::kSecond)));
    shape.blocks[1] = 1;
    return LaunchWith(stream_, second, shape, partial, y, parts, n);
  }

  // [outer, n, inner] to [outer, inner].
  Status Columns(const void* x, int64_t outer, int64_t n, int64_t inner, void* y) {
    const int64_t tiles = (inner + 31) / 32;
    const int64_t parts =
        std::clamp(2 * kEnoughBlocks / std::max<int64_t>(tiles * outer, 1), int64_t{1}, std::max<int64_t>(n / 64, 1));
    LaunchShape shape{.blocks = {static_cast<uint32_t>(tiles), static_cast<uint32_t>(parts),
                                 static_cast<uint32_t>(std::min(outer, kMaxBlocksY))},
                      .threads = {32, 8, 1}};
    if (parts <= 1) {
      WEIR_ASSIGN(const GpuFunction run, stream_.Load(ProgramOf(op_, type_, "ReduceColumns", Run::kWhole)));
      return LaunchWith(stream_, run, shape, x, y, n, inner, n, outer);
    }
    WEIR_ASSIGN(void* const partial, Partial(parts * outer * inner));
    const absl::Cleanup free = [&] { stream_.Free(partial); };
    WEIR_ASSIGN(const GpuFunction first, stream_.Load(ProgramOf(op_, type_, "ReduceColumns", Run::kFirst)));
    WEIR_TRY(LaunchWith(stream_, first, shape, x, partial, n, inner, n, outer));
    WEIR_ASSIGN(const GpuFunction second, stream_.Load(ProgramOf(op_, type_, "ReduceColumns", Run::kSecond)));
    const int64_t columns = outer * inner, one = 1;
    shape.blocks[0] = static_cast<uint32_t>((columns + 31) / 32);
    shape.blocks[1] = shape.blocks[2] = 1;
    return LaunchWith(stream_, second, shape, partial, y, parts, columns, n, one);
  }

  Status AnyAxes(const void* x, const std::vector<Axis>& axes, int64_t results, int64_t n, void* y) {
    int64_t kept[kMaxAxes], kept_strides[kMaxAxes], sizes[kMaxAxes], strides[kMaxAxes];
    int num_kept = 0, num_reduced = 0;
    int64_t stride = results * n;
    for (const Axis& axis : axes) {
      stride /= axis.size;
      int& count = axis.reduced ? num_reduced : num_kept;
      if (count == kMaxAxes) return Unimplemented("a reduction over so many separate axes on a GPU");
      (axis.reduced ? sizes : kept)[count] = axis.size;
      (axis.reduced ? strides : kept_strides)[count] = stride;
      ++count;
    }
    const auto pad = [](int64_t* to, int count, int64_t value) { std::fill(to + count, to + kMaxAxes, value); };
    pad(kept, num_kept, 1), pad(kept_strides, num_kept, 0), pad(sizes, num_reduced, 1), pad(strides, num_reduced, 0);
    struct {
      const void* from;
      void* to;
      int64_t results, n;
      int64_t walks[4][kMaxAxes];
    } args = {x, y, results, n, {}};
    for (int i = 0; i < kMaxAxes; ++i) {
      args.walks[0][i] = kept[i], args.walks[1][i] = kept_strides[i];
      args.walks[2][i] = sizes[i], args.walks[3][i] = strides[i];
    }
    WEIR_ASSIGN(const GpuFunction run, stream_.Load(ProgramOf(op_, type_, "ReduceAxes", Run::kWhole, kMaxAxes)));
    return LaunchWith(stream_, run, LinearShape(results * 32), args);
  }

 private:
  Result<void*> Partial(int64_t elements) {
    return stream_.Allocate(static_cast<size_t>(elements) * ElementSize(WideType(type_)));
  }
  GpuStream& stream_;
  const ReduceOp& op_;
  const DType type_;
};

}  // namespace

absl::Span<const ReduceOp> ReduceOps() { return kOps; }

std::vector<DType> ReduceTypes(std::string_view name) {
  std::vector<DType> types;
  for (const DType type : kTypes) {
    if (Find(name, type) != nullptr) types.push_back(type);
  }
  return types;
}

Status Reduce(GpuStream& stream, std::string_view op, DType type, const void* x, absl::Span<const int64_t> dims,
              absl::Span<const bool> reduced, void* y) {
  const ReduceOp* found = Find(op, type);
  if (found == nullptr) return InvalidArgument("the GPU has no reduction '{}' of {}", op, type);
  int64_t results = 1, n = 1;
  for (size_t i = 0; i < dims.size(); ++i) (reduced[i] ? n : results) *= dims[i];
  if (results == 0) return OkStatus();
  const std::vector<Axis> axes = MergeAxes(dims, reduced);
  Reducer reducer(stream, *found, type);
  if (n <= 1 || axes.empty()) return reducer.Rows(x, results, n, y);
  if (axes.size() == 1) return reducer.Rows(x, 1, n, y);
  if (axes.size() == 2 && axes[1].reduced) return reducer.Rows(x, results, n, y);
  if (axes.size() == 2) return reducer.Columns(x, 1, n, results, y);
  if (axes.size() == 3 && axes[1].reduced) return reducer.Columns(x, axes[0].size, n, axes[2].size, y);
  return reducer.AnyAxes(x, axes, results, n, y);
}

std::vector<GpuProgram> ReducePrograms(DType type) {
  std::vector<GpuProgram> programs;
  for (const ReduceOp& op : kOps) {
    if (Find(op.name, type) != &op) continue;
    for (const char* function : {"ReduceRows", "ReduceShortRows", "ReduceColumns"})
      programs.push_back(ProgramOf(op, type, function, Run::kWhole));
    programs.push_back(ProgramOf(op, type, "ReduceAxes", Run::kWhole, kMaxAxes));
  }
  return programs;
}

}  // namespace weir::gpu
