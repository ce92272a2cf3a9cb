// LookupTableResource: a resource that maps keys to values, each a tensor of fixed type and shape. Thread-safe. A table
// is either filled once by Initialize (HashTable) or mutable (Mutable*); the calls for the other kind return errors.
#pragma once

#include <optional>
#include <utility>

#include "op/resource.h"

namespace weir::ops {

struct LookupTableSpec {
  DType key_dtype = kInvalidType;
  Shape key_shape;
  DType value_dtype = kInvalidType;
  Shape value_shape;
  bool fill_once = false;  // HashTable
  Tensor empty_key;        // reserved keys; invalid tensors if there are none
  Tensor deleted_key;
};

class LookupTableResource : public Resource {
 public:
  explicit LookupTableResource(LookupTableSpec spec) : spec_(std::move(spec)) {}
  const LookupTableSpec& spec() const { return spec_; }

  virtual int64_t size() const = 0;
  // keys: [batch..., key_shape]; result: [batch..., value_shape]. default_value: one value for all keys, or one per
  // key.
  virtual Result<Tensor> Find(const Tensor& keys, const Tensor& default_value) const = 0;
  // Sets values. If a key occurs more than once, the last value wins.
  virtual Status Insert(const Tensor& keys, const Tensor& values) = 0;
  // Ignores keys that are not in the table.
  virtual Status Remove(const Tensor& keys) = 0;
  // Replaces the whole content.
  virtual Status Import(const Tensor& keys, const Tensor& values) = 0;
  // Returns all keys and their values, in no particular order.
  virtual Result<std::pair<Tensor, Tensor>> Export() const = 0;
  // Fills a fill-once table. If the table is already filled: a no-op if the number of entries is the same, else an
  // error. Two values for one key are an error. Errors leave the table unchanged.
  virtual Status Initialize(const Tensor& keys, const Tensor& values) = 0;

 private:
  const LookupTableSpec spec_;
};

Result<ResourcePtr<LookupTableResource>> MakeHashLookupTable(LookupTableSpec spec);

}  // namespace weir::ops
