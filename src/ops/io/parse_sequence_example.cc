// ParseSingleSequenceExample and ParseSequenceExample: extract the context and the feature lists of one serialized
// SequenceExample or a batch of them. In a batch, shorter lists are padded with zeros (empty strings).
#include <algorithm>

#include "op/op_registry.h"
#include "ops/io/example_parser.h"

namespace weir::ops {
namespace {

struct SequenceSchema {
  ExampleSchema context;
  FeatureKeys lists;  // sparse lists, then dense ones
  std::vector<DType> sparse;
  std::vector<DenseFeature> dense;
  std::vector<bool> may_be_missing;  // by dense list
  size_t context_outputs() const { return 3 * context.sparse.size() + context.dense.size(); }
};

struct SequenceTypes {
  std::vector<DType> context_sparse;
  std::vector<DenseFeature> context_dense;
  std::vector<DType> list_sparse;
  std::vector<DenseFeature> list_dense;
};

Status CheckCount(const KernelSetup& setup, const char* name, size_t wanted) {
  WEIR_ASSIGN(const int64_t count, setup.Attr<int64_t>(name));
  if (static_cast<size_t>(count) == wanted) return OkStatus();
  return InvalidArgument("{} is {}, but there are {} types", name, count, wanted);
}

Result<SequenceTypes> ReadTypes(const KernelSetup& setup) {
  SequenceTypes types;
  WEIR_ASSIGN(types.context_sparse, setup.Attr<std::vector<DType>>("context_sparse_types"));
  WEIR_ASSIGN(types.list_sparse, setup.Attr<std::vector<DType>>("feature_list_sparse_types"));
  WEIR_ASSIGN(const std::vector<DType> context_types, setup.Attr<std::vector<DType>>("Tcontext_dense"));
  WEIR_ASSIGN(const std::vector<DType> list_types, setup.Attr<std::vector<DType>>("feature_list_dense_types"));
  using Shapes = std::vector<PartialShape>;
  WEIR_ASSIGN(const Shapes context_shapes, setup.Attr<Shapes>("context_dense_shapes"));
  WEIR_ASSIGN(const Shapes list_shapes, setup.Attr<Shapes>("feature_list_dense_shapes"));
  WEIR_ASSIGN(types.context_dense, MakeDenseFeatures(context_types, context_shapes));
  WEIR_ASSIGN(types.list_dense, MakeDenseFeatures(list_types, list_shapes));
  for (const DenseFeature& feature : types.list_dense) {
    if (feature.variable)
      return InvalidArgument("the shape of one step of a feature list must be known, but is {}", feature.shape);
  }
  WEIR_TRY(CheckCount(setup, "Ncontext_sparse", types.context_sparse.size()));
  WEIR_TRY(CheckCount(setup, "Ncontext_dense", types.context_dense.size()));
  WEIR_TRY(CheckCount(setup, "Nfeature_list_sparse", types.list_sparse.size()));
  WEIR_TRY(CheckCount(setup, "Nfeature_list_dense", types.list_dense.size()));
  return types;
}

struct SequenceKeys {
  std::vector<std::string> context;  // sparse, then dense
  std::vector<std::string> lists;
  std::vector<std::string> missing;  // dense lists that may be missing
};

SequenceSchema MakeSchema(const SequenceTypes& types, SequenceKeys keys) {
  SequenceSchema schema;
  for (size_t d = 0; d < types.list_dense.size(); ++d) {
    const std::string& key = keys.lists[types.list_sparse.size() + d];
    schema.may_be_missing.push_back(std::find(keys.missing.begin(), keys.missing.end(), key) != keys.missing.end());
  }
  schema.context = {FeatureKeys(std::move(keys.context)), types.context_sparse, types.context_dense};
  schema.lists = FeatureKeys(std::move(keys.lists));
  schema.sparse = types.list_sparse;
  schema.dense = types.list_dense;
  return schema;
}

// One feature list: a feature per step.
struct Steps {
  std::vector<io::FeatureView> views;
  std::vector<int64_t> counts;
};

class ListParser final {
 public:
  ListParser(KernelContext& ctx, const SequenceSchema& schema, const ExampleBatch& batch)
      : ctx_(ctx), schema_(schema), batch_(batch), examples_(static_cast<int64_t>(batch.serialized.size())) {}

