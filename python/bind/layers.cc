// Building blocks of tf.layers: they check arguments, and compute a layer's output from variables that the layer class,
// or a class derived from it, has created.
#include "bind/arguments.h"
#include "bind/convolution.h"
#include "bind/variables.h"
#include "graph/compose/apply_layer.h"
#include "graph/compose/dims.h"

namespace weir::python {
namespace {

using layers::NormPlan;
using layers::Window;

void BindLayerArguments(py::module_& m) {
  m.def(
      "layer_sizes",
      [](py::handle value, int count, const char* what) {
        return py::tuple(py::cast(Take(layers::SizesFor(count, IntsFrom(value), what))));
      },
      py::arg("value"), py::arg("count"), py::arg("what"));
  m.def(
      "layer_channels",
      [](const PartialShape& shape, int64_t axis, const std::string& layer) {
        return Take(layers::ChannelsOf(shape, axis, layer));
      },
      py::arg("shape"), py::arg("axis"), py::arg("layer"));
  py::class_<Window>(m, "LayerWindow")
      .def(py::init([](int dims, std::vector<int64_t> strides, const std::string& padding,
                       const std::string& data_format, std::vector<int64_t> dilations) {
             return Window{.dims = dims,
                           .strides = std::move(strides),
                           .dilations = std::move(dilations),
                           .padding = Take(layers::PaddingFor(padding)),
                           .channels_first = Take(layers::IsChannelsFirst(data_format))};
           }),
           py::arg("dims"), py::arg("strides"), py::arg("padding"), py::arg("data_format"),
           py::arg("dilations") = std::vector<int64_t>())
      .def_readonly("channels_first", &Window::channels_first);
}

void BindWindowLayers(py::module_& m) {
  Def(
      m, "dense_layer",
      +[](Graph& g, Input x, Input kernel, Input bias) { return layers::ApplyDense(ValueOf(g, x), kernel, bias); },
      py::arg("inputs"), py::arg("kernel"), py::arg("bias"));
  Def(
      m, "convolution_layer",
      +[](Graph& g, Input x, Input kernel, Input bias, const Window& window) {
        return layers::ApplyConvolution(ValueOf(g, x), kernel, bias, window);
      },
      py::arg("inputs"), py::arg("kernel"), py::arg("bias"), py::arg("window"));
  Def(
      m, "separable_layer",
      +[](Graph& g, Input x, Input depthwise, Input pointwise, Input bias, const Window& window) {
        return layers::ApplySeparable(ValueOf(g, x), depthwise, pointwise, bias, window);
      },
      py::arg("inputs"), py::arg("depthwise_kernel"), py::arg("pointwise_kernel"), py::arg("bias"), py::arg("window"));
  Def(
      m, "transposed_layer",
      +[](Graph& g, Input x, Input kernel, Input bias, int64_t filters, std::vector<int64_t> kernel_size,
          const Window& window) {
        return layers::ApplyTransposed(ValueOf(g, x), kernel, bias, filters, kernel_size, window);
      },
      py::arg("inputs"), py::arg("kernel"), py::arg("bias"), py::arg("filters"), py::arg("kernel_size"),
      py::arg("window"));
  Def(
      m, "pooling_layer",
      +[](Graph& g, Input x, bool max, std::vector<int64_t> pool_size, const Window& window) {
        return layers::ApplyPooling(ValueOf(g, x), max ? PoolKind::kMax : PoolKind::kAverage, pool_size, window);
      },
      py::arg("inputs"), py::arg("max"), py::arg("pool_size"), py::arg("window"));
}

void BindNormLayer(py::module_& m) {
  py::class_<NormPlan>(m, "NormPlan")
      .def(py::init([](const PartialShape& shape, DType dtype, int64_t axis, std::optional<bool> fused,
                       const std::string& layer) { return Take(layers::PlanNorm(shape, dtype, axis, fused, layer)); }),
           py::arg("shape"), py::arg("dtype"), py::arg("axis"), py::arg("fused"), py::arg("layer"))
      .def_readonly("channels", &NormPlan::channels)
      .def_property_readonly("dtype", [](const NormPlan& plan) { return plan.dtype; })
      .def_readonly("fused", &NormPlan::fused);
  Def(
      m, "norm_layer",
      +[](Graph& g, Input x, const NormPlan& plan, Input gamma, Input beta, py::object mean, py::object variance,
          double momentum, double epsilon, Input training) {
        const layers::NormResult result =
            layers::ApplyNorm(ValueOf(g, x), plan,
                              {.gamma = gamma,
                               .beta = beta,
                               .moving_mean = InputFrom(mean),
                               .moving_variance = InputFrom(variance),
                               .mean_variable = IsVariable(mean) ? VariableFrom(mean) : nullptr,
                               .variance_variable = IsVariable(variance) ? VariableFrom(variance) : nullptr},
                              momentum, epsilon, training);
        return std::pair(result.y, result.updates);
      },
      py::arg("inputs"), py::arg("plan"), py::arg("gamma"), py::arg("beta"), py::arg("moving_mean"),
      py::arg("moving_variance"), py::arg("momentum"), py::arg("epsilon"), py::arg("training"));
}

}  // namespace

void BindLayers(py::module_& m) {
  BindLayerArguments(m);
  BindWindowLayers(m);
  Def(
      m, "flatten_layer",
      +[](Graph& g, Input x, const std::string& data_format) {
        Result<bool> first = layers::IsChannelsFirst(data_format);
        return first.ok() ? layers::ApplyFlatten(ValueOf(g, x), *first) : FailedOutput(g, first.status());
      },
      py::arg("inputs"), py::arg("data_format"));
  Def(
      m, "dropout_layer",
      +[](Graph& g, Input x, Input rate, Input noise_shape, OpSeed seed, Input training) {
        return layers::ApplyDropout(ValueOf(g, x), rate, noise_shape, seed, training);
      },
      py::arg("inputs"), py::arg("rate"), py::arg("noise_shape"), py::arg("seed"), py::arg("training"));
  BindNormLayer(m);
}

}  // namespace weir::python
