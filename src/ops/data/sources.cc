// Datasets of values: TensorDataset, TensorSliceDataset, RangeDataset, and GeneratorDataset, which calls a function for
// each element.
#include <limits>

#include "ops/data/cardinality.h"
#include "ops/data/element_function.h"
#include "ops/data/rows.h"

namespace weir::ops {
namespace {

// --- tensors
class OneElement final : public ElementIterator {
 public:
  explicit OneElement(Element element) : element_(std::move(element)) {}
  Result<std::optional<Element>> GetNext(StepContext&) override { return std::exchange(element_, std::nullopt); }

 private:
  std::optional<Element> element_;
};

Result<DatasetValue::MakeFn> MakeTensors(KernelContext& ctx) {
  WEIR_ASSIGN(Element components, OwnedInputs(ctx, 0, ctx.num_inputs()));
  return [components](StepContext&) -> Result<IteratorPtr> { return std::make_unique<OneElement>(components); };
}

class Rows final : public ElementIterator {
 public:
  explicit Rows(std::shared_ptr<const Element> batch) : batch_(std::move(batch)) {}

  Result<std::optional<Element>> GetNext(StepContext&) override {
    if (next_ == batch_->front().dim(0)) return std::nullopt;
    Element element;
    for (const Tensor& component : *batch_) {
      WEIR_ASSIGN(Tensor row, CopyOfRow(component, next_));
      element.push_back(std::move(row));
    }
    ++next_;
    return element;
  }

 private:
  const std::shared_ptr<const Element> batch_;
  int64_t next_ = 0;
};

Result<DatasetValue::MakeFn> MakeSlices(KernelContext& ctx) {
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    const Tensor& component = ctx.input(i);
    if (component.rank() == 0)
      return InvalidArgument("All components must be at least 1-dimensional, but component {} is a scalar", i);
    if (component.dim(0) != ctx.input(0).dim(0))
      return InvalidArgument(
          "All components must have the same size in the 0th dimension: component 0 has {}, {} has {}",
          ctx.input(0).dim(0), i, component.dim(0));
  }
  WEIR_ASSIGN(Element components, OwnedInputs(ctx, 0, ctx.num_inputs()));
  auto batch = std::make_shared<const Element>(std::move(components));
  return [batch](StepContext&) -> Result<IteratorPtr> { return std::make_unique<Rows>(batch); };
}

// --- numbers
class Numbers final : public ElementIterator {
 public:
  Numbers(int64_t start, int64_t stop, int64_t step) : next_(start), stop_(stop), step_(step) {}

  Result<std::optional<Element>> GetNext(StepContext&) override {
    if (ended_ || (step_ > 0 ? next_ >= stop_ : next_ <= stop_)) return std::nullopt;
    Element element{Tensor::Scalar<int64_t>(next_)};
    ended_ = __builtin_add_overflow(next_, step_, &next_);
    return element;
  }

 private:
  int64_t next_;
  const int64_t stop_;
  const int64_t step_;
  bool ended_ = false;
};

Result<DatasetValue::MakeFn> MakeRange(KernelContext& ctx) {
  WEIR_ASSIGN(const int64_t start, ScalarInt(ctx, 0, "start"));
  WEIR_ASSIGN(const int64_t stop, ScalarInt(ctx, 1, "stop"));
  WEIR_ASSIGN(const int64_t step, ScalarInt(ctx, 2, "step"));
  if (step == 0) return InvalidArgument("step must be a non-zero integer.");
  return
      [start, stop, step](StepContext&) -> Result<IteratorPtr> { return std::make_unique<Numbers>(start, stop, step); };
}

Result<int64_t> RangeCardinality(const KernelContext& ctx) {
  // Unsigned, because the distance of two numbers may not fit into int64.
  const auto start = static_cast<uint64_t>(ctx.input(0).Int(0));
  const auto stop = static_cast<uint64_t>(ctx.input(1).Int(0));
  const int64_t step = ctx.input(2).Int(0);
  const bool up = step > 0;
  if (up ? ctx.input(0).Int(0) >= ctx.input(1).Int(0) : ctx.input(0).Int(0) <= ctx.input(1).Int(0)) return 0;
  const uint64_t distance = up ? stop - start : start - stop;
  const uint64_t width = up ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  const uint64_t count = (distance - 1) / width + 1;
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  return count > kMost ? kUnknownCardinality : static_cast<int64_t>(count);
}

// --- functions
struct GeneratorFunctions {
  FunctionPtr init;
  FunctionPtr next;
  FunctionPtr finalize;
};

class Generator final : public ElementIterator {
 public:
  Generator(PassContext& pass, GeneratorFunctions functions, std::string title)
      : pass_(pass), functions_(std::move(functions)), title_(std::move(title)) {}
  ~Generator() override { Finalize(pass_).IgnoreError(); }

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    if (state_ == kEnded) return std::nullopt;
    if (state_ == kNew) {
      WEIR_ASSIGN(value_, functions_.init->Call(step, {}));
      state_ = kOpen;
    }
    Result<Element> element = functions_.next->Call(step, value_);
    if (element.ok()) {
      ++number_;
      return *std::move(element);
    }
    if (element.status().code() != StatusCode::kOutOfRange) return WithElementNumber(element.status(), title_, number_);
    WEIR_TRY(Finalize(step));
    return std::nullopt;
  }

