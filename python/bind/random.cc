// Random values and candidate samplers. The seeds of an op are computed from the graph's seed and the `seed` argument
// of the function.
#include "graph/compose/random.h"

#include <limits>

#include "bind/arguments.h"
#include "bind/ops.h"
#include "graph/build/array_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/operators.h"
#include "graph/compose/dims.h"
#include "graph/compose/math.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

void BindDistributions(py::module_& m) {
  using Normal = Output (*)(Graph&, Input, Input, Input, DType, OpSeed, Name);
  const std::pair<const char*, Normal> normals[] = {
      {"random_normal", [](Graph& g, Input shape, Input mean, Input stddev, DType dtype, OpSeed seed,
                           Name n) { return RandomNormal(g, shape, mean, stddev, dtype, seed, n.text); }},
      {"truncated_normal", [](Graph& g, Input shape, Input mean, Input stddev, DType dtype, OpSeed seed,
                              Name n) { return TruncatedNormal(g, shape, mean, stddev, dtype, seed, n.text); }},
  };
  for (const auto& [name, function] : normals)
    Def(m, name, function, py::arg("shape"), py::arg("mean") = 0.0, py::arg("stddev") = 1.0,
        py::arg("dtype") = "float32", py::arg("seed") = py::none(), py::arg("name") = py::none());
  Def(m, "random_uniform", Normal([](Graph& g, Input shape, Input low, Input high, DType dtype, OpSeed seed, Name n) {
        return RandomUniform(g, shape, low.absent() ? Input(0) : low, high, dtype, seed, n.text);
      }),
      py::arg("shape"), py::arg("minval") = 0, py::arg("maxval") = py::none(), py::arg("dtype") = "float32",
      py::arg("seed") = py::none(), py::arg("name") = py::none());
  Def(m, "random_gamma", Normal([](Graph& g, Input shape, Input alpha, Input beta, DType dtype, OpSeed seed, Name n) {
        return RandomGammaValues(g, shape, alpha, beta, dtype, seed, n.text);
      }),
      py::arg("shape"), py::arg("alpha"), py::arg("beta") = py::none(), py::arg("dtype") = "float32",
      py::arg("seed") = py::none(), py::arg("name") = py::none());
  Def(
      m, "random_poisson",
      +[](Graph& g, Input lam, Input shape, DType dtype, OpSeed seed, Name n) {
        return RandomPoissonValues(g, lam, shape, dtype, seed, n.text);
      },
      py::arg("lam"), py::arg("shape"), py::arg("dtype") = "float32", py::arg("seed") = py::none(),
      py::arg("name") = py::none());
}

void BindShuffles(py::module_& m) {
  Def(
      m, "random_shuffle",
      +[](Graph& g, Input value, OpSeed seed, Name n) {
        return RandomShuffled(ValueOf(g, value, kInvalidType, "value"), seed, n.text);
      },
      py::arg("value"), py::arg("seed") = py::none(), py::arg("name") = py::none());
  Def(
      m, "random_crop",
      +[](Graph& g, Input value, Input size, OpSeed seed, Name n) {
        return RandomCrop(ValueOf(g, value, kInvalidType, "value"), size, seed, n.text);
      },
      py::arg("value"), py::arg("size"), py::arg("seed") = py::none(), py::arg("name") = py::none());
  Def(
      m, "multinomial",
      +[](Graph& g, Input logits, Input num_samples, OpSeed seed, Name n, DType output_dtype) {
        return MultinomialSamples(ValueOf(g, logits, kInvalidType, "logits"), num_samples, seed, output_dtype, n.text);
      },
      py::arg("logits"), py::arg("num_samples"), py::arg("seed") = py::none(), py::arg("name") = py::none(),
      py::arg("output_dtype") = "int64");
}

void BindSeeds(py::module_& m) {
  m.def(
      "set_random_seed", [](std::optional<int64_t> seed) { DefaultGraphRef().seed = seed; }, py::arg("seed"));
  m.def(
      "get_seed",
      [](OpSeed op_seed) -> py::tuple {
        Graph& graph = DefaultGraphRef();
        if (!graph.seed.has_value() && !op_seed.has_value()) return py::make_tuple(py::none(), py::none());
        const auto [seed1, seed2] = SeedsFor(graph, op_seed);
        return py::make_tuple(seed1, seed2);
      },
      py::arg("op_seed"));
}

// Builds a sampler. `sampler` has all attributes that are specific to its op.
py::object SampledClasses(NodeBuilder&& sampler, Graph& g, const Input& true_classes, int64_t num_true,
                          int64_t num_sampled, bool unique, OpSeed seed) {
  const auto [seed1, seed2] = SeedsFor(g, seed);
  return ResultOf(Take(sampler.In(true_classes)
                           .Attr("num_true", num_true)
                           .Attr("num_sampled", num_sampled)
                           .Attr("unique", unique)
                           .Attr("seed", seed1)
                           .Attr("seed2", seed2)
                           .Build()));
}