  Status Run() {
    steps_.resize(static_cast<size_t>(examples_) * schema_.lists.size());
    for (int64_t i = 0; i < examples_; ++i) WEIR_TRY(ParseOne(i));
    for (size_t k = 0; k < schema_.sparse.size(); ++k) WEIR_TRY(SetSparseTensorOutputs(k));
    for (size_t d = 0; d < schema_.dense.size(); ++d) WEIR_TRY(GiveDense(d));
    return OkStatus();
  }

 private:
  Steps& StepsOf(int64_t example, size_t number) {
    return steps_[static_cast<size_t>(example) * schema_.lists.size() + number];
  }
  int Output(size_t number) const { return static_cast<int>(schema_.context_outputs() + number); }

  Status ParseOne(int64_t i) {
    std::vector<std::string_view> found(schema_.lists.size());
    const auto visit = [](std::string_view message, io::VisitEntry entry) {
      return io::VisitFeatureLists(message, entry);
    };
    if (!schema_.lists.Find(batch_.serialized[static_cast<size_t>(i)], visit, absl::MakeSpan(found)))
      return MalformedExample(batch_, i, "");
    for (size_t n = 0; n < found.size(); ++n) {
      const std::string& key = schema_.lists[n];
      const bool dense = n >= schema_.sparse.size();
      const size_t d = dense ? n - schema_.sparse.size() : 0;
      if (found[n].data() == nullptr) {
        if (dense && !schema_.may_be_missing[d])
          return InvalidArgument(
              "{} The feature list (of type {}) is required but could not be found. To allow missing lists, add it to "
              "feature_list_dense_missing_assumed_empty.",
              batch_.Where(i, key), OpDefTypeName(schema_.dense[d].dtype));
        continue;
      }
      WEIR_TRY(ReadSteps(i, n, found[n], dense ? schema_.dense[d].dtype : schema_.sparse[n]));
      if (!dense) continue;
      const std::vector<int64_t>& counts = StepsOf(i, n).counts;
      for (size_t s = 0; s < counts.size(); ++s) {
        if (counts[s] != schema_.dense[d].values)
          return InvalidArgument("{} Step {} has {} values of type {}, but shape {} requires {}", batch_.Where(i, key),
                                 s, counts[s], OpDefTypeName(schema_.dense[d].dtype), schema_.dense[d].shape,
                                 schema_.dense[d].values);
      }
    }
    return OkStatus();
  }

  Status ReadSteps(int64_t i, size_t n, std::string_view list, DType wanted) {
    const std::string& key = schema_.lists[n];
    Steps& steps = StepsOf(i, n);
    Status error;
    const bool ok = io::VisitFeatureList(list, [&](std::string_view feature) {
      if (!error.ok()) return;
      Result<io::FeatureView> view = TypedFeature(batch_, i, key, feature, wanted);
      const int64_t count = view.ok() ? io::CountValues(*view) : 0;
      if (!view.ok())
        error = view.status();
      else if (count < 0)
        error = MalformedExample(batch_, i, key);
      if (!error.ok()) return;
      steps.views.push_back(*view);
      steps.counts.push_back(count);
    });
    if (!error.ok()) return error;
    return ok ? OkStatus() : MalformedExample(batch_, i, key);
  }

