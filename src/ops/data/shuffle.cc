// ShuffleDataset and ShuffleAndRepeatDataset: return a random element of a buffer of the next elements. Uses
// TensorFlow's random numbers, so that a seed gives the same order.
#include <deque>
#include <mutex>

#include "base/out_of_memory.h"
#include "ops/data/cancellation.h"
#include "ops/data/cardinality.h"
#include "ops/data/random_numbers.h"

namespace weir::ops {
namespace {

// Seeds for successive passes: new ones for each pass, or the same for all. Thread-safe.
class SeedSource {
 public:
  SeedSource(Seeds seeds, bool each_pass) : seeds_(seeds), each_pass_(each_pass), numbers_(seeds) {}
  Seeds Next() {
    if (!each_pass_) return seeds_;
    std::lock_guard lock(mu_);
    const int64_t first = numbers_.Next();
    return {first, numbers_.Next()};
  }

 private:
  const Seeds seeds_;
  const bool each_pass_;
  std::mutex mu_;
  RandomNumbers numbers_;
};

// Makes `count` passes over the input (negative: unlimited). All elements of one pass come before those of the next,
// even though the buffer may hold both.
class Shuffle final : public ElementIterator {
 public:
  Shuffle(PassContext& pass, DatasetPtr input, size_t size, int64_t count, std::shared_ptr<SeedSource> seeds)
      : pass_(pass),
        input_(std::move(input)),
        size_(size),
        passes_left_(count),
        seeds_(std::move(seeds)),
        numbers_(seeds_->Next()) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    while (passes_left_ != 0 && held_ < size_ && (held_ == 0 || slices_.size() <= kMostPassesHeld))
      WEIR_TRY(Fetch(step));
    if (held_ == 0) return std::nullopt;
    while (slices_.front().begin == slices_.front().end) {
      slices_.pop_front();
      numbers_ = RandomNumbers(seeds_->Next());
    }
    Slice& slice = slices_.front();
    Element& chosen = At(slice.begin + numbers_.Next() % (slice.end - slice.begin));
    Element element = std::move(chosen);
    chosen = std::move(At(slice.begin));
    ++slice.begin;
    --held_;
    return element;
  }

 private:
  // The buffered elements of one pass, as a range of element numbers. Numbers are continuous over all passes.
  struct Slice {
    uint64_t begin;
    uint64_t end;
  };

  // Limits how many passes a buffer larger than the dataset reads ahead.
  static constexpr size_t kMostPassesHeld = 3;

  Element& At(uint64_t number) { return buffer_[number % size_]; }

  Status Fetch(StepContext& step) {
    const Status status = CatchOutOfMemory("a shuffle buffer", [&] { return FetchOne(step); });
    if (status.code() == StatusCode::kResourceExhausted)
      Drop();  // others need the memory, at least to report the error
    return status;
  }

  Status FetchOne(StepContext& step) {
    WEIR_TRY(CheckNotCancelled(step));
    const bool fresh = input_pass_ == nullptr;
    if (fresh) {
      WEIR_ASSIGN(IteratorPtr begun, input_->Iterate(pass_));
      const uint64_t next = slices_.empty() ? 0 : slices_.back().end;
      slices_.push_back({next, next});
      input_pass_ = std::move(begun);
    }
    WEIR_ASSIGN(std::optional<Element> element, input_pass_->GetNext(step));
    if (!element.has_value()) {
      input_pass_ = nullptr;
      if (passes_left_ > 0) {
        --passes_left_;
      } else if (fresh) {
        passes_left_ = 0;  // an empty dataset repeated forever is empty
      }
      return OkStatus();
    }
    const uint64_t number = slices_.back().end;
    WEIR_TRY(ReserveElement(*element));
    if (number % size_ == buffer_.size()) buffer_.emplace_back();
    ++slices_.back().end;
    At(number) = *std::move(element);
    ++held_;
    return OkStatus();
  }

  // Ends the iteration and frees the memory.
  void Drop() {
    passes_left_ = 0;
    input_pass_ = nullptr;
    held_ = 0;
    buffer_.clear();  // a new deque would need memory
    buffer_.shrink_to_fit();
    slices_.clear();
  }

  PassContext& pass_;
  const DatasetPtr input_;
  const size_t size_;
  int64_t passes_left_;
  const std::shared_ptr<SeedSource> seeds_;
  RandomNumbers numbers_;  // of the pass whose elements are being returned
  IteratorPtr input_pass_;
  std::deque<Element> buffer_;  // a deque, so that growing up to size_ does not move elements
  size_t held_ = 0;
  std::deque<Slice> slices_;
};

Result<int64_t> BufferSize(const KernelContext& ctx) {
  WEIR_ASSIGN(const int64_t size, ScalarInt(ctx, 1, "buffer_size"));
  if (size <= 0) return InvalidArgument("buffer_size must be greater than zero.");
  return size;
}

Result<std::shared_ptr<SeedSource>> SeedsOf(const KernelContext& ctx, bool each_pass) {
  WEIR_ASSIGN(const Seeds seeds, SeedsFrom(ctx, 2));
  return std::make_shared<SeedSource>(seeds, each_pass);
}

Result<DatasetValue::MakeFn> MakeShuffle(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const int64_t size, BufferSize(ctx));
  WEIR_ASSIGN(const bool each_pass, NodeAttr<bool>(ctx, "reshuffle_each_iteration"));
  WEIR_ASSIGN(std::shared_ptr<SeedSource> seeds, SeedsOf(ctx, each_pass));
  return [input, size, seeds](PassContext& pass) -> Result<IteratorPtr> {
    return std::make_unique<Shuffle>(pass, input, static_cast<size_t>(size), 1, seeds);
  };
}

Result<DatasetValue::MakeFn> MakeShuffleAndRepeat(KernelContext& ctx) {
  WEIR_ASSIGN(DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const int64_t size, BufferSize(ctx));
  WEIR_ASSIGN(std::shared_ptr<SeedSource> seeds, SeedsOf(ctx, true));
  WEIR_ASSIGN(const int64_t count, ScalarInt(ctx, 4, "count"));
  if (count < -1 || count == 0) return InvalidArgument("count must be greater than zero or equal to -1.");
  return [input, size, count, seeds](PassContext& pass) -> Result<IteratorPtr> {
    return std::make_unique<Shuffle>(pass, input, static_cast<size_t>(size), count, seeds);
  };
}

}  // namespace

void RegisterShuffleDatasets(OpRegistry& registry) {
  AddDataset(registry, {"ShuffleDataset",
                        "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64",
                        {"reshuffle_each_iteration: bool = true"},
                        MakeShuffle,
                        false,
                        true,
                        SameCardinality});
  AddDataset(registry, {"ShuffleAndRepeatDataset",
                        "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64",
                        {},
                        MakeShuffleAndRepeat,
                        false,
                        true,
                        [](const KernelContext& ctx) -> Result<int64_t> {
                          WEIR_ASSIGN(const int64_t each, SameCardinality(ctx));
                          return RepeatedCardinality(each, ctx.input(4).Int(0));
                        }});
}

}  // namespace weir::ops
