// Building blocks of tf.layers: they check arguments, list the variables of a layer, and compute its output from
// variables that the layer class, or a class derived from it, has created.
#include "bind/arguments.h"
#include "bind/convolution.h"
#include "bind/variables.h"
#include "bind/weights.h"
#include "graph/compose/dims.h"
#include "graph/compose/layer.h"
#include "graph/compose/weights.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

using layers::ImageWindow;

ImageWindow WindowFrom(int dims, std::vector<int64_t> strides, const std::string& padding,
                       const std::string& data_format, std::vector<int64_t> dilations) {
  return ImageWindow{.dims = dims,
                     .strides = std::move(strides),
                     .dilations = std::move(dilations),
                     .padding = Take(layers::PaddingFor(padding)),
                     .channels_first = Take(layers::IsChannelsFirst(data_format))};
}

void BindLayerArguments(py::module_& m) {
  m.def(
      "layer_sizes",
      [](py::handle value, int count, const char* what) {
        return py::tuple(py::cast(Take(layers::SizesFor(count, IntsFrom(value), what))));
      },
      py::arg("value"), py::arg("count"), py::arg("what"));
  py::class_<ImageWindow>(m, "LayerWindow")
      .def(py::init(&WindowFrom), py::arg("dims"), py::arg("strides"), py::arg("padding"), py::arg("data_format"),
           py::arg("dilations") = std::vector<int64_t>());
}

// An initializer in C++, called from Python.
struct WeightInitializer {
  ScopedInitializer initialize;
};

void BindWeights(py::module_& m) {
  py::class_<WeightInitializer>(m, "WeightInitializer")
      .def(
          "__call__",
          [](const WeightInitializer& self, const PartialShape& shape, DType dtype, const PartitionInfo* partition) {
            Graph& graph = DefaultGraphRef();
            Result<Output> value = self.initialize(graph, shape, dtype, partition);
            Check(graph.TakeError());
            return Take(std::move(value));
          },
          py::arg("shape"), py::arg("dtype"), py::arg("partition_info") = py::none());
  py::class_<WeightSpec>(m, "WeightSpec")
      .def_readonly("name", &WeightSpec::name)
      .def_property_readonly("shape",
                             [](const WeightSpec& spec) {
                               py::list sizes;
                               for (const int64_t size : spec.shape.dims())
                                 sizes.append(size < 0 ? py::object(py::none()) : py::int_(size));
                               return sizes;
                             })
      .def_property_readonly("dtype", [](const WeightSpec& spec) { return spec.dtype; })
      .def_property_readonly("initializer",
                             [](const WeightSpec& spec) -> py::object {
                               if (!spec.initializer) return py::none();
                               return py::cast(WeightInitializer{spec.initializer});
                             })
      .def_readonly("trainable", &WeightSpec::trainable);
}

void BindPenalties(py::module_& m) {
  py::enum_<PenaltyKind>(m, "PenaltyKind").value("L1", PenaltyKind::kL1).value("L2", PenaltyKind::kL2);
  Def(
      m, "weight_penalty",
      +[](Graph& g, PenaltyKind kind, py::object weights, Input scale, const std::string& name) {
        const DType dtype = py::cast<DType>(weights.attr("dtype").attr("base_dtype"));
        return WeightPenalty(
            g, kind, scale, dtype,
            [&]() -> Result<Output> {
              return CatchExceptions([&] { return ToOutput(g, InputFrom(weights), kInvalidType, "weights"); });
            },
            name);
      },
      py::arg("kind"), py::arg("weights"), py::arg("scale"), py::arg("name"));
}

