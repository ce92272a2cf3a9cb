// Candidate samplers draw a few classes for a loss over many classes, and compute the expected count of each.
// ComputeAccidentalHits finds the sampled classes that are true classes.
#include <cmath>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "op/gradient_context.h"
#include "op/op_registry.h"
#include "ops/math/random_fill.h"
#include "ops/nn/candidate_sampling.h"

namespace weir::ops {
namespace {

// The number of blocks of the random sequence that one drawn class may use. The next run starts after them.
constexpr uint64_t kReservedPerClass = 512;
constexpr int64_t kMostTries = std::numeric_limits<int32_t>::max();

Status CheckTrueClasses(const Tensor& classes, int64_t num_true, int64_t range) {
  if (classes.rank() != 2 || classes.dim(1) != num_true)
    return InvalidArgument("true_classes must be a matrix with num_true = {} columns, but has the shape {}", num_true,
                           classes.shape());
  const int64_t* values = classes.data<int64_t>();
  for (int64_t i = 0; i < classes.num_elements(); ++i)
    if (values[i] < 0 || values[i] >= range)
      return InvalidArgument("`true_candidate` out of range [0, {}), received {}", range, values[i]);
  return OkStatus();
}

// Returns the expected number of occurrences of a class of probability p among n drawn classes, if drawing took `tries`
// tries.
float ExpectedCount(float p, int64_t n, int64_t tries) {
  if (tries == n) return p * static_cast<float>(n);
  return -std::expm1(static_cast<float>(tries) * std::log1p(-p));
}

// Draws out[0, n). Returns the number of tries.
template <class Classes>
Result<int64_t> Draw(const KernelContext& ctx, const Classes& classes, SingleSamples& samples, bool unique,
                     int64_t* out, int64_t n) {
  if (!unique) {
    for (int64_t i = 0; i < n; ++i) out[i] = classes.Sample(samples);
    return n;
  }
  std::unordered_set<int64_t> used;
  int64_t tries = 0;
  for (int64_t i = 0; i < n;) {
    if (++tries == kMostTries)
      return InvalidArgument(
          "only {} of {} distinct classes were drawn after {} tries: sample fewer classes or allow duplicates", i, n,
          tries);
    if (tries % 65536 == 0 && ctx.cancel().cancelled()) return ctx.cancel().reason();
    const int64_t value = classes.Sample(samples);
    if (used.insert(value).second) out[i++] = value;
  }
  return tries;
}

template <class Classes>
struct SamplerState {
  SamplerState(std::shared_ptr<NodeGenerator> g, Classes c) : generator(std::move(g)), classes(std::move(c)) {}
  std::shared_ptr<NodeGenerator> generator;
  Classes classes;
  std::mutex mu;  // guards `classes` if it learns (see candidate_sampling.h)
};

template <class Classes>
Result<Kernel> MakeSampler(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t num_true, setup.Attr<int64_t>("num_true"));
  WEIR_ASSIGN(const int64_t n, setup.Attr<int64_t>("num_sampled"));
  WEIR_ASSIGN(const bool unique, setup.Attr<bool>("unique"));
  WEIR_ASSIGN(Classes classes, Classes::Make(setup));
  WEIR_ASSIGN(std::shared_ptr<NodeGenerator> generator, NodeGenerator::Make(setup));
  auto state = std::make_shared<SamplerState<Classes>>(std::move(generator), std::move(classes));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    Classes& from = state->classes;
    const Tensor& true_classes = ctx.input(0);
    WEIR_TRY(CheckTrueClasses(true_classes, num_true, from.range()));
    if (unique && n > from.most_distinct())
      return InvalidArgument(
          "Sampler's range is too small: {} distinct classes requested, but only {} have a nonzero probability", n,
          from.most_distinct());
    WEIR_ASSIGN(const Tensor sampled, ctx.Allocate(0, Shape{n}));
    WEIR_ASSIGN(const Tensor true_expected, ctx.Allocate(1, true_classes.shape()));
    WEIR_ASSIGN(const Tensor sampled_expected, ctx.Allocate(2, Shape{n}));
    std::unique_lock lock(state->mu, std::defer_lock);
    if constexpr (Classes::kLearns) lock.lock();
    SingleSamples samples(state->generator->Reserve(static_cast<uint64_t>(n) * kReservedPerClass));
    WEIR_ASSIGN(const int64_t tries, Draw(ctx, from, samples, unique, sampled.data<int64_t>(), n));
    const auto expect = [&](const Tensor& of, const Tensor& counts) {
      for (int64_t i = 0; i < of.num_elements(); ++i)
        counts.data<float>()[i] = ExpectedCount(from.Probability(of.data<int64_t>()[i]), n, tries);
    };
    expect(sampled, sampled_expected);
    expect(true_classes, true_expected);
    if constexpr (Classes::kLearns)
      for (const int64_t value : true_classes.flat<int64_t>()) from.Learn(value);
    return OkStatus();
  });
}

// Returns all classes, each once.
Result<Kernel> MakeAllSampler(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t num_true, setup.Attr<int64_t>("num_true"));
  WEIR_ASSIGN(const int64_t n, setup.Attr<int64_t>("num_sampled"));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    WEIR_TRY(CheckTrueClasses(ctx.input(0), num_true, n));
    WEIR_ASSIGN(const Tensor sampled, ctx.Allocate(0, Shape{n}));
    WEIR_ASSIGN(const Tensor true_expected, ctx.Allocate(1, ctx.input(0).shape()));
    WEIR_ASSIGN(const Tensor sampled_expected, ctx.Allocate(2, Shape{n}));
    std::fill_n(true_expected.data<float>(), true_expected.num_elements(), 1.0f);
    for (int64_t i = 0; i < n; ++i) {
      sampled.data<int64_t>()[i] = i;
      sampled_expected.data<float>()[i] = 1;
    }
    return OkStatus();
  });
}

