#include "device/gpu/updates.h"

#include <absl/cleanup/cleanup.h>

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "device/cuda/cuda_sources.h"
#include "device/gpu/types.h"

namespace weir::gpu {
namespace {

constexpr int kTensorsPerLaunch = 16;
constexpr int kTile = 256;

// s[0] is the parameter, s[1] to s[3] the slots, g the gradient, c the scalar inputs.
constexpr UpdateOp kOps[] = {
    {"GradientDescent", 1, 1, "s[0] -= g * c[0];"},
    {"ProximalGradientDescent", 1, 3,
     "W x = s[0] - g * c[0]; if (c[1] > 0) x = Shrink(x, c[0] * c[1]); s[0] = x / ((W)1 + c[2] * c[0]);"},
    {"Adadelta", 3, 3,
     "s[1] = s[1] * c[1] + g * g * ((W)1 - c[1]); const W u = sqrt(s[2] + c[2]) / sqrt(s[1] + c[2]) * g; "
     "s[0] -= u * c[0]; s[2] = s[2] * c[1] + u * u * ((W)1 - c[1]);"},
    {"Adagrad", 2, 1, "if (FLAG) s[1] += g * g; s[0] -= g * c[0] / sqrt(s[1]);"},
    {"AdagradDA", 3, 4,
     "s[1] += g; s[2] += g * g; const W x = c[1] > 0 ? Shrink(s[1], c[1] * c[3]) : s[1]; "
     "s[0] = -c[0] * x / (c[2] * c[3] * c[0] + sqrt(s[2]));"},
    {"ProximalAdagrad", 2, 3,
     "s[1] += g * g; const W rate = c[0] / sqrt(s[1]); W x = s[0] - g * rate; if (c[1] > 0) x = Shrink(x, rate * "
     "c[1]); "
     "s[0] = x / ((W)1 + c[2] * rate);"},
    {"Ftrl", 3, 4, "Ftrl(s, g, c[0], c[1], c[2], (W)0, c[3], FLAG);"},
    {"FtrlV2", 3, 5, "Ftrl(s, g, c[0], c[1], c[2], c[3], c[4], FLAG);"},
    {"Momentum", 2, 2, "s[1] = s[1] * c[1] + g; s[0] -= FLAG ? g * c[0] + s[1] * c[1] * c[0] : s[1] * c[0];"},
    {"KerasMomentum", 2, 2, "s[1] = s[1] * c[1] - g * c[0]; s[0] += FLAG ? s[1] * c[1] - g * c[0] : s[1];"},
    {"Adam", 3, 6,
     "s[1] += (g - s[1]) * ((W)1 - c[3]); s[2] += (g * g - s[2]) * ((W)1 - c[4]); "
     "const W m = FLAG ? g * ((W)1 - c[3]) + c[3] * s[1] : s[1]; "
     "s[0] -= m * (c[2] * sqrt((W)1 - c[1]) / ((W)1 - c[0])) / (sqrt(s[2]) + c[5]);"},
    {"AdaMax", 3, 5,
     "s[1] += (g - s[1]) * ((W)1 - c[2]); const W a = fabs(g), b = c[3] * s[2]; s[2] = b < a ? a : b; "
     "s[0] -= c[1] / ((W)1 - c[0]) * (s[1] / (s[2] + c[4]));"},
    {"RMSProp", 3, 4,
     "s[1] += (g * g - s[1]) * ((W)1 - c[1]); s[2] = s[2] * c[2] + g * c[0] / sqrt(s[1] + c[3]); s[0] -= s[2];"},
    {"CenteredRMSProp", 4, 4,
     "s[2] += (g * g - s[2]) * ((W)1 - c[1]); s[1] += (g - s[1]) * ((W)1 - c[1]); "
     "s[3] = s[3] * c[2] + g * c[0] / sqrt(s[2] - s[1] * s[1] + c[3]); s[0] -= s[3];"},
    {"AddSign", 2, 4,
     "s[1] = s[1] * c[3] + g * ((W)1 - c[3]); s[0] -= c[0] * (c[1] + c[2] * (SignOf(g) * SignOf(s[1]))) * g;"},
    {"PowerSign", 2, 4,
     "s[1] = s[1] * c[3] + g * ((W)1 - c[3]); const W a = SignOf(g) * SignOf(s[1]); "
     "s[0] -= c[0] * (a > 0 ? exp(c[1] * c[2]) : a < 0 ? exp(-c[1] * c[2]) : (W)1 + a) * g;"},
};

GpuProgram ProgramOf(std::string_view function, const UpdateOp& op, DType type, bool flag, int per_thread) {
  return {.name = fmt::format("{} {} of {}", function, op.name, TypeText(type)),
          .function = std::string(function),
          .source = CudaSource("update"),
          .types = {{"F", std::string(TypeText(type))},
                    {"V", fmt::format("{}", per_thread)},
                    {"SLOTS", fmt::format("{}", op.slots)},
                    {"SCALARS", fmt::format("{}", op.scalars)},
                    {"FLAG", flag ? "true" : "false"},
                    {"RULE", std::string(op.rule)}}};
}

GpuProgram SortProgram(std::string_view function, DType index, DType type = kFloat, std::string_view merge = "a + b") {
  return {.name = std::string(function),
          .function = std::string(function),
          .source = CudaSource("sort"),
          .types = {
              {"I", std::string(TypeText(index))}, {"T", std::string(TypeText(type))}, {"MERGE", std::string(merge)}}};
}

// The parameters of a launch: struct Tensors of update.cu.
struct TensorArgs {
  void* slots[kTensorsPerLaunch][4];
  const void* gradients[kTensorsPerLaunch];
  int64_t sizes[kTensorsPerLaunch];
  const void* scalars[kTensorsPerLaunch][6];
};

bool AreAligned(const UpdateTensor& tensor, int slots, size_t bytes) {
  bool aligned = reinterpret_cast<uintptr_t>(tensor.gradient) % bytes == 0;
  for (int k = 0; k < slots; ++k)
    aligned &= reinterpret_cast<uintptr_t>(tensor.slots[static_cast<size_t>(k)]) % bytes == 0;
  return aligned;
}

}  // namespace

absl::Span<const UpdateOp> UpdateOps() { return kOps; }

const UpdateOp& UpdateOpOf(std::string_view rule) {
  const auto* found =
      std::find_if(std::begin(kOps), std::end(kOps), [&](const UpdateOp& op) { return op.name == rule; });
  WEIR_CHECK(found != std::end(kOps), rule);
  return *found;
}

Status UpdateDense(GpuStream& stream, const UpdateOp& op, DType type, bool flag,
                   absl::Span<const UpdateTensor> tensors) {
  const int widest = static_cast<int>(16 / ElementSize(type));
  for (size_t begin = 0; begin < tensors.size(); begin += kTensorsPerLaunch) {
    const auto part = tensors.subspan(begin, kTensorsPerLaunch);
    TensorArgs args = {};
    int64_t largest = 0;
    int per_thread = widest;
    for (size_t i = 0; i < part.size(); ++i) {
      std::copy(part[i].slots.begin(), part[i].slots.end(), args.slots[i]);
      std::copy(part[i].scalars.begin(), part[i].scalars.end(), args.scalars[i]);
      args.gradients[i] = part[i].gradient;
      args.sizes[i] = part[i].size;
      largest = std::max(largest, part[i].size);
      if (!AreAligned(part[i], op.slots, 16)) per_thread = 1;
    }
    if (largest == 0) continue;
    WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("UpdateDense", op, type, flag, per_thread)));
    LaunchShape shape = LinearShape(largest, per_thread);
    shape.blocks[0] = std::min(shape.blocks[0], static_cast<uint32_t>(stream.info().multiprocessors) * 64);
    shape.blocks[1] = static_cast<uint32_t>(part.size());
    WEIR_TRY(LaunchWith(stream, run, shape, args));
  }
  return OkStatus();
}

