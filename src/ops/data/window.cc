// WindowDataset: each element is a tuple of datasets, one per component, over a window of consecutive input elements.
#include <deque>

#include "ops/data/cancellation.h"
#include "ops/data/cardinality.h"
#include "ops/data/elements_dataset.h"

namespace weir::ops {
namespace {

struct WindowSizes {
  int64_t size = 0;
  int64_t shift = 0;
  int64_t stride = 0;
  bool drop_remainder = false;
};

class Window final : public ElementIterator {
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
    std::vector<std::vector<Element>> columns(spec_.types.size());
    for (size_t at = 0; at < std::min(span, buffer_.size()); at += static_cast<size_t>(sizes_.stride)) {
      for (size_t c = 0; c < columns.size(); ++c) columns[c].push_back({buffer_[at][c]});
    }
    const auto dropped = static_cast<int64_t>(std::min(buffer_.size(), static_cast<size_t>(sizes_.shift)));
    buffer_.erase(buffer_.begin(), buffer_.begin() + dropped);
    skip_ = sizes_.shift - dropped;
    Element windows;
    for (size_t c = 0; c < columns.size(); ++c) {
      WEIR_ASSIGN(Tensor window,
                  MakeElementsDataset(std::move(columns[c]), ElementSpec{{spec_.types[c]}, {spec_.shapes[c]}}, title_));
      windows.push_back(std::move(window));
    }
    return windows;
  }

 private:
  const IteratorPtr input_;
  const WindowSizes sizes_;
  const ElementSpec spec_;
  const std::string title_;
  std::deque<Element> buffer_;
  int64_t skip_ = 0;  // elements to skip before the next window
  bool ended_ = false;
};

Result<DatasetValue::MakeFn> MakeWindow(KernelContext& ctx) {
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
  return [input, sizes, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    return std::make_unique<Window>(std::move(elements), sizes, input->spec(), title);
  };
}

// Windows start at every shift-th element. With drop_remainder, those that are not full are left out.
Result<int64_t> WindowCardinality(const KernelContext& ctx) {
  WEIR_ASSIGN(const int64_t count, SameCardinality(ctx));
  if (count < 0) return count;
  const int64_t shift = ctx.input(2).Int(0);
  const int64_t span = (ctx.input(1).Int(0) - 1) * ctx.input(3).Int(0) + 1;
  if (!ctx.input(4).scalar<bool>()) return BatchedCardinality(count, shift, false);
  return count < span ? 0 : (count - span) / shift + 1;
}

}  // namespace

void RegisterWindowDataset(OpRegistry& registry) {
  AddDataset(registry, {"WindowDataset",
                        "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool",
                        {},
                        MakeWindow,
                        false,
                        true,
                        WindowCardinality});
}

}  // namespace weir::ops
