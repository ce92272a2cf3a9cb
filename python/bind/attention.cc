// Attention mechanisms and beam search of tf.contrib.seq2seq.
#include "graph/compose/attention.h"

#include "bind/arguments.h"
#include "bind/seq2seq.h"
#include "graph/compose/beam_search.h"

namespace weir::python {
namespace {

void BindBeams(py::module_& m) {
  Def(
      m, "first_beams",
      +[](Graph& g, Input batch_size, int64_t width, DType dtype) -> Result<std::vector<Output>> {
        WEIR_ASSIGN(const BeamState state, FirstBeams(g, batch_size, width, dtype));
        return std::vector<Output>{state.log_probs, state.finished, state.lengths};
      },
      py::arg("batch_size"), py::arg("beam_width"), py::arg("dtype"));
  // Returns scores, ids, parents, log_probs, finished, lengths and, with a coverage penalty, attention_probs.
  Def(
      m, "beam_search_step",
      +[](Graph& g, Input logits, std::vector<Output> state, int64_t width, Input end_token, Input length_penalty,
          Input coverage_penalty, Input attention) -> Result<std::vector<Output>> {
        if (state.size() < 3) return InvalidArgument("the state of a beam search has at least 3 tensors");
        const BeamState before{state[0], state[1], state[2], state.size() > 3 ? state[3] : Output()};
        WEIR_ASSIGN(const BeamStepResult step,
                    BeamSearchStep(g, logits, before, {width, end_token, length_penalty, coverage_penalty}, attention));
        std::vector<Output> all = {step.scores,          step.predicted_ids,  step.parent_ids,
                                   step.state.log_probs, step.state.finished, step.state.lengths};
        if (step.state.attention_probs.valid()) all.push_back(step.state.attention_probs);
        return all;
      },
      py::arg("logits"), py::arg("state"), py::arg("beam_width"), py::arg("end_token"),
      py::arg("length_penalty_weight"), py::arg("coverage_penalty_weight"), py::arg("attention"));
  Def(
      m, "gather_beams", +[](Graph& g, Input values, Input ids) { return GatherBeams(g, values, ids); },
      py::arg("values"), py::arg("ids"));
  Def(
      m, "merge_beams", +[](Graph& g, Input values) { return MergeBeams(g, values); }, py::arg("values"));
  Def(
      m, "split_beams",
      +[](Graph& g, Input values, Input batch_size, int64_t width) { return SplitBeams(g, values, batch_size, width); },
      py::arg("values"), py::arg("batch_size"), py::arg("beam_width"));
  Def(
      m, "gather_tree_from_array",
      +[](Graph& g, Input values, Input parent_ids, Input lengths) {
        return GatherTreeFromArray(g, values, parent_ids, lengths);
      },
      py::arg("t"), py::arg("parent_ids"), py::arg("sequence_length"));
}

}  // namespace

void BindAttention(py::module_& m) {
  BindBeams(m);
  Def(
      m, "prepare_memory",
      +[](Graph& g, Input memory, Input lengths, bool check) { return PrepareMemory(g, memory, lengths, check); },
      py::arg("memory"), py::arg("memory_sequence_length"), py::arg("check_inner_dims_defined"));
  Def(
      m, "bahdanau_score",
      +[](Graph& g, Input query, Input keys, Input v, Input scale, Input bias) {
        return BahdanauScore(g, query, keys, v, scale, bias);
      },
      py::arg("processed_query"), py::arg("keys"), py::arg("attention_v"), py::arg("attention_g"),
      py::arg("attention_b"));
  Def(
      m, "luong_score",
      +[](Graph& g, Input query, Input keys, Input scale) { return LuongScore(g, query, keys, scale); },
      py::arg("query"), py::arg("keys"), py::arg("scale"));
  Def(
      m, "mask_score",
      +[](Graph& g, Input score, Input lengths, Input value) { return MaskScore(g, score, lengths, value); },
      py::arg("score"), py::arg("memory_sequence_length"), py::arg("score_mask_value"));
  Def(
      m, "attention_context",
      +[](Graph& g, Input alignments, Input values) { return AttentionContext(g, alignments, values); },
      py::arg("alignments"), py::arg("values"));
  Def(
      m, "legacy_attention_features",
      +[](Graph& g, Input memory, Input kernel) { return UnrolledAttentionFeatures(g, memory, kernel); },
      py::arg("memory"), py::arg("kernel"));
  Def(
      m, "legacy_attention_read",
      +[](Graph& g, Input memory, Input features, Input v, Input query) {
        return UnrolledAttention(g, memory, features, v, query);
      },
      py::arg("memory"), py::arg("features"), py::arg("v"), py::arg("query"));
  Def(
      m, "hardmax", +[](Graph& g, Input logits, Name name) { return Hardmax(g, logits, name.text); }, py::arg("logits"),
      py::arg("name") = py::none());
  Def(
      m, "safe_cumprod",
      +[](Graph& g, Input x, Input axis, bool exclusive, bool reverse, Name) {
        return SafeCumprod(g, x, axis, exclusive, reverse);
      },
      py::arg("x"), py::arg("axis") = 0, py::arg("exclusive") = false, py::arg("reverse") = false,
      py::arg("name") = py::none());
  Def(
      m, "monotonic_attention",
      +[](Graph& g, Input p, Input previous, std::string mode) { return MonotonicAttention(g, p, previous, mode); },
      py::arg("p_choose_i"), py::arg("previous_attention"), py::arg("mode"));
  Def(
      m, "monotonic_probability_fn",
      +[](Graph& g, Input score, Input previous, double noise, std::string mode, OpSeed seed) {
        return MonotonicProbability(g, score, previous, noise, mode, seed);
      },
      py::arg("score"), py::arg("previous_alignments"), py::arg("sigmoid_noise"), py::arg("mode"),
      py::arg("seed") = py::none());
}

}  // namespace weir::python
