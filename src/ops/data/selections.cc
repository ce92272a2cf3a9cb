// Datasets that forward elements of their inputs unchanged: RepeatDataset, TakeDataset, SkipDataset, ShardDataset,
// FilterDataset, ConcatenateDataset, ZipDataset, IgnoreErrorsDataset. Also OptimizeDataset and ModelDataset, which only
// set options.
#include <algorithm>

#include "base/log.h"
#include "ops/data/cancellation.h"
#include "ops/data/cardinality.h"
#include "ops/data/element_function.h"

namespace weir::ops {
namespace {

class Repeat final : public ElementIterator {
 public:
  Repeat(PassContext& pass, DatasetPtr input, int64_t count) : pass_(pass), input_(std::move(input)), left_(count) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (left_ != 0) {
      const bool fresh = current_ == nullptr;
      if (fresh) {
        WEIR_ASSIGN(current_, input_->Iterate(pass_));
      }
      WEIR_ASSIGN(std::optional<Element> element, current_->GetNext(step));
      if (element.has_value()) return element;
      current_ = nullptr;
      if (left_ > 0) {
        --left_;
      } else if (fresh) {
        left_ = 0;  // an empty dataset repeated forever is empty
      }
      WEIR_TRY(CheckNotCancelled(step));
    }
    return std::nullopt;
  }

 private:
  PassContext& pass_;
  const DatasetPtr input_;
  int64_t left_;  // negative: unlimited
  IteratorPtr current_;
};

Result<DatasetValue::MakeFn> MakeRepeat(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const int64_t count, ScalarInt(ctx, 1, "count"));
  return
      [input, count](PassContext& pass) -> Result<IteratorPtr> { return std::make_unique<Repeat>(pass, input, count); };
}

class Take final : public ElementIterator {
 public:
  Take(IteratorPtr input, int64_t count) : input_(std::move(input)), left_(count) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    if (left_ == 0) return std::nullopt;
    WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
    if (left_ > 0) --left_;
    if (!element.has_value()) left_ = 0;
    return element;
  }

 private:
  const IteratorPtr input_;
  int64_t left_;  // negative: unlimited
};

class Skip final : public ElementIterator {
 public:
  Skip(IteratorPtr input, int64_t count) : input_(std::move(input)), left_(count) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (left_ != 0) {
      WEIR_TRY(CheckNotCancelled(step));
      WEIR_ASSIGN(const std::optional<Element> skipped, input_->GetNext(step));
      if (!skipped.has_value()) return std::nullopt;
      if (left_ > 0) --left_;
    }
    return input_->GetNext(step);
  }

 private:
  const IteratorPtr input_;
  int64_t left_;  // negative: all
};

template <class Iterator>
Result<DatasetValue::MakeFn> MakeCounted(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const int64_t count, ScalarInt(ctx, 1, "count"));
  return [input, count](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    return std::make_unique<Iterator>(std::move(elements), count);
  };
}

class Shard final : public ElementIterator {
 public:
  Shard(IteratorPtr input, int64_t shards, int64_t index) : input_(std::move(input)), shards_(shards), index_(index) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (true) {
      WEIR_TRY(CheckNotCancelled(step));
      WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
      if (!element.has_value() || next_++ % shards_ == index_) return element;
    }
  }

 private:
  const IteratorPtr input_;
  const int64_t shards_;
  const int64_t index_;
  int64_t next_ = 0;
};

Result<DatasetValue::MakeFn> MakeShard(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const int64_t shards, ScalarInt(ctx, 1, "num_shards"));
  WEIR_ASSIGN(const int64_t index, ScalarInt(ctx, 2, "index"));
  if (shards < 1)
    return InvalidArgument("Number of shards must be greater than zero (currently num_shards = {}).", shards);
  if (index < 0 || index >= shards)
    return InvalidArgument("Index must be between 0 and {} (currently index = {}).", shards - 1, index);
  return [input, shards, index](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    return std::make_unique<Shard>(std::move(elements), shards, index);
  };
}

class Filter final : public ElementIterator {
 public:
  Filter(IteratorPtr input, FunctionPtr predicate, std::string title)
      : input_(std::move(input)), predicate_(std::move(predicate)), title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (true) {
      WEIR_TRY(CheckNotCancelled(step));
      WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
      if (!element.has_value()) return element;
      const Result<bool> wanted = PredicateValue(predicate_->Call(step, *element));
      if (!wanted.ok()) return WithElementNumber(wanted.status(), title_, number_++);
      ++number_;
      if (*wanted) return element;
    }
  }

 private:
  const IteratorPtr input_;
  const FunctionPtr predicate_;
  const std::string title_;
  int64_t number_ = 0;
};

