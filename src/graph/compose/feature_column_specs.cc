// How Examples are parsed for feature columns.
#include "graph/compose/dims.h"
#include "graph/compose/feature_column_kinds.h"

namespace weir {

using namespace feature_column;

namespace {

class SpecCollector final {
 public:
  Status Add(const FeatureColumn& column) {
    if (!column.valid()) return InvalidArgument("a feature column is missing");
    WEIR_TRY(column.status());
    return std::visit(*this, column.description().kind);
  }

  Status operator()(const Numeric& c) {
    const std::vector<int64_t>& shape = c.options.shape;
    return Merge(c.key, FixedLenFeature{PartialShape(DimVector(shape.begin(), shape.end())), c.options.dtype,
                                        c.options.default_value});
  }
  Status operator()(const Bucketized& c) { return Add(c.source); }
  Status operator()(const Hashed& c) { return Merge(c.key, VarLenFeature{c.dtype}); }
  Status operator()(const IdentityIds& c) { return Merge(c.key, VarLenFeature{kInt64}); }
  Status operator()(const Vocabulary& c) { return Merge(c.key, VarLenFeature{c.options.dtype}); }
  Status operator()(const Crossed& c) {
    for (const CrossedKey& key : c.keys) {
      const std::string* text = std::get_if<std::string>(&key);
      WEIR_TRY(text == nullptr ? Add(std::get<FeatureColumn>(key)) : Merge(*text, VarLenFeature{kString}));
    }
    return OkStatus();
  }
  Status operator()(const Weighted& c) {
    WEIR_TRY(Add(c.categorical));
    return Merge(c.weight_key, VarLenFeature{c.dtype});
  }
  Status operator()(const Sequence& c) { return Add(c.categorical); }
  Status operator()(const Indicator& c) { return Add(c.categorical); }
  Status operator()(const Embedding& c) { return Add(c.categorical); }
  Status operator()(const SequenceNumeric& c) { return Merge(c.key, VarLenFeature{c.options.dtype}); }

  FeatureSpecs specs;

 private:
  static bool Same(const Input& a, const Input& b) {
    if (a.absent() || b.absent()) return a.absent() == b.absent();
    if (a.literal() == b.literal() && a.output() == b.output()) return true;
    if (a.literal() == nullptr || b.literal() == nullptr) return false;
    const std::optional<Tensor> x = a.literal()->Value(kDouble), y = b.literal()->Value(kDouble);
    if (!x.has_value() || !y.has_value() || x->shape() != y->shape()) return false;
    return std::equal(x->data<double>(), x->data<double>() + x->num_elements(), y->data<double>());
  }

  static bool Same(const FeatureSpec& a, const FeatureSpec& b) {
    if (a.index() != b.index()) return false;
    if (const VarLenFeature* x = std::get_if<VarLenFeature>(&a)) return x->dtype == std::get<VarLenFeature>(b).dtype;
    const FixedLenFeature &x = std::get<FixedLenFeature>(a), &y = std::get<FixedLenFeature>(b);
    return x.dtype == y.dtype && x.shape == y.shape && Same(x.default_value, y.default_value);
  }

  static std::string Text(const FeatureSpec& spec) {
    if (const VarLenFeature* x = std::get_if<VarLenFeature>(&spec)) return fmt::format("VarLenFeature({})", x->dtype);
    const FixedLenFeature& x = std::get<FixedLenFeature>(spec);
    return fmt::format("FixedLenFeature({}, {}{})", TupleText(x.shape), x.dtype,
                       x.default_value.absent() ? "" : ", with a default value");
  }

  Status Merge(const std::string& key, FeatureSpec spec) {
    const auto [there, added] = specs.try_emplace(key, spec);
    if (added || Same(there->second, spec)) return OkStatus();
    return InvalidArgument("the columns parse feature '{}' in different ways: {} and {}", key, Text(there->second),
                           Text(spec));
  }
};

}  // namespace

Result<FeatureSpecs> ParseExampleSpec(const FeatureColumns& columns) {
  SpecCollector collector;
  for (const FeatureColumn& column : columns) WEIR_TRY(collector.Add(column));
  return std::move(collector.specs);
}

}  // namespace weir
