// The parts of tf.keras that C++ computes: layers without variables, steps of recurrent cells, losses, constraints.
#include "bind/keras.h"

#include "bind/arguments.h"
#include "bind/literal.h"
#include "graph/compose/dims.h"
#include "graph/compose/keras_cells.h"
#include "graph/compose/keras_losses.h"
#include "graph/compose/layer_shapes.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

using layers::Margins;

Activation CellActivation(py::object function) {
  if (function.is_none()) return {};
  return [function](Output x) -> Result<Output> {
    return CatchExceptions([&]() -> Result<Output> {
      return ToOutput(x.graph(), InputFrom(function(Wrap(x))), x.base_dtype(), "activation");
    });
  };
}

KerasCellWeights WeightsFrom(Graph& g, const Input& kernel, const Input& recurrent, const Input& bias) {
  return {ValueOf(g, kernel), ValueOf(g, recurrent), bias.absent() ? Output() : ValueOf(g, bias)};
}

void BindKerasCells(py::module_& m) {
  Def(
      m, "keras_rnn_step",
      +[](Graph& g, Input x, Input h, Input kernel, Input recurrent, Input bias, py::object activation) {
        return KerasRnnStep(ValueOf(g, x), ValueOf(g, h), WeightsFrom(g, kernel, recurrent, bias),
                            CellActivation(std::move(activation)));
      },
      py::arg("inputs"), py::arg("state"), py::arg("kernel"), py::arg("recurrent_kernel"), py::arg("bias"),
      py::arg("activation"));
  Def(
      m, "keras_gru_step",
      +[](Graph& g, Input x, Input h, Input kernel, Input recurrent, Input bias, py::object activation,
          py::object gate_activation, bool reset_after) {
        return KerasGruStep(ValueOf(g, x), ValueOf(g, h), WeightsFrom(g, kernel, recurrent, bias),
                            {CellActivation(std::move(activation)), CellActivation(std::move(gate_activation))},
                            reset_after);
      },
      py::arg("inputs"), py::arg("state"), py::arg("kernel"), py::arg("recurrent_kernel"), py::arg("bias"),
      py::arg("activation"), py::arg("recurrent_activation"), py::arg("reset_after"));
  Def(
      m, "keras_lstm_step",
      +[](Graph& g, Input x, Input h, Input c, Input kernel, Input recurrent, Input bias, py::object activation,
          py::object gate_activation) {
        const LstmState next =
            Take(KerasLstmStep(ValueOf(g, x), {ValueOf(g, c), ValueOf(g, h)}, WeightsFrom(g, kernel, recurrent, bias),
                               {CellActivation(std::move(activation)), CellActivation(std::move(gate_activation))}));
        return std::pair(next.h, next.c);
      },
      py::arg("inputs"), py::arg("h"), py::arg("c"), py::arg("kernel"), py::arg("recurrent_kernel"), py::arg("bias"),
      py::arg("activation"), py::arg("recurrent_activation"));
  Def(
      m, "keras_kept_rows",
      +[](Graph&, Output mask, Output fresh, Output before) { return KeptRows(mask, fresh, before); }, py::arg("mask"),
      py::arg("fresh"), py::arg("before"));
}

