// DirectedInterleaveDataset: takes each element from the dataset whose number a selector dataset gives. RandomDataset,
// which such selectors are made of.
#include "ops/data/cancellation.h"
#include "ops/data/cardinality.h"
#include "ops/data/random_numbers.h"

namespace weir::ops {
namespace {

class Choose final : public ElementIterator {
 public:
  Choose(IteratorPtr selector, std::vector<IteratorPtr> inputs, bool stop_on_empty, std::string title)
      : selector_(std::move(selector)),
        inputs_(std::move(inputs)),
        num_open_(inputs_.size()),
        stop_on_empty_(stop_on_empty),
        title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (num_open_ > 0) {
      WEIR_TRY(CheckNotCancelled(step));
      WEIR_ASSIGN(const std::optional<Element> chosen, selector_->GetNext(step));
      if (!chosen.has_value()) {
        num_open_ = 0;
        break;
      }
      const int64_t number = number_++;
      if (chosen->size() != 1 || chosen->front().dtype() != kInt64 || chosen->front().rank() != 0)
        return WithElementNumber(InvalidArgument("the selector must be a scalar int64"), title_, number);
      const int64_t index = chosen->front().scalar<int64_t>();
      if (index < 0 || index >= static_cast<int64_t>(inputs_.size()))
        return WithElementNumber(InvalidArgument("Selector index out of range: {} >= {}", index, inputs_.size()),
                                 title_, number);
      IteratorPtr& input = inputs_[static_cast<size_t>(index)];
      if (input == nullptr) continue;
      WEIR_ASSIGN(std::optional<Element> element, input->GetNext(step));
      if (element.has_value()) return element;
      input = nullptr;
      num_open_ = stop_on_empty_ ? 0 : num_open_ - 1;
    }
    return std::nullopt;
  }

 private:
  const IteratorPtr selector_;
  std::vector<IteratorPtr> inputs_;  // null: ended
  size_t num_open_;
  const bool stop_on_empty_;
  const std::string title_;
  int64_t number_ = 0;
};

Result<DatasetValue::MakeFn> MakeChoose(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr selector, InputDataset(ctx, 0));
  WEIR_ASSIGN(const bool stop, NodeAttr<bool>(ctx, "stop_on_empty_dataset"));
  std::vector<DatasetPtr> inputs;
  for (int i = 1; i < ctx.num_inputs(); ++i) {
    WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx, i));
    if (i > 1 && input->spec().types != inputs.front()->spec().types)
      return InvalidArgument("dataset {} has elements of other types than dataset 0", i - 1);
    inputs.push_back(std::move(input));
  }
  return [selector, inputs, stop, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr choices, selector->Iterate(pass));
    std::vector<IteratorPtr> elements;
    for (const DatasetPtr& input : inputs) {
      WEIR_ASSIGN(IteratorPtr one, input->Iterate(pass));
      elements.push_back(std::move(one));
    }
    return std::make_unique<Choose>(std::move(choices), std::move(elements), stop, title);
  };
}

class Random final : public ElementIterator {
 public:
  explicit Random(Seeds seeds) : numbers_(seeds) {}
  Result<std::optional<Element>> GetNext(StepContext&) override {
    return Element{Tensor::Scalar<int64_t>(numbers_.Next())};
  }

 private:
  RandomNumbers numbers_;
};

Result<DatasetValue::MakeFn> MakeRandom(KernelContext& ctx) {
  WEIR_ASSIGN(const Seeds seeds, SeedsFrom(ctx, 0));
  return [seeds](PassContext&) -> Result<IteratorPtr> { return std::make_unique<Random>(seeds); };
}

}  // namespace

void RegisterChooseDatasets(OpRegistry& registry) {
  AddDataset(registry, {"DirectedInterleaveDataset",
                        "selector_input_dataset: variant, data_input_datasets: N * variant",
                        {"N: int >= 1", "stop_on_empty_dataset: bool = false"},
                        MakeChoose});
  AddDataset(registry, {"RandomDataset",
                        "seed: int64, seed2: int64",
                        {},
                        MakeRandom,
                        true,
                        true,
                        [](const KernelContext&) -> Result<int64_t> { return kInfiniteCardinality; }});
}

}  // namespace weir::ops
