// Labels of sequences: tf.contrib.crf, and connectionist temporal classification in tf.nn.
#include "bind/arguments.h"
#include "bind/numpy.h"
#include "bind/seq2seq.h"
#include "bind/sparse.h"
#include "graph/compose/crf.h"
#include "graph/compose/ctc.h"

namespace weir::python {
namespace {

py::tuple Decoded(const CtcDecoded& decoded) {
  py::list paths;
  for (const Sparse& path : decoded.paths) paths.append(py::cast(path));
  return py::make_tuple(paths, Wrap(decoded.score));
}

void BindCtc(py::module_& m) {
  Def(
      m, "ctc_loss",
      +[](Graph& g, SparseArgument labels, Input logits, Input lengths, bool collapse, bool merge, bool ignore_longer,
          bool time_major) {
        return CtcLoss(g, labels.sparse, logits, lengths, {collapse, merge, ignore_longer, time_major});
      },
      py::arg("labels"), py::arg("logits"), py::arg("sequence_length"), py::arg("preprocess_collapse_repeated"),
      py::arg("ctc_merge_repeated"), py::arg("ignore_longer_outputs_than_inputs"), py::arg("time_major"));
  Def(
      m, "ctc_loss_with_blank",
      +[](Graph& g, SparseArgument labels, Input logits, Input lengths, bool time_major, int64_t blank) {
        return CtcLossWithBlank(g, labels.sparse, logits, lengths, blank, time_major);
      },
      py::arg("labels"), py::arg("logits"), py::arg("logit_length"), py::arg("logits_time_major"),
      py::arg("blank_index"));
  Def(
      m, "ctc_loss_of_dense",
      +[](Graph& g, Input labels, Input logits, Input label_length, Input logit_length, bool time_major,
          int64_t blank) { return CtcLossOfDense(g, labels, logits, label_length, logit_length, blank, time_major); },
      py::arg("labels"), py::arg("logits"), py::arg("label_length"), py::arg("logit_length"),
      py::arg("logits_time_major"), py::arg("blank_index"));
  Def(
      m, "ctc_unique_labels",
      +[](Graph& g, Input labels, Name name) -> Result<std::pair<Output, Output>> {
        WEIR_ASSIGN(const CtcUnique unique, CtcUniqueLabels(g, labels, name.text));
        return std::pair(unique.labels, unique.positions);
      },
      py::arg("labels"), py::arg("name") = py::none());
  m.def(
      "ctc_greedy_decoder",
      [](Input inputs, Input lengths, bool merge) {
        Graph& graph = GraphOfInput(inputs);
        const CtcDecoded decoded = FinishBuild(graph, CtcGreedyDecode(graph, inputs, lengths, merge));
        return Decoded(decoded);
      },
      py::arg("inputs"), py::arg("sequence_length"), py::arg("merge_repeated") = true);
  m.def(
      "ctc_beam_search_decoder",
      [](Input inputs, Input lengths, int64_t width, int64_t paths, bool merge) {
        Graph& graph = GraphOfInput(inputs);
        const CtcDecoded decoded = FinishBuild(graph, CtcBeamSearchDecode(graph, inputs, lengths, width, paths, merge));
        return Decoded(decoded);
      },
      py::arg("inputs"), py::arg("sequence_length"), py::arg("beam_width") = 100, py::arg("top_paths") = 1,
      py::arg("merge_repeated") = true);
}

// Returns a list of Python numbers and a Python number, not numpy scalars.
py::tuple Viterbi(py::object score, py::object transitions) {
  const ViterbiPath path = Take(ViterbiDecode(TensorFromNumpy(score, kDouble, Memory::kCopy),
                                              TensorFromNumpy(transitions, kDouble, Memory::kCopy)));
  return py::make_tuple(path.tags, path.score);
}

void BindCrf(py::module_& m) {
  Def(
      m, "crf_unary_score",
      +[](Graph& g, Input tags, Input lengths, Input inputs) { return CrfUnaryScore(g, tags, lengths, inputs); },
      py::arg("tag_indices"), py::arg("sequence_lengths"), py::arg("inputs"));
  Def(
      m, "crf_binary_score",
      +[](Graph& g, Input tags, Input lengths, Input transitions) {
        return CrfBinaryScore(g, tags, lengths, transitions);
      },
      py::arg("tag_indices"), py::arg("sequence_lengths"), py::arg("transition_params"));
  Def(
      m, "crf_sequence_score",
      +[](Graph& g, Input inputs, Input tags, Input lengths, Input transitions) {
        return CrfSequenceScore(g, inputs, tags, lengths, transitions);
      },
      py::arg("inputs"), py::arg("tag_indices"), py::arg("sequence_lengths"), py::arg("transition_params"));
  Def(
      m, "crf_multitag_sequence_score",
      +[](Graph& g, Input inputs, Input allowed, Input lengths, Input transitions) {
        return CrfMultitagScore(g, inputs, allowed, lengths, transitions);
      },
      py::arg("inputs"), py::arg("tag_bitmap"), py::arg("sequence_lengths"), py::arg("transition_params"));
  Def(
      m, "crf_log_norm",
      +[](Graph& g, Input inputs, Input lengths, Input transitions) {
        return CrfLogNorm(g, inputs, lengths, transitions);
      },
      py::arg("inputs"), py::arg("sequence_lengths"), py::arg("transition_params"));
  Def(
      m, "crf_decode",
      +[](Graph& g, Input potentials, Input transitions, Input lengths) {
        const CrfDecoded decoded = CrfDecode(g, potentials, transitions, lengths);
        return std::pair(decoded.tags, decoded.score);
      },
      py::arg("potentials"), py::arg("transition_params"), py::arg("sequence_length"));
  Def(
      m, "crf_forward_step",
      +[](Graph& g, Input inputs, Input state, Input transitions) {
        return CrfForwardStep(g, inputs, state, transitions);
      },
      py::arg("inputs"), py::arg("state"), py::arg("transition_params"));
  Def(
      m, "crf_decode_forward_step",
      +[](Graph& g, Input inputs, Input state, Input transitions) {
        const CrfBackpointers next = CrfDecodeForwardStep(g, inputs, state, transitions);
        return std::pair(next.pointers, next.state);
      },
      py::arg("inputs"), py::arg("state"), py::arg("transition_params"));
  Def(
      m, "crf_decode_backward_step",
      +[](Graph& g, Input pointers, Input state) { return CrfDecodeBackwardStep(g, pointers, state); },
      py::arg("inputs"), py::arg("state"));
  Def(
      m, "crf_log_likelihood",
      +[](Graph& g, Input inputs, Input tags, Input lengths, Input transitions) -> Result<std::pair<Output, Output>> {
        WEIR_ASSIGN(const CrfLikelihood result, CrfLogLikelihood(g, inputs, tags, lengths, transitions));
        return std::pair(result.log_likelihood, result.transitions);
      },
      py::arg("inputs"), py::arg("tag_indices"), py::arg("sequence_lengths"), py::arg("transition_params"));
  m.def("viterbi_decode", &Viterbi, py::arg("score"), py::arg("transition_params"));
}

}  // namespace

void BindSequenceLabels(py::module_& m) {
  BindCtc(m);
  BindCrf(m);
}

}  // namespace weir::python
