#include "ops/io/example_parser.h"

#include <algorithm>
#include <limits>

#include "absl/container/inlined_vector.h"

namespace weir::ops {

FeatureKeys::FeatureKeys(std::vector<std::string> keys) : keys_(std::move(keys)) {
  number_.reserve(keys_.size());
  for (size_t i = 0; i < keys_.size(); ++i) {
    const auto [it, added] = number_.emplace(keys_[i], i);
    if (!added) repeated_.emplace_back(i, it->second);
  }
}

Result<DenseFeature> MakeDenseFeature(DType dtype, const PartialShape& shape) {
  if (!shape.known_rank()) return InvalidArgument("the shape of a dense feature must have a known rank");
  DenseFeature feature{.dtype = dtype, .shape = shape};
  feature.variable = shape.rank() > 0 && shape[0] == kUnknownDim;
  PartialShape row = shape;
  if (feature.variable) row.RemoveDim(0);
  if (!row.fully_defined())
    return InvalidArgument("only the first size of a dense feature may be unknown, but its shape is {}", shape);
  WEIR_ASSIGN(const Shape sizes, Shape::Make(row.dims()));
  feature.values = sizes.num_elements();
  if (feature.variable && feature.values == 0)
    return InvalidArgument("a dense feature of unknown length must have non-empty rows, but its shape is {}", shape);
  return feature;
}

Result<std::vector<DenseFeature>> MakeDenseFeatures(const std::vector<DType>& types,
                                                    const std::vector<PartialShape>& shapes) {
  if (types.size() != shapes.size())
    return InvalidArgument("there are {} types and {} shapes of dense features", types.size(), shapes.size());
  std::vector<DenseFeature> features;
  for (size_t i = 0; i < types.size(); ++i) {
    WEIR_ASSIGN(DenseFeature feature, MakeDenseFeature(types[i], shapes[i]));
    features.push_back(std::move(feature));
  }
  return features;
}

std::string ExampleBatch::Where(int64_t example, std::string_view key) const {
  const std::string feature = key.empty() ? "" : fmt::format("Key: {}", key);
  if (!batched && names.empty()) return feature.empty() ? "" : feature + ".";
  const std::string name = names.empty() ? "<unknown>" : names[static_cast<size_t>(example)];
  return fmt::format("Name: {}{}{}, Index: {}.", name, feature.empty() ? "" : ", ", feature, example);
}

Result<absl::Span<const std::string>> BatchNames(const Tensor& input, int64_t examples) {
  if (input.rank() > 1 || (input.num_elements() != 0 && input.num_elements() != examples))
    return InvalidArgument("names must be empty or one for each of the {} examples, but their shape is {}", examples,
                           input.shape());
  return absl::Span<const std::string>(input.flat<std::string>());
}

Result<io::FeatureView> TypedFeature(const ExampleBatch& batch, int64_t example, const std::string& key,
                                     std::string_view feature, DType wanted) {
  io::FeatureView view;
  if (!io::ParseFeature(feature, &view)) return MalformedExample(batch, example, key);
  if (view.dtype != kInvalidType && view.dtype != wanted)
    return InvalidArgument("{} Data types don't match: the feature has values of type {}, but {} is expected",
                           batch.Where(example, key), OpDefTypeName(view.dtype), OpDefTypeName(wanted));
  return view;
}

Status MalformedExample(const ExampleBatch& batch, int64_t example, std::string_view key) {
  const std::string where = batch.Where(example, key);
  const size_t size = batch.serialized[static_cast<size_t>(example)].size();
  return InvalidArgument("{}{}Could not parse example: its {} bytes are not a serialized message of this kind", where,
                         where.empty() ? "" : " ", size);
}

int64_t ReadFeature(const io::FeatureView& view, const Tensor& to, int64_t at, int64_t room) {
  switch (view.dtype) {
    case kFloat:
      return io::ReadValues(view.list, to.data<float>() + at, room);
    case kInt64:
      return io::ReadValues(view.list, to.data<int64_t>() + at, room);
    case kString:
      return io::ReadValues(view.list, to.data<std::string>() + at, room);
    default:
      return 0;
  }
}

namespace {
// For the error about a missing feature, e.g. "; this example has image (bytes), label (int64)".
std::string FeaturesOf(std::string_view example) {
  constexpr size_t kNamed = 20;
  std::vector<std::string> features;
  io::VisitFeatures(example, [&](std::string_view key, std::string_view feature) {
    io::FeatureView view;
    const bool typed = io::ParseFeature(feature, &view) && view.dtype != kInvalidType;
    features.push_back(fmt::format("{} ({})", key, typed ? OpDefTypeName(view.dtype) : "no values"));
  });
  if (features.empty()) return "; this example has no features";
  std::sort(features.begin(), features.end());
  const size_t more = features.size() > kNamed ? features.size() - kNamed : 0;
  features.resize(features.size() - more);
  return fmt::format("; this example has {}{}", fmt::join(features, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

template <class T>
void FillWith(const Tensor& to, int64_t at, int64_t count, const Tensor& value) {
  std::fill_n(to.data<T>() + at, count, value.valid() ? *value.data<T>() : T());
}
template <class T>
void CopyTo(const Tensor& to, int64_t at, const Tensor& value) {
  std::copy_n(value.data<T>(), value.num_elements(), to.data<T>() + at);
}
}  // namespace

void FillElements(const Tensor& to, int64_t at, int64_t count, const Tensor& value) {
  if (to.dtype() == kFloat) return FillWith<float>(to, at, count, value);
  if (to.dtype() == kInt64) return FillWith<int64_t>(to, at, count, value);
  FillWith<std::string>(to, at, count, value);
}

void FirstError::Note(int64_t example, Status status) {
  std::lock_guard lock(mu_);
  if (status_.ok() || example < example_) {
    status_ = std::move(status);
    example_ = example;
  }
}

namespace {

// A feature whose values are decoded later, when the number of values in the whole batch is known.
struct DeferredFeature {
  io::FeatureView view;
  int64_t count = 0;
};

class BatchParser final {
 public:
  BatchParser(KernelContext& ctx, const ExampleSchema& schema, const ExampleBatch& batch, int first_default)
      : ctx_(ctx),
        schema_(schema),
        batch_(batch),
        first_default_(first_default),
        examples_(static_cast<int64_t>(batch.serialized.size())),
        sparse_(schema.sparse.size()) {}

  Status Run() {
    WEIR_TRY(Prepare());
    FirstError error;
    WEIR_TRY(ctx_.ParallelFor(examples_, Cost(), [&](int64_t i) {
      if (Status status = ParseOne(i); !status.ok()) error.Note(i, std::move(status));
    }));
    WEIR_TRY(error.status());
    for (size_t k = 0; k < sparse_; ++k) WEIR_TRY(SetSparseTensorOutputs(k));
    for (size_t d = 0; d < schema_.dense.size(); ++d)
      if (schema_.dense[d].variable) WEIR_TRY(GiveVariable(d));
    for (size_t r = 0; r < schema_.ragged.size(); ++r) WEIR_TRY(GiveRagged(r));
    return OkStatus();
  }

 private:
  const std::string& DenseKey(size_t d) const { return schema_.keys[sparse_ + d]; }
  const Tensor& Default(size_t d) const { return ctx_.input(first_default_ + static_cast<int>(d)); }
  int DenseOutput(size_t d) const { return static_cast<int>(3 * sparse_ + d); }
  DeferredFeature& KeptOf(int64_t example, size_t number) {
    return kept_[static_cast<size_t>(example) * schema_.keys.size() + number];
  }

  int64_t Cost() const {
    size_t bytes = 0;
    for (const std::string& one : batch_.serialized) bytes += one.size();
    return 300 + static_cast<int64_t>(bytes / 4) / std::max<int64_t>(examples_, 1);
  }

  Status Prepare() {
    bool keeps = sparse_ > 0 || !schema_.ragged.empty();
    fixed_.resize(schema_.dense.size());
    for (size_t d = 0; d < schema_.dense.size(); ++d) {
      const DenseFeature& feature = schema_.dense[d];
      const Tensor& value = Default(d);
      if (feature.variable) {
        keeps = true;
        if (value.num_elements() != 1)
          return InvalidArgument(
              "Key: {}. The default of a variable-length feature is its padding value and must have one element, but "
              "it has shape {}",
              DenseKey(d), value.shape());
        continue;
      }
      if (value.num_elements() > 0 && !feature.shape.CompatibleWith(value.shape()))
        return InvalidArgument("Key: {}. The default has shape {}, but the feature {}", DenseKey(d), value.shape(),
                               feature.shape);
      Shape shape = feature.shape.ToShape();
      if (batch_.batched) WEIR_TRY(shape.InsertDim(0, examples_));
      WEIR_ASSIGN(fixed_[d], ctx_.Allocate(DenseOutput(d), shape));
    }
    if (keeps) kept_.resize(static_cast<size_t>(examples_) * schema_.keys.size());
    return OkStatus();
  }

  Status ParseOne(int64_t i) {
    absl::InlinedVector<std::string_view, 16> found(schema_.keys.size());
    const auto visit = [](std::string_view message, io::VisitEntry entry) { return io::VisitFeatures(message, entry); };
    if (!schema_.keys.Find(batch_.serialized[static_cast<size_t>(i)], visit, absl::MakeSpan(found)))
      return MalformedExample(batch_, i, "");
    for (size_t k = 0; k < sparse_; ++k) WEIR_TRY(Keep(i, k, found[k], schema_.sparse[k]));
    for (size_t d = 0; d < schema_.dense.size(); ++d) {
      const DenseFeature& feature = schema_.dense[d];
      const std::string_view bytes = found[sparse_ + d];
      if (!feature.variable) {
        WEIR_TRY(ReadFixed(i, d, bytes));
        continue;
      }
      WEIR_TRY(Keep(i, sparse_ + d, bytes, feature.dtype));
      if (const int64_t count = KeptOf(i, sparse_ + d).count; count % feature.values != 0)
        return InvalidArgument("{} The feature has {} values of type {}, which is not a multiple of the row shape {}",
                               batch_.Where(i, DenseKey(d)), count, OpDefTypeName(feature.dtype), feature.shape);
    }
    const size_t first_ragged = sparse_ + schema_.dense.size();
    for (size_t r = 0; r < schema_.ragged.size(); ++r)
      WEIR_TRY(Keep(i, first_ragged + r, found[first_ragged + r], schema_.ragged[r].dtype));
    return OkStatus();
  }

  Status Keep(int64_t i, size_t number, std::string_view bytes, DType wanted) {
    if (bytes.data() == nullptr) return OkStatus();
    const std::string& key = schema_.keys[number];
    WEIR_ASSIGN(const io::FeatureView view, TypedFeature(batch_, i, key, bytes, wanted));
    const int64_t count = io::CountValues(view);
    if (count < 0) return MalformedExample(batch_, i, key);
    KeptOf(i, number) = {view, count};
    return OkStatus();
  }

  Status ReadFixed(int64_t i, size_t d, std::string_view bytes) {
    const DenseFeature& feature = schema_.dense[d];
    io::FeatureView view;
    if (bytes.data() != nullptr) {
      WEIR_ASSIGN(view, TypedFeature(batch_, i, DenseKey(d), bytes, feature.dtype));
    }
    const int64_t at = i * feature.values;
    if (view.dtype == kInvalidType) return UseDefault(i, d, at);
    const int64_t count = ReadFeature(view, fixed_[d], at, feature.values);
    if (count < 0) return MalformedExample(batch_, i, DenseKey(d));
    if (count != feature.values)
      return InvalidArgument("{} The feature has {} values of type {}, but shape {} requires {}",
                             batch_.Where(i, DenseKey(d)), count, OpDefTypeName(feature.dtype), feature.shape,
                             feature.values);
    return OkStatus();
  }

  Status UseDefault(int64_t i, size_t d, int64_t at) {
    const Tensor& value = Default(d);
    if (value.num_elements() == 0)
      return InvalidArgument("{} The feature (of type {}) is required but could not be found{}",
                             batch_.Where(i, DenseKey(d)), OpDefTypeName(schema_.dense[d].dtype),
                             FeaturesOf(batch_.serialized[static_cast<size_t>(i)]));
    if (value.dtype() == kFloat)
      CopyTo<float>(fixed_[d], at, value);
    else if (value.dtype() == kInt64)
      CopyTo<int64_t>(fixed_[d], at, value);
    else
      CopyTo<std::string>(fixed_[d], at, value);
    return OkStatus();
  }

  Status SetSparseTensorOutputs(size_t k) {
    std::vector<int64_t> starts;
    int64_t total = 0;
    int64_t longest = 0;
    for (int64_t i = 0; i < examples_; ++i) {
      starts.push_back(total);
      total += KeptOf(i, k).count;
      longest = std::max(longest, KeptOf(i, k).count);
    }
    const int columns = batch_.batched ? 2 : 1;
    WEIR_ASSIGN(const Shape rows, Shape::Make({total, columns}));
    WEIR_ASSIGN(const Tensor indices, ctx_.Allocate(static_cast<int>(k), rows));
    WEIR_ASSIGN(const Tensor values, ctx_.Allocate(static_cast<int>(sparse_ + k), Shape{total}));
    WEIR_ASSIGN(const Tensor shape, ctx_.Allocate(static_cast<int>(2 * sparse_ + k), Shape{columns}));
    if (batch_.batched) shape.data<int64_t>()[0] = examples_;
    shape.data<int64_t>()[columns - 1] = longest;
    return ctx_.ParallelFor(examples_, 20 + 4 * longest, [&](int64_t i) {
      const DeferredFeature& kept = KeptOf(i, k);
      ReadFeature(kept.view, values, starts[static_cast<size_t>(i)], kept.count);
      int64_t* index = indices.data<int64_t>() + starts[static_cast<size_t>(i)] * columns;
      for (int64_t v = 0; v < kept.count; ++v) {
        if (batch_.batched) *index++ = i;
        *index++ = v;
      }
    });
  }

  Status GiveVariable(size_t d) {
    const DenseFeature& feature = schema_.dense[d];
    int64_t longest = 0;
    for (int64_t i = 0; i < examples_; ++i) longest = std::max(longest, KeptOf(i, sparse_ + d).count);
    DimVector dims = feature.shape.dims();
    dims[0] = longest / feature.values;
    if (batch_.batched) dims.insert(dims.begin(), examples_);
    WEIR_ASSIGN(const Shape shape, Shape::Make(dims));
    WEIR_ASSIGN(const Tensor out, ctx_.Allocate(DenseOutput(d), shape));
    const Tensor& padding = Default(d);
    return ctx_.ParallelFor(examples_, 20 + 2 * longest, [&](int64_t i) {
      const DeferredFeature& kept = KeptOf(i, sparse_ + d);
      ReadFeature(kept.view, out, i * longest, kept.count);
      FillElements(out, i * longest + kept.count, longest - kept.count, padding);
    });
  }

  // A single example (not batched) has no splits.
  Status GiveRagged(size_t r) {
    const size_t number = sparse_ + schema_.dense.size() + r;
    std::vector<int64_t> starts = {0};
    for (int64_t i = 0; i < examples_; ++i) starts.push_back(starts.back() + KeptOf(i, number).count);
    const int64_t total = starts.back();
    const DType type = schema_.ragged[r].splits;
    if (type == kInt32 && total > std::numeric_limits<int32_t>::max())
      return InvalidArgument("Key: {}. Splits of {} values do not fit into int32", schema_.keys[number], total);
    const int output = static_cast<int>(3 * sparse_ + schema_.dense.size() + r);
    WEIR_ASSIGN(const Tensor values, ctx_.Allocate(output, Shape{total}));
    WEIR_ASSIGN(const Tensor splits, ctx_.Allocate(output + static_cast<int>(schema_.ragged.size()),
                                                   Shape{batch_.batched ? examples_ + 1 : 0}));
    for (int64_t i = 0; i < splits.num_elements(); ++i) {
      if (type == kInt32)
        splits.data<int32_t>()[i] = static_cast<int32_t>(starts[static_cast<size_t>(i)]);
      else
        splits.data<int64_t>()[i] = starts[static_cast<size_t>(i)];
    }
    return ctx_.ParallelFor(examples_, 20 + total / std::max<int64_t>(examples_, 1), [&](int64_t i) {
      const DeferredFeature& kept = KeptOf(i, number);
      ReadFeature(kept.view, values, starts[static_cast<size_t>(i)], kept.count);
    });
  }

  KernelContext& ctx_;
  const ExampleSchema& schema_;
  const ExampleBatch& batch_;
  const int first_default_;
  const int64_t examples_;
  const size_t sparse_;
  absl::InlinedVector<Tensor, 4> fixed_;
  std::vector<DeferredFeature> kept_;  // by example and key
};

}  // namespace

Status ParseExamples(KernelContext& ctx, const ExampleSchema& schema, const ExampleBatch& batch, int first_default) {
  return BatchParser(ctx, schema, batch, first_default).Run();
}

Status ExampleShapes(ShapeContext& ctx, size_t sparse, const std::vector<PartialShape>& dense,
                     const PartialShape& examples, size_t ragged) {
  const int64_t columns = examples.known_rank() ? examples.rank() + 1 : kUnknownDim;
  for (size_t k = 0; k < sparse; ++k) {
    ctx.set_output(static_cast<int>(k), PartialShape{kUnknownDim, columns});
    ctx.set_output(static_cast<int>(sparse + k), PartialShape{kUnknownDim});
    ctx.set_output(static_cast<int>(2 * sparse + k), PartialShape{columns});
  }
  for (size_t d = 0; d < dense.size(); ++d)
    ctx.set_output(static_cast<int>(3 * sparse + d),
                   dense[d].known_rank() && examples.known_rank() ? examples.Concat(dense[d]) : PartialShape());
  int64_t splits = kUnknownDim;
  if (examples.known_rank() && examples.rank() == 0) splits = 0;
  if (examples.known_rank() && examples.rank() == 1 && examples[0] >= 0) splits = AddDims(examples[0], 1);
  for (size_t r = 0; r < ragged; ++r) {
    ctx.set_output(static_cast<int>(3 * sparse + dense.size() + r), PartialShape{kUnknownDim});
    ctx.set_output(static_cast<int>(3 * sparse + dense.size() + ragged + r), PartialShape{splits});
  }
  return OkStatus();
}

}  // namespace weir::ops
