// Datasets that depend on the elements before: ScanDataset carries a state, TakeWhileDataset ends at a condition,
// UniqueDataset drops repeated elements.
#include <unordered_set>

#include "base/out_of_memory.h"
#include "ops/data/cancellation.h"
#include "ops/data/cardinality.h"
#include "ops/data/map.h"

namespace weir::ops {
namespace {

class Scan final : public ElementIterator {
 public:
  Scan(IteratorPtr input, FunctionPtr function, Element state, bool preserve_cardinality, std::string title)
      : input_(std::move(input)),
        function_(std::move(function)),
        state_(std::move(state)),
        preserve_cardinality_(preserve_cardinality),
        title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
    if (!element.has_value()) return element;
    Element args = state_;
    for (Tensor& component : *element) args.push_back(std::move(component));
    const int64_t number = number_++;
    WEIR_ASSIGN(std::optional<Element> result,
                MappedElement(function_->Call(step, std::move(args)), preserve_cardinality_, title_, number));
    if (!result.has_value()) return result;
    if (result->size() < state_.size())
      return WithElementNumber(InvalidArgument("The function must return a state of {} values and an output, but "
                                               "returned {} values",
                                               state_.size(), result->size()),
                               title_, number);
    const auto end = result->begin() + static_cast<std::ptrdiff_t>(state_.size());
    for (size_t i = 0; i < state_.size(); ++i) {
      if ((*result)[i].dtype() != state_[i].dtype())
        return WithElementNumber(InvalidArgument("component {} of the new state is {}, but {} is expected", i,
                                                 (*result)[i].dtype(), state_[i].dtype()),
                                 title_, number);
    }
    std::move(result->begin(), end, state_.begin());
    result->erase(result->begin(), end);
    return result;
  }

 private:
  const IteratorPtr input_;
  const FunctionPtr function_;
  Element state_;
  const bool preserve_cardinality_;
  const std::string title_;
  int64_t number_ = 0;
};

Result<DatasetValue::MakeFn> MakeScan(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const int num_state, NumTypes(ctx, "Tstate"));
  WEIR_ASSIGN(Element state, OwnedInputs(ctx, 1, num_state));
  WEIR_ASSIGN(FunctionPtr function, FunctionWithArguments(ctx, "f", 1 + num_state));
  WEIR_ASSIGN(const bool preserve, NodeAttr<bool>(ctx, "preserve_cardinality"));
  return [=, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    WEIR_ASSIGN(FunctionPtr own, function->In(pass));
    return std::make_unique<Scan>(std::move(elements), std::move(own), state, preserve, title);
  };
}

class TakeWhile final : public ElementIterator {
 public:
  TakeWhile(IteratorPtr input, FunctionPtr predicate, std::string title)
      : input_(std::move(input)), predicate_(std::move(predicate)), title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    if (ended_) return std::nullopt;
    WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
    if (element.has_value()) {
      const Result<bool> wanted = PredicateValue(predicate_->Call(step, *element));
      if (!wanted.ok()) return WithElementNumber(wanted.status(), title_, number_++);
      ++number_;
      if (*wanted) return element;
    }
    ended_ = true;
    return std::nullopt;
  }

 private:
  const IteratorPtr input_;
  const FunctionPtr predicate_;
  const std::string title_;
  int64_t number_ = 0;
  bool ended_ = false;
};

Result<DatasetValue::MakeFn> MakeTakeWhile(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(FunctionPtr predicate, FunctionWithArguments(ctx, "predicate", 1));
  return [input, predicate, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    WEIR_ASSIGN(FunctionPtr own, predicate->In(pass));
    return std::make_unique<TakeWhile>(std::move(elements), std::move(own), title);
  };
}

// Two tensors of the same type are equal if their keys are.
Result<std::string> KeyOfTensor(const Tensor& tensor) {
  std::string key = fmt::format("{}", tensor.shape());
  key.push_back('\0');
  if (tensor.dtype() != kString) {
    key.append(static_cast<const char*>(tensor.raw()), tensor.num_bytes());
    return key;
  }
  for (const std::string& text : tensor.flat<std::string>()) key.append(fmt::format("{}:", text.size())).append(text);
  return key;
}

class Unique final : public ElementIterator {
 public:
  explicit Unique(IteratorPtr input) : input_(std::move(input)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (true) {
      WEIR_TRY(CheckNotCancelled(step));
      WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
      if (!element.has_value()) return element;
      bool is_new = false;
      WEIR_TRY(CatchOutOfMemory("the elements that a dataset keeps", [&]() -> Status {
        WEIR_ASSIGN(std::string key, KeyOfTensor(element->front()));
        is_new = !seen_.contains(key);
        if (!is_new) return OkStatus();
        WEIR_TRY(ReserveElement(*element));
        seen_.insert(std::move(key));
        return OkStatus();
      }));
      if (is_new) return element;
    }
  }

 private:
  const IteratorPtr input_;
  std::unordered_set<std::string> seen_;
};

Result<DatasetValue::MakeFn> MakeUnique(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  const std::vector<DType>& types = input->spec().types;
  if (types.size() != 1) return InvalidArgument("UniqueDataset only supports inputs with a single component.");
  if (types[0] != kInt32 && types[0] != kInt64 && types[0] != kString)
    return InvalidArgument("UniqueDataset only supports inputs of types int32, int64 and string, not {}.", types[0]);
  return [input](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    return std::make_unique<Unique>(std::move(elements));
  };
}

}  // namespace

void RegisterScanDatasets(OpRegistry& registry) {
  AddDataset(registry, {"ScanDataset",
                        "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments",
                        {"f: func", "Tstate: list(type) >= 1", "Targuments: list(type) >= 0",
                         "preserve_cardinality: bool = false", "use_default_device: bool = true"},
                        MakeScan,
                        false,
                        true,
                        CardinalityIfPreserved});
  AddDataset(registry, {"TakeWhileDataset",
                        "input_dataset: variant, other_arguments: Targuments",
                        {"predicate: func", "Targuments: list(type) >= 0"},
                        MakeTakeWhile});
  AddDataset(registry, {"UniqueDataset", "input_dataset: variant", {}, MakeUnique});
}

}  // namespace weir::ops
