#include "device/gpu/elementwise.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "device/cuda/cuda_sources.h"
#include "device/gpu/types.h"

namespace weir::gpu {
namespace {

constexpr int kMaxRank = 8;

char KindOf(DType type) {
  if (type == kBool) return 'b';
  if (IsComplex(type)) return 'c';
  if (IsFloating(type)) return 'f';
  return IsUnsigned(type) ? 'u' : 's';
}

// The source text that computes a step, and the type of the value.
struct Statement {
  std::string text;
  DType result;
};
Result<Statement> MakeStatement(const ElementStep& step, absl::Span<const DType> types, size_t number) {
  const auto type_of = [&](int input) { return types[static_cast<size_t>(input)]; };
  if (step.op == "Cast") {
    return Statement{fmt::format("const {0} v{1} = To<{0}>(Widen(v{2})); ", TypeText(step.to), number, step.inputs[0]),
                     step.to};
  }
  for (const ElementOp& op : ElementOps()) {
    if (op.name != step.op) continue;
    // The first input of a selection is the condition; it does not determine the type.
    const DType type = type_of(step.inputs[op.name.starts_with("Select") ? 1 : 0]);
    if (op.kinds.find(KindOf(type)) == std::string_view::npos) continue;
    const DType result = ElementResult(op, type);
    std::string text = fmt::format("{} v{}; {{ typedef Wide<{}> C; ", TypeText(result), number, TypeText(type));
    constexpr const char* kNames[] = {"x", "y", "z"};
    for (int i = 0; i < op.inputs; ++i)
      text += fmt::format("const auto {} = Widen(v{}); ", kNames[i], step.inputs[static_cast<size_t>(i)]);
    if (op.expression.find("alpha") != std::string_view::npos)
      text += fmt::format("const C alpha = (C){}; ", step.alpha);
    text += fmt::format("v{} = To<{}>({}); }} ", number, TypeText(result), op.expression);
    return Statement{std::move(text), result};
  }
  return InvalidArgument("the GPU has no elementwise op '{}' for {}", step.op, type_of(step.inputs[0]));
}

// Result dimensions and input strides, after merging adjacent dimensions that one stride per input can traverse.
struct Walk {
  int rank = 0;
  int64_t dims[kMaxRank];
  std::vector<std::array<int64_t, kMaxRank>> strides;
};

Result<Walk> MakeWalk(absl::Span<const ElementInput> inputs, absl::Span<const int64_t> dims) {
  Walk walk;
  walk.strides.resize(inputs.size());
  for (size_t d = dims.size(); d-- > 0;) {  // from the last dimension; reversed below
    if (dims[d] == 1) continue;
    std::vector<int64_t> strides;
    for (const ElementInput& input : inputs) {
      const size_t missing = dims.size() - input.dims.size();
      int64_t stride = 1;
      for (size_t k = d + 1; k < dims.size(); ++k) stride *= k < missing ? 1 : input.dims[k - missing];
      strides.push_back(d < missing || input.dims[d - missing] == 1 ? 0 : stride);
    }
    bool merges = walk.rank > 0;
    for (size_t i = 0; merges && i < inputs.size(); ++i)
      merges = strides[i] == walk.strides[i][walk.rank - 1] * walk.dims[walk.rank - 1];
    if (merges) {
      walk.dims[walk.rank - 1] *= dims[d];
      continue;
    }
    if (walk.rank == kMaxRank) return Unimplemented("broadcasting over more than {} dimensions on a GPU", kMaxRank);
    walk.dims[walk.rank] = dims[d];
    for (size_t i = 0; i < inputs.size(); ++i) walk.strides[i][walk.rank] = strides[i];
    ++walk.rank;
  }
  if (walk.rank == 0) {
    walk.rank = 1;
    walk.dims[0] = 1;
    for (auto& strides : walk.strides) strides[0] = 0;
  }
  std::reverse(walk.dims, walk.dims + walk.rank);
  for (auto& strides : walk.strides) std::reverse(strides.begin(), strides.begin() + walk.rank);
  return walk;
}

bool IsAligned(const void* memory, size_t bytes) { return reinterpret_cast<uintptr_t>(memory) % bytes == 0; }

// How many elements a thread handles: as many as 16 bytes hold, fewer if shapes or addresses do not allow it.
int PerThread(absl::Span<const ElementInput> inputs, const Walk& walk, const void* out, DType out_type) {
  size_t largest = ElementSize(out_type);
  for (const ElementInput& input : inputs) largest = std::max(largest, ElementSize(input.type));
  int count = static_cast<int>(16 / largest);
  const auto fits = [&] {
    if (walk.rank > 1 && walk.dims[walk.rank - 1] % count != 0) return false;
    if (!IsAligned(out, ElementSize(out_type) * static_cast<size_t>(count))) return false;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (walk.strides[i][walk.rank - 1] == 0) continue;
      if (!IsAligned(inputs[i].data, ElementSize(inputs[i].type) * static_cast<size_t>(count))) return false;
      for (int d = 0; d + 1 < walk.rank; ++d) {
        if (walk.strides[i][d] % count != 0) return false;
      }
    }
    return true;
  };
  while (count > 1 && !fits()) count /= 2;
  return std::max(count, 1);
}

Result<DType> ResultOf(absl::Span<const DType> inputs, absl::Span<const ElementStep> steps, std::string* body) {
  std::vector<DType> types(inputs.begin(), inputs.end());
  for (const ElementStep& step : steps) {
    WEIR_ASSIGN(Statement statement, MakeStatement(step, types, types.size()));
    types.push_back(statement.result);
    if (body != nullptr) *body += statement.text;
  }
  return types.back();
}

}  // namespace

