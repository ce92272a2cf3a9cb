// Datasets that group, choose or count elements, and functions for batches of sequences of similar length.
#include <algorithm>
#include <limits>

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/build/reduce.h"
#include "graph/compose/array.h"
#include "graph/compose/dataset_builder.h"
#include "graph/compose/dims.h"
#include "graph/compose/random.h"

namespace weir {

std::pair<Output, Output> DatasetSeeds(Graph& graph, std::optional<int64_t> seed) {
  std::pair<int64_t, int64_t> seeds = SeedsFor(graph, seed);
  // Two zeros would mean a nondeterministic seed.
  if ((seed.has_value() || graph.seed.has_value()) && seeds.first == 0 && seeds.second == 0)
    seeds.second = (int64_t{1} << 31) - 1;
  const Output first = Constant(graph, Tensor::Scalar<int64_t>(seeds.first), "seed");
  return {first, Constant(graph, Tensor::Scalar<int64_t>(seeds.second), "seed2")};
}

// --- Groups ---
Dataset Dataset::GroupByWindow(const DatasetFunction& key, const DatasetFunction& reduce,
                               const DatasetFunction& window_size, ElementType element) const {
  return DatasetBuilder(*this, "GroupByWindowDataset")
      .Function(key, "key_func", "Tkey_func_other_arguments")
      .Function(reduce, "reduce_func", "Treduce_func_other_arguments")
      .Function(window_size, "window_size_func", "Twindow_size_func_other_arguments")
      .Build(std::move(element));
}

Dataset Dataset::GroupByReducer(const DatasetFunction& key, const DatasetFunction& init, const DatasetFunction& reduce,
                                const DatasetFunction& finalize) const {
  return DatasetBuilder(*this, "GroupByReducerDataset")
      .Function(key, "key_func", "Tkey_func_other_arguments")
      .Function(init, "init_func", "Tinit_func_other_arguments")
      .Function(reduce, "reduce_func", "Treduce_func_other_arguments")
      .Function(finalize, "finalize_func", "Tfinalize_func_other_arguments")
      .Build(finalize.result);
}

Output BucketOfLength(const Output& length, const std::vector<int64_t>& boundaries) {
  if (!length.valid()) return length;
  Graph& graph = length.graph();
  const auto bounds = [&](std::vector<int64_t> values) {
    return Cast(Constant(graph, Tensor::Vector<int64_t>(values)), length.base_dtype());
  };
  std::vector<int64_t> lower = boundaries;
  lower.insert(lower.begin(), std::numeric_limits<int32_t>::min());
  std::vector<int64_t> upper = boundaries;
  upper.push_back(std::numeric_limits<int32_t>::max());
  const Output inside = LogicalAnd(LessEqual(bounds(lower), length), Less(length, bounds(upper)));
  return raw_ops::Min(raw_ops::Where(inside), Constant(graph, Tensor::Vector<int32_t>({0, 1})));
}

Output BucketBatchSize(const Output& bucket, const std::vector<int64_t>& batch_sizes) {
  if (!bucket.valid()) return bucket;
  return raw_ops::Gather(Constant(bucket.graph(), Tensor::Vector<int64_t>(batch_sizes)), bucket);
}

Output BucketPaddedLength(const Output& bucket, const std::vector<int64_t>& boundaries) {
  if (!bucket.valid()) return bucket;
  Graph& graph = bucket.graph();
  const Output last = Constant(graph, Tensor::Scalar<int64_t>(static_cast<int64_t>(boundaries.size())));
  const Output message = Constant(
      graph, Tensor::Scalar("When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries)."));
  Node* check = NodeBuilder(graph, "Assert").In(Less(bucket, last)).In(OutputList{message, bucket}).BuildNode();
  if (check == nullptr) return Output::Failed(graph);
  ControlDependencies after(graph, {check});
  const Output boundary = raw_ops::Gather(Constant(graph, Tensor::Vector<int64_t>(boundaries)), Identity(bucket));
  return raw_ops::Sub(boundary, Constant(graph, Tensor::Scalar<int64_t>(1)));
}

// --- Rejection ---
Output ClassAcceptance(const Output& initial, const Output& target) {
  if (!initial.valid() || !target.valid()) return InvalidOf(initial, target);
  Graph& graph = target.graph();
  const auto share = [](const Output& weights) { return weights / ReduceSum(weights); };
  const Output least = Constant(graph, Tensor::Scalar(std::numeric_limits<float>::min()));
  const Output ratio = (share(target) + least) / (share(initial) + least);
  return ratio / ReduceMax(ratio);
}

Output CountClass(const Output& counts, const Output& number) {
  if (!counts.valid() || !number.valid()) return InvalidOf(counts, number);
  Graph& graph = counts.graph();
  return counts + ComposeOneHot(graph, number, SizeValue(graph, counts), {}, {}, -1, counts.base_dtype());
}

Output AcceptClass(const Output& number, const Output& acceptance, OpSeed seed) {
  if (!number.valid() || !acceptance.valid()) return InvalidOf(number, acceptance);
  Graph& graph = acceptance.graph();
  const Output draw = RandomUniform(graph, Constant(graph, Tensor::Vector<int32_t>({})), 0.0f, 1.0f, kFloat, seed);
  return Less(draw, raw_ops::Gather(acceptance, number));
}

// --- Elements that depend on those before ---
Dataset Dataset::Scan(const InputList& initial_state, const DatasetFunction& f) const {
  OutputList state;
  for (const Input& value : initial_state) state.push_back(DatasetArg(graph(), value, kInvalidType, "initial_state"));
  ElementType element = f.result;
  const auto count = static_cast<std::ptrdiff_t>(std::min(state.size(), element.types.size()));
  element.types.erase(element.types.begin(), element.types.begin() + count);
  element.shapes.erase(element.shapes.begin(), element.shapes.begin() + count);
  return DatasetBuilder(*this, "ScanDataset")
      .In(state)
      .Function(f)
      .Attr("preserve_cardinality", true)
      .Build(std::move(element));
}

Dataset Dataset::TakeWhile(const DatasetFunction& predicate) const {
  return DatasetBuilder(*this, "TakeWhileDataset").Function(predicate, "predicate").Build(element_);
}

Dataset Dataset::Unique() const { return DatasetBuilder(*this, "UniqueDataset").Build(element_); }

// --- Choices ---
Dataset Dataset::Random(Graph& graph, std::optional<int64_t> seed) {
  const auto [first, second] = DatasetSeeds(graph, seed);
  return DatasetBuilder(graph, "RandomDataset")
      .In(first, kInt64, "seed")
      .In(second, kInt64, "seed2")
      .Build({{kInt64}, {PartialShape::Scalar()}});
}

Dataset Dataset::Choose(const Dataset& selector, const std::vector<Dataset>& datasets) {
  Graph& graph = selector.graph();
  if (datasets.empty()) {
    graph.RecordError(InvalidArgument("at least one dataset to choose from is needed"));
    return {};
  }
  OutputList variants;
  ElementType element = datasets.front().element();
  for (const Dataset& dataset : datasets) {
    if (dataset.element().types != element.types) {
      graph.RecordError(MarkTypeError(InvalidArgument("the datasets to choose from have elements of different types")));
      return {};
    }
    variants.push_back(dataset.variant());
    for (size_t i = 0; i < element.shapes.size(); ++i)
      element.shapes[i] = CommonShape(element.shapes[i], dataset.element().shapes[i]);
  }
  return DatasetBuilder(selector, "DirectedInterleaveDataset").In(variants).Build(std::move(element));
}

namespace {

// Draws the index of a dataset: logits [n] and two random numbers as the seed -> scalar.
OutputList DrawDataset(const Output& logits, const Output& seed) {
  const Output drawn = StatelessMultinomial(ExpandDims(logits, 0), 1, seed);
  return {Reshape(drawn, Constant(drawn.graph(), Tensor::Vector<int32_t>({})))};
}

Dataset MapTraced(const Dataset& input, Result<DatasetFunction> f, OutputList captured = {}) {
  if (!f.ok()) {
    input.graph().RecordError(f.status());
    return {};
  }
  f->captured = std::move(captured);
  return input.Map(*f);
}

}  // namespace

Dataset Dataset::Sample(const std::vector<Dataset>& datasets, const Input& weights, std::optional<int64_t> seed) {
  Graph& graph = datasets.at(0).graph();
  Output logits;
  if (weights.absent()) {
    logits = Constant(graph, Tensor::Vector<float>(std::vector<float>(datasets.size(), 1.0F)));
  } else {
    logits = Log(DatasetArg(graph, weights, kInvalidType, "weights"));
  }
  const Dataset seeds = Random(graph, seed).Batch(2);
  if (!logits.valid() || !seeds.valid()) return {};
  ElementType arguments = seeds.element();
  arguments.types.push_back(logits.base_dtype());
  arguments.shapes.push_back(logits.shape());
  const Dataset selector =
      MapTraced(seeds,
                TraceDatasetFunction(graph, arguments,
                                     [](Graph&, const OutputList& args) { return DrawDataset(args[1], args[0]); }),
                {logits});
  return selector.valid() ? Choose(selector, datasets) : Dataset();
}

Dataset Dataset::SampleBy(const Dataset& weights, const std::vector<Dataset>& datasets, std::optional<int64_t> seed) {
  Graph& graph = weights.graph();
  const Dataset seeds = Random(graph, seed).Batch(2);
  if (!seeds.valid()) return {};
  const Dataset both = Zip({weights, seeds});
  const Dataset selector = MapTraced(
      both, TraceDatasetFunction(graph, both.element(),
                                 [](Graph&, const OutputList& args) { return DrawDataset(Log(args[0]), args[1]); }));
  return selector.valid() ? Choose(selector, datasets) : Dataset();
}

// --- Numbers of elements ---
Output Dataset::Cardinality() const {
  return valid() ? NodeBuilder(graph(), "DatasetCardinality").In(variant_).BuildOutput() : variant_;
}

Dataset Dataset::AssertCardinality(const Input& count) const {
  return DatasetBuilder(*this, "AssertCardinalityDataset").In(count, kInt64, "cardinality").Build(element_);
}

}  // namespace weir
