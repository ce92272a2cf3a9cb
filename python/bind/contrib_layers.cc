// Computations of tf.contrib.layers. The classes and functions with variables are in weir/lib/contrib_*.py.
#include "bind/arguments.h"
#include "bind/contrib.h"
#include "graph/compose/dims.h"
#include "graph/compose/layer_math.h"

namespace weir::python {
namespace {

using layers::GroupNormOptions;
using layers::NormParameters;

GroupNormOptions GroupsFrom(int64_t groups, int64_t channels_axis, std::vector<int64_t> reduction_axes, double epsilon,
                            bool mean_close_to_zero) {
  return {groups, channels_axis, std::move(reduction_axes), epsilon, mean_close_to_zero};
}

void BindNormalizations(py::module_& m) {
  Def(
      m, "normalize_layer",
      +[](Graph& g, Input x, int64_t begin_axis, Input beta, Input gamma) {
        return layers::NormalizeLayer(ValueOf(g, x), begin_axis, NormParameters{gamma, beta});
      },
      py::arg("inputs"), py::arg("begin_norm_axis"), py::arg("beta"), py::arg("gamma"));
  Def(
      m, "normalize_instances",
      +[](Graph& g, Input x, bool channels_first, double epsilon, Input beta, Input gamma) {
        return layers::NormalizeInstances(ValueOf(g, x), channels_first, epsilon, NormParameters{gamma, beta});
      },
      py::arg("inputs"), py::arg("channels_first"), py::arg("epsilon"), py::arg("beta"), py::arg("gamma"));
  m.def(
      "group_norm_channels",
      [](const PartialShape& shape, int64_t groups, int64_t channels_axis, std::vector<int64_t> reduction_axes) {
        return Take(layers::GroupNormChannels(shape, GroupsFrom(groups, channels_axis, reduction_axes, 0, false)));
      },
      py::arg("shape"), py::arg("groups"), py::arg("channels_axis"), py::arg("reduction_axes"));
  Def(
      m, "normalize_groups",
      +[](Graph& g, Input x, int64_t groups, int64_t channels_axis, std::vector<int64_t> reduction_axes, double epsilon,
          bool mean_close_to_zero, Input beta, Input gamma) {
        return layers::NormalizeGroups(ValueOf(g, x),
                                       GroupsFrom(groups, channels_axis, reduction_axes, epsilon, mean_close_to_zero),
                                       NormParameters{gamma, beta});
      },
      py::arg("inputs"), py::arg("groups"), py::arg("channels_axis"), py::arg("reduction_axes"), py::arg("epsilon"),
      py::arg("mean_close_to_zero"), py::arg("beta"), py::arg("gamma"));
  Def(
      m, "normalize_unit",
      +[](Graph& g, Input x, int64_t axis, double epsilon) {
        return layers::NormalizeUnit(ValueOf(g, x), axis, epsilon);
      },
      py::arg("inputs"), py::arg("dim"), py::arg("epsilon"));
  Def(
      m, "normalize_poincare",
      +[](Graph& g, Input x, int64_t axis, double epsilon) {
        return layers::NormalizePoincare(ValueOf(g, x), axis, epsilon);
      },
      py::arg("x"), py::arg("axis"), py::arg("epsilon"));
}

}  // namespace

void BindContribLayers(py::module_& m) {
  BindNormalizations(m);
  Def(
      m, "max_out",
      +[](Graph& g, Input x, int64_t num_units, int64_t axis) {
        return layers::MaxOut(ValueOf(g, x), num_units, axis);
      },
      py::arg("inputs"), py::arg("num_units"), py::arg("axis"));
  Def(
      m, "spatial_softmax",
      +[](Graph& g, Input features, Input temperature, bool channels_first) {
        return layers::SpatialSoftmax(ValueOf(g, features), temperature, channels_first);
      },
      py::arg("features"), py::arg("temperature"), py::arg("channels_first"));
  Def(
      m, "convolve_in_plane",
      +[](Graph& g, Input x, Input filter, std::vector<int64_t> strides, const std::string& padding) {
        return layers::ConvolveInPlane(ValueOf(g, x), filter, strides, padding);
      },
      py::arg("inputs"), py::arg("filter"), py::arg("strides"), py::arg("padding"));
  Def(
      m, "flatten_inner",
      +[](Graph& g, Input x, int64_t new_rank) { return layers::FlattenInner(ValueOf(g, x), new_rank); },
      py::arg("inputs"), py::arg("new_rank"));
  Def(
      m, "images_to_sequence",
      +[](Graph& g, Input x, bool channels_first) { return layers::ImagesToSequence(ValueOf(g, x), channels_first); },
      py::arg("inputs"), py::arg("channels_first"));
  Def(
      m, "sequence_to_images",
      +[](Graph& g, Input x, int64_t height, bool channels_first) {
        return layers::SequenceToImages(ValueOf(g, x), height, channels_first);
      },
      py::arg("inputs"), py::arg("height"), py::arg("channels_first"));
  Def(
      m, "multiply_rows",
      +[](Graph& g, Input x, Input weights, Input biases) {
        return layers::MultiplyRows(ValueOf(g, x), weights, biases);
      },
      py::arg("x"), py::arg("weights"), py::arg("biases"));
  // The indices, values and shape of the elements that differ from a token.
  m.def("sparse_parts", Building([](Graph& g, Input x, Input eos_token) {
          const Sparse parts = layers::SparseOf(ValueOf(g, x), eos_token);
          return OutputList{parts.indices, parts.values, parts.dense_shape};
        }),
        py::arg("tensor"), py::arg("eos_token"));
}

}  // namespace weir::python
