#include "device/gpu/windows.h"

#include <absl/cleanup/cleanup.h>

#include <algorithm>

#include "device/cuda/cuda_sources.h"
#include "device/gpu/types.h"

namespace weir::gpu {
namespace {

// Patches larger than this are made for a part of the batch at a time.
constexpr int64_t kPatchBytes = int64_t{512} << 20;

GpuProgram ProgramOf(std::string_view function, DType type) {
  return {.name = fmt::format("{} of {}", function, TypeText(type)),
          .function = std::string(function),
          .source = CudaSource("window"),
          .types = {{"T", std::string(TypeText(type))}}};
}

// Launches one thread per element of the result, with the given arrays, the count and the window.
template <class... Arrays>
Status Run(GpuStream& stream, std::string_view function, DType type, int64_t n, const Window& window,
           const Arrays*... arrays) {
  if (n == 0) return OkStatus();
  WEIR_ASSIGN(const GpuFunction run, stream.Load(ProgramOf(function, type)));
  return LaunchWith(stream, run, LinearShape(n), *arrays..., n, window);
}

int64_t Inputs(const Window& w) { return w.batch * w.height * w.width * w.channels; }
int64_t Positions(const Window& w) { return w.batch * w.out_height * w.out_width; }
int64_t PatchSize(const Window& w) { return w.rows * w.columns * w.channels; }

// The patches of a 1 x 1 window that visits every element are the input itself.
bool IsPlain(const Window& w) {
  return w.rows == 1 && w.columns == 1 && w.row_step == 1 && w.column_step == 1 && w.top == 0 && w.left == 0 &&
         w.out_height == w.height && w.out_width == w.width;
}

// Calls f(part, first) for parts of the batch whose patches fit into kPatchBytes.
template <class F>
Status ForParts(const Window& window, DType type, const F& f) {
  const int64_t bytes = std::max<int64_t>(
      window.out_height * window.out_width * PatchSize(window) * static_cast<int64_t>(ElementSize(type)), 1);
  const int64_t step = IsPlain(window) ? window.batch : std::clamp<int64_t>(kPatchBytes / bytes, 1, window.batch);
  for (int64_t first = 0; first < window.batch; first += step) {
    Window part = window;
    part.batch = std::min(step, window.batch - first);
    WEIR_TRY(f(part, first));
  }
  return OkStatus();
}

const char* At(const void* base, DType type, int64_t elements) {
  return static_cast<const char*>(base) + elements * static_cast<int64_t>(ElementSize(type));
}
char* At(void* base, DType type, int64_t elements) {
  return static_cast<char*>(base) + elements * static_cast<int64_t>(ElementSize(type));
}

}  // namespace

Status MaxPool(GpuStream& stream, DType type, const Window& w, const void* x, void* y) {
  return Run(stream, "MaxPool", type, Positions(w) * w.channels, w, &x, &y);
}
Status MaxPoolGrad(GpuStream& stream, DType type, const Window& w, const void* x, const void* y, const void* dy,
                   void* dx) {
  return Run(stream, "MaxPoolGrad", type, Inputs(w), w, &x, &y, &dy, &dx);
}
Status AvgPool(GpuStream& stream, DType type, const Window& w, const void* x, void* y) {
  return Run(stream, "AvgPool", type, Positions(w) * w.channels, w, &x, &y);
}
Status AvgPoolGrad(GpuStream& stream, DType type, const Window& w, const void* dy, void* dx) {
  return Run(stream, "AvgPoolGrad", type, Inputs(w), w, &dy, &dx);
}

Status Convolve(GpuStream& stream, DType type, const Window& window, int64_t filters, const void* x, const void* filter,
                const void* bias, bool relu, void* y) {
  using Epilogue = GpuMatMul::Epilogue;
  const Epilogue epilogue = bias != nullptr ? (relu ? Epilogue::kBiasRelu : Epilogue::kBias)
                            : relu          ? Epilogue::kRelu
                                            : Epilogue::kNone;
  return ForParts(window, type, [&](const Window& part, int64_t first) -> Status {
    const void* from = At(x, type, first * part.height * part.width * part.channels);
    const int64_t elements = Positions(part) * PatchSize(part);
    void* patches = nullptr;
    const absl::Cleanup free = [&] { stream.Free(patches); };
    if (!IsPlain(part)) {
      WEIR_ASSIGN(patches, stream.Allocate(static_cast<size_t>(elements) * ElementSize(type)));
      WEIR_TRY(Run(stream, "TakePatches", type, elements, part, &from, &patches));
      from = patches;
    }
    return stream.MatMul({.type = type,
                          .m = Positions(part),
                          .n = filters,
                          .k = PatchSize(part),
                          .a = from,
                          .b = filter,
                          .c = At(y, type, first * part.out_height * part.out_width * filters),
                          .epilogue = epilogue,
                          .bias = bias});
  });
}

Status ConvolveInputGrad(GpuStream& stream, DType type, const Window& window, int64_t filters, const void* filter,
                         const void* dy, void* dx) {
  return ForParts(window, type, [&](const Window& part, int64_t first) -> Status {
    void* const to = At(dx, type, first * part.height * part.width * part.channels);
    const int64_t elements = Positions(part) * PatchSize(part);
    void* patches = nullptr;
    const absl::Cleanup free = [&] { stream.Free(patches); };
    if (!IsPlain(part)) {
      WEIR_ASSIGN(patches, stream.Allocate(static_cast<size_t>(elements) * ElementSize(type)));
    }
    WEIR_TRY(stream.MatMul({.type = type,
                            .transpose_b = true,
                            .m = Positions(part),
                            .n = PatchSize(part),
                            .k = filters,
                            .a = At(dy, type, first * part.out_height * part.out_width * filters),
                            .b = filter,
                            .c = patches == nullptr ? to : patches}));
    return patches == nullptr ? OkStatus() : Run(stream, "SumPatches", type, Inputs(part), part, &patches, &to);
  });
}

Status ConvolveFilterGrad(GpuStream& stream, DType type, const Window& window, int64_t filters, const void* x,
                          const void* dy, void* d_filter) {
  return ForParts(window, type, [&](const Window& part, int64_t first) -> Status {
    const void* from = At(x, type, first * part.height * part.width * part.channels);
    const int64_t elements = Positions(part) * PatchSize(part);
    void* patches = nullptr;
    const absl::Cleanup free = [&] { stream.Free(patches); };
    if (!IsPlain(part)) {
      WEIR_ASSIGN(patches, stream.Allocate(static_cast<size_t>(elements) * ElementSize(type)));
      WEIR_TRY(Run(stream, "TakePatches", type, elements, part, &from, &patches));
      from = patches;
    }
    return stream.MatMul({.type = type,
                          .transpose_a = true,
                          .m = PatchSize(part),
                          .n = filters,
                          .k = Positions(part),
                          .a = from,
                          .b = At(dy, type, first * part.out_height * part.out_width * filters),
                          .c = d_filter,
                          .beta = first == 0 ? 0.0 : 1.0});
  });
}

std::vector<GpuProgram> WindowPrograms(DType type) {
  std::vector<GpuProgram> programs;
  for (const char* function : {"TakePatches", "SumPatches", "MaxPool", "MaxPoolGrad", "AvgPool", "AvgPoolGrad"})
    programs.push_back(ProgramOf(function, type));
  return programs;
}

}  // namespace weir::gpu
