// tf.feature_column. weir/lib/feature_column.py has the classes of columns, which users see; each object of them holds
// a FeatureColumn.
#include "bind/feature_columns.h"

#include "bind/arguments.h"
#include "bind/ownership.h"
#include "bind/sparse.h"
#include "bind/variable_scopes.h"
#include "bind/variables.h"
#include "graph/node_builder.h"

namespace weir::python {
namespace {

using Column = FeatureColumn;

// Raises the error of a column.
Column Checked(Column column) {
  Check(column.status());
  return column;
}

std::function<Result<Output>(Output)> DenseNormalizer(const py::object& function) {
  if (function.is_none()) return {};
  return [held = SharedPyObject(function)](Output x) -> Result<Output> {
    py::gil_scoped_acquire gil;
    return CatchExceptions(
        [&]() -> Result<Output> { return ToOutput(x.graph(), InputFrom(held.get()(Wrap(x))), kInvalidType); });
  };
}

std::function<Result<Sparse>(const Sparse&)> SparseNormalizer(const py::object& function) {
  if (function.is_none()) return {};
  return [held = SharedPyObject(function)](const Sparse& x) -> Result<Sparse> {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Result<Sparse> {
      const py::object result = held.get()(WrapSparse(x.indices, x.values, x.dense_shape));
      std::optional<Sparse> sparse = SparseFrom(result);
      if (!sparse.has_value()) RaiseType("the normalizer_fn of a sequence column must return a SparseTensor");
      return *sparse;
    });
  };
}

// `restore`: called with the list of the parts of a new variable.
EmbeddingOptions EmbeddingOptionsFrom(const std::string& combiner, py::object initializer,
                                      std::optional<double> max_norm, bool trainable, const py::object& restore) {
  EmbeddingOptions options{.combiner = combiner, .max_norm = max_norm, .trainable = trainable};
  if (const std::shared_ptr<const ScopedInitializer> function = InitializerFrom(std::move(initializer)))
    options.initializer = *function;
  if (restore.is_none()) return options;
  options.restore = [held = SharedPyObject(restore)](const FoundVariable& variable) -> Status {
    py::gil_scoped_acquire gil;
    return CatchExceptions([&]() -> Status {
      py::list parts;
      if (variable.whole != nullptr) parts.append(py::cast(variable.whole));
      if (variable.pieces != nullptr)
        for (const VariablePtr& part : variable.pieces->parts) parts.append(py::cast(part));
      held.get()(parts);
      return OkStatus();
    });
  };
  return options;
}

CrossedKey CrossedKeyFrom(py::handle key) {
  if (PyUnicode_Check(key.ptr()) != 0) return Str(key);
  return py::cast<Column>(key);
}

// The words of a vocabulary: a vector of strings or int64.
Tensor WordsFrom(const std::string& key, py::handle words) {
  const py::object array = py::module_::import("numpy").attr("asarray")(words);
  const std::string kind = Str(array.attr("dtype").attr("kind"));
  if (kind == "i" || kind == "u") return TensorFromPython(array.attr("tolist")(), kInt64);
  if (kind == "U" || kind == "S" || kind == "O") {
    py::list texts;
    for (py::handle word : py::iter(words))
      texts.append(PyBytes_Check(word.ptr()) != 0 ? py::reinterpret_borrow<py::object>(word) : py::str(word));
    return TensorFromPython(texts, kString);
  }
  RaiseValue(fmt::format("column '{}': the vocabulary must consist of strings or integers, not {}", key,
                         Str(array.attr("dtype").attr("name"))));
}

VocabularyOptions VocabularyOptionsFrom(DType dtype, std::optional<int64_t> default_value, int64_t num_oov_buckets) {
  return {.dtype = dtype, .default_value = default_value.value_or(-1), .num_oov_buckets = num_oov_buckets};
}

void BindDenseColumns(py::module_& m) {
  m.def("_numeric_column", [](const std::string& key, std::vector<int64_t> shape, Input default_value, DType dtype,
                              const py::object& normalizer) {
    return Checked(NumericColumn(key, {std::move(shape), default_value, dtype, DenseNormalizer(normalizer)}));
  });
  m.def("_sequence_numeric_column", [](const std::string& key, std::vector<int64_t> shape, double default_value,
                                       DType dtype, const py::object& normalizer) {
    return Checked(SequenceNumericColumn(key, {std::move(shape), default_value, dtype, SparseNormalizer(normalizer)}));
  });
  m.def("_bucketized_column", [](const Column& source, std::vector<float> boundaries) {
    return Checked(BucketizedColumn(source, std::move(boundaries)));
  });
  m.def("_indicator_column", [](const Column& categorical) { return Checked(IndicatorColumn(categorical)); });
  m.def("_embedding_column", [](const Column& categorical, int64_t dimension, const std::string& combiner,
                                py::object initializer, std::optional<double> max_norm, bool trainable,
                                const py::object& restore) {
    return Checked(EmbeddingColumn(
        categorical, dimension, EmbeddingOptionsFrom(combiner, std::move(initializer), max_norm, trainable, restore)));
  });
  m.def(
      "_shared_embedding_columns",
      [](const std::vector<Column>& categorical, int64_t dimension, const std::string& combiner, py::object initializer,
         std::optional<double> max_norm, bool trainable, const py::object& restore, const Name& name) {
        FeatureColumns columns = SharedEmbeddingColumns(
            categorical, dimension,
            EmbeddingOptionsFrom(combiner, std::move(initializer), max_norm, trainable, restore), name.text);
        for (const Column& column : columns) Check(column.status());
        return columns;
      });
}

void BindCategoricalColumns(py::module_& m) {
  m.def("_hash_bucket_column", [](const std::string& key, int64_t num_buckets, DType dtype) {
    return Checked(HashBucketColumn(key, num_buckets, dtype));
  });
  m.def("_identity_column", [](const std::string& key, int64_t num_buckets, std::optional<int64_t> default_value) {
    return Checked(IdentityColumn(key, num_buckets, default_value));
  });
  m.def("_vocabulary_list_column", [](const std::string& key, py::handle words, DType dtype,
                                      std::optional<int64_t> default_value, int64_t num_oov_buckets) {
    return Checked(
        VocabularyListColumn(key, WordsFrom(key, words), VocabularyOptionsFrom(dtype, default_value, num_oov_buckets)));
  });
  m.def("_vocabulary_dtype",
        [](const std::string& key, py::handle words) { return DTypeObjectOf(WordsFrom(key, words).dtype()); });
  m.def("_vocabulary_file_column", [](const std::string& key, const std::string& file, int64_t size, DType dtype,
                                      std::optional<int64_t> default_value, int64_t num_oov_buckets) {
    return Checked(VocabularyFileColumn(key, file, size, VocabularyOptionsFrom(dtype, default_value, num_oov_buckets)));
  });
  m.def("_crossed_column", [](const py::list& keys, int64_t num_buckets, std::optional<int64_t> hash_key) {
    std::vector<CrossedKey> list;
    for (py::handle key : keys) list.push_back(CrossedKeyFrom(key));
    return Checked(CrossedColumn(std::move(list), num_buckets, hash_key));
  });
  m.def("_weighted_column", [](const Column& categorical, const std::string& weight_key, DType dtype) {
    return Checked(WeightedColumn(categorical, weight_key, dtype));
  });
  m.def("_sequence_column", [](const Column& categorical) { return Checked(SequenceColumn(categorical)); });
}

// [(number of the column in `columns`, value, variables)]
py::list OutputsOf(const FeatureColumns& columns, const std::vector<ColumnOutput>& outputs) {
  py::list list;
  for (const ColumnOutput& output : outputs) {
    size_t number = 0;
    while (&columns[number].description() != &output.column.description()) ++number;
    list.append(py::make_tuple(number, Wrap(output.value), py::cast(output.variables)));
  }
  return list;
}

void BindColumnLayers(py::module_& m) {
  using Names = std::vector<std::string>;
  m.def("_input_layer", Building([](Graph& g, FeaturesArgument features, const py::list& columns,
                                    const py::list& collections, bool trainable) -> py::tuple {
          const auto list = columns.cast<FeatureColumns>();
          const InputLayerResult result =
              Take(InputLayer(g, features.features, list, {collections.cast<Names>(), trainable}));
          return py::make_tuple(Wrap(result.value), OutputsOf(list, result.columns));
        }));
  m.def("_sequence_input_layer", Building([](Graph& g, FeaturesArgument features, const py::list& columns,
                                             const py::list& collections, bool trainable) -> py::tuple {
          const SequenceInputResult result = Take(SequenceInputLayer(
              g, features.features, columns.cast<FeatureColumns>(), {collections.cast<Names>(), trainable}));
          return py::make_tuple(Wrap(result.value), Wrap(result.lengths));
        }));
  m.def("_linear_model",
        Building([](Graph& g, FeaturesArgument features, const py::list& columns, int64_t units,
                    const std::string& combiner, const py::list& collections, bool trainable) -> py::tuple {
          const auto list = columns.cast<FeatureColumns>();
          const LinearModelResult result =
              Take(LinearModel(g, features.features, list, {units, combiner, collections.cast<Names>(), trainable}));
          return py::make_tuple(Wrap(result.value), OutputsOf(list, result.columns), py::cast(result.bias));
        }));
}

// A description as (shape or None, dtype, default value or None).
py::tuple SpecObject(const FeatureSpec& spec) {
  if (const VarLenFeature* list = std::get_if<VarLenFeature>(&spec))
    return py::make_tuple(py::none(), DTypeObjectOf(list->dtype), py::none());
  const FixedLenFeature& fixed = std::get<FixedLenFeature>(spec);
  py::list shape;
  for (const int64_t size : fixed.shape.dims()) shape.append(size);
  const auto* literal = dynamic_cast<const PyLiteral*>(fixed.default_value.literal());
  return py::make_tuple(py::tuple(shape), DTypeObjectOf(fixed.dtype),
                        literal == nullptr ? py::object(py::none()) : literal->value());
}

}  // namespace

