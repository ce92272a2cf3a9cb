// BatchDataset and PaddedBatchDataset, both in two versions, and their inverse, UnbatchDataset.
#include <algorithm>

#include "ops/data/batch.h"
#include "ops/data/cancellation.h"
#include "ops/data/cardinality.h"
#include "ops/data/rows.h"

namespace weir::ops {

Result<Element> BatchOf(const std::vector<Element>& rows) {
  Element batch;
  for (size_t c = 0; c < rows.front().size(); ++c) {
    const Tensor& first = rows.front()[c];
    DimVector dims = first.shape().dims();
    dims.insert(dims.begin(), static_cast<int64_t>(rows.size()));
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    WEIR_ASSIGN(Tensor joined, Tensor::Allocate(first.dtype(), shape));
    for (size_t row = 0; row < rows.size(); ++row) {
      if (rows[row][c].shape() != first.shape())
        return InvalidArgument(
            "Cannot batch tensors with different shapes in component {}. First element had shape {} and element {} had "
            "shape {}.",
            c, first.shape(), row, rows[row][c].shape());
      CopyIntoRow(rows[row][c], joined, static_cast<int64_t>(row));
    }
    batch.push_back(std::move(joined));
  }
  return batch;
}

namespace {

class Batch final : public ElementIterator {
 public:
  Batch(IteratorPtr input, int64_t size, bool drop_remainder, JoinRows join, std::string title)
      : input_(std::move(input)),
        size_(size),
        drop_remainder_(drop_remainder),
        join_(std::move(join)),
        title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    std::vector<Element> rows;
    rows.reserve(static_cast<size_t>(std::min<int64_t>(size_, 1024)));
    while (static_cast<int64_t>(rows.size()) < size_ && !ended_) {
      WEIR_TRY(CheckNotCancelled(step));
      WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
      if (element.has_value()) {
        WEIR_TRY(ReserveElement(*element));
        rows.push_back(*std::move(element));
      } else {
        ended_ = true;
      }
    }
    if (rows.empty() || (ended_ && drop_remainder_)) return std::nullopt;
    Result<Element> batch = join_(rows);
    if (!batch.ok()) return WithElementNumber(batch.status(), title_, number_++);
    ++number_;
    return *std::move(batch);
  }

 private:
  const IteratorPtr input_;
  const int64_t size_;
  const bool drop_remainder_;
  const JoinRows join_;
  const std::string title_;
  bool ended_ = false;
  int64_t number_ = 0;
};

}  // namespace

IteratorPtr MakeBatchIterator(IteratorPtr input, int64_t size, bool drop_remainder, JoinRows join, std::string title) {
  return std::make_unique<Batch>(std::move(input), size, drop_remainder, std::move(join), std::move(title));
}

namespace {

Result<DatasetValue::MakeFn> BatchRecipe(KernelContext& ctx, bool drop_remainder, JoinRows join) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const int64_t size, BatchSize(ctx, 1));
  return [input, size, drop_remainder, join = std::move(join),
          title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    return MakeBatchIterator(std::move(elements), size, drop_remainder, join, title);
  };
}

template <bool has_drop_remainder>
Result<DatasetValue::MakeFn> MakeBatch(KernelContext& ctx) {
  bool drop = false;
  if constexpr (has_drop_remainder) {
    WEIR_ASSIGN(drop, ScalarBool(ctx, 2, "drop_remainder"));
  }
  return BatchRecipe(ctx, drop, BatchOf);
}

// --- padding
struct Padding {
  std::vector<PartialShape> shapes;
  std::vector<Tensor> values;
};

Result<Element> PaddedBatchOf(const Padding& padding, const std::vector<Element>& rows) {
  Element batch;
  for (size_t c = 0; c < rows.front().size(); ++c) {
    const PartialShape& wanted = padding.shapes[c];
    DimVector dims = wanted.dims();
    for (const Element& row : rows) {
      const Tensor& value = row[c];
      if (value.rank() != wanted.rank())
        return InvalidArgument(
            "All elements in a batch must have the same rank as the padded shape for component {}: "
            "expected rank {} but got element with rank {}",
            c, wanted.rank(), value.rank());
      for (int d = 0; d < value.rank(); ++d) {
        int64_t& size = dims[static_cast<size_t>(d)];
        if (wanted[d] == kUnknownDim) {
          size = std::max(size, value.dim(d));
        } else if (value.dim(d) > size) {
          return DataLoss(
              "Attempted to pad to a smaller size than the input element: component {} has shape {}, "
              "which does not fit {}",
              c, value.shape(), wanted);
        }
      }
    }
    for (int64_t& size : dims) size = std::max<int64_t>(size, 0);
    dims.insert(dims.begin(), static_cast<int64_t>(rows.size()));
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    WEIR_ASSIGN(Tensor joined, Tensor::Allocate(rows.front()[c].dtype(), shape));
    bool padded = false;
    const int64_t row_size = joined.num_elements() / static_cast<int64_t>(rows.size());
    for (const Element& row : rows) padded = padded || row[c].num_elements() != row_size;
    if (padded) FillWith(padding.values[c], joined);
    for (size_t row = 0; row < rows.size(); ++row) CopyIntoRow(rows[row][c], joined, static_cast<int64_t>(row));
    batch.push_back(std::move(joined));
  }
  return batch;
}

