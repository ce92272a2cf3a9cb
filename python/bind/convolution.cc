#include "bind/convolution.h"

#include "bind/arguments.h"
#include "graph/build/nn_ops.h"
#include "graph/compose/convolution.h"
#include "graph/compose/dims.h"

namespace weir::python {
namespace {

// None, a number or a list of numbers.
struct IntsArgument {
  std::vector<int64_t> values;
};
// "SAME", "VALID", or a list of (before, after) pairs, one per dimension.
struct PaddingArgument {
  std::string name;
  std::vector<int64_t> explicit_paddings;
};

PaddingArgument PaddingFrom(py::handle object) {
  PaddingArgument padding;
  if (py::isinstance<py::str>(object)) {
    padding.name = object.cast<std::string>();
    if (padding.name == "EXPLICIT")
      RaiseValue(
          "\"EXPLICIT\" is not a valid value for the padding parameter. To use explicit padding, the padding "
          "parameter must be a list.");
    return padding;
  }
  if (object.is_none()) RaiseType("Expected string for argument 'padding' not None.");
  padding.name = "EXPLICIT";
  for (py::handle pair : py::iter(object)) {
    const std::vector<int64_t> both = IntsFrom(pair);
    if (both.size() != 2)
      RaiseValue("When padding is a list, each element of padding must be a list or tuple of size 2");
    padding.explicit_paddings.insert(padding.explicit_paddings.end(), both.begin(), both.end());
  }
  if (padding.explicit_paddings.size() != 8) RaiseValue("When padding is a list, it must be of size 4");
  return padding;
}

}  // namespace
}  // namespace weir::python

namespace pybind11::detail {

template <>
struct type_caster<weir::python::IntsArgument> {
  PYBIND11_TYPE_CASTER(weir::python::IntsArgument, const_name("Optional[List[int]]"));
  bool load(handle source, bool) {
    if (source.is_none()) return true;
    value.values = weir::python::IntsFrom(source);
    if (value.values.empty()) weir::python::RaiseValue("a list of sizes, strides or dilations has at least one number");
    return true;
  }
};

template <>
struct type_caster<weir::python::PaddingArgument> {
  PYBIND11_TYPE_CASTER(weir::python::PaddingArgument, const_name("Any"));
  bool load(handle source, bool) {
    value = weir::python::PaddingFrom(source);
    return true;
  }
};

}  // namespace pybind11::detail