Result<GpuProgram> ElementwiseProgram(absl::Span<const DType> inputs, absl::Span<const ElementStep> steps, int rank,
                                      int per_thread, bool wide_index, uint32_t scalars) {
  GpuProgram program{.function = "Elementwise", .source = CudaSource("elementwise")};
  std::string body, params, loads, pack_args, element_args;
  WEIR_ASSIGN(const DType out, ResultOf(inputs, steps, &body));
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string_view type = TypeText(inputs[i]);
    const char* comma = i == 0 ? "" : ", ";
    params += fmt::format("{}const {} v{}", comma, type, i);
    loads += fmt::format("const Pack<{0}, V> p{1} = LoadPack<{0}, V, {2}>(args.in[{1}], o[{1}]); ", type, i,
                         (scalars >> i & 1) != 0 ? "false" : "true");
    pack_args += fmt::format("{}p{}.at[j]", comma, i);
    element_args += fmt::format("{}((const {}*)args.in[{}])[o[{}]]", comma, type, i, i);
  }
  for (const ElementStep& step : steps) program.name += fmt::format("{}{}", program.name.empty() ? "" : "+", step.op);
  program.name += fmt::format(" of {}", TypeText(inputs[0]));
  program.types = {{"IN", fmt::format("{}", inputs.size())},
                   {"RANK", fmt::format("{}", rank)},
                   {"V", fmt::format("{}", per_thread)},
                   {"INDEX", wide_index ? "uint64" : "uint32"},
                   {"OUT", std::string(TypeText(out))},
                   {"PARAMS", params},
                   {"BODY", body},
                   {"RESULT", fmt::format("v{}", inputs.size() + steps.size() - 1)},
                   {"LOAD_PACKS", loads},
                   {"PACK_ARGS", pack_args},
                   {"ELEMENT_ARGS", element_args}};
  return program;
}

Status Elementwise(GpuStream& stream, absl::Span<const ElementInput> inputs, absl::Span<const ElementStep> steps,
                   void* out, absl::Span<const int64_t> dims, uint32_t node) {
  int64_t n = 1;
  for (const int64_t dim : dims) n *= dim;
  if (n == 0) return OkStatus();
  std::vector<DType> types;
  for (const ElementInput& input : inputs) types.push_back(input.type);
  WEIR_ASSIGN(const DType out_type, ResultOf(types, steps, nullptr));
  WEIR_ASSIGN(const Walk walk, MakeWalk(inputs, dims));
  const int per_thread = PerThread(inputs, walk, out, out_type);
  uint32_t scalars = 0;
  for (size_t i = 0; i < inputs.size(); ++i) scalars |= walk.strides[i][walk.rank - 1] == 0 ? 1u << i : 0;
  const bool wide = n > std::numeric_limits<int32_t>::max();
  WEIR_ASSIGN(const GpuProgram program, ElementwiseProgram(types, steps, walk.rank, per_thread, wide, scalars));
  WEIR_ASSIGN(const GpuFunction function, stream.Load(program));
  // struct Args of elementwise.cu, whose members all have eight bytes.
  std::vector<uint64_t> args;
  for (const ElementInput& input : inputs) args.push_back(reinterpret_cast<uintptr_t>(input.data));
  args.push_back(reinterpret_cast<uintptr_t>(out));
  args.push_back(static_cast<uint64_t>(n));
  args.push_back(reinterpret_cast<uintptr_t>(stream.fault_address()));
  args.push_back(node);
  for (int d = 0; d < walk.rank; ++d) args.push_back(static_cast<uint64_t>(walk.dims[d]));
  for (const auto& strides : walk.strides) {
    for (int d = 0; d < walk.rank; ++d) args.push_back(static_cast<uint64_t>(strides[static_cast<size_t>(d)]));
  }
  const void* const address = args.data();
  return stream.Launch(function, LinearShape(n, per_thread), absl::MakeConstSpan(&address, 1));
}

Status Unary(GpuStream& stream, std::string_view op, DType type, const void* x, void* y, int64_t n, double alpha) {
  const ElementStep step{.op = op, .alpha = alpha};
  const ElementInput input{x, type, absl::MakeConstSpan(&n, 1)};
  return Elementwise(stream, absl::MakeConstSpan(&input, 1), absl::MakeConstSpan(&step, 1), y,
                     absl::MakeConstSpan(&n, 1));
}

Status Binary(GpuStream& stream, std::string_view op, DType type, const void* x, absl::Span<const int64_t> x_dims,
              const void* y, absl::Span<const int64_t> y_dims, void* z, absl::Span<const int64_t> z_dims, uint32_t node,
              double alpha) {
  const ElementStep step{.op = op, .alpha = alpha};
  const ElementInput inputs[] = {{x, type, x_dims}, {y, type, y_dims}};
  return Elementwise(stream, inputs, absl::MakeConstSpan(&step, 1), z, z_dims, node);
}

Status Cast(GpuStream& stream, DType from, const void* x, DType to, void* y, int64_t n) {
  const ElementStep step{.op = "Cast", .to = to};
  const ElementInput input{x, from, absl::MakeConstSpan(&n, 1)};
  return Elementwise(stream, absl::MakeConstSpan(&input, 1), absl::MakeConstSpan(&step, 1), y,
                     absl::MakeConstSpan(&n, 1));
}

Status Select(GpuStream& stream, DType type, const ElementInput& condition, const ElementInput& x,
              const ElementInput& y, void* z, absl::Span<const int64_t> dims) {
  const ElementStep step{.op = "SelectV2"};
  const ElementInput inputs[] = {condition, x, y};
  return Elementwise(stream, inputs, absl::MakeConstSpan(&step, 1), z, dims);
}

}  // namespace weir::gpu
