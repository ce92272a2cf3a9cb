// SparseCross: all combinations of the values that an example has in several features, joined as text ("a_X_1") or
// hashed to numbers. Trained models depend on the hashes, so these must never change.
#include <algorithm>
#include <limits>

#include "op/op_registry.h"
#include "ops/array/sparse_input.h"
#include "ops/string/hash.h"

namespace weir::ops {
namespace {

// FingerprintCat64 of TensorFlow: combines two hashes, and the order matters.
uint64_t ChainedHash(uint64_t first, uint64_t second) {
  constexpr uint64_t kMultiplier = 0xc6a4a7935bd1e995;
  const auto mix = [](uint64_t v) { return v ^ (v >> 47); };
  uint64_t hash = first ^ kMultiplier;
  hash ^= mix(second * kMultiplier) * kMultiplier;
  hash *= kMultiplier;
  hash = mix(hash) * kMultiplier;
  return mix(hash);
}

// The values of one feature: those of an example are consecutive.
class CrossedFeature final {
 public:
  static Result<CrossedFeature> Sparse(const Tensor& indices, const Tensor& values, const Tensor& shape) {
    WEIR_ASSIGN(const SparseInput in, ReadSparseInput(indices, values, shape, "input ", Entries::kAnywhere));
    if (in.rank != 2) return InvalidArgument("the inputs must be two-dimensional, but one has shape {}", in.shape);
    CrossedFeature feature(values, in.shape[0]);
    // Ignores an entry that is out of order, and all entries after it.
    for (int64_t i = 0; i < in.count; ++i) {
      const int64_t example = in.index(i)[0];
      const int64_t last = feature.runs_.empty() ? -1 : feature.runs_.back().example;
      if (example < last || example < 0 || example >= feature.batch_) break;
      if (example != last) feature.runs_.push_back({example, i, 0});
      ++feature.runs_.back().count;
    }
    return feature;
  }

  static Result<CrossedFeature> Dense(const Tensor& values) {
    if (values.rank() != 2)
      return InvalidArgument("dense inputs should be matrices but one has shape {}", values.shape());
    CrossedFeature feature(values, values.dim(0));
    feature.columns_ = values.dim(1);
    return feature;
  }

  int64_t batch() const { return batch_; }
  // The examples that have values.
  std::vector<int64_t> Examples() const {
    std::vector<int64_t> examples;
    for (const Run& run : runs_) examples.push_back(run.example);
    for (int64_t example = 0; columns_ > 0 && example < batch_; ++example) examples.push_back(example);
    return examples;
  }
  int64_t Count(int64_t example) const { return RunOf(example).count; }
  uint64_t Hash(int64_t example, int64_t i) const {
    const int64_t at = RunOf(example).start + i;
    if (values_.dtype() == kString) return FarmFingerprint64(values_.data<std::string>()[at]);
    return static_cast<uint64_t>(values_.data<int64_t>()[at]);
  }
  std::string Text(int64_t example, int64_t i) const {
    const int64_t at = RunOf(example).start + i;
    return values_.dtype() == kString ? values_.data<std::string>()[at] : std::to_string(values_.data<int64_t>()[at]);
  }

 private:
  struct Run {
    int64_t example;
    int64_t start;  // among the values
    int64_t count;
  };
  CrossedFeature(Tensor values, int64_t batch) : values_(std::move(values)), batch_(batch) {}
  Run RunOf(int64_t example) const {
    if (columns_ > 0) return {example, example * columns_, columns_};
    const auto found = std::lower_bound(runs_.begin(), runs_.end(), example,
                                        [](const Run& run, int64_t e) { return run.example < e; });
    return found == runs_.end() || found->example != example ? Run{example, 0, 0} : *found;
  }

  Tensor values_;
  int64_t batch_;
  int64_t columns_ = 0;    // dense
  std::vector<Run> runs_;  // sparse, by example
};

// Counts through the combinations of one example; the last feature changes first.
class Combinations final {
 public:
  Combinations(const std::vector<CrossedFeature>& features, int64_t example)
      : features_(features), example_(example), chosen_(features.size(), 0) {}

  void Next() {
    for (size_t f = features_.size(); f-- > 0;) {
      if (++chosen_[f] < features_[f].Count(example_)) return;
      chosen_[f] = 0;
    }
  }
  uint64_t Hash(uint64_t seed) const {
    for (size_t f = 0; f < features_.size(); ++f) seed = ChainedHash(seed, features_[f].Hash(example_, chosen_[f]));
    return seed;
  }
  std::string Text() const {
    std::string text;
    for (size_t f = 0; f < features_.size(); ++f)
      text += (f == 0 ? "" : "_X_") + features_[f].Text(example_, chosen_[f]);
    return text;
  }