Graph* GraphOfArgument(const FeaturesArgument& argument) {
  for (const auto& [key, value] : argument.features) {
    if (const Sparse* sparse = std::get_if<Sparse>(&value)) return &sparse->values.graph();
    if (const Input& input = std::get<Input>(value); input.is_output()) return &input.output().graph();
  }
  return nullptr;
}

FeaturesArgument FeaturesFrom(py::handle object) {
  FeaturesArgument argument;
  for (py::handle key : py::iter(object.attr("keys")())) {
    // Columns have string keys, so no column reads this feature.
    if (PyUnicode_Check(key.ptr()) == 0) continue;
    const py::object value = object[key];
    std::optional<Sparse> sparse = IsTensor(value) ? std::nullopt : SparseFrom(value);
    if (sparse.has_value()) {
      argument.features[Str(key)] = *sparse;
    } else {
      argument.features[Str(key)] = InputFrom(value);
    }
  }
  return argument;
}

void BindFeatureColumns(py::module_& m) {
  py::class_<Column>(m, "FeatureColumn")
      .def_property_readonly("name", [](const Column& c) { return c.name(); })
      .def_property_readonly("variable_scope", [](const Column& c) { return c.variable_scope(); })
      .def_property_readonly("num_buckets", &Column::num_buckets)
      .def_property_readonly("variable_shape", &Column::variable_shape)
      .def_property_readonly("is_categorical", &Column::is_categorical)
      .def_property_readonly("is_dense", &Column::is_dense)
      .def_property_readonly("is_sequence", &Column::is_sequence);
  BindDenseColumns(m);
  BindCategoricalColumns(m);
  BindColumnLayers(m);
  m.def("_parse_example_spec", [](const FeatureColumns& columns) {
    py::dict specs;
    for (const auto& [key, spec] : Take(ParseExampleSpec(columns))) specs[key.c_str()] = SpecObject(spec);
    return specs;
  });
}

}  // namespace weir::python
