// Statistics of passes: StatsAggregator holds a histogram per tag, BytesProducedStatsDataset and LatencyStatsDataset
// add values to it, and SetStatsAggregatorDataset says which aggregator the datasets before it use.
#include <chrono>
#include <cmath>
#include <map>
#include <mutex>

#include "op/shape_context.h"
#include "ops/data/cardinality.h"
#include "ops/io/histogram.h"
#include "ops/state/resource_owner.h"

namespace weir::ops {
namespace {

// Thread-safe.
class StatsAggregator final : public Resource {
 public:
  explicit StatsAggregator(std::string name) : name_(std::move(name)), limits_(HistogramLimits()) {}

  void Add(const std::string& tag, double value) {
    const std::lock_guard lock(mu_);
    histograms_.try_emplace(tag, limits_).first->second.Add(value);
  }
  // A serialized Summary.
  std::string Summarize() const {
    tensorflow::Summary summary;
    const std::lock_guard lock(mu_);
    for (const auto& [tag, histogram] : histograms_) {
      tensorflow::Summary::Value* value = summary.add_value();
      value->set_tag(tag);
      histogram.ToProto(value->mutable_histo());
    }
    return summary.SerializeAsString();
  }
  std::string DebugString() const override { return "statistics " + name_; }

 private:
  const std::string name_;  // for error messages
  const std::vector<double> limits_;
  mutable std::mutex mu_;
  std::map<std::string, Histogram> histograms_;
};

Result<Kernel> MakeStatsHandle(KernelSetup& setup) {
  WEIR_ASSIGN(std::shared_ptr<ResourceOwner> handle,
              ResourceOwner::Make(setup, HandleKind::kResource, "StatsAggregator"));
  return Kernel::Sync([handle](KernelContext& ctx) -> Status {
    const auto make = [&]() -> Result<ResourcePtr<StatsAggregator>> {
      return MakeIntrusive<StatsAggregator>(handle->name());
    };
    WEIR_TRY(handle->Get<StatsAggregator>(ctx, make).status());
    handle->SetOutput(ctx);
    return OkStatus();
  });
}

Result<Kernel> MakeStatsSummary(KernelSetup&) {
  return Kernel::Sync([](KernelContext& ctx) -> Status {
    WEIR_ASSIGN(const ResourcePtr<StatsAggregator> stats, ctx.LookupResource<StatsAggregator>(0));
    WEIR_ASSIGN(const Tensor summary, ctx.Allocate(0, Shape{}));
    *summary.data<std::string>() = stats->Summarize();
    return OkStatus();
  });
}

// A pass over the input that records values with an aggregator.
class RecordingPass final : public ElementIterator {
 public:
  RecordingPass(const PassContext& pass, ResourcePtr<StatsAggregator> stats, const std::string& prefix) : pass_(pass) {
    pass_.record = [stats = std::move(stats), prefix](const std::string& tag, double value) {
      stats->Add(prefix.empty() ? tag : prefix + "::" + tag, value);
    };
  }
  Status Begin(const DatasetValue& input) {
    WEIR_ASSIGN(input_, input.Iterate(pass_));
    return OkStatus();
  }
  Result<std::optional<Element>> GetNext(StepContext& step) override { return input_->GetNext(step); }
  bool IsReady() const override { return input_->IsReady(); }