  Status SetSparseTensorOutputs(size_t k) {
    int64_t total = 0;
    int64_t longest = 0;
    int64_t widest = 0;
    for (int64_t i = 0; i < examples_; ++i) {
      const Steps& steps = StepsOf(i, k);
      longest = std::max(longest, static_cast<int64_t>(steps.views.size()));
      for (const int64_t count : steps.counts) {
        total += count;
        widest = std::max(widest, count);
      }
    }
    const size_t sparse = schema_.sparse.size();
    const int columns = batch_.batched ? 3 : 2;
    WEIR_ASSIGN(const Shape rows, Shape::Make({total, columns}));
    WEIR_ASSIGN(const Tensor indices, ctx_.Allocate(Output(k), rows));
    WEIR_ASSIGN(const Tensor values, ctx_.Allocate(Output(sparse + k), Shape{total}));
    WEIR_ASSIGN(const Tensor shape, ctx_.Allocate(Output(2 * sparse + k), Shape{columns}));
    int64_t* size = shape.data<int64_t>();
    if (batch_.batched) *size++ = examples_;
    size[0] = longest;
    size[1] = widest;
    int64_t* index = indices.data<int64_t>();
    int64_t at = 0;
    for (int64_t i = 0; i < examples_; ++i) {
      const Steps& steps = StepsOf(i, k);
      for (size_t s = 0; s < steps.views.size(); ++s) {
        ReadFeature(steps.views[s], values, at, steps.counts[s]);
        at += steps.counts[s];
        for (int64_t v = 0; v < steps.counts[s]; ++v) {
          if (batch_.batched) *index++ = i;
          *index++ = static_cast<int64_t>(s);
          *index++ = v;
        }
      }
    }
    return OkStatus();
  }

  Status GiveDense(size_t d) {
    const size_t sparse = schema_.sparse.size();
    const DenseFeature& feature = schema_.dense[d];
    int64_t longest = 0;
    for (int64_t i = 0; i < examples_; ++i)
      longest = std::max(longest, static_cast<int64_t>(StepsOf(i, sparse + d).views.size()));
    DimVector dims = feature.shape.dims();
    dims.insert(dims.begin(), longest);
    if (batch_.batched) dims.insert(dims.begin(), examples_);
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    WEIR_ASSIGN(const Tensor out, ctx_.Allocate(Output(3 * sparse + d), shape));
    Tensor lengths;
    if (batch_.batched) {
      WEIR_ASSIGN(lengths, ctx_.Allocate(Output(3 * sparse + schema_.dense.size() + d), Shape{examples_}));
    }
    for (int64_t i = 0; i < examples_; ++i) {
      const Steps& steps = StepsOf(i, sparse + d);
      const auto count = static_cast<int64_t>(steps.views.size());
      int64_t at = i * longest * feature.values;
      for (const io::FeatureView& view : steps.views) {
        ReadFeature(view, out, at, feature.values);
        at += feature.values;
      }
      FillElements(out, at, (longest - count) * feature.values);
      if (lengths.valid()) lengths.data<int64_t>()[i] = count;
    }
    return OkStatus();
  }