namespace weir::python {
namespace {

using Format = std::optional<std::string>;

WindowOptions Options(IntsArgument strides, IntsArgument dilations, PaddingArgument padding, const Format& format,
                      const Name& name) {
  return {.strides = std::move(strides.values),
          .dilations = std::move(dilations.values),
          .padding = std::move(padding.name),
          .explicit_paddings = std::move(padding.explicit_paddings),
          .data_format = format.value_or(""),
          .name = name.text};
}

template <int kDims>
Output Conv(Graph& g, Input input, Input filter, IntsArgument strides, PaddingArgument padding, Format format,
            IntsArgument dilations, Name n) {
  return Convolve(g, input, filter, kDims, Options(strides, dilations, padding, format, n));
}

template <int kDims>
Output ConvTranspose(Graph& g, Input value, Input filter, Input output_shape, IntsArgument strides,
                     PaddingArgument padding, Format format, IntsArgument dilations, Name n) {
  return ConvolveTransposed(g, value, filter, output_shape, kDims, Options(strides, dilations, padding, format, n));
}

void BindConvolutions(py::module_& m) {
  using Function = Output (*)(Graph&, Input, Input, IntsArgument, PaddingArgument, Format, IntsArgument, Name);
  const std::pair<const char*, Function> functions[] = {
      {"conv1d", &Conv<1>},
      {"conv2d", &Conv<2>},
      {"conv3d", &Conv<3>},
      {"convolution",
       [](Graph& g, Input input, Input filter, IntsArgument strides, PaddingArgument padding, Format format,
          IntsArgument dilations,
          Name n) { return ConvolveAnyRank(g, input, filter, Options(strides, dilations, padding, format, n)); }},
      {"depthwise_conv2d",
       [](Graph& g, Input input, Input filter, IntsArgument strides, PaddingArgument padding, Format format,
          IntsArgument dilations,
          Name n) { return ConvolveDepthwise(g, input, filter, Options(strides, dilations, padding, format, n)); }},
  };
  for (const auto& [name, function] : functions) {
    Def(m, name, function, py::arg("input"), py::arg("filter"), py::arg("strides") = py::none(), py::arg("padding"),
        py::arg("data_format") = py::none(), py::arg("dilations") = py::none(), py::arg("name") = py::none());
  }
  using Transposed = Output (*)(Graph&, Input, Input, Input, IntsArgument, PaddingArgument, Format, IntsArgument, Name);
  const std::pair<const char*, Transposed> transposed[] = {{"conv1d_transpose", &ConvTranspose<1>},
                                                           {"conv2d_transpose", &ConvTranspose<2>},
                                                           {"conv3d_transpose", &ConvTranspose<3>}};
  for (const auto& [name, function] : transposed) {
    Def(m, name, function, py::arg("value"), py::arg("filter"), py::arg("output_shape"), py::arg("strides"),
        py::arg("padding") = "SAME", py::arg("data_format") = py::none(), py::arg("dilations") = py::none(),
        py::arg("name") = py::none());
  }
  Def(
      m, "separable_conv2d",
      +[](Graph& g, Input input, Input depthwise, Input pointwise, IntsArgument strides, PaddingArgument padding,
          IntsArgument rate, Name n, Format format) {
        return ConvolveSeparable(g, input, depthwise, pointwise, Options(strides, rate, padding, format, n));
      },
      py::arg("input"), py::arg("depthwise_filter"), py::arg("pointwise_filter"), py::arg("strides"),
      py::arg("padding"), py::arg("rate") = py::none(), py::arg("name") = py::none(),
      py::arg("data_format") = py::none());
  Def(
      m, "atrous_conv2d",
      +[](Graph& g, Input value, Input filters, int64_t rate, PaddingArgument padding, Name n) {
        const auto rank_is_unknown = [](const Input& x) { return x.is_output() && !x.output().shape().known_rank(); };
        if (rank_is_unknown(value) && (!filters.is_output() || rank_is_unknown(filters)))
          RaiseValue("one of the ranks of `value` and `filters` must be known");
        return Convolve(
            g, value, filters, 2,
            {.dilations = {rate}, .padding = padding.name, .name = n.text.empty() ? "atrous_conv2d" : n.text});
      },
      py::arg("value"), py::arg("filters"), py::arg("rate"), py::arg("padding"), py::arg("name") = py::none());
  Def(
      m, "atrous_conv2d_transpose",
      +[](Graph& g, Input value, Input filters, Input output_shape, int64_t rate, PaddingArgument padding, Name n) {
        return ConvolveTransposed(g, value, filters, output_shape, 2,
                                  {.dilations = {rate},
                                   .padding = padding.name,
                                   .name = n.text.empty() ? "atrous_conv2d_transpose" : n.text});
      },
      py::arg("value"), py::arg("filters"), py::arg("output_shape"), py::arg("rate"), py::arg("padding"),
      py::arg("name") = py::none());
}

template <PoolKind kKind, int kDims>
Output PoolOver(Graph& g, Input value, IntsArgument ksize, IntsArgument strides, PaddingArgument padding, Format format,
                Name n) {
  const WindowOptions options = Options(strides, {}, padding, format, n);
  if constexpr (kDims == 0) {
    return PoolAnyRank(g, value, kKind, ksize.values, options);
  } else {
    return Pool(g, value, kKind, ksize.values, kDims, options);
  }
}

// Checks the window of tf.nn.pool, which has one size per spatial dimension.
void CheckWindow(const Input& input, const std::vector<int64_t>& window, const std::vector<int64_t>& strides) {
  const PartialShape shape = input.is_output() ? input.output().shape() : PartialShape();
  if (shape.known_rank() && shape.rank() != static_cast<int>(window.size()) + 2)
    RaiseValue(fmt::format("Shape {} must have rank {}", TupleText(shape), window.size() + 2));
  for (size_t d = 0; d < window.size(); ++d) {
    if ((strides.size() == window.size() ? strides[d] : strides.size() == 1 ? strides[0] : 1) > window[d])
      RaiseValue("`strides` > `window_shape` not supported due to inconsistency between CPU and GPU implementations.");
  }
}

void BindPooling(py::module_& m) {
  using Function = Output (*)(Graph&, Input, IntsArgument, IntsArgument, PaddingArgument, Format, Name);
  const std::pair<const char*, Function> functions[] = {
      {"max_pool1d", &PoolOver<PoolKind::kMax, 1>},   {"avg_pool1d", &PoolOver<PoolKind::kAverage, 1>},
      {"max_pool2d", &PoolOver<PoolKind::kMax, 2>},   {"avg_pool2d", &PoolOver<PoolKind::kAverage, 2>},
      {"max_pool3d", &PoolOver<PoolKind::kMax, 3>},   {"avg_pool3d", &PoolOver<PoolKind::kAverage, 3>},
      {"max_pool_any", &PoolOver<PoolKind::kMax, 0>}, {"avg_pool_any", &PoolOver<PoolKind::kAverage, 0>},
  };
  for (const auto& [name, function] : functions) {
    Def(m, name, function, py::arg("input"), py::arg("ksize"), py::arg("strides"), py::arg("padding"),
        py::arg("data_format") = py::none(), py::arg("name") = py::none());
  }
  Def(
      m, "pool",
      +[](Graph& g, Input input, IntsArgument window, std::string type, PaddingArgument padding, IntsArgument dilations,
          IntsArgument strides, Name n, Format format) {
        if (type != "MAX" && type != "AVG") RaiseValue(fmt::format("pooling_type must be MAX or AVG, got {}", type));
        CheckWindow(input, window.values, strides.values);
        return PoolAnyRank(g, input, type == "MAX" ? PoolKind::kMax : PoolKind::kAverage, window.values,
                           Options(strides, dilations, padding, format, n));
      },
      py::arg("input"), py::arg("window_shape"), py::arg("pooling_type"), py::arg("padding"),
      py::arg("dilation_rate") = py::none(), py::arg("strides") = py::none(), py::arg("name") = py::none(),
      py::arg("data_format") = py::none());
  Def(
      m, "max_pool_with_argmax",
      +[](Graph& g, Input input, IntsArgument ksize, IntsArgument strides, PaddingArgument padding, std::string format,
          DType index, Name n, bool with_batch) {
        if (format != "NHWC") RaiseValue("Data formats other than 'NHWC' are not yet supported");
        const auto r = MaxPoolWithArgmax(
            g, input, ksize.values, strides.values, padding.name,
            {.Targmax = index == kInvalidType ? kInt64 : index, .include_batch_in_index = with_batch, .name = n.text});
        return std::pair(r.output, r.argmax);
      },
      py::arg("input"), py::arg("ksize"), py::arg("strides"), py::arg("padding"), py::arg("data_format") = "NHWC",
      py::arg("Targmax") = py::none(), py::arg("name") = py::none(), py::arg("include_batch_in_index") = false);
}

}  // namespace

void BindConvolution(py::module_& m) {
  BindConvolutions(m);
  BindPooling(m);
  Def(
      m, "fused_batch_norm",
      +[](Graph& g, Input x, Input scale, Input offset, Input mean, Input variance, float epsilon, std::string format,
          bool training, Name n) {
        const BatchNormResult r = FusedBatchNormalization(
            g, x, scale, offset, mean, variance,
            {.epsilon = epsilon, .data_format = std::move(format), .is_training = training, .name = n.text});
        return std::tuple(r.y, r.mean, r.variance);
      },
      py::arg("x"), py::arg("scale"), py::arg("offset"), py::arg("mean") = py::none(), py::arg("variance") = py::none(),
      py::arg("epsilon") = 0.001, py::arg("data_format") = "NHWC", py::arg("is_training") = true,
      py::arg("name") = py::none());
  Def(
      m, "erosion2d",
      +[](Graph& g, Input value, Input kernel, std::vector<int64_t> strides, std::vector<int64_t> rates,
          std::string padding, Name n) { return Erosion(g, value, kernel, strides, rates, padding, n.text); },
      py::arg("value"), py::arg("kernel"), py::arg("strides"), py::arg("rates"), py::arg("padding"),
      py::arg("name") = py::none());
}

}  // namespace weir::python
