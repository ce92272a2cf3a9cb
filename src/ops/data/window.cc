// WindowDataset: each element is a tuple of datasets, one per component, over a window of consecutive input elements.
#include <deque>

#include "ops/data/cancellation.h"
#include "ops/data/dataset.h"

namespace weir::ops {
namespace {

struct WindowSizes {
  int64_t size = 0;
  int64_t shift = 0;
  int64_t stride = 0;
  bool drop_remainder = false;
};

class Values final : public DatasetIterator {
 public:
  explicit Values(std::shared_ptr<const std::vector<Tensor>> values) : values_(std::move(values)) {}
  Result<std::optional<Element>> GetNext(StepContext&) override {
    if (next_ == values_->size()) return std::nullopt;
    return Element{(*values_)[next_++]};
  }

 private:
  const std::shared_ptr<const std::vector<Tensor>> values_;
  size_t next_ = 0;
};

class Window final : public DatasetIterator {
 public:
  Window(IteratorPtr input, WindowSizes sizes, ElementSpec spec, std::string title)
      : input_(std::move(input)), sizes_(sizes), spec_(std::move(spec)), title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    const auto span = static_cast<size_t>((sizes_.size - 1) * sizes_.stride + 1);
    while (!ended_ && buffer_.size() < span) {
      WEIR_TRY(CheckNotCancelled(step));
      WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
      if (!element.has_value()) {
        ended_ = true;
      } else if (skip_ > 0) {
        --skip_;
      } else {
        if (Status status = KeepElement(*std::move(element), buffer_); !status.ok()) {
          ended_ = true;  // give up and free the memory
          buffer_.clear();
          return status;
        }
      }
    }
    if (buffer_.empty() || (buffer_.size() < span && sizes_.drop_remainder)) return std::nullopt;
    std::vector<std::vector<Tensor>> columns(spec_.types.size());
    for (size_t at = 0; at < std::min(span, buffer_.size()); at += static_cast<size_t>(sizes_.stride)) {
      for (size_t c = 0; c < columns.size(); ++c) columns[c].push_back(buffer_[at][c]);
    }
    const auto dropped = static_cast<int64_t>(std::min(buffer_.size(), static_cast<size_t>(sizes_.shift)));
    buffer_.erase(buffer_.begin(), buffer_.begin() + dropped);
    skip_ = sizes_.shift - dropped;
    Element windows;
    for (size_t c = 0; c < columns.size(); ++c) {
      WEIR_ASSIGN(Tensor window, DatasetOfValues(std::move(columns[c]), c));
      windows.push_back(std::move(window));
    }
    return windows;
  }

 private:
  Result<Tensor> DatasetOfValues(std::vector<Tensor> values, size_t c) const {
    WEIR_ASSIGN(const int depth, NestingDepth(values, title_));
    auto kept = std::make_shared<const std::vector<Tensor>>(std::move(values));
    return MakeVariant(MakeIntrusive<Dataset>(
        title_, ElementSpec{{spec_.types[c]}, {spec_.shapes[c]}},
        [kept](StepContext&) -> Result<IteratorPtr> { return std::make_unique<Values>(kept); }, depth));
  }

  const IteratorPtr input_;
  const WindowSizes sizes_;
  const ElementSpec spec_;
  const std::string title_;
  std::deque<Element> buffer_;
  int64_t skip_ = 0;  // elements to skip before the next window
  bool ended_ = false;
};

Result<Dataset::MakeFn> MakeWindow(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WindowSizes sizes;
  WEIR_ASSIGN(sizes.size, ScalarInt(ctx, 1, "size"));
  WEIR_ASSIGN(sizes.shift, ScalarInt(ctx, 2, "shift"));
  WEIR_ASSIGN(sizes.stride, ScalarInt(ctx, 3, "stride"));
  WEIR_ASSIGN(sizes.drop_remainder, ScalarBool(ctx, 4, "drop_remainder"));
  if (sizes.size <= 0) return InvalidArgument("Window size must be greater than zero.");
  if (sizes.shift <= 0) return InvalidArgument("Window shift must be greater than zero.");
  if (sizes.stride <= 0) return InvalidArgument("Window stride must be greater than zero.");
  if (int64_t span = 0; __builtin_mul_overflow(sizes.size, sizes.stride, &span))
    return InvalidArgument("a window of size {} with stride {} spans too many elements", sizes.size, sizes.stride);
  return [input, sizes, title = TitleOf(ctx)](PassContext& home) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(home));
    return std::make_unique<Window>(std::move(elements), sizes, input->spec(), title);
  };
}

}  // namespace

void RegisterWindowDataset(OpRegistry& registry) {
  AddDataset(registry, {"WindowDataset",
                        "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool",
                        {},
                        MakeWindow});
}

}  // namespace weir::ops