SortedRows::SortedRows(SortedRows&& other) noexcept
    : stream_(other.stream_),
      rows_(std::exchange(other.rows_, nullptr)),
      order_(std::exchange(other.order_, nullptr)),
      count_(other.count_),
      limit_(other.limit_) {}

SortedRows::~SortedRows() {
  stream_->Free(rows_);
  stream_->Free(order_);
}

Result<SortedRows> SortedRows::Make(GpuStream& stream, DType index_type, const void* indices, int64_t count,
                                    int64_t limit, uint32_t node) {
  if (count >= int64_t{1} << 31 || limit >= (int64_t{1} << 32) - 1)
    return Unimplemented("updates of {} rows by {} indices on a GPU", limit, count);
  SortedRows sorted(stream, count, limit);
  if (count == 0) return sorted;
  const size_t bytes = static_cast<size_t>(count) * sizeof(uint32_t);
  WEIR_ASSIGN(sorted.rows_, stream.Allocate(bytes));
  WEIR_ASSIGN(sorted.order_, stream.Allocate(bytes));
  WEIR_ASSIGN(const GpuFunction take, stream.Load(SortProgram("TakeRows", index_type)));
  WEIR_TRY(LaunchWith(stream, take, LinearShape(count), indices, sorted.rows_, sorted.order_, count, limit,
                      stream.fault_address(), node));
  if (count == 1) return sorted;
  WEIR_ASSIGN(const GpuFunction count_digits, stream.Load(SortProgram("CountDigits", kInt32)));
  WEIR_ASSIGN(const GpuFunction sum_before, stream.Load(SortProgram("SumBefore", kInt32)));
  WEIR_ASSIGN(const GpuFunction move, stream.Load(SortProgram("MoveByDigit", kInt32)));
  const LaunchShape tiles = LinearShape(count, 1, kTile);
  const int64_t bins = int64_t{256} * tiles.blocks[0];
  WEIR_ASSIGN(void* const counts, stream.Allocate(static_cast<size_t>(bins) * sizeof(uint32_t)));
  const absl::Cleanup free_counts = [&] { stream.Free(counts); };
  SortedRows other(stream, count, limit);
  WEIR_ASSIGN(other.rows_, stream.Allocate(bytes));
  WEIR_ASSIGN(other.order_, stream.Allocate(bytes));
  for (int shift = 0; shift < std::bit_width(static_cast<uint64_t>(limit)); shift += 8) {
    WEIR_TRY(LaunchWith(stream, count_digits, tiles, sorted.rows_, counts, count, shift));
    WEIR_TRY(LaunchWith(stream, sum_before, {.threads = {1024, 1, 1}}, counts, bins));
    WEIR_TRY(
        LaunchWith(stream, move, tiles, sorted.rows_, sorted.order_, other.rows_, other.order_, counts, count, shift));
    std::swap(sorted.rows_, other.rows_);
    std::swap(sorted.order_, other.order_);
  }
  return sorted;
}

