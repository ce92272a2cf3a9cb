// Parsing of serialized Examples, shared by ParseExample and related ops. Values are decoded from the wire format
// directly into the outputs; the examples of a batch are parsed in parallel. Errors name the example and the feature's
// key.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "io/example.h"
#include "op/kernel.h"
#include "op/shape_context.h"

namespace weir::ops {

// The requested keys, which may repeat.
class FeatureKeys final {
 public:
  FeatureKeys() = default;
  explicit FeatureKeys(std::vector<std::string> keys);
  FeatureKeys(FeatureKeys&&) = default;
  FeatureKeys& operator=(FeatureKeys&&) = default;
  FeatureKeys(const FeatureKeys&) = delete;
  size_t size() const { return keys_.size(); }
  const std::string& operator[](size_t i) const { return keys_[i]; }

  // Stores the entries with requested keys, found by `visit`, in `found` by key number. data() stays null for missing
  // entries.
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

// A feature with the same shape in every example or, if its first dimension is unknown, with any number of rows.
struct DenseFeature {
  DType dtype = kInvalidType;
  PartialShape shape;
  bool variable = false;
  int64_t values = 1;  // of the whole feature, or of one row
};
Result<DenseFeature> MakeDenseFeature(DType dtype, const PartialShape& shape);
Result<std::vector<DenseFeature>> MakeDenseFeatures(const std::vector<DType>& types,
                                                    const std::vector<PartialShape>& shapes);

// A feature of variable length: values, and the offsets at which each example begins.
struct RaggedFeature {
  DType dtype = kInvalidType;
  DType splits = kInt64;  // int32 or int64
};

struct ExampleSchema {
  FeatureKeys keys;  // sparse features, then dense ones, then ragged ones
  std::vector<DType> sparse;
  std::vector<DenseFeature> dense;
  std::vector<RaggedFeature> ragged = {};
};

// The serialized input. If not batched, there is one example, and the outputs have no batch dimension.
struct ExampleBatch {
  absl::Span<const std::string> serialized;
  absl::Span<const std::string> names = {};  // empty, or one per example
  bool batched = true;
  // The position of an error, e.g. "Name: a, Key: x, Index: 3."
  std::string Where(int64_t example, std::string_view key) const;
};
// Checks `input` as the vector of names of a batch and returns it.
Result<absl::Span<const std::string>> BatchNames(const Tensor& input, int64_t examples);

// Sets the outputs from 0 on: indices, values and shapes of all sparse features, then the dense features, then values
// and splits of all ragged ones. The defaults of the dense features are the inputs from `first_default` on; an empty
// default makes the feature required.
Status ParseExamples(KernelContext& ctx, const ExampleSchema& schema, const ExampleBatch& batch, int first_default);

// The shape function for these outputs. `examples`: [n], or [] if not batched.
Status ExampleShapes(ShapeContext& ctx, size_t sparse, const std::vector<PartialShape>& dense,
                     const PartialShape& examples, size_t ragged = 0);

// Parses a feature. An error if its type is neither `wanted` nor unset.
Result<io::FeatureView> TypedFeature(const ExampleBatch& batch, int64_t example, const std::string& key,
                                     std::string_view feature, DType wanted);
Status MalformedExample(const ExampleBatch& batch, int64_t example, std::string_view key);
// Writes up to `room` values of a feature to `to`, starting at element `at`. Returns the number of values of the
// feature, or -1 if it is malformed.
int64_t ReadFeature(const io::FeatureView& view, const Tensor& to, int64_t at, int64_t room);
// Sets `count` elements of `to`, starting at element `at`, to the single element of `value`; without a value, to zero
// or "".
void FillElements(const Tensor& to, int64_t at, int64_t count, const Tensor& value = {});

// Keeps the error with the lowest example number that parallel workers report. Thread-safe except for status().
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