Result<DatasetValue::MakeFn> MakeFilter(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(FunctionPtr predicate, FunctionWithArguments(ctx, "predicate", 1));
  return [input, predicate, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    WEIR_ASSIGN(FunctionPtr own, predicate->In(pass));
    return std::make_unique<Filter>(std::move(elements), std::move(own), title);
  };
}

class ConcatenateIterator final : public ElementIterator {
 public:
  ConcatenateIterator(PassContext& pass, DatasetPtr first, DatasetPtr second)
      : pass_(pass), left_{std::move(second), std::move(first)} {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (true) {
      if (current_ == nullptr) {
        if (left_.empty()) return std::nullopt;
        WEIR_ASSIGN(current_, left_.back()->Iterate(pass_));
        left_.pop_back();
      }
      WEIR_ASSIGN(std::optional<Element> element, current_->GetNext(step));
      if (element.has_value()) return element;
      current_ = nullptr;
    }
  }

 private:
  PassContext& pass_;
  std::vector<DatasetPtr> left_;  // in reverse order
  IteratorPtr current_;
};

Result<DatasetValue::MakeFn> MakeConcatenate(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr first, InputDataset(ctx, 0));
  WEIR_ASSIGN(DatasetPtr second, InputDataset(ctx, 1));
  if (first->spec().types != second->spec().types)
    return InvalidArgument("input dataset and another dataset have elements of different types");
  return [first, second](PassContext& pass) -> Result<IteratorPtr> {
    return std::make_unique<ConcatenateIterator>(pass, first, second);
  };
}

class Zip final : public ElementIterator {
 public:
  explicit Zip(std::vector<IteratorPtr> inputs) : inputs_(std::move(inputs)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    Element joined;
    Status failed;
    for (const IteratorPtr& input : inputs_) {
      if (ended_) return std::nullopt;
      Result<std::optional<Element>> element = input->GetNext(step);
      if (!element.ok()) {
        if (failed.ok()) failed = element.status();  // still advance the other inputs
      } else if (!element->has_value()) {
        ended_ = true;
      } else {
        for (Tensor& component : **element) joined.push_back(std::move(component));
      }
    }
    if (ended_) return std::nullopt;
    if (!failed.ok()) return failed;
    return joined;
  }

 private:
  const std::vector<IteratorPtr> inputs_;
  bool ended_ = false;
};

Result<DatasetValue::MakeFn> MakeZip(KernelContext& ctx) {
  std::vector<DatasetPtr> inputs;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx, i));
    inputs.push_back(std::move(input));
  }
  return [inputs](PassContext& pass) -> Result<IteratorPtr> {
    std::vector<IteratorPtr> elements;
    for (const DatasetPtr& input : inputs) {
      WEIR_ASSIGN(IteratorPtr one, input->Iterate(pass));
      elements.push_back(std::move(one));
    }
    return std::make_unique<Zip>(std::move(elements));
  };
}

class IgnoreErrors final : public ElementIterator {
 public:
  IgnoreErrors(IteratorPtr input, bool warn, std::string title)
      : input_(std::move(input)), warn_(warn), title_(std::move(title)) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (true) {
      WEIR_TRY(CheckNotCancelled(step));
      Result<std::optional<Element>> element = input_->GetNext(step);
      if (element.ok() || absl::IsCancelled(element.status())) return element;
      if (warn_)
        LogWarning("{}: skipped an element because of an error: {}", title_, std::string(element.status().message()));
    }
  }

 private:
  const IteratorPtr input_;
  const bool warn_;
  const std::string title_;
};

Result<DatasetValue::MakeFn> MakeIgnoreErrors(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const bool warn, NodeAttr<bool>(ctx, "log_warning"));
  return [input, warn, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    return std::make_unique<IgnoreErrors>(std::move(elements), warn, title);
  };
}

Result<DatasetValue::MakeFn> MakeSame(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  return [input](PassContext& pass) { return input->Iterate(pass); };
}

// A pass over the input with a modified copy of the context.
class WithPassOptions final : public ElementIterator {
 public:
  explicit WithPassOptions(const PassContext& pass) : pass_(pass) {}
  Status Begin(const DatasetValue& input, bool deterministic) {
    pass_.deterministic = deterministic;
    WEIR_ASSIGN(input_, input.Iterate(pass_));
    return OkStatus();
  }
  Result<std::optional<Element>> GetNext(StepContext& step) override { return input_->GetNext(step); }

 private:
  PassContext pass_;
  IteratorPtr input_;  // the last member: destroyed before pass_
};

