// tf.parse_example and related functions. Features are described by the tuples of weir/lib/parsing.py.
#include <pybind11/stl.h>

#include "bind/arguments.h"
#include "bind/queue.h"
#include "bind/sparse.h"
#include "graph/compose/parse.h"

namespace weir::python {
namespace {

template <class T>
std::vector<T> OneOrMore(py::handle object) {
  if (py::isinstance<py::list>(object) || py::isinstance<py::tuple>(object)) return object.cast<std::vector<T>>();
  return {object.cast<T>()};
}

FeatureSpec SpecFrom(const std::string& key, py::handle feature) {
  const std::string kind = Str(feature.get_type().attr("__name__"));
  if (kind == "VarLenFeature") return VarLenFeature{AsDType(feature.attr("dtype"))};
  if (kind == "SparseFeature") {
    return SparseFeature{OneOrMore<std::string>(feature.attr("index_key")), Str(feature.attr("value_key")),
                         AsDType(feature.attr("dtype")), OneOrMore<int64_t>(feature.attr("size")),
                         feature.attr("already_sorted").cast<bool>()};
  }
  py::object value = py::none();
  if (kind.starts_with("FixedLen")) value = feature.attr("default_value");
  const Input default_value = value.is_none() ? Input() : InputFrom(value);
  if (kind == "FixedLenFeature")
    return FixedLenFeature{ShapeFrom(feature.attr("shape")), AsDType(feature.attr("dtype")), default_value};
  if (kind == "FixedLenSequenceFeature")
    return FixedLenSequenceFeature{ShapeFrom(feature.attr("shape")), AsDType(feature.attr("dtype")),
                                   feature.attr("allow_missing").cast<bool>(), default_value};
  RaiseType(
      fmt::format("feature '{}' must be a FixedLenFeature, VarLenFeature, SparseFeature or "
                  "FixedLenSequenceFeature, not {}",
                  key, Repr(feature)));
}

FeatureSpecs SpecsFrom(py::handle features) {
  FeatureSpecs specs;
  if (features.is_none()) return specs;
  for (py::handle key : py::iter(features)) specs[Str(key)] = SpecFrom(Str(key), features[key]);
  return specs;
}

py::dict DictOf(const ParsedFeatures& parsed) {
  py::dict dict;
  for (const auto& [key, value] : parsed) {
    if (const auto* sparse = std::get_if<Sparse>(&value))
      dict[key.c_str()] = WrapSparse(sparse->indices, sparse->values, sparse->dense_shape);
    else
      dict[key.c_str()] = Wrap(std::get<Output>(value));
  }
  return dict;
}

py::dict LengthsOf(const ParsedSequence& parsed) {
  py::dict dict;
  for (const auto& [key, length] : parsed.lengths) dict[key.c_str()] = Wrap(length);
  return dict;
}

}  // namespace

void BindParsing(py::module_& m) {
  Def(
      m, "serialize_sparse",
      +[](Graph&, SparseArgument s, Name n, DType) { return SparseToStrings(s.sparse, false, n.text); },
      py::arg("sp_input"), py::arg("name") = py::none(), py::arg("out_type") = py::none());
  Def(
      m, "serialize_many_sparse",
      +[](Graph&, SparseArgument s, Name n, DType) { return SparseToStrings(s.sparse, true, n.text); },
      py::arg("sp_input"), py::arg("name") = py::none(), py::arg("out_type") = py::none());
  Def(
      m, "deserialize_many_sparse",
      +[](Graph& g, Input strings, DType dtype, std::optional<int64_t> rank, Name n) {
        return SparseFromStrings(g, strings, dtype, rank.value_or(-1), n.text);
      },
      py::arg("serialized_sparse"), py::arg("dtype"), py::arg("rank") = py::none(), py::arg("name") = py::none());
  m.def("parse_single_sequence_example",
        Building([](Graph& g, Input serialized, py::object context, py::object lists, Input example_name,
                    Name name) -> py::tuple {
          const ParsedSequence parsed = Take(
              ParseSingleSequenceExample(g, serialized, SpecsFrom(context), SpecsFrom(lists), example_name, name.text));
          return py::make_tuple(DictOf(parsed.context), DictOf(parsed.lists));
        }),
        py::arg("serialized"), py::arg("context_features") = py::none(), py::arg("sequence_features") = py::none(),
        py::arg("example_name") = py::none(), py::arg("name") = py::none());
  m.def("parse_sequence_example",
        Building([](Graph& g, Input serialized, py::object context, py::object lists, Input example_names,
                    Name name) -> py::tuple {
          const ParsedSequence parsed =
              Take(ParseSequenceExample(g, serialized, SpecsFrom(context), SpecsFrom(lists), example_names, name.text));
          return py::make_tuple(DictOf(parsed.context), DictOf(parsed.lists), LengthsOf(parsed));
        }),
        py::arg("serialized"), py::arg("context_features") = py::none(), py::arg("sequence_features") = py::none(),
        py::arg("example_names") = py::none(), py::arg("name") = py::none());
  m.def("parse_example",
        Building([](Graph& g, Input serialized, py::object features, Name name, Input example_names) -> py::dict {
          return DictOf(Take(ParseExample(g, serialized, SpecsFrom(features), example_names, name.text)));
        }),
        py::arg("serialized"), py::arg("features"), py::arg("name") = py::none(),
        py::arg("example_names") = py::none());
  m.def("parse_single_example",
        // example_names is ignored: the op has no such input.
        Building([](Graph& g, Input serialized, py::object features, Name name, Input) -> py::dict {
          return DictOf(Take(ParseSingleExample(g, serialized, SpecsFrom(features), name.text)));
        }),
        py::arg("serialized"), py::arg("features"), py::arg("name") = py::none(),
        py::arg("example_names") = py::none());
}

}  // namespace weir::python