 private:
  PassContext pass_;
  IteratorPtr input_;  // the last member: destroyed before pass_
};

Result<DatasetValue::MakeFn> MakeSetStats(KernelContext& ctx) {
  WEIR_ASSIGN(const DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const ResourcePtr<StatsAggregator> stats, ctx.LookupResource<StatsAggregator>(1));
  WEIR_ASSIGN(const std::string prefix, ScalarText(ctx, 2, "tag"));
  WEIR_TRY(ScalarText(ctx, 3, "counter_prefix").status());  // counters are not collected
  return [input, stats, prefix](PassContext& pass) -> Result<IteratorPtr> {
    auto recording = std::make_unique<RecordingPass>(pass, stats, prefix);
    WEIR_TRY(recording->Begin(*input));
    return recording;
  };
}

// The bytes of an element in TensorFlow, whose string objects have 24 bytes.
double BytesOf(const Element& element) {
  double bytes = 0;
  for (const Tensor& t : element) {
    if (t.dtype() != kString) {
      bytes += static_cast<double>(t.num_bytes());
      continue;
    }
    for (const std::string& text : t.flat<std::string>()) bytes += 24 + static_cast<double>(text.size());
  }
  return bytes;
}

enum class Measure { kBytes, kMicroseconds };

class Measured final : public ElementIterator {
 public:
  Measured(PassContext& pass, IteratorPtr input, std::string tag, Measure measure)
      : pass_(pass), input_(std::move(input)), tag_(std::move(tag)), measure_(measure) {}

  Result<std::optional<Element>> GetNext(StepContext& step) override {
    const auto start = std::chrono::steady_clock::now();
    WEIR_ASSIGN(std::optional<Element> element, input_->GetNext(step));
    if (element.has_value() && pass_.record) {
      const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
      pass_.record(tag_, measure_ == Measure::kBytes ? BytesOf(*element) : std::floor(passed.count()));
    }
    return element;
  }
  bool IsReady() const override { return input_->IsReady(); }

 private:
  PassContext& pass_;
  const IteratorPtr input_;
  const std::string tag_;
  const Measure measure_;
};

template <Measure measure>
Result<DatasetValue::MakeFn> MakeMeasured(KernelContext& ctx) {
  WEIR_ASSIGN(const DatasetPtr input, InputDataset(ctx));
  WEIR_ASSIGN(const std::string tag, ScalarText(ctx, 1, "tag"));
  return [input, tag](PassContext& pass) -> Result<IteratorPtr> {
    WEIR_ASSIGN(IteratorPtr elements, input->Iterate(pass));
    return std::make_unique<Measured>(pass, std::move(elements), tag, measure);
  };
}

}  // namespace

void RegisterStats(OpRegistry& registry) {
  for (const char* handle : {"StatsAggregatorHandle", "ExperimentalStatsAggregatorHandle"}) {
    registry.Add({.name = handle,
                  .signature = "-> handle: resource",
                  .attrs = {"container: string = ''", "shared_name: string = ''"},
                  .shape = ScalarOutputs(),
                  .kernels = CpuKernel(MakeStatsHandle),
                  .traits = {.state = StateRole::kHandle, .may_block = false},
                  .stateful = true});
  }
  for (const char* summary : {"StatsAggregatorSummary", "ExperimentalStatsAggregatorSummary"}) {
    registry.Add({.name = summary,
                  .signature = "iterator: resource -> summary: string",
                  .shape = ScalarOutputs(),
                  .kernels = CpuKernel(MakeStatsSummary),
                  .traits = {.may_block = false},
                  .stateful = true});
  }
  for (const char* set : {"SetStatsAggregatorDataset", "ExperimentalSetStatsAggregatorDataset"}) {
    AddDataset(registry, {set,
                          "input_dataset: variant, stats_aggregator: resource, tag: string, counter_prefix: string",
                          {},
                          MakeSetStats,
                          true,
                          true,
                          SameCardinality});
  }
  const char* tagged = "input_dataset: variant, tag: string";
  for (const char* bytes : {"BytesProducedStatsDataset", "ExperimentalBytesProducedStatsDataset"})
    AddDataset(registry, {bytes, tagged, {}, MakeMeasured<Measure::kBytes>, false, true, SameCardinality});
  for (const char* latency : {"LatencyStatsDataset", "ExperimentalLatencyStatsDataset"})
    AddDataset(registry, {latency, tagged, {}, MakeMeasured<Measure::kMicroseconds>, false, true, SameCardinality});
}

}  // namespace weir::ops