 private:
  const std::vector<CrossedFeature>& features_;
  const int64_t example_;
  std::vector<int64_t> chosen_;
};

struct CrossCounts {
  struct Example {
    int64_t number;
    int64_t count;
  };
  std::vector<Example> examples;  // those with combinations
  int64_t batch = 0;
  int64_t total = 0;
  int64_t most = 0;
};

Result<CrossCounts> CountCrosses(const std::vector<CrossedFeature>& features) {
  CrossCounts counts;
  if (features.empty()) return counts;
  counts.batch = features[0].batch();
  for (const CrossedFeature& feature : features)
    if (feature.batch() != counts.batch)
      return InvalidArgument("the inputs must have the same number of examples, but have {} and {}", counts.batch,
                             feature.batch());
  for (const int64_t example : features[0].Examples()) {
    int64_t count = 1;
    bool overflow = false;
    for (const CrossedFeature& feature : features)
      overflow = __builtin_mul_overflow(count, feature.Count(example), &count) || overflow;
    if (count == 0) continue;
    if (overflow || __builtin_add_overflow(counts.total, count, &counts.total))
      return InvalidArgument("example {} has too many combinations of values", example);
    counts.examples.push_back({example, count});
    counts.most = std::max(counts.most, count);
  }
  return counts;
}

struct CrossSettings {
  int num_sparse = 0;
  int num_dense = 0;
  uint64_t num_buckets = 0;
  uint64_t seed = 0;
};

Result<std::vector<CrossedFeature>> ReadCrossedFeatures(KernelContext& ctx, const CrossSettings& s) {
  std::vector<CrossedFeature> features;
  const int n = s.num_sparse;
  for (int i = 0; i < n; ++i) {
    WEIR_ASSIGN(CrossedFeature feature, CrossedFeature::Sparse(ctx.input(i), ctx.input(n + i), ctx.input(2 * n + i)));
    features.push_back(std::move(feature));
  }
  for (int i = 0; i < s.num_dense; ++i) {
    WEIR_ASSIGN(CrossedFeature feature, CrossedFeature::Dense(ctx.input(3 * n + i)));
    features.push_back(std::move(feature));
  }
  return features;
}

Status RunCross(KernelContext& ctx, const CrossSettings& s) {
  WEIR_ASSIGN(const std::vector<CrossedFeature> features, ReadCrossedFeatures(ctx, s));
  WEIR_ASSIGN(const CrossCounts counts, CountCrosses(features));
  WEIR_ASSIGN(const Shape matrix, Shape::Make({counts.total, 2}));
  WEIR_ASSIGN(Tensor indices, ctx.Allocate(0, matrix));
  WEIR_ASSIGN(Tensor values, ctx.Allocate(1, Shape{counts.total}));
  int64_t next = 0;
  for (const auto& [example, count] : counts.examples) {
    Combinations combinations(features, example);
    for (int64_t i = 0; i < count; ++i, ++next, combinations.Next()) {
      if (next % 65536 == 65535 && ctx.cancel().cancelled()) return ctx.cancel().reason();
      indices.data<int64_t>()[2 * next] = example;
      indices.data<int64_t>()[2 * next + 1] = i;
      if (values.dtype() == kString) {
        values.data<std::string>()[next] = combinations.Text();
      } else {
        values.data<int64_t>()[next] = static_cast<int64_t>(combinations.Hash(s.seed) % s.num_buckets);
      }
    }
  }
  WEIR_ASSIGN(Tensor shape, IntVector(kInt64, {counts.batch, counts.most}));
  ctx.set_output(2, std::move(shape));
  return OkStatus();
}

// The type of the output decides between hashes and text.
Result<Kernel> MakeSparseCross(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t num_buckets, setup.Attr<int64_t>("num_buckets"));
  WEIR_ASSIGN(const int64_t hash_key, setup.Attr<int64_t>("hash_key"));
  WEIR_ASSIGN(const DType internal, setup.Attr<DType>("internal_type"));
  WEIR_ASSIGN(const std::vector<DType> sparse, setup.Attr<std::vector<DType>>("sparse_types"));
  WEIR_ASSIGN(const std::vector<DType> dense, setup.Attr<std::vector<DType>>("dense_types"));
  for (const std::vector<DType>* types : {&sparse, &dense})
    for (const DType dtype : *types)
      if (internal == kString && dtype != kString)
        return InvalidArgument("with internal_type string, all values must be strings, not {}", dtype);
  // Without buckets, hashes are non-negative numbers.
  const CrossSettings settings{
      .num_sparse = static_cast<int>(sparse.size()),
      .num_dense = static_cast<int>(dense.size()),
      .num_buckets = static_cast<uint64_t>(num_buckets > 0 ? num_buckets : std::numeric_limits<int64_t>::max()),
      .seed = static_cast<uint64_t>(hash_key)};
  return Kernel::Sync([settings](KernelContext& ctx) { return RunCross(ctx, settings); });
}

}  // namespace

void RegisterSparseCross(OpRegistry& registry) {
  registry.Add({
      .name = "SparseCross",
      .signature = "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types "
                   "-> output_indices: int64, output_values: out_type, output_shape: int64",
      .attrs = {"N: int >= 0", "hashed_output: bool", "num_buckets: int >= 0", "hash_key: int",
                "sparse_types: list({int64, string}) >= 0", "dense_types: list({int64, string}) >= 0",
                "out_type: {int64, string}", "internal_type: {int64, string}"},
      .equal_lengths = {"N = sparse_types"},
      .shape = [](ShapeContext& ctx) -> Status {
        ctx.set_output(0, PartialShape({kUnknownDim, 2}));
        ctx.set_output(1, PartialShape::OfRank(1));
        ctx.set_output(2, PartialShape({2}));
        return OkStatus();
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeSparseCross),
  });
}

}  // namespace weir::ops
