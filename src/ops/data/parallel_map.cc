// ParallelMapDataset: runs several calls of the function in parallel. Results come in the order of the elements or, if
// the pass need not be deterministic, as they become ready. MapAndBatchDataset also batches the results.
#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>

#include "base/clock.h"
#include "base/out_of_memory.h"
#include "op/cancel_watch.h"
#include "op/joined_token.h"
#include "ops/data/background.h"
#include "ops/data/batch.h"
#include "ops/data/cancellation.h"
#include "ops/data/cardinality.h"
#include "ops/data/map.h"

namespace weir::ops {
namespace {

// A call in flight or a finished one. Guarded by the mutex of the iterator.
struct Call {
  int64_t number = 0;
  bool done = false;
  Result<Element> result = Element();
};

class ParallelMap final : public ElementIterator {
 public:
  struct Options {
    size_t calls = 1;
    bool preserve_cardinality = false;
    bool in_order = true;
  };
  ParallelMap(PassContext& pass, IteratorPtr input, FunctionPtr function, const Options& options, std::string title)
      : stop_{pass.cancel},
        pass_(pass),
        input_(std::move(input)),
        function_(std::move(function)),
        limit_(options.calls),
        preserve_cardinality_(options.preserve_cardinality),
        in_order_(options.in_order),
        title_(std::move(title)),
        task_(*pass.blocking_pool, [this] { Launch(); }) {
    pass_.cancel = stop_.get();
  }
  ~ParallelMap() override {
    stop_.get()->Cancel(Cancelled("the iterator was destroyed"));
    std::unique_lock lock(mu_);
    stopping_ = true;
    changed_.wait(lock, [this] { return running_ == 0; });
  }

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    std::shared_ptr<Call> call;
    {
      CancelWatch watch(mu_, changed_, step.cancel);
      std::unique_lock lock(mu_);
      WakeIfLow();
      auto ready = calls_.end();
      WEIR_TRY(watch.Wait(lock, [&] {
        ready = FindReady();
        return calls_.empty() ? ended_ : ready != calls_.end();
      }));
      if (calls_.empty()) {
        if (failed_.ok()) return std::nullopt;
        ended_ = false;  // after an error, continue with the next element
        return std::exchange(failed_, OkStatus());
      }
      call = std::move(*ready);
      calls_.erase(ready);
      WakeIfLow();
    }
    return MappedElement(std::move(call->result), preserve_cardinality_, title_, call->number);
  }

 private:
  // At most limit_ calls run at a time. If calls are cheap and elements small, more results may be queued, so that
  // producer and consumer wake each other less often.
  size_t MostCalls() const { return IsCheap() && small_ ? std::max(limit_, kCheapCalls) : limit_; }
  bool IsCheap() const { return start_nanos_->load(std::memory_order_relaxed) < kNanosToWake; }

  // Returns the call whose result comes next if it is done, else end(). REQUIRES: mu_ is held.
  std::deque<std::shared_ptr<Call>>::iterator FindReady() {
    const auto end = in_order_ && !calls_.empty() ? calls_.begin() + 1 : calls_.end();
    const auto ready = std::find_if(calls_.begin(), end, [](const auto& call) { return call->done; });
    return ready == end ? calls_.end() : ready;
  }

  // REQUIRES: mu_ is held.
  void WakeIfLow() {
    const size_t most = MostCalls();
    if (!ended_ && calls_.size() <= (most > limit_ ? most / 2 : most - 1)) task_.Wake();
  }

  void Launch() {
    while (!pass_.cancel->cancelled()) {
      {
        std::lock_guard lock(mu_);
        if (ended_ || stopping_ || calls_.size() >= MostCalls() || running_ >= limit_) return;
      }
      Result<std::optional<Element>> element =
          CatchOutOfMemory("the input of a parallel map", [this] { return input_->GetNext(pass_); });
      std::shared_ptr<Call> call;
      {
        std::lock_guard lock(mu_);
        if (stopping_) return;
        Status status = element.status();
        if (status.ok() && element->has_value()) {
          status = CatchOutOfMemory("the calls of a parallel map", [&] {
            call = std::make_shared<Call>();
            calls_.push_back(call);
            return OkStatus();
          });
        }
        if (!status.ok() || !element->has_value()) {
          ended_ = true;
          failed_ = status;
          changed_.notify_all();
          return;
        }
        call->number = next_++;
        size_t bytes = 0;
        for (const Tensor& part : **element) bytes += part.num_bytes();
        small_ = bytes <= kSmallBytes;
        ++running_;
      }
      // Start() runs the cheap kernels of the function inline. If starting takes long, another thread does it.
      auto start = [this, call, function = function_, cost = start_nanos_, args = **std::move(element)]() mutable {
        const int64_t began = RealClock().MonotonicNanos();
        function->Start(pass_, std::move(args), [this, call](Result<Element> result) {
          std::lock_guard lock(mu_);
          call->result = std::move(result);
          call->done = true;
          --running_;
          if (!in_order_ || calls_.front() == call || stopping_) changed_.notify_all();
        });
        // The iterator may be destroyed from here on.
        const int64_t nanos = RealClock().MonotonicNanos() - began;
        const int64_t before = cost->load(std::memory_order_relaxed);
        cost->store(nanos < before ? nanos : before + (nanos - before) / 4, std::memory_order_relaxed);
      };
      if (IsCheap()) {
        start();
      } else {
        pass_.pool->Schedule(std::move(start));
      }
    }
  }