template <bool has_drop_remainder>
Result<DatasetValue::MakeFn> MakePaddedBatch(KernelContext& ctx) {
  WEIR_ASSIGN(const int64_t count, NodeAttr<int64_t>(ctx, "N"));
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  const int n = static_cast<int>(count);
  const int values = ctx.num_inputs() - 2 - n - (has_drop_remainder ? 1 : 0);
  if (values != n)
    return InvalidArgument("Number of padding values ({}) must match the number of padded shapes ({})", values, n);
  if (static_cast<size_t>(n) != input->spec().types.size())
    return InvalidArgument(
        "Number of padded shapes ({}) must match the number of components in the input dataset's "
        "elements ({})",
        n, input->spec().types.size());
  Padding padding;
  for (int c = 0; c < n; ++c) {
    const Tensor& shape = ctx.input(2 + c);
    if (shape.rank() != 1) return InvalidArgument("All padded shapes must be vectors");
    WEIR_ASSIGN(PartialShape wanted, PartialShape::Make(shape.Ints()));
    padding.shapes.push_back(std::move(wanted));
    const Tensor& value = ctx.input(2 + n + c);
    if (value.rank() != 0) return InvalidArgument("All padding values must be scalars");
    if (value.dtype() != input->spec().types[static_cast<size_t>(c)])
      return InvalidArgument("Mismatched type between padding value {} and input dataset's component {}: {} vs. {}", c,
                             c, value.dtype(), input->spec().types[static_cast<size_t>(c)]);
    WEIR_ASSIGN(Tensor kept, value.Clone());
    padding.values.push_back(std::move(kept));
  }
  bool drop = false;
  if constexpr (has_drop_remainder) {
    WEIR_ASSIGN(drop, ScalarBool(ctx, 2 + 2 * n, "drop_remainder"));
  }
  return BatchRecipe(ctx, drop, [padding](const std::vector<Element>& rows) { return PaddedBatchOf(padding, rows); });
}

// The last input is drop_remainder, if there is one.
template <bool has_drop_remainder>
Result<int64_t> BatchCardinality(const KernelContext& ctx) {
  WEIR_ASSIGN(const int64_t count, SameCardinality(ctx));
  const bool drop = has_drop_remainder && ctx.input(ctx.num_inputs() - 1).scalar<bool>();
  return BatchedCardinality(count, ctx.input(1).Int(0), drop);
}

// --- unbatch
class Unbatch final : public ElementIterator {
 public:
  Unbatch(IteratorPtr input, std::string title) : input_(std::move(input)), title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (next_ == rows_) {
      WEIR_ASSIGN(std::optional<Element> batch, input_->GetNext(step));
      if (!batch.has_value()) return std::nullopt;
      batch_ = *std::move(batch);
      const int64_t number = number_++;
      next_ = rows_ = 0;
      for (const Tensor& component : batch_) {
        if (component.rank() == 0 || component.dim(0) != batch_.front().dim(0))
          return WithElementNumber(
              InvalidArgument("Input element must have the same batch size in each component: {} and {}",
                              batch_.front().shape(), component.shape()),
              title_, number);
      }
      rows_ = batch_.front().dim(0);
    }
    Element element;
    for (const Tensor& component : batch_) {
      WEIR_ASSIGN(Tensor row, CopyOfRow(component, next_));
      element.push_back(std::move(row));
    }
    ++next_;
    return element;
  }

 private:
  const IteratorPtr input_;
  const std::string title_;
  Element batch_;
  int64_t rows_ = 0;
  int64_t next_ = 0;
  int64_t number_ = 0;
};

Result<DatasetValue::MakeFn> MakeUnbatch(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  return [input, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr batches, input->Iterate(pass));
    return std::make_unique<Unbatch>(std::move(batches), title);
  };
}

}  // namespace

Result<int64_t> BatchSize(const KernelContext& ctx, int input) {
  WEIR_ASSIGN(const int64_t size, ScalarInt(ctx, input, "batch_size"));
  if (size <= 0) return InvalidArgument("Batch size must be greater than zero.");
  return size;
}

void RegisterBatchDatasets(OpRegistry& registry) {
  AddDataset(registry, {"BatchDataset",
                        "input_dataset: variant, batch_size: int64",
                        {},
                        MakeBatch<false>,
                        false,
                        true,
                        BatchCardinality<false>});
  AddDataset(registry, {"BatchDatasetV2",
                        "input_dataset: variant, batch_size: int64, drop_remainder: bool",
                        {"parallel_copy: bool = false"},
                        MakeBatch<true>,
                        false,
                        true,
                        BatchCardinality<true>});
  const std::string padded =
      "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, "
      "padding_values: Toutput_types";
  const std::string padded_v2 = padded + ", drop_remainder: bool";
  const std::vector<std::string> types = {"Toutput_types: list(type) >= 1", "output_shapes: list(shape) >= 1",
                                          "N: int >= 1"};
  const std::vector<std::string> types_v2 = {"parallel_copy: bool = false", types[0], types[1], types[2]};
  AddDataset(registry, {"PaddedBatchDataset", padded.c_str(), types, MakePaddedBatch<false>, false, false,
                        BatchCardinality<false>});
  AddDataset(registry, {"PaddedBatchDatasetV2", padded_v2.c_str(), types_v2, MakePaddedBatch<true>, false, false,
                        BatchCardinality<true>});
  AddDataset(registry, {"UnbatchDataset", "input_dataset: variant", {}, MakeUnbatch});
}

}  // namespace weir::ops
