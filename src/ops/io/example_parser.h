// Serialized Examples as tensors: what ParseExample and its kin share. Values go from the wire format straight into the
// outputs; the examples of a batch are parsed in parallel. Errors name the example and the key of the feature.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "io/example.h"
#include "op/kernel.h"
#include "op/shape_context.h"

namespace weir::ops {

// The keys that are asked for, which may repeat.
class FeatureKeys final {
 public:
  FeatureKeys() = default;
  explicit FeatureKeys(std::vector<std::string> keys);
  FeatureKeys(FeatureKeys&&) = default;
  FeatureKeys& operator=(FeatureKeys&&) = default;
  FeatureKeys(const FeatureKeys&) = delete;
  size_t size() const { return keys_.size(); }
  const std::string& operator[](size_t i) const { return keys_[i]; }

  // Of the entries that `visit` goes through, those asked for, by number. data() is null for what is not there.
  template <class Visit>
  bool Find(std::string_view message, Visit visit, absl::Span<std::string_view> found) const {
    const bool ok = visit(message, [&](std::string_view key, std::string_view value) {
      if (const auto it = number_.find(absl::string_view(key.data(), key.size())); it != number_.end())
        found[it->second] = value;
    });
    for (const auto& [copy, original] : repeated_) found[copy] = found[original];
    return ok;
  }

 private:
  std::vector<std::string> keys_;
  absl::flat_hash_map<std::string, size_t> number_;
  std::vector<std::pair<size_t, size_t>> repeated_;
};

// A feature with as many values in every example, or, if its first size is not known, with as many rows as it has.
struct DenseFeature {
  DType dtype = kInvalidType;
  PartialShape shape;
  bool variable = false;
  int64_t values = 1;  // in all, or of one row
};
Result<DenseFeature> MakeDenseFeature(DType dtype, const PartialShape& shape);
Result<std::vector<DenseFeature>> MakeDenseFeatures(const std::vector<DType>& types,
                                                    const std::vector<PartialShape>& shapes);

// A feature of any length, as values and where those of each example begin.
struct RaggedFeature {
  DType dtype = kInvalidType;
  DType splits = kInt64;  // int32 or int64
};

struct ExampleSchema {
  FeatureKeys keys;  // those of the sparse features, then those of the dense ones, then those of the ragged ones
  std::vector<DType> sparse;
  std::vector<DenseFeature> dense;
  std::vector<RaggedFeature> ragged = {};
};

// What is parsed. Not batched, there is one example and the results have no dimension for it.
struct ExampleBatch {
  absl::Span<const std::string> serialized;
  absl::Span<const std::string> names = {};  // none, or one per example
  bool batched = true;
  // Where an error is: "Name: a, Key: x, Index: 3."
  std::string Where(int64_t example, std::string_view key) const;
};
// `input` as the vector of names of a batch.
Result<absl::Span<const std::string>> BatchNames(const Tensor& input, int64_t examples);

// Sets the outputs from 0 on: indices, values and shapes of all sparse features, then the dense ones, whose defaults
// are the inputs from `first_default` on (empty: the feature is required), then values and splits of all ragged ones.
Status ParseExamples(KernelContext& ctx, const ExampleSchema& schema, const ExampleBatch& batch, int first_default);

// The shapes of these outputs. `examples`: [n], or [] for one that is not batched.
Status ExampleShapes(ShapeContext& ctx, size_t sparse, const std::vector<PartialShape>& dense,
                     const PartialShape& examples, size_t ragged = 0);

// The feature with number k of an example, of the type that is wanted or of none.
Result<io::FeatureView> TypedFeature(const ExampleBatch& batch, int64_t example, const std::string& key,
                                     std::string_view feature, DType wanted);
Status MalformedExample(const ExampleBatch& batch, int64_t example, std::string_view key);
// Writes up to `room` values of a feature to `to` from `at` on. How many it has; -1: malformed.
int64_t ReadFeature(const io::FeatureView& view, const Tensor& to, int64_t at, int64_t room);
// Sets `count` elements of `to` from `at` on to the only one of `value`; without a value to zero or the empty string.
void FillElements(const Tensor& to, int64_t at, int64_t count, const Tensor& value = {});

// The first of the errors that parallel work meets, by the number of the example.
class FirstError final {
 public:
  void Note(int64_t example, Status status);
  Status status() const { return status_; }

 private:
  std::mutex mu_;
  int64_t example_ = 0;
  Status status_;
};

}  // namespace weir::ops