  KernelContext& ctx_;
  const SequenceSchema& schema_;
  const ExampleBatch& batch_;
  const int64_t examples_;
  std::vector<Steps> steps_;  // by example and key
};

Status Parse(KernelContext& ctx, const SequenceSchema& schema, const ExampleBatch& batch, int first_default) {
  WEIR_TRY(ParseExamples(ctx, schema.context, batch, first_default));
  return ListParser(ctx, schema, batch).Run();
}

Result<Kernel> MakeParseSingleSequence(KernelSetup& setup) {
  WEIR_ASSIGN(const SequenceTypes types, ReadTypes(setup));
  return Kernel::Sync([types](KernelContext& ctx) -> Status {
    const Tensor& serialized = ctx.input(0);
    if (serialized.rank() != 0)
      return InvalidArgument("serialized must be a scalar, but has shape {}", serialized.shape());
    SequenceKeys keys;
    const absl::Span<const std::string> missing = ctx.input(1).flat<std::string>();
    keys.missing.assign(missing.begin(), missing.end());
    int at = 2;
    const auto take = [&](size_t count, std::vector<std::string>& to) -> Status {
      for (; count > 0; --count) {
        const Tensor& key = ctx.input(at++);
        if (key.num_elements() != 1) return InvalidArgument("a key must be a scalar, but has shape {}", key.shape());
        to.push_back(key.scalar<std::string>());
      }
      return OkStatus();
    };
    WEIR_TRY(take(types.context_sparse.size() + types.context_dense.size(), keys.context));
    WEIR_TRY(take(types.list_sparse.size() + types.list_dense.size(), keys.lists));
    const Tensor& name = ctx.input(at + static_cast<int>(types.context_dense.size()));
    ExampleBatch batch{.serialized = serialized.flat<std::string>(), .batched = false};
    if (name.num_elements() == 1 && !name.data<std::string>()->empty()) batch.names = name.flat<std::string>();
    return Parse(ctx, MakeSchema(types, std::move(keys)), batch, at);
  });
}

Result<Kernel> MakeParseSequence(KernelSetup& setup) {
  WEIR_ASSIGN(const SequenceTypes types, ReadTypes(setup));
  SequenceKeys keys;
  using Strings = std::vector<std::string>;
  WEIR_ASSIGN(keys.missing, setup.Attr<Strings>("feature_list_dense_missing_assumed_empty"));
  const auto take = [&](const char* name, size_t count, Strings& to) -> Status {
    WEIR_ASSIGN(const Strings list, setup.Attr<Strings>(name));
    if (list.size() != count)
      return InvalidArgument("there are {} {}, but {} types for them", list.size(), name, count);
    to.insert(to.end(), list.begin(), list.end());
    return OkStatus();
  };
  WEIR_TRY(take("context_sparse_keys", types.context_sparse.size(), keys.context));
  WEIR_TRY(take("context_dense_keys", types.context_dense.size(), keys.context));
  WEIR_TRY(take("feature_list_sparse_keys", types.list_sparse.size(), keys.lists));
  WEIR_TRY(take("feature_list_dense_keys", types.list_dense.size(), keys.lists));
  auto schema = std::make_shared<const SequenceSchema>(MakeSchema(types, std::move(keys)));
  return Kernel::Sync([schema](KernelContext& ctx) -> Status {
    const Tensor& serialized = ctx.input(0);
    if (serialized.rank() != 1)
      return InvalidArgument("serialized must be a vector, but has shape {}", serialized.shape());
    ExampleBatch batch{.serialized = serialized.flat<std::string>()};
    WEIR_ASSIGN(batch.names, BatchNames(ctx.input(1), serialized.num_elements()));
    return Parse(ctx, *schema, batch, 2);
  });
}

Status SequenceShapes(ShapeContext& ctx, bool batched) {
  WEIR_ASSIGN(const PartialShape examples, ctx.WithRank(0, batched ? 1 : 0));
  WEIR_TRY(ctx.WithRank(1, 1).status());  // the names, or the lists that may be missing
  WEIR_ASSIGN(const int64_t context_sparse, ctx.Attr<int64_t>("Ncontext_sparse"));
  WEIR_ASSIGN(const int64_t list_sparse, ctx.Attr<int64_t>("Nfeature_list_sparse"));
  using Shapes = std::vector<PartialShape>;
  WEIR_ASSIGN(const Shapes context_dense, ctx.Attr<Shapes>("context_dense_shapes"));
  WEIR_ASSIGN(const Shapes list_dense, ctx.Attr<Shapes>("feature_list_dense_shapes"));
  for (const Shapes& shapes : {context_dense, list_dense}) {
    for (const PartialShape& shape : shapes) {
      if (!shape.fully_defined()) return InvalidArgument("Shape {} is not fully defined", shape);
    }
  }
  const auto outputs = 3 * static_cast<size_t>(context_sparse) + context_dense.size() +
                       3 * static_cast<size_t>(list_sparse) + list_dense.size() * (batched ? 2 : 1);
  if (outputs != static_cast<size_t>(ctx.num_outputs()))
    return InvalidArgument(
        "there are {} context_dense_shapes and {} feature_list_dense_shapes, which do not match the number of types",
        context_dense.size(), list_dense.size());
  WEIR_TRY(ExampleShapes(ctx, static_cast<size_t>(context_sparse), context_dense, examples));
  int at = static_cast<int>(3 * context_sparse) + static_cast<int>(context_dense.size());
  const int64_t columns = batched ? 3 : 2;
  for (int64_t k = 0; k < list_sparse; ++k) ctx.set_output(at++, PartialShape{kUnknownDim, columns});
  for (int64_t k = 0; k < list_sparse; ++k) ctx.set_output(at++, PartialShape{kUnknownDim});
  for (int64_t k = 0; k < list_sparse; ++k) ctx.set_output(at++, PartialShape{columns});
  for (const PartialShape& shape : list_dense)
    ctx.set_output(at++, shape.known_rank() ? examples.Concat(PartialShape{kUnknownDim}).Concat(shape) : shape);
  for (size_t d = 0; batched && d < list_dense.size(); ++d) ctx.set_output(at++, examples);
  return OkStatus();
}

const char* const kOutputs =
    "context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, "
    "feature_list_sparse_indices: Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types";
const char* const kTypeAttrs[] = {"Ncontext_sparse: int >= 0 = 0",
                                  "Ncontext_dense: int >= 0 = 0",
                                  "Nfeature_list_sparse: int >= 0 = 0",
                                  "Nfeature_list_dense: int >= 0 = 0",
                                  "context_sparse_types: list({float, int64, string}) >= 0 = []",
                                  "Tcontext_dense: list({float, int64, string}) >= 0 = []",
                                  "feature_list_dense_types: list({float, int64, string}) >= 0 = []",
                                  "context_dense_shapes: list(shape) >= 0 = []",
                                  "feature_list_sparse_types: list({float, int64, string}) >= 0 = []",
                                  "feature_list_dense_shapes: list(shape) >= 0 = []"};
const char* const kTypeLengths[] = {"Ncontext_sparse = context_sparse_types",
                                    "Ncontext_dense = Tcontext_dense = context_dense_shapes",
                                    "Nfeature_list_sparse = feature_list_sparse_types",
                                    "Nfeature_list_dense = feature_list_dense_types = feature_list_dense_shapes"};

}  // namespace

void RegisterParseSequenceExample(OpRegistry& registry) {
  std::vector<std::string> types(std::begin(kTypeAttrs), std::end(kTypeAttrs));
  std::vector<std::string> lengths(std::begin(kTypeLengths), std::end(kTypeLengths));
  registry.Add({
      .name = "ParseSingleSequenceExample",
      .signature = fmt::format("serialized: string, feature_list_dense_missing_assumed_empty: string, "
                               "context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * "
                               "string, feature_list_sparse_keys: Nfeature_list_sparse * string, "
                               "feature_list_dense_keys: Nfeature_list_dense * string, context_dense_defaults: "
                               "Tcontext_dense, debug_name: string -> {}",
                               kOutputs),
      .attrs = types,
      .equal_lengths = lengths,
      .shape = [](ShapeContext& ctx) { return SequenceShapes(ctx, false); },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeParseSingleSequence),
  });
  std::vector<std::string> attrs = {"feature_list_dense_missing_assumed_empty: list(string) >= 0",
                                    "context_sparse_keys: list(string) >= 0", "context_dense_keys: list(string) >= 0",
                                    "feature_list_sparse_keys: list(string) >= 0",
                                    "feature_list_dense_keys: list(string) >= 0"};
  attrs.insert(attrs.end(), types.begin(), types.end());
  lengths.insert(lengths.end(),
                 {"Ncontext_sparse = context_sparse_keys", "Ncontext_dense = context_dense_keys",
                  "Nfeature_list_sparse = feature_list_sparse_keys", "Nfeature_list_dense = feature_list_dense_keys"});
  registry.Add({
      .name = "ParseSequenceExample",
      .signature = fmt::format("serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense -> {}, "
                               "feature_list_dense_lengths: Nfeature_list_dense * int64",
                               kOutputs),
      .attrs = std::move(attrs),
      .equal_lengths = std::move(lengths),
      .shape = [](ShapeContext& ctx) { return SequenceShapes(ctx, true); },
      .no_gradient = kNoGradient,
      .kernels = CpuKernel(MakeParseSequence),
  });
}

}  // namespace weir::ops
