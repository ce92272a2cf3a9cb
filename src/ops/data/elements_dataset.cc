#include "ops/data/elements_dataset.h"

namespace weir::ops {
namespace {

class ElementsInMemory final : public ElementIterator {
 public:
  explicit ElementsInMemory(SharedElements elements) : elements_(std::move(elements)) {}
  Result<std::optional<Element>> GetNext(StepContext&) override {
    if (next_ == elements_->size()) return std::nullopt;
    return (*elements_)[next_++];
  }

 private:
  const SharedElements elements_;
  size_t next_ = 0;
};

}  // namespace

IteratorPtr MakeElementsIterator(SharedElements elements) {
  return std::make_unique<ElementsInMemory>(std::move(elements));
}

Result<Tensor> MakeElementsDataset(std::vector<Element> elements, ElementSpec spec, const std::string& title) {
  int depth = 1;
  for (const Element& element : elements) {
    WEIR_ASSIGN(const int nested, NestingDepth(element, title));
    depth = std::max(depth, nested);
  }
  const auto count = static_cast<int64_t>(elements.size());
  auto kept = std::make_shared<const std::vector<Element>>(std::move(elements));
  return MakeVariant(MakeIntrusive<DatasetValue>(
      title, std::move(spec), [kept](PassContext&) -> Result<IteratorPtr> { return MakeElementsIterator(kept); }, depth,
      count));
}

}  // namespace weir::ops