void BindLayerClasses(py::module_& m) {
  py::class_<layers::Layer>(m, "LayerComputation")
      .def(
          "build",
          [](layers::Layer& layer, const PartialShape& shape, DType dtype, const std::string& name) {
            return Take(layer.Build(shape, dtype, name));
          },
          py::arg("shape"), py::arg("dtype"), py::arg("name"))
      .def("apply", Building([](Graph& g, const layers::Layer& layer, Input x, py::dict weights, Input training) {
             const layers::LayerResult result = layer.Apply(ValueOf(g, x), WeightValuesFrom(weights), training);
             return std::pair(result.y, result.updates);
           }),
           py::arg("inputs"), py::arg("weights"), py::arg("training") = false);
  py::class_<layers::DenseLayer, layers::Layer>(m, "DenseLayer")
      .def(py::init([](py::handle units, bool use_bias) {
             return std::make_unique<layers::DenseLayer>(SizeFrom(units), use_bias);
           }),
           py::arg("units"), py::arg("use_bias"));
  py::enum_<layers::ConvKind>(m, "ConvKind")
      .value("PLAIN", layers::ConvKind::kPlain)
      .value("TRANSPOSED", layers::ConvKind::kTransposed)
      .value("SEPARABLE", layers::ConvKind::kSeparable)
      .value("DEPTHWISE", layers::ConvKind::kDepthwise);
  py::class_<layers::ConvLayer, layers::Layer>(m, "ConvLayer")
      .def(py::init([](layers::ConvKind kind, int dims, py::handle filters, std::vector<int64_t> kernel_size,
                       std::vector<int64_t> strides, const std::string& padding, const std::string& data_format,
                       std::vector<int64_t> dilations, bool use_bias, py::handle depth_multiplier) {
             return std::make_unique<layers::ConvLayer>(layers::ConvSettings{
                 .kind = kind,
                 .window = WindowFrom(dims, std::move(strides), padding, data_format, std::move(dilations)),
                 .filters = SizeFrom(filters),
                 .kernel_size = std::move(kernel_size),
                 .use_bias = use_bias,
                 .depth_multiplier = SizeFrom(depth_multiplier)});
           }),
           py::arg("kind"), py::arg("dims"), py::arg("filters"), py::arg("kernel_size"), py::arg("strides"),
           py::arg("padding"), py::arg("data_format"), py::arg("dilations"), py::arg("use_bias"),
           py::arg("depth_multiplier") = 1);
  py::class_<layers::BatchNormLayer, layers::Layer>(m, "BatchNormLayer")
      .def(py::init([](int64_t axis, double momentum, double epsilon, bool center, bool scale,
                       std::optional<bool> fused, std::optional<double> renorm_momentum,
                       const py::dict& renorm_clipping, std::optional<int64_t> virtual_batch_size) {
             layers::NormSettings settings{axis, momentum, epsilon, center, scale, fused};
             settings.virtual_batch_size = virtual_batch_size;
             if (renorm_momentum.has_value()) {
               const auto bound = [&](const char* key) {
                 return renorm_clipping.contains(key) ? InputFrom(renorm_clipping[key]) : Input();
               };
               settings.renorm = layers::Renorm{*renorm_momentum, bound("rmin"), bound("rmax"), bound("dmax")};
             }
             return std::make_unique<layers::BatchNormLayer>(std::move(settings));
           }),
           py::arg("axis"), py::arg("momentum"), py::arg("epsilon"), py::arg("center"), py::arg("scale"),
           py::arg("fused"), py::arg("renorm_momentum") = py::none(), py::arg("renorm_clipping") = py::dict(),
           py::arg("virtual_batch_size") = py::none());
}

}  // namespace

void BindLayers(py::module_& m) {
  BindLayerArguments(m);
  BindWeights(m);
  BindPenalties(m);
  BindLayerClasses(m);
  Def(
      m, "pooling_layer",
      +[](Graph& g, Input x, bool max, std::vector<int64_t> pool_size, const ImageWindow& window) {
        return layers::ApplyPooling(ValueOf(g, x), max ? PoolKind::kMax : PoolKind::kAverage, pool_size, window);
      },
      py::arg("inputs"), py::arg("max"), py::arg("pool_size"), py::arg("window"));
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
}

}  // namespace weir::python
