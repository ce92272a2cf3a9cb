// ParseExample, ParseExampleV2 and ParseSingleExample: extract features of one serialized Example or a batch of them.
#include "op/op_registry.h"
#include "ops/io/example_parser.h"

namespace weir::ops {
namespace {

const char* const kTypes = "{float, int64, string}";

// Appends the scalars in inputs [begin, begin + count).
Status AppendKeys(KernelContext& ctx, int begin, size_t count, std::vector<std::string>& keys) {
  for (size_t i = 0; i < count; ++i) {
    const Tensor& key = ctx.input(begin + static_cast<int>(i));
    if (key.num_elements() != 1) return InvalidArgument("a key must be a scalar, but has shape {}", key.shape());
    keys.push_back(key.scalar<std::string>());
  }
  return OkStatus();
}

struct SchemaAttrs {
  std::vector<DType> sparse;
  std::vector<DenseFeature> dense;
};
Result<SchemaAttrs> ReadAttrs(KernelSetup& setup, const char* sparse_count) {
  SchemaAttrs attrs;
  WEIR_ASSIGN(attrs.sparse, setup.Attr<std::vector<DType>>("sparse_types"));
  WEIR_ASSIGN(const int64_t sparse, setup.Attr<int64_t>(sparse_count));
  if (static_cast<size_t>(sparse) != attrs.sparse.size())
    return InvalidArgument("{} is {}, but there are {} sparse_types", sparse_count, sparse, attrs.sparse.size());
  WEIR_ASSIGN(const std::vector<DType> types, setup.Attr<std::vector<DType>>("Tdense"));
  WEIR_ASSIGN(const std::vector<PartialShape> shapes, setup.Attr<std::vector<PartialShape>>("dense_shapes"));
  WEIR_ASSIGN(attrs.dense, MakeDenseFeatures(types, shapes));
  return attrs;
}

Result<Kernel> MakeParseExample(KernelSetup& setup) {
  WEIR_ASSIGN(SchemaAttrs attrs, ReadAttrs(setup, "Nsparse"));
  WEIR_ASSIGN(const int64_t dense, setup.Attr<int64_t>("Ndense"));
  if (static_cast<size_t>(dense) != attrs.dense.size())
    return InvalidArgument("Ndense is {}, but there are {} dense_shapes", dense, attrs.dense.size());
  return Kernel::Sync([attrs = std::move(attrs)](KernelContext& ctx) -> Status {
    const Tensor& serialized = ctx.input(0);
    if (serialized.rank() != 1)
      return InvalidArgument("serialized must be a vector, but has shape {}", serialized.shape());
    std::vector<std::string> keys;
    WEIR_TRY(AppendKeys(ctx, 2, attrs.sparse.size() + attrs.dense.size(), keys));
    const ExampleSchema schema{FeatureKeys(std::move(keys)), attrs.sparse, attrs.dense};
    ExampleBatch batch{.serialized = serialized.flat<std::string>()};
    WEIR_ASSIGN(batch.names, BatchNames(ctx.input(1), serialized.num_elements()));
    const size_t first_default = 2 + attrs.sparse.size() + attrs.dense.size();
    return ParseExamples(ctx, schema, batch, static_cast<int>(first_default));
  });
}

Status AppendVector(const Tensor& input, size_t count, const char* what, std::vector<std::string>& keys) {
  if (static_cast<size_t>(input.num_elements()) != count)
    return InvalidArgument("{} must be {} keys, but has shape {}", what, count, input.shape());
  for (int64_t i = 0; i < input.num_elements(); ++i) keys.push_back(input.data<std::string>()[i]);
  return OkStatus();
}

Result<std::vector<RaggedFeature>> ReadRagged(const std::vector<DType>& types, const std::vector<DType>& splits) {
  if (types.size() != splits.size())
    return InvalidArgument("there are {} ragged_value_types and {} ragged_split_types", types.size(), splits.size());
  std::vector<RaggedFeature> ragged;
  for (size_t i = 0; i < types.size(); ++i) ragged.push_back({types[i], splits[i]});
  return ragged;
}

Result<Kernel> MakeParseExampleV2(KernelSetup& setup) {
  WEIR_ASSIGN(SchemaAttrs attrs, ReadAttrs(setup, "num_sparse"));
  WEIR_ASSIGN(const std::vector<DType> types, setup.Attr<std::vector<DType>>("ragged_value_types"));
  WEIR_ASSIGN(const std::vector<DType> splits, setup.Attr<std::vector<DType>>("ragged_split_types"));
  WEIR_ASSIGN(std::vector<RaggedFeature> ragged, ReadRagged(types, splits));
  return Kernel::Sync([attrs = std::move(attrs), ragged = std::move(ragged)](KernelContext& ctx) -> Status {
    const Tensor& serialized = ctx.input(0);
    if (serialized.rank() > 1)
      return InvalidArgument("serialized must be a scalar or a vector, but has shape {}", serialized.shape());
    std::vector<std::string> keys;
    WEIR_TRY(AppendVector(ctx.input(2), attrs.sparse.size(), "sparse_keys", keys));
    WEIR_TRY(AppendVector(ctx.input(3), attrs.dense.size(), "dense_keys", keys));
    WEIR_TRY(AppendVector(ctx.input(4), ragged.size(), "ragged_keys", keys));
    const ExampleSchema schema{FeatureKeys(std::move(keys)), attrs.sparse, attrs.dense, ragged};
    ExampleBatch batch{.serialized = serialized.flat<std::string>(), .batched = serialized.rank() == 1};
    WEIR_ASSIGN(batch.names, BatchNames(ctx.input(1), serialized.num_elements()));
    return ParseExamples(ctx, schema, batch, 5);
  });
}

Result<Kernel> MakeParseSingleExample(KernelSetup& setup) {
  WEIR_ASSIGN(SchemaAttrs attrs, ReadAttrs(setup, "num_sparse"));
  WEIR_ASSIGN(std::vector<std::string> keys, setup.Attr<std::vector<std::string>>("sparse_keys"));
  WEIR_ASSIGN(const std::vector<std::string> dense_keys, setup.Attr<std::vector<std::string>>("dense_keys"));
  if (keys.size() != attrs.sparse.size() || dense_keys.size() != attrs.dense.size())
    return InvalidArgument("there are {} and {} keys of sparse and dense features, but {} and {} types", keys.size(),
                           dense_keys.size(), attrs.sparse.size(), attrs.dense.size());
  keys.insert(keys.end(), dense_keys.begin(), dense_keys.end());
  auto schema = std::make_shared<const ExampleSchema>(
      ExampleSchema{FeatureKeys(std::move(keys)), std::move(attrs.sparse), std::move(attrs.dense)});
  return Kernel::Sync([schema](KernelContext& ctx) -> Status {
    const Tensor& serialized = ctx.input(0);
    if (serialized.rank() != 0)
      return InvalidArgument("serialized must be a scalar, but has shape {}", serialized.shape());
    const ExampleBatch batch{.serialized = serialized.flat<std::string>(), .batched = false};
    return ParseExamples(ctx, *schema, batch, 1);
  });
}

Status ShapesOf(ShapeContext& ctx, const char* sparse_count, const PartialShape& examples, size_t ragged = 0) {
  WEIR_ASSIGN(const int64_t sparse, ctx.Attr<int64_t>(sparse_count));
  WEIR_ASSIGN(const std::vector<DType> types, ctx.Attr<std::vector<DType>>("Tdense"));
  WEIR_ASSIGN(const std::vector<PartialShape> dense, ctx.Attr<std::vector<PartialShape>>("dense_shapes"));
  WEIR_TRY(MakeDenseFeatures(types, dense).status());
  return ExampleShapes(ctx, static_cast<size_t>(sparse), dense, examples, ragged);
}

Status ShapesOfV2(ShapeContext& ctx) {
  const PartialShape examples = ctx.input(0);
  if (examples.known_rank() && examples.rank() > 1)
    return InvalidArgument("serialized must be a scalar or a vector, but has shape {}", examples);
  WEIR_TRY(ctx.WithRankAtMost(1, 1).status());
  WEIR_ASSIGN(const std::vector<DType> types, ctx.Attr<std::vector<DType>>("ragged_value_types"));
  WEIR_ASSIGN(const std::vector<DType> splits, ctx.Attr<std::vector<DType>>("ragged_split_types"));
  WEIR_TRY(ReadRagged(types, splits).status());
  return ShapesOf(ctx, "num_sparse", examples, types.size());
}

}  // namespace

void RegisterParseExample(OpRegistry& registry) {
  registry.Add({
      .name = "ParseExample",
      .signature = "serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string, "
                   "dense_defaults: Tdense -> sparse_indices: Nsparse * int64, sparse_values: sparse_types, "
                   "sparse_shapes: Nsparse * int64, dense_values: Tdense",
      .attrs = {"Nsparse: int >= 0", "Ndense: int >= 0", fmt::format("sparse_types: list({}) >= 0", kTypes),
                fmt::format("Tdense: list({}) >= 0", kTypes), "dense_shapes: list(shape) >= 0"},
      .equal_lengths = {"Nsparse = sparse_types", "Ndense = Tdense = dense_shapes"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(const PartialShape examples, ctx.WithRank(0, 1));
        WEIR_TRY(ctx.WithRank(1, 1).status());
        return ShapesOf(ctx, "Nsparse", examples);
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeParseExample),
  });
  registry.Add({
      .name = "ParseExampleV2",
      .signature =
          "serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, "
          "dense_defaults: Tdense -> sparse_indices: num_sparse * int64, sparse_values: sparse_types, sparse_shapes: "
          "num_sparse * int64, dense_values: Tdense, ragged_values: ragged_value_types, ragged_row_splits: "
          "ragged_split_types",
      .attrs = {fmt::format("Tdense: list({}) >= 0", kTypes), "num_sparse: int >= 0",
                fmt::format("sparse_types: list({}) >= 0", kTypes),
                fmt::format("ragged_value_types: list({}) >= 0", kTypes),
                "ragged_split_types: list({int32, int64}) >= 0", "dense_shapes: list(shape) >= 0"},
      .equal_lengths = {"num_sparse = sparse_types", "ragged_value_types = ragged_split_types",
                        "Tdense = dense_shapes"},
      .shape = ShapesOfV2,
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeParseExampleV2),
  });
  registry.Add({
      .name = "ParseSingleExample",
      .signature = "serialized: string, dense_defaults: Tdense -> sparse_indices: num_sparse * int64, sparse_values: "
                   "sparse_types, sparse_shapes: num_sparse * int64, dense_values: Tdense",
      .attrs = {"num_sparse: int >= 0", "sparse_keys: list(string) >= 0", "dense_keys: list(string) >= 0",
                fmt::format("sparse_types: list({}) >= 0", kTypes), fmt::format("Tdense: list({}) >= 0", kTypes),
                "dense_shapes: list(shape) >= 0"},
      .equal_lengths = {"num_sparse = sparse_keys = sparse_types", "dense_keys = Tdense = dense_shapes"},
      .shape = [](ShapeContext& ctx) -> Status {
        WEIR_ASSIGN(const PartialShape one, ctx.WithRank(0, 0));
        return ShapesOf(ctx, "num_sparse", one);
      },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeParseSingleExample),
  });
}

}  // namespace weir::ops