  // The approximate cost of waking a thread. Calls that start in less are started inline.
  static constexpr int64_t kNanosToWake = 20'000;
  static constexpr size_t kCheapCalls = 16;
  static constexpr size_t kSmallBytes = size_t{64} << 10;

  JoinedToken stop_;
  StepContext pass_;
  const IteratorPtr input_;  // used only by task_
  const FunctionPtr function_;
  const size_t limit_;
  const bool preserve_cardinality_;
  const bool in_order_;
  const std::string title_;
  std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Call>> calls_;  // in the order of the elements
  int64_t next_ = 0;
  size_t running_ = 0;
  bool small_ = false;  // of the last element read
  const std::shared_ptr<std::atomic<int64_t>> start_nanos_ =
      std::make_shared<std::atomic<int64_t>>(std::numeric_limits<int64_t>::max() / 2);  // recent cost of a start
  bool stopping_ = false;
  bool ended_ = false;
  Status failed_;  // with ended_: the error of the input, if any
  BackgroundTask task_;
};

Result<size_t> NumParallelCalls(const KernelContext& ctx, int input) {
  WEIR_ASSIGN(const int64_t calls, ScalarInt(ctx, input, "num_parallel_calls"));
  if (calls != -1 && calls <= 0) return InvalidArgument("num_parallel_calls must be greater than zero.");
  return static_cast<size_t>(calls == -1 ? UsableCores() : calls);
}

// Returns an iterator that applies the function in parallel, or sequentially if there are no threads.
Result<IteratorPtr> MapInParallel(PassContext& pass, const DatasetValue& input, const FunctionPtr& function,
                                  const ParallelMap::Options& options, const std::string& title) {
  WEIR_ASSIGN(IteratorPtr elements, input.Iterate(pass));
  WEIR_ASSIGN(FunctionPtr own, function->In(pass));
  if (!HasThreads(pass))
    return MakeSequentialMap(std::move(elements), std::move(own), options.preserve_cardinality, title);
  return std::make_unique<ParallelMap>(pass, std::move(elements), std::move(own), options, title);
}

Result<DatasetValue::MakeFn> MakeParallelMap(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(FunctionPtr function, FunctionWithArguments(ctx, "f", 1));
  ParallelMap::Options options;
  WEIR_ASSIGN(options.calls, NumParallelCalls(ctx, ctx.num_inputs() - 1));
  WEIR_ASSIGN(options.preserve_cardinality, NodeAttr<bool>(ctx, "preserve_cardinality"));
  WEIR_ASSIGN(const Order order, OrderOf(*ctx.node().attrs));
  return [=, title = TitleOf(ctx)](PassContext& pass) {
    ParallelMap::Options for_pass = options;
    for_pass.in_order = KeepsOrder(order, pass);
    return MapInParallel(pass, *input, function, for_pass, title);
  };
}

Result<DatasetValue::MakeFn> MakeMapAndBatch(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(FunctionPtr function, FunctionWithArguments(ctx, "f", 1));
  const int first = ctx.num_inputs() - 3;
  WEIR_ASSIGN(const int64_t size, BatchSize(ctx, first));
  ParallelMap::Options options;
  WEIR_ASSIGN(options.calls, NumParallelCalls(ctx, first + 1));
  WEIR_ASSIGN(const bool drop_remainder, ScalarBool(ctx, first + 2, "drop_remainder"));
  WEIR_ASSIGN(options.preserve_cardinality, NodeAttr<bool>(ctx, "preserve_cardinality"));
  return [=, title = TitleOf(ctx)](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr mapped, MapInParallel(pass, *input, function, options, title));
    return MakeBatchIterator(std::move(mapped), size, drop_remainder, BatchOf, title);
  };
}

}  // namespace

void RegisterParallelMapDatasets(OpRegistry& registry) {
  AddDataset(registry, {"ParallelMapDataset",
                        "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int32",
                        {"f: func", "Targuments: list(type) >= 0", "use_inter_op_parallelism: bool = true",
                         "sloppy: bool = false", "preserve_cardinality: bool = false"},
                        MakeParallelMap,
                        false,
                        true,
                        CardinalityIfPreserved});
  AddDataset(registry, {"ParallelMapDatasetV2",  // not in TensorFlow 1.15; newer clients use it
                        "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64",
                        {"f: func", "Targuments: list(type) >= 0", "use_inter_op_parallelism: bool = true",
                         "deterministic: string = 'default'", "preserve_cardinality: bool = false"},
                        MakeParallelMap,
                        false,
                        true,
                        CardinalityIfPreserved});
  AddDataset(registry, {"MapAndBatchDataset",
                        "input_dataset: variant, other_arguments: Targuments, batch_size: int64, "
                        "num_parallel_calls: int64, drop_remainder: bool",
                        {"f: func", "Targuments: list(type) >= 0", "preserve_cardinality: bool = false"},
                        MakeMapAndBatch,
                        false,
                        true,
                        [](const KernelContext& ctx) -> Result<int64_t> {
                          WEIR_ASSIGN(const int64_t count, CardinalityIfPreserved(ctx));
                          const int first = ctx.num_inputs() - 3;
                          return BatchedCardinality(count, ctx.input(first).Int(0),
                                                    ctx.input(first + 2).scalar<bool>());
                        }});
}

}  // namespace weir::ops
