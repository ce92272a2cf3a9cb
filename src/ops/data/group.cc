// GroupByWindowDataset and GroupByReducerDataset: group elements by a key that a function computes.
#include <map>
#include <unordered_map>

#include "ops/data/cancellation.h"
#include "ops/data/element_function.h"
#include "ops/data/elements_dataset.h"

namespace weir::ops {
namespace {

// Returns the functions in `attrs`, in this order. The captured values of f are described by "Tf_other_arguments".
Result<std::vector<FunctionPtr>> FunctionsOf(KernelContext& ctx, const std::vector<std::string>& attrs) {
  std::vector<FunctionPtr> functions;
  int first = 1;
  for (const std::string& attr : attrs) {
    WEIR_ASSIGN(const int count, NumTypes(ctx, fmt::format("T{}_other_arguments", attr)));
    WEIR_ASSIGN(FunctionPtr function, ElementFunction::Make(ctx, attr, first, count));
    functions.push_back(std::move(function));
    first += count;
  }
  return functions;
}

Result<std::vector<FunctionPtr>> FunctionsIn(const PassContext& pass, const std::vector<FunctionPtr>& functions) {
  std::vector<FunctionPtr> own;
  for (const FunctionPtr& function : functions) {
    WEIR_ASSIGN(FunctionPtr one, function->In(pass));
    own.push_back(std::move(one));
  }
  return own;
}

// --- windows
// Collects the elements of a key until its window is full, then returns the elements of the dataset that reduce_func
// makes of the window. At the end of the input, returns the windows that are not full, by ascending key.
class GroupByWindow final : public ElementIterator {
 public:
  enum { kKey, kReduce, kWindowSize };  // the functions
  GroupByWindow(const PassContext& pass, IteratorPtr input, std::vector<FunctionPtr> functions, ElementSpec spec,
                std::string title)
      : nested_pass_(Nested(pass)),
        input_(std::move(input)),
        functions_(std::move(functions)),
        spec_(std::move(spec)),
        title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (true) {
      WEIR_TRY(CheckNotCancelled(step));
      if (window_ != nullptr) {
        StepContext nested = Nested(step);
        WEIR_ASSIGN(std::optional<Element> element, window_->GetNext(nested));
        if (element.has_value()) return element;
        window_ = nullptr;
      }
      if (input_ended_) {
        if (groups_.empty()) return std::nullopt;
        WEIR_TRY(Open(step, groups_.begin()));
        continue;
      }
      WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
      if (!element.has_value()) {
        input_ended_ = true;
        continue;
      }
      if (Status status = Add(step, *std::move(element)); !status.ok())
        return WithElementNumber(status, title_, number_++);
      ++number_;
    }
  }

 private:
  using Groups = std::map<int64_t, std::vector<Element>>;

  Status Add(StepContext& step, Element element) {
    WEIR_ASSIGN(const int64_t key, ScalarResult(functions_[kKey]->Call(step, element), "key_func"));
    auto known = sizes_.find(key);
    if (known == sizes_.end()) {
      WEIR_ASSIGN(const int64_t size, ScalarResult(functions_[kWindowSize]->Call(step, {Tensor::Scalar<int64_t>(key)}),
                                                   "window_size_func"));
      if (size <= 0) return InvalidArgument("Window size must be greater than zero, but got {}.", size);
      known = sizes_.emplace(key, size).first;
    }
    const auto group = groups_.try_emplace(key).first;
    if (Status status = KeepElement(std::move(element), group->second); !status.ok()) {
      input_ended_ = true;  // give up and free the memory
      groups_.clear();
      return status;
    }
    if (static_cast<int64_t>(group->second.size()) < known->second) return OkStatus();
    return Open(step, group);
  }

  Status Open(StepContext& step, Groups::iterator group) {
    const int64_t key = group->first;
    std::vector<Element> elements = std::move(group->second);
    groups_.erase(group);
    WEIR_ASSIGN(Tensor window, MakeElementsDataset(std::move(elements), spec_, title_));
    WEIR_ASSIGN(window_, IterateResult(nested_pass_, functions_[kReduce]->Call(
                                                         step, {Tensor::Scalar<int64_t>(key), std::move(window)})));
    return OkStatus();
  }