 private:
  enum State { kNew, kOpen, kEnded };

  Status Finalize(StepContext& step) {
    if (std::exchange(state_, kEnded) != kOpen) return OkStatus();
    // Finalize must run even if the step was cancelled, to release what the generator holds.
    StepContext last = step;
    CancelToken never;
    if (step.cancel != nullptr && step.cancel->cancelled()) last.cancel = &never;
    return functions_.finalize->Call(last, std::move(value_)).status();
  }

  PassContext& pass_;
  const GeneratorFunctions functions_;
  const std::string title_;
  State state_ = kNew;
  Element value_;
  int64_t number_ = 0;
};

Result<DatasetValue::MakeFn> MakeGenerator(KernelContext& ctx) {
  GeneratorFunctions functions;
  WEIR_ASSIGN(const int init, NumTypes(ctx, "Tinit_func_args"));
  WEIR_ASSIGN(const int next, NumTypes(ctx, "Tnext_func_args"));
  WEIR_ASSIGN(const int finalize, NumTypes(ctx, "Tfinalize_func_args"));
  WEIR_ASSIGN(functions.init, ElementFunction::Make(ctx, "init_func", 0, init));
  WEIR_ASSIGN(functions.next, ElementFunction::Make(ctx, "next_func", init, next));
  WEIR_ASSIGN(functions.finalize, ElementFunction::Make(ctx, "finalize_func", init + next, finalize));
  return [functions, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    GeneratorFunctions own;
    WEIR_ASSIGN(own.init, functions.init->In(pass));
    WEIR_ASSIGN(own.next, functions.next->In(pass));
    WEIR_ASSIGN(own.finalize, functions.finalize->In(pass));
    return std::make_unique<Generator>(pass, std::move(own), title);
  };
}

}  // namespace

void RegisterDataSources(OpRegistry& registry) {
  const std::vector<std::string> tensors = {"Toutput_types: list(type) >= 1", "output_shapes: list(shape) >= 1"};
  AddDataset(registry, {"TensorDataset", "components: Toutput_types", tensors, MakeTensors, true, false,
                        [](const KernelContext&) -> Result<int64_t> { return 1; }});
  AddDataset(registry, {"TensorSliceDataset", "components: Toutput_types", tensors, MakeSlices, true, false,
                        [](const KernelContext& ctx) -> Result<int64_t> { return ctx.input(0).dim(0); }});
  AddDataset(registry,
             {"RangeDataset", "start: int64, stop: int64, step: int64", {}, MakeRange, true, true, RangeCardinality});
  AddDataset(registry,
             {"GeneratorDataset",
              "init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args, "
              "finalize_func_other_args: Tfinalize_func_args",
              {"init_func: func", "next_func: func", "finalize_func: func", "Tinit_func_args: list(type) >= 0",
               "Tnext_func_args: list(type) >= 0", "Tfinalize_func_args: list(type) >= 0"},
              MakeGenerator,
              true});
}

}  // namespace weir::ops