Result<Kernel> MakeAccidentalHits(KernelSetup& setup) {
  WEIR_ASSIGN(const int64_t num_true, setup.Attr<int64_t>("num_true"));
  return Kernel::Sync([=](KernelContext& ctx) -> Status {
    const Tensor& true_classes = ctx.input(0);
    const Tensor& sampled = ctx.input(1);
    if (true_classes.rank() != 2 || true_classes.dim(1) != num_true)
      return InvalidArgument("true_classes must be a matrix with num_true = {} columns, but has the shape {}", num_true,
                             true_classes.shape());
    if (sampled.rank() != 1)
      return InvalidArgument("sampled_candidates must be a vector, but has the shape {}", sampled.shape());
    if (true_classes.dim(0) > std::numeric_limits<int32_t>::max())
      return InvalidArgument("too many rows: {}", true_classes.dim(0));
    std::unordered_map<int64_t, int64_t> places;
    for (int64_t i = 0; i < sampled.num_elements(); ++i) places[sampled.data<int64_t>()[i]] = i;
    std::vector<std::pair<int32_t, int64_t>> hits;
    for (int64_t i = 0; i < true_classes.num_elements(); ++i)
      if (const auto it = places.find(true_classes.data<int64_t>()[i]); it != places.end())
        hits.emplace_back(static_cast<int32_t>(i / num_true), it->second);
    const Shape shape{static_cast<int64_t>(hits.size())};
    WEIR_ASSIGN(const Tensor indices, ctx.Allocate(0, shape));
    WEIR_ASSIGN(const Tensor ids, ctx.Allocate(1, shape));
    WEIR_ASSIGN(const Tensor weights, ctx.Allocate(2, shape));
    for (size_t i = 0; i < hits.size(); ++i) {
      indices.data<int32_t>()[i] = hits[i].first;
      ids.data<int64_t>()[i] = hits[i].second;
      weights.data<float>()[i] = std::numeric_limits<float>::lowest();
    }
    return OkStatus();
  });
}

Status SamplerShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const PartialShape classes, ctx.WithRank(0, 2));
  WEIR_ASSIGN(const int64_t num_true, ctx.Attr<int64_t>("num_true"));
  WEIR_ASSIGN(const int64_t n, ctx.Attr<int64_t>("num_sampled"));
  ctx.set_output(0, PartialShape{n});
  ctx.set_output(1, PartialShape{classes[0], num_true});
  ctx.set_output(2, PartialShape{n});
  return OkStatus();
}

Status AccidentalHitsShape(ShapeContext& ctx) {
  WEIR_ASSIGN(const int64_t num_true, ctx.Attr<int64_t>("num_true"));
  WEIR_ASSIGN(const PartialShape true_classes, ctx.WithRank(0, 2));
  if (true_classes[1] >= 0 && true_classes[1] != num_true)
    return InvalidArgument("Dimension must be {} but is {}", num_true, true_classes[1]);
  WEIR_TRY(ctx.WithRank(1, 1).status());
  for (int i = 0; i < 3; ++i) ctx.set_output(i, PartialShape::OfRank(1));
  return OkStatus();
}

}  // namespace

void RegisterCandidateSamplers(OpRegistry& registry) {
  const auto add = [&](std::string name, std::vector<std::string> more, KernelFactory make) {
    std::vector<std::string> attrs = {"num_true: int >= 1", "num_sampled: int >= 1", "unique: bool"};
    attrs.insert(attrs.end(), more.begin(), more.end());
    attrs.insert(attrs.end(), {"seed: int = 0", "seed2: int = 0"});
    registry.Add({
        .name = std::move(name),
        .signature = "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float, "
                     "sampled_expected_count: float",
        .attrs = std::move(attrs),
        .shape = SamplerShape,
        .no_gradient = kNoGradient,
        .kernels = CpuKernel(std::move(make)),
        .traits = kComputesOnly,
        .stateful = true,
    });
  };
  add("UniformCandidateSampler", {"range_max: int >= 1"}, MakeSampler<UniformClasses>);
  add("LogUniformCandidateSampler", {"range_max: int >= 1"}, MakeSampler<LogUniformClasses>);
  add("LearnedUnigramCandidateSampler", {"range_max: int >= 1"}, MakeSampler<LearnedClasses>);
  add("ThreadUnsafeUnigramCandidateSampler", {"range_max: int >= 1"}, MakeSampler<LearnedClasses>);
  add("FixedUnigramCandidateSampler",
      {"range_max: int >= 1", "vocab_file: string = ''", "distortion: float = 1.0", "num_reserved_ids: int = 0",
       "num_shards: int >= 1 = 1", "shard: int >= 0 = 0", "unigrams: list(float) = []"},
      MakeSampler<FixedClasses>);
  add("AllCandidateSampler", {}, MakeAllSampler);
  registry.Add({
      .name = "ComputeAccidentalHits",
      .signature = "true_classes: int64, sampled_candidates: int64 -> indices: int32, ids: int64, weights: float",
      .attrs = {"num_true: int", "seed: int = 0", "seed2: int = 0"},
      .shape = AccidentalHitsShape,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeAccidentalHits),
  });
}

}  // namespace weir::ops