void BindSamplers(py::module_& m) {
  for (const auto& [name, op] : {std::pair{"uniform_candidate_sampler", "UniformCandidateSampler"},
                                 std::pair{"log_uniform_candidate_sampler", "LogUniformCandidateSampler"},
                                 std::pair{"learned_unigram_candidate_sampler", "LearnedUnigramCandidateSampler"}}) {
    const std::string type = op;
    m.def(
        name,
        [type](Input classes, IntAttribute num_true, IntAttribute num_sampled, bool unique, IntAttribute range_max,
               OpSeed seed, const Name& name) {
          Graph& g = GraphOfInput(classes);
          return SampledClasses(std::move(NodeBuilder(g, type, name.text).Attr("range_max", range_max.value)), g,
                                classes, num_true, num_sampled, unique, seed);
        },
        py::arg("true_classes"), py::arg("num_true"), py::arg("num_sampled"), py::arg("unique"), py::arg("range_max"),
        py::arg("seed") = py::none(), py::arg("name") = py::none());
  }
  m.def(
      "fixed_unigram_candidate_sampler",
      [](Input classes, IntAttribute num_true, IntAttribute num_sampled, bool unique, IntAttribute range_max,
         const std::string& vocab_file, float distortion, int64_t num_reserved_ids, int64_t num_shards, int64_t shard,
         std::vector<float> unigrams, OpSeed seed, const Name& name) {
        Graph& g = GraphOfInput(classes);
        NodeBuilder node(g, "FixedUnigramCandidateSampler", name.text);
        node.Attr("range_max", range_max.value)
            .Attr("vocab_file", vocab_file)
            .Attr("distortion", distortion)
            .Attr("num_reserved_ids", num_reserved_ids);
        node.Attr("num_shards", num_shards).Attr("shard", shard).Attr("unigrams", std::move(unigrams));
        return SampledClasses(std::move(node), g, classes, num_true, num_sampled, unique, seed);
      },
      py::arg("true_classes"), py::arg("num_true"), py::arg("num_sampled"), py::arg("unique"), py::arg("range_max"),
      py::arg("vocab_file") = "", py::arg("distortion") = 1.0f, py::arg("num_reserved_ids") = 0,
      py::arg("num_shards") = 1, py::arg("shard") = 0, py::arg("unigrams") = py::tuple(), py::arg("seed") = py::none(),
      py::arg("name") = py::none());
  m.def(
      "all_candidate_sampler",
      [](Input classes, IntAttribute num_true, IntAttribute num_sampled, bool unique, OpSeed seed, const Name& name) {
        Graph& g = GraphOfInput(classes);
        return SampledClasses(NodeBuilder(g, "AllCandidateSampler", name.text), g, classes, num_true, num_sampled,
                              unique, seed);
      },
      py::arg("true_classes"), py::arg("num_true"), py::arg("num_sampled"), py::arg("unique"),
      py::arg("seed") = py::none(), py::arg("name") = py::none());
  m.def(
      "compute_accidental_hits",
      [](Input classes, Input sampled, IntAttribute num_true, OpSeed seed, const Name& name) {
        Graph& g = GraphOfInput(classes);
        const auto [seed1, seed2] = SeedsFor(g, seed);
        return ResultOf(Take(NodeBuilder(g, "ComputeAccidentalHits", name.text)
                                 .In(classes)
                                 .In(sampled)
                                 .Attr("num_true", num_true.value)
                                 .Attr("seed", seed1)
                                 .Attr("seed2", seed2)
                                 .Build()));
      },
      py::arg("true_classes"), py::arg("sampled_candidates"), py::arg("num_true"), py::arg("seed") = py::none(),
      py::arg("name") = py::none());
}

void BindStateless(py::module_& m) {
  using Normal = Output (*)(Graph&, Input, Input, Input, Input, DType, Name);
  Def(m, "stateless_normal",
      Normal([](Graph& g, Input shape, Input seed, Input mean, Input stddev, DType dtype, Name n) {
        return StatelessNormal(g, shape, seed, mean, stddev, dtype, false, n.text);
      }),
      py::arg("shape"), py::arg("seed"), py::arg("mean") = 0.0, py::arg("stddev") = 1.0, py::arg("dtype") = "float32",
      py::arg("name") = py::none());
  Def(m, "stateless_truncated_normal",
      Normal([](Graph& g, Input shape, Input seed, Input mean, Input stddev, DType dtype, Name n) {
        return StatelessNormal(g, shape, seed, mean, stddev, dtype, true, n.text);
      }),
      py::arg("shape"), py::arg("seed"), py::arg("mean") = 0.0, py::arg("stddev") = 1.0, py::arg("dtype") = "float32",
      py::arg("name") = py::none());
  Def(m, "stateless_uniform", Normal([](Graph& g, Input shape, Input seed, Input low, Input high, DType dtype, Name n) {
        return StatelessUniform(g, shape, seed, low, high, dtype, n.text);
      }),
      py::arg("shape"), py::arg("seed"), py::arg("minval") = 0, py::arg("maxval") = py::none(),
      py::arg("dtype") = "float32", py::arg("name") = py::none());
}

}  // namespace

void BindRandom(py::module_& m) {
  BindStateless(m);
  BindDistributions(m);
  BindShuffles(m);
  BindSeeds(m);
  BindSamplers(m);
}

}  // namespace weir::python
