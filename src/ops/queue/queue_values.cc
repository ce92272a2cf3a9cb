#include "ops/queue/queue_values.h"

#include <algorithm>

#include "ops/data/rows.h"

namespace weir::ops {
namespace {

// Moves input i out, or copies it if its memory is shared.
Result<Tensor> TakeOrCopyInput(KernelContext& ctx, int i) {
  Tensor value = std::move(ctx.raw_input(i).tensor);
  if (value.OwnsMemoryAlone()) return value;
  return value.Clone();
}

// Checks the shape of component c. A batch has an additional dimension 0 of size `rows`.
Status CheckShape(const QueueSpec& spec, int c, const Shape& shape, int64_t rows, bool batch) {
  if (spec.shapes.empty()) return OkStatus();
  PartialShape expected = spec.shapes[static_cast<size_t>(c)];
  if (batch) expected = PartialShape{rows}.Concat(expected);
  if (expected.CompatibleWith(shape)) return OkStatus();
  return InvalidArgument("Shape mismatch in tuple component {}. Expected {}, got {}", c, expected, shape);
}

Status CheckPriority(const QueueSpec& spec, int rank) {
  if (spec.kind != QueueKind::kPriority || rank == 0) return OkStatus();
  return InvalidArgument("Expected the priority element to be a scalar, but it has {} dimensions", rank);
}

// Checks that memory suffices for `rows` elements. Elements without values also take memory, so the size of the batch
// tensor does not bound it.
Status CheckMemoryFor(int64_t rows, int components) {
  constexpr int64_t kTensorBytes = sizeof(Tensor) + 128;  // including the buffer of a small value
  constexpr int64_t kUncheckedBytes = int64_t{64} << 20;
  int64_t bytes = 0;
  if (__builtin_mul_overflow(rows, static_cast<int64_t>(sizeof(QueueElement)) + components * kTensorBytes, &bytes))
    return ResourceExhausted("a batch of {} elements does not fit into memory", rows);
  if (bytes <= kUncheckedBytes) return OkStatus();
  const Status room = CpuAllocator().Allocate(static_cast<size_t>(bytes)).status();
  if (!room.ok()) return WithContext(room, fmt::format("a batch of {} elements", rows));
  return OkStatus();
}

}  // namespace

Result<QueueElement> ElementOfInputs(const QueueSpec& spec, KernelContext& ctx) {
  for (int i = 1; i < ctx.num_inputs(); ++i) WEIR_TRY(CheckShape(spec, i - 1, ctx.input(i).shape(), 0, false));
  WEIR_TRY(CheckPriority(spec, ctx.input(1).rank()));
  QueueElement element;
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    WEIR_ASSIGN(Tensor value, TakeOrCopyInput(ctx, i));
    element.components.push_back(std::move(value));
  }
  return element;
}

Result<std::vector<QueueElement>> ElementsOfBatch(const QueueSpec& spec, KernelContext& ctx) {
  const int components = ctx.num_inputs() - 1;
  for (int c = 0; c < components; ++c) {
    if (ctx.input(c + 1).rank() == 0)
      return InvalidArgument("Shape mismatch in tuple component {}. Expected a batch of at least one dimension, got []",
                             c);
  }
  const int64_t rows = ctx.input(1).dim(0);
  for (int c = 0; c < components; ++c) {
    const Tensor& batch = ctx.input(c + 1);
    WEIR_TRY(CheckShape(spec, c, batch.shape(), rows, true));
    if (batch.dim(0) != rows) {
      return InvalidArgument(
          "All input tensors must have the same size in the 0th dimension. Component {} has {}, and should have {}", c,
          batch.dim(0), rows);
    }
  }
  WEIR_TRY(CheckPriority(spec, ctx.input(1).rank() - 1));
  WEIR_TRY(CheckMemoryFor(rows, components));
  std::vector<QueueElement> elements(static_cast<size_t>(rows));
  for (QueueElement& element : elements) element.components.reserve(static_cast<size_t>(components));
  for (int c = 0; c < components; ++c) {
    const Tensor& batch = ctx.input(c + 1);
    for (int64_t row = 0; row < rows; ++row) {
      WEIR_ASSIGN(Tensor value, CopyOfRow(batch, row));
      elements[static_cast<size_t>(row)].components.push_back(std::move(value));
    }
  }
  return elements;
}

Result<Tensor> BatchComponent(const QueueSpec& spec, const std::vector<QueueElement>& elements, int c) {
  const size_t component = static_cast<size_t>(c);
  DimVector dims = spec.shapes[component].dims();
  bool padded = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != kUnknownDim) continue;
    dims[d] = 0;
    for (const QueueElement& e : elements)
      dims[d] = std::max(dims[d], e.components[component].dim(static_cast<int>(d)));
    padded = true;
  }
  dims.insert(dims.begin(), static_cast<int64_t>(elements.size()));
  WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
  WEIR_ASSIGN(Tensor batch, Tensor::Allocate(spec.types[component], shape));
  if (padded) batch.ZeroFill();
  for (size_t row = 0; row < elements.size(); ++row)
    CopyIntoRow(elements[row].components[component], batch, static_cast<int64_t>(row));
  return batch;
}

Status CheckBatches(const QueueSpec& spec) {
  if (!spec.shapes.empty()) return OkStatus();
  return InvalidArgument("{}'s DequeueMany and DequeueUpTo require the components to have specified shapes.",
                         QueueKindName(spec.kind));
}

}  // namespace weir::ops
