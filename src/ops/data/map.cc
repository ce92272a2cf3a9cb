// MapDataset: applies a function to each element, sequentially on the thread that calls GetNext.
#include "ops/data/map.h"

#include "ops/data/cardinality.h"

namespace weir::ops {

Result<std::optional<Element>> MappedElement(Result<Element> result, bool preserve_cardinality,
                                             const std::string& title, int64_t number) {
  if (result.ok()) return std::optional<Element>(*std::move(result));
  if (result.status().code() != StatusCode::kOutOfRange) return WithElementNumber(result.status(), title, number);
  if (!preserve_cardinality) return std::nullopt;
  return WithElementNumber(
      InvalidArgument("Function invocation produced OutOfRangeError: {}", std::string(result.status().message())),
      title, number);
}

namespace {

class Map final : public ElementIterator {
 public:
  Map(IteratorPtr input, FunctionPtr function, bool preserve_cardinality, std::string title)
      : input_(std::move(input)),
        function_(std::move(function)),
        preserve_cardinality_(preserve_cardinality),
        title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
    if (!element.has_value()) return element;
    return MappedElement(function_->Call(step, *std::move(element)), preserve_cardinality_, title_, number_++);
  }

 private:
  const IteratorPtr input_;
  const FunctionPtr function_;
  const bool preserve_cardinality_;
  const std::string title_;
  int64_t number_ = 0;
};

Result<DatasetValue::MakeFn> MakeMap(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(FunctionPtr function, FunctionWithArguments(ctx, "f", 1));
  WEIR_ASSIGN(const bool preserve, NodeAttr<bool>(ctx, "preserve_cardinality"));
  return [input, function, preserve, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    WEIR_ASSIGN(FunctionPtr own, function->In(pass));
    return MakeSequentialMap(std::move(elements), std::move(own), preserve, title);
  };
}

}  // namespace

IteratorPtr MakeSequentialMap(IteratorPtr input, FunctionPtr function, bool preserve_cardinality, std::string title) {
  return std::make_unique<Map>(std::move(input), std::move(function), preserve_cardinality, std::move(title));
}

void RegisterMapDataset(OpRegistry& registry) {
  AddDataset(registry, {"MapDataset",
                        "input_dataset: variant, other_arguments: Targuments",
                        {"f: func", "Targuments: list(type) >= 0", "use_inter_op_parallelism: bool = true",
                         "preserve_cardinality: bool = false"},
                        MakeMap,
                        false,
                        true,
                        CardinalityIfPreserved});
}

}  // namespace weir::ops
