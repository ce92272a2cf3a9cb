// Random values and candidate samplers: the ops get their seeds from the graph's and the function's own.
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
      {"random_normal", [](Graph& g, Input shape, Input mean, Input stddev, DType dtype, OpSeed seed, Name n) { return RandomNormal(g, shape, mean, stddev, dtype, seed, n.text); }},
      {"truncated_normal", [](Graph& g, Input shape, Input mean, Input stddev, DType dtype, OpSeed seed, Name n) { return TruncatedNormalValues(g, shape, mean, stddev, dtype, seed, n.text); }},
  };
  for (const auto& [name, function] : normals)
    Def(m, name, function, py::arg("shape"), py::arg("mean") = 0.0, py::arg("stddev") = 1.0, py::arg("dtype") = "float32",
        py::arg("seed") = py::none(), py::arg("name") = py::none());
  Def(m, "random_uniform", Normal([](Graph& g, Input shape, Input low, Input high, DType dtype, OpSeed seed, Name n) {
        return RandomUniformValues(g, shape, low.absent() ? Input(0) : low, high, dtype, seed, n.text);
      }),
      py::arg("shape"), py::arg("minval") = 0, py::arg("maxval") = py::none(), py::arg("dtype") = "float32", py::arg("seed") = py::none(),
      py::arg("name") = py::none());
  Def(m, "random_gamma", Normal([](Graph& g, Input shape, Input alpha_in, Input beta_in, DType dtype, OpSeed seed, Name n) {
        NameScope scope(g, n.given() ? n.text : "random_gamma");
        Output alpha = ValueOf(g, alpha_in, dtype, "alpha");
        Output beta = ValueOf(g, beta_in.absent() ? Input(1) : beta_in, dtype, "beta");
        Output dims = ValueOf(g, shape, kInt32, "shape");
        if (!alpha.valid() || !beta.valid() || !dims.valid()) return Output();
        const auto [seed1, seed2] = SeedsFor(g, seed);
        // Never zero: the logarithm of a draw shall exist.
        Output tiny = CastValue(g, Tensor::Scalar(dtype == kDouble ? std::numeric_limits<double>::min()
                                                 : dtype == kHalf ? 6.104e-05 : double{std::numeric_limits<float>::min()}), dtype);
        Output raw = RandomGamma(g, dims, alpha + ZerosLike(beta), {.seed = seed1, .seed2 = seed2});
        return Output(Maximum(g, tiny, raw / beta));
      }),
      py::arg("shape"), py::arg("alpha"), py::arg("beta") = py::none(), py::arg("dtype") = "float32", py::arg("seed") = py::none(),
      py::arg("name") = py::none());
  Def(
      m, "random_poisson",
      +[](Graph& g, Input lam, Input shape, DType dtype, OpSeed seed, Name n) {
        NameScope scope(g, n.given() ? n.text : "random_poisson");
        Output dims = ValueOf(g, shape, kInt32, "shape");
        const auto [seed1, seed2] = SeedsFor(g, seed);
        return NodeBuilder(g, "RandomPoissonV2").In(dims).In(lam).Attr("dtype", dtype).Attr("seed", seed1).Attr("seed2", seed2).BuildOutput();
      },
      py::arg("lam"), py::arg("shape"), py::arg("dtype") = "float32", py::arg("seed") = py::none(), py::arg("name") = py::none());
}

void BindShuffles(py::module_& m) {
  Def(
      m, "random_shuffle", +[](Graph& g, Input value, OpSeed seed, Name n) { return RandomShuffled(ValueOf(g, value, kInvalidType, "value"), seed, n.text); },
      py::arg("value"), py::arg("seed") = py::none(), py::arg("name") = py::none());
  Def(
      m, "random_crop",
      +[](Graph& g, Input value, Input size, OpSeed seed, Name n) { return RandomCrop(ValueOf(g, value, kInvalidType, "value"), size, seed, n.text); },
      py::arg("value"), py::arg("size"), py::arg("seed") = py::none(), py::arg("name") = py::none());
  Def(
      m, "multinomial",
      +[](Graph& g, Input logits, Input num_samples, OpSeed seed, Name n, DType output_dtype) {
        return MultinomialSamples(ValueOf(g, logits, kInvalidType, "logits"), num_samples, seed, output_dtype, n.text);
      },
      py::arg("logits"), py::arg("num_samples"), py::arg("seed") = py::none(), py::arg("name") = py::none(), py::arg("output_dtype") = "int64");
}

void BindSeeds(py::module_& m) {
  m.def("set_random_seed", [](std::optional<int64_t> seed) { DefaultGraphRef().seed = seed; }, py::arg("seed"));
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

// The samplers differ in their names only.
void BindSamplers(py::module_& m) {
  for (const auto& [name, op] : {std::pair{"uniform_candidate_sampler", "UniformCandidateSampler"},
                                 std::pair{"log_uniform_candidate_sampler", "LogUniformCandidateSampler"},
                                 std::pair{"learned_unigram_candidate_sampler", "LearnedUnigramCandidateSampler"}}) {
    const std::string type = op;
    m.def(
        name,
        [type](Input true_classes, int64_t num_true, int64_t num_sampled, bool unique, int64_t range_max, OpSeed seed, const Name& name) {
          Graph& g = true_classes.is_output() ? true_classes.output().graph() : DefaultGraphRef();
          const auto [seed1, seed2] = SeedsFor(g, seed);
          return ResultOf(Take(NodeBuilder(g, type, name.text)
                                   .In(true_classes)
                                   .Attr("num_true", num_true)
                                   .Attr("num_sampled", num_sampled)
                                   .Attr("unique", unique)
                                   .Attr("range_max", range_max)
                                   .Attr("seed", seed1)
                                   .Attr("seed2", seed2)
                                   .Build()));
        },
        py::arg("true_classes"), py::arg("num_true"), py::arg("num_sampled"), py::arg("unique"), py::arg("range_max"),
        py::arg("seed") = py::none(), py::arg("name") = py::none());
  }
}

}  // namespace

void BindRandom(py::module_& m) {
  BindDistributions(m);
  BindShuffles(m);
  BindSeeds(m);
  BindSamplers(m);
}

}  // namespace weir::python