Status UpdateRows(GpuStream& stream, const UpdateOp& op, DType type, bool flag, const SortedRows& rows, int64_t width,
                  const UpdateTensor& t) {
  const int64_t n = rows.count() * width;
  if (n == 0) return OkStatus();
  struct {
    const void* at[6];
  } scalars;
  std::copy(t.scalars.begin(), t.scalars.end(), scalars.at);
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf("UpdateRows", op, type, flag, 1)));
  return LaunchWith(stream, run, LinearShape(n), t.slots[0], t.slots[1], t.slots[2], t.slots[3], t.gradient,
                    rows.rows(), rows.order(), rows.count(), width, rows.limit(), scalars);
}

Status MergeRows(GpuStream& stream, DType type, std::string_view merge, const SortedRows& rows, int64_t width, void* to,
                 const void* from) {
  const int64_t n = rows.count() * width;
  if (n == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(SortProgram("MergeRows", kInt32, type, merge)));
  return LaunchWith(stream, run, LinearShape(n), to, from, rows.rows(), rows.order(), rows.count(), width,
                    rows.limit());
}

std::vector<GpuProgram> UpdatePrograms(DType type) {
  std::vector<GpuProgram> programs;
  for (const UpdateOp& op : kOps) {
    programs.push_back(ProgramOf("UpdateDense", op, type, true, static_cast<int>(16 / ElementSize(type))));
    programs.push_back(ProgramOf("UpdateRows", op, type, false, 1));
  }
  programs.push_back(SortProgram("MergeRows", kInt32, type));
  if (type != kFloat) return programs;
  for (const char* function : {"TakeRows", "CountDigits", "SumBefore", "MoveByDigit"})
    programs.push_back(SortProgram(function, kInt64));
  return programs;
}

}  // namespace weir::gpu