// Only the optimization make_sloppy has an effect that a program can observe.
Result<DatasetValue::MakeFn> MakeOptimize(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  const auto names = ctx.input(1).flat<std::string>();
  if (std::find(names.begin(), names.end(), "make_sloppy") == names.end()) return MakeSame(ctx);
  return [input](PassContext& pass) -> Result<IteratorPtr> {
    auto with_options = std::make_unique<WithPassOptions>(pass);
    WEIR_TRY(with_options->Begin(*input, /*deterministic=*/false));
    return with_options;
  };
}

// --- cardinalities
Result<int64_t> RepeatCardinality(const KernelContext& ctx) {
  WEIR_ASSIGN(const int64_t each, SameCardinality(ctx));
  return RepeatedCardinality(each, ctx.input(1).Int(0));
}

Result<int64_t> TakeCardinality(const KernelContext& ctx) {
  WEIR_ASSIGN(const int64_t count, SameCardinality(ctx));
  const int64_t most = ctx.input(1).Int(0);
  if (most < 0 || count == kUnknownCardinality) return count;
  return count == kInfiniteCardinality ? most : std::min(count, most);
}

Result<int64_t> SkipCardinality(const KernelContext& ctx) {
  WEIR_ASSIGN(const int64_t count, SameCardinality(ctx));
  const int64_t skipped = ctx.input(1).Int(0);
  if (skipped < 0) return 0;
  return count < 0 ? count : std::max<int64_t>(0, count - skipped);
}

Result<int64_t> ShardCardinality(const KernelContext& ctx) {
  WEIR_ASSIGN(const int64_t count, SameCardinality(ctx));
  if (count < 0) return count;
  const int64_t shards = ctx.input(1).Int(0);
  return count / shards + (ctx.input(2).Int(0) < count % shards ? 1 : 0);
}

Result<int64_t> ConcatenateCardinality(const KernelContext& ctx) {
  WEIR_ASSIGN(const DatasetPtr first, InputDataset(ctx, 0));
  WEIR_ASSIGN(const DatasetPtr second, InputDataset(ctx, 1));
  const int64_t a = first->cardinality();
  const int64_t b = second->cardinality();
  if (a == kInfiniteCardinality || b == kInfiniteCardinality) return kInfiniteCardinality;
  int64_t sum = 0;
  if (a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum)) return kUnknownCardinality;
  return sum;
}

Result<int64_t> ZipCardinality(const KernelContext& ctx) {
  int64_t shortest = kInfiniteCardinality;
  for (int i = 0; i < ctx.num_inputs(); ++i) {
    WEIR_ASSIGN(const DatasetPtr input, InputDataset(ctx, i));
    const int64_t count = input->cardinality();
    if (count == kUnknownCardinality) return count;
    if (count >= 0) shortest = shortest < 0 ? count : std::min(shortest, count);
  }
  return shortest;
}

}  // namespace

void RegisterDataSelections(OpRegistry& registry) {
  const char* counted = "input_dataset: variant, count: int64";
  AddDataset(registry, {"RepeatDataset", counted, {}, MakeRepeat, false, true, RepeatCardinality});
  AddDataset(registry, {"TakeDataset", counted, {}, MakeCounted<Take>, false, true, TakeCardinality});
  AddDataset(registry, {"SkipDataset", counted, {}, MakeCounted<Skip>, false, true, SkipCardinality});
  AddDataset(registry, {"ShardDataset",
                        "input_dataset: variant, num_shards: int64, index: int64",
                        {"require_non_empty: bool = false"},
                        MakeShard,
                        false,
                        true,
                        ShardCardinality});
  AddDataset(registry, {"FilterDataset",
                        "input_dataset: variant, other_arguments: Targuments",
                        {"predicate: func", "Targuments: list(type) >= 0"},
                        MakeFilter});
  AddDataset(registry, {"ConcatenateDataset",
                        "input_dataset: variant, another_dataset: variant",
                        {},
                        MakeConcatenate,
                        false,
                        true,
                        ConcatenateCardinality});
  AddDataset(registry,
             {"ZipDataset", "input_datasets: N * variant", {"N: int >= 1"}, MakeZip, false, true, ZipCardinality});
  AddDataset(registry,
             {"IgnoreErrorsDataset", "input_dataset: variant", {"log_warning: bool = false"}, MakeIgnoreErrors});
  AddDataset(registry, {"OptimizeDataset",
                        "input_dataset: variant, optimizations: string",
                        {"optimization_configs: list(string) = []"},
                        MakeOptimize,
                        false,
                        true,
                        SameCardinality});
  AddDataset(registry, {"ModelDataset",
                        "input_dataset: variant",
                        {"algorithm: int = 0", "cpu_budget: int = 0"},
                        MakeSame,
                        false,
                        true,
                        SameCardinality});
}

}  // namespace weir::ops
