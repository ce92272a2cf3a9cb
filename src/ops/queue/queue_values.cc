#include "ops/queue/queue_values.h"

#include <algorithm>

namespace weir::ops {
namespace {

// Copies `count` elements of one type from `from` on to `to` on.
void CopyElements(const Tensor& from, int64_t from_at, const Tensor& to, int64_t to_at, int64_t count) {
  if (count == 0) return;
  if (from.dtype() == kString) {
    std::copy_n(from.data<std::string>() + from_at, count, to.data<std::string>() + to_at);
  } else if (from.dtype() == kResource) {
    std::copy_n(from.data<ResourceHandle>() + from_at, count, to.data<ResourceHandle>() + to_at);
  } else {
    const size_t size = ElementSize(from.dtype());
    std::memcpy(static_cast<char*>(to.raw()) + static_cast<size_t>(to_at) * size,
                static_cast<const char*>(from.raw()) + static_cast<size_t>(from_at) * size,
                static_cast<size_t>(count) * size);
  }
}

// Copies all of `from` into the low corner of row `row` of `to`, whose further dimensions are those of `from` or
// larger.
void CopyIntoRow(const Tensor& from, const Tensor& to, int64_t row) {
  const int64_t row_size = to.num_elements() / std::max<int64_t>(1, to.dim(0));
  if (from.num_elements() == row_size) return CopyElements(from, 0, to, row * row_size, row_size);
  if (from.num_elements() == 0) return;
  const int rank = from.rank();
  const int64_t run = from.dim(rank - 1);
  DimVector at(static_cast<size_t>(rank), 0);  // of the run that is copied next
  for (int64_t source = 0; source < from.num_elements(); source += run) {
    int64_t target = 0;
    for (int d = 0; d < rank; ++d) target = target * to.dim(d + 1) + at[static_cast<size_t>(d)];
    CopyElements(from, source, to, row * row_size + target, run);
    for (int d = rank - 2; d >= 0; --d) {
      if (++at[static_cast<size_t>(d)] < from.dim(d)) break;
      at[static_cast<size_t>(d)] = 0;
    }
  }
}

// Takes an input over, or copies what others see, too.
Result<Tensor> TakeQueued(KernelContext& ctx, int i) {
  Tensor value = std::move(ctx.raw_input(i).tensor);
  if (value.OwnsMemoryAlone()) return value;
  return value.Clone();
}

// The components' shapes as a batch of `rows` has them.
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

// Whether there is room for so many elements: each takes some also where it holds no values, which a batch of many does
// not show.
Status CheckRoom(int64_t rows, int components) {
  constexpr int64_t kTensorBytes = sizeof(Tensor) + 128;  // with the memory of a small value
  constexpr int64_t kUnasked = int64_t{64} << 20;
  int64_t bytes = 0;
  if (__builtin_mul_overflow(rows, static_cast<int64_t>(sizeof(QueueElement)) + components * kTensorBytes, &bytes))
    return ResourceExhausted("a batch of {} elements is more than memory can hold", rows);
  if (bytes <= kUnasked) return OkStatus();
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
    WEIR_ASSIGN(Tensor value, TakeQueued(ctx, i));
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
  WEIR_TRY(CheckRoom(rows, components));
  std::vector<QueueElement> elements(static_cast<size_t>(rows));
  for (QueueElement& element : elements) element.components.reserve(static_cast<size_t>(components));
  for (int c = 0; c < components; ++c) {
    const Tensor& batch = ctx.input(c + 1);
    Shape shape = batch.shape();
    shape.RemoveDim(0);
    const int64_t size = shape.num_elements();
    for (int64_t row = 0; row < rows; ++row) {
      WEIR_ASSIGN(Tensor value, Tensor::Allocate(batch.dtype(), shape));
      CopyElements(batch, row * size, value, 0, size);
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