  PassContext nested_pass_;
  const IteratorPtr input_;
  const std::vector<FunctionPtr> functions_;
  const ElementSpec spec_;
  const std::string title_;
  std::unordered_map<int64_t, int64_t> sizes_;  // of the windows, by key
  Groups groups_;                               // elements of windows that are not full
  IteratorPtr window_;                          // over the dataset that reduce_func returned last
  int64_t number_ = 0;
  bool input_ended_ = false;
};

Result<DatasetValue::MakeFn> MakeGroupByWindow(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(std::vector<FunctionPtr> functions, FunctionsOf(ctx, {"key_func", "reduce_func", "window_size_func"}));
  return [input, functions, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    WEIR_ASSIGN(std::vector<FunctionPtr> own, FunctionsIn(pass, functions));
    return std::make_unique<GroupByWindow>(pass, std::move(elements), std::move(own), input->spec(), title);
  };
}

// --- reducers
// Folds the elements of each key; after the end of the input, returns the results by ascending key.
class GroupByReducer final : public ElementIterator {
 public:
  enum { kKey, kInit, kReduce, kFinalize };  // the functions
  GroupByReducer(IteratorPtr input, std::vector<FunctionPtr> functions, std::string title)
      : input_(std::move(input)), functions_(std::move(functions)), title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (!input_ended_) {
      WEIR_TRY(CheckNotCancelled(step));
      WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
      if (!element.has_value()) {
        input_ended_ = true;
        break;
      }
      if (Status status = Add(step, *std::move(element)); !status.ok())
        return WithElementNumber(status, title_, number_++);
      ++number_;
    }
    if (states_.empty()) return std::nullopt;
    auto first = states_.extract(states_.begin());
    WEIR_ASSIGN(Element result, functions_[kFinalize]->Call(step, std::move(first.mapped())));
    return result;
  }

 private:
  Status Add(StepContext& step, Element element) {
    WEIR_ASSIGN(const int64_t key, ScalarResult(functions_[kKey]->Call(step, element), "key_func"));
    auto state = states_.find(key);
    if (state == states_.end()) {
      WEIR_ASSIGN(Element fresh, functions_[kInit]->Call(step, {Tensor::Scalar<int64_t>(key)}));
      WEIR_TRY(ReserveElement(fresh));
      state = states_.emplace(key, std::move(fresh)).first;
    }
    Element args = state->second;
    for (Tensor& component : element) args.push_back(std::move(component));
    WEIR_ASSIGN(state->second, functions_[kReduce]->Call(step, std::move(args)));
    return OkStatus();
  }

  const IteratorPtr input_;
  const std::vector<FunctionPtr> functions_;
  const std::string title_;
  std::map<int64_t, Element> states_;
  int64_t number_ = 0;
  bool input_ended_ = false;
};

Result<DatasetValue::MakeFn> MakeGroupByReducer(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(std::vector<FunctionPtr> functions,
              FunctionsOf(ctx, {"key_func", "init_func", "reduce_func", "finalize_func"}));
  return [input, functions, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    WEIR_ASSIGN(std::vector<FunctionPtr> own, FunctionsIn(pass, functions));
    return std::make_unique<GroupByReducer>(std::move(elements), std::move(own), title);
  };
}

}  // namespace

void RegisterGroupDatasets(OpRegistry& registry) {
  AddDataset(registry, {"GroupByWindowDataset",
                        "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
                        "reduce_func_other_arguments: Treduce_func_other_arguments, "
                        "window_size_func_other_arguments: Twindow_size_func_other_arguments",
                        {"key_func: func", "reduce_func: func", "window_size_func: func",
                         "Tkey_func_other_arguments: list(type) >= 0", "Treduce_func_other_arguments: list(type) >= 0",
                         "Twindow_size_func_other_arguments: list(type) >= 0"},
                        MakeGroupByWindow});
  for (const char* name : {"GroupByReducerDataset", "ExperimentalGroupByReducerDataset"}) {
    AddDataset(registry,
               {name,
                "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, "
                "init_func_other_arguments: Tinit_func_other_arguments, "
                "reduce_func_other_arguments: Treduce_func_other_arguments, "
                "finalize_func_other_arguments: Tfinalize_func_other_arguments",
                {"key_func: func", "init_func: func", "reduce_func: func", "finalize_func: func",
                 "Tkey_func_other_arguments: list(type) >= 0", "Tinit_func_other_arguments: list(type) >= 0",
                 "Treduce_func_other_arguments: list(type) >= 0", "Tfinalize_func_other_arguments: list(type) >= 0"},
                MakeGroupByReducer,
                true});
  }
}

}  // namespace weir::ops
