// FlatMapDataset, InterleaveDataset and ParallelInterleaveDatasetV2. The parallel one prefetches from all open datasets
// at the same time. It takes elements in the same order or, if the pass need not be deterministic, as they become
// ready.
#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "op/cancel_watch.h"
#include "ops/data/cancellation.h"
#include "ops/data/element_function.h"
#include "ops/data/prefetch.h"

namespace weir::ops {
namespace {

// Counts how often an iterator has become ready.
struct ReadyCount {
  std::mutex mu;
  std::condition_variable changed;
  uint64_t count = 0;

  void Add() {
    std::lock_guard lock(mu);
    ++count;
    changed.notify_all();
  }
};

// Takes `block` elements in turn from each of `cycle` datasets. The next dataset replaces one that has ended.
class Interleave final : public ElementIterator {
 public:
  struct Options {
    size_t cycle = 1;
    int64_t block = 1;
    bool parallel = false;
    bool in_order = true;
  };
  Interleave(PassContext& pass, IteratorPtr input, FunctionPtr function, const Options& options, std::string title)
      : nested_pass_(Nested(pass)),
        input_(std::move(input)),
        function_(std::move(function)),
        options_(options),
        title_(std::move(title)),
        open_(options.cycle) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (!input_ended_ || num_open_ > 0) {
      if (!options_.in_order) WEIR_TRY(AdvanceToReady(step));
      IteratorPtr& current = open_[at_];
      if (current == nullptr) {
        if (input_ended_) {
          Advance();
          continue;
        }
        WEIR_TRY(Open(step, current));
        continue;
      }
      StepContext nested = Nested(step);
      WEIR_ASSIGN(std::optional<Element> element, current->GetNext(nested));
      if (element.has_value()) {
        if (++taken_ == options_.block) Advance();
        return element;
      }
      current = nullptr;
      --num_open_;
      Advance();
    }
    return std::nullopt;
  }

 private:
  void Advance() {
    at_ = (at_ + 1) % open_.size();
    taken_ = 0;
  }

  // Moves to the next position whose dataset has an element ready; blocks if there is none.
  Status AdvanceToReady(StepContext& step) {
    while (true) {
      uint64_t seen;
      {
        std::lock_guard lock(ready_->mu);
        seen = ready_->count;
      }
      for (size_t i = 0; i < open_.size(); ++i) {
        const size_t place = (at_ + i) % open_.size();
        if (open_[place] == nullptr && !input_ended_) WEIR_TRY(Open(step, open_[place]));
        if (open_[place] == nullptr || !open_[place]->IsReady()) continue;
        if (place != at_) taken_ = 0;
        at_ = place;
        return OkStatus();
      }
      if (num_open_ == 0) return OkStatus();
      CancelWatch watch(ready_->mu, ready_->changed, step.cancel);
      std::unique_lock lock(ready_->mu);
      WEIR_TRY(watch.Wait(lock, [&] { return ready_->count != seen; }));
    }
  }

  // Opens the dataset that the function returns for the next input element.
  Status Open(StepContext& step, IteratorPtr& place) {
    WEIR_TRY(CheckNotCancelled(step));
    WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
    if (!element.has_value()) {
      input_ended_ = true;
      return OkStatus();
    }
    const int64_t number = number_++;
    Result<IteratorPtr> opened = IterateResult(nested_pass_, function_->Call(step, *std::move(element)));
    if (!opened.ok()) return WithElementNumber(opened.status(), title_, number);
    constexpr int64_t kMaxPrefetch = 64;
    place = *std::move(opened);
    if (options_.parallel) {
      const int64_t ahead = std::min(options_.block, kMaxPrefetch);
      place = MakePrefetchIterator(nested_pass_, std::move(place), static_cast<size_t>(ahead), /*eager=*/true,
                                   [ready = ready_] { ready->Add(); });
    }
    ++num_open_;
    return OkStatus();
  }

  PassContext nested_pass_;
  const IteratorPtr input_;
  const FunctionPtr function_;
  const Options options_;
  const std::string title_;
  const std::shared_ptr<ReadyCount> ready_ = std::make_shared<ReadyCount>();
  std::vector<IteratorPtr> open_;  // null: not opened yet, or ended
  size_t num_open_ = 0;
  size_t at_ = 0;
  int64_t taken_ = 0;  // of the current block
  int64_t number_ = 0;
  bool input_ended_ = false;
};

Result<DatasetValue::MakeFn> InterleaveRecipe(KernelContext& ctx, Interleave::Options options, Order order) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(FunctionPtr function, FunctionWithArguments(ctx, "f", 1));
  return [=, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    WEIR_ASSIGN(FunctionPtr own, function->In(pass));
    Interleave::Options for_pass = options;
    for_pass.in_order = !options.parallel || KeepsOrder(order, pass);
    return std::make_unique<Interleave>(pass, std::move(elements), std::move(own), for_pass, title);
  };
}

Result<DatasetValue::MakeFn> MakeFlatMap(KernelContext& ctx) {
  return InterleaveRecipe(ctx, {.cycle = 1, .block = -1}, Order::kInOrder);
}

template <bool parallel>
Result<DatasetValue::MakeFn> MakeInterleave(KernelContext& ctx) {
  WEIR_ASSIGN(const int first, NumTypes(ctx, "Targuments"));
  WEIR_ASSIGN(int64_t cycle, ScalarInt(ctx, first + 1, "cycle_length"));
  WEIR_ASSIGN(const int64_t block, ScalarInt(ctx, first + 2, "block_length"));
  if (cycle == -1) cycle = UsableCores();
  constexpr int64_t kMostAtOnce = 1 << 20;
  if (cycle <= 0 || cycle > kMostAtOnce) return InvalidArgument("`cycle_length` must be > 0, but is {}", cycle);
  if (parallel) {
    WEIR_ASSIGN(const int64_t calls, ScalarInt(ctx, first + 3, "num_parallel_calls"));
    if (calls != -1 && calls <= 0) return InvalidArgument("num_parallel_calls must be greater than zero.");
  }
  if (block <= 0) return InvalidArgument("`block_length` must be > 0, but is {}", block);
  Order order = Order::kInOrder;
  if (parallel) {
    WEIR_ASSIGN(order, OrderOf(*ctx.node().attrs));
  }
  return InterleaveRecipe(ctx, {.cycle = static_cast<size_t>(cycle), .block = block, .parallel = parallel}, order);
}

}  // namespace

void RegisterFlatMapDatasets(OpRegistry& registry) {
  const std::vector<std::string> function = {"f: func", "Targuments: list(type) >= 0"};
  AddDataset(registry,
             {"FlatMapDataset", "input_dataset: variant, other_arguments: Targuments", function, MakeFlatMap});
  const std::string interleaved =
      "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64";
  const std::string parallel = interleaved + ", num_parallel_calls: int64";
  AddDataset(registry, {"InterleaveDataset", interleaved.c_str(), function, MakeInterleave<false>});
  AddDataset(registry, {"ParallelInterleaveDatasetV2",
                        parallel.c_str(),
                        {function[0], function[1], "sloppy: bool = false"},
                        MakeInterleave<true>});
}

}  // namespace weir::ops