void BindKerasShapes(py::module_& m) {
  using Spatial = Output (*)(Output, const Margins&, bool);
  for (const auto& [name, function] : {std::pair<const char*, Spatial>("keras_crop", &layers::CropSpatial),
                                       std::pair<const char*, Spatial>("keras_pad", &layers::PadSpatial)})
    m.def(name,
          Building(
              [function = function](Graph& g, Input x, std::vector<std::vector<int64_t>> given, bool channels_first) {
                Margins margins;
                for (const std::vector<int64_t>& pair : given) margins.emplace_back(pair.at(0), pair.at(1));
                return function(ValueOf(g, x), margins, channels_first);
              }),
          py::arg("x"), py::arg("margins"), py::arg("channels_first"));
  Def(
      m, "keras_enlarge",
      +[](Graph& g, Input x, std::vector<int64_t> factors, bool channels_first, bool bilinear) {
        const Output value = ValueOf(g, x);
        return bilinear && factors.size() == 2 ? layers::EnlargeBilinear(value, factors[0], factors[1], channels_first)
                                               : layers::EnlargeSpatial(value, factors, channels_first);
      },
      py::arg("x"), py::arg("factors"), py::arg("channels_first"), py::arg("bilinear") = false);
  Def(
      m, "keras_pool_globally",
      +[](Graph& g, Input x, bool max, bool channels_first) {
        return layers::PoolGlobally(ValueOf(g, x), max, channels_first);
      },
      py::arg("x"), py::arg("max"), py::arg("channels_first"));
  Def(
      m, "keras_batch_dot",
      +[](Graph& g, Input x, Input y, int64_t x_axis, int64_t y_axis) {
        return layers::BatchDot(ValueOf(g, x), ValueOf(g, y), x_axis, y_axis);
      },
      py::arg("x"), py::arg("y"), py::arg("x_axis"), py::arg("y_axis"));
  Def(
      m, "keras_dot", +[](Graph& g, Input x, Input y) { return layers::DotOf(g, x, y); }, py::arg("x"), py::arg("y"));
  Def(
      m, "keras_normalize",
      +[](Graph& g, Input x, std::vector<int64_t> axes, Input scale, Input offset, double epsilon) {
        return layers::NormalizeOver(ValueOf(g, x), axes, scale, offset, epsilon);
      },
      py::arg("x"), py::arg("axes"), py::arg("scale"), py::arg("offset"), py::arg("epsilon"));
}

void BindKerasFunctions(py::module_& m) {
  Def(
      m, "keras_hard_sigmoid", +[](Graph& g, Input x) { return HardSigmoid(ValueOf(g, x)); }, py::arg("x"));
  Def(
      m, "keras_relu",
      +[](Graph& g, Input x, double alpha, std::optional<double> max_value, double threshold) {
        return layers::LimitedRelu(ValueOf(g, x), alpha, max_value, threshold);
      },
      py::arg("x"), py::arg("alpha") = 0.0, py::arg("max_value") = py::none(), py::arg("threshold") = 0.0);
  Def(
      m, "keras_prelu",
      +[](Graph& g, Input x, Input alpha) { return layers::ParametricRelu(ValueOf(g, x), ValueOf(g, alpha)); },
      py::arg("x"), py::arg("alpha"));
  Def(
      m, "keras_alpha_dropout",
      +[](Graph& g, Input x, double rate, Input noise_shape, OpSeed seed) {
        return layers::AlphaDropout(ValueOf(g, x), rate, noise_shape, seed);
      },
      py::arg("x"), py::arg("rate"), py::arg("noise_shape"), py::arg("seed"));
  Def(
      m, "keras_bounded_norms",
      +[](Graph& g, Input x, std::vector<int64_t> axes, double low, std::optional<double> high, double rate,
          double epsilon) { return layers::BoundedNorms(ValueOf(g, x), axes, low, high, rate, epsilon); },
      py::arg("x"), py::arg("axes"), py::arg("low"), py::arg("high"), py::arg("rate"), py::arg("epsilon"));
  Def(
      m, "keras_penalty",
      +[](Graph& g, Input x, double l1, double l2) { return layers::PenaltyOf(ValueOf(g, x), l1, l2); }, py::arg("x"),
      py::arg("l1"), py::arg("l2"));
  Def(
      m, "keras_loss",
      +[](Graph& g, const std::string& kind, Input labels, Input predictions, bool from_logits, double label_smoothing,
          int axis, double threshold, double delta, int64_t k, double epsilon) {
        return KerasLoss(g, kind, labels, predictions,
                         {from_logits, label_smoothing, axis, epsilon, threshold, delta, k});
      },
      py::arg("kind"), py::arg("y_true"), py::arg("y_pred"), py::arg("from_logits") = false,
      py::arg("label_smoothing") = 0.0, py::arg("axis") = -1, py::arg("threshold") = 0.5, py::arg("delta") = 1.0,
      py::arg("k") = 5, py::arg("epsilon") = 1e-7);
}

}  // namespace

void BindKeras(py::module_& m) {
  BindKerasCells(m);
  BindKerasShapes(m);
  BindKerasFunctions(m);
}

}  // namespace weir::python
