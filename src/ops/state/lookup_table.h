// LookupTable: a resource that maps keys to values, each a tensor of fixed type and shape. Thread-safe.
// A table is filled once by Initialize (HashTable) or changed at any time (Mutable*); the other calls are errors.
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
  bool fill_once = false;  // a HashTable
  Tensor empty_key;        // keys that may not be used; invalid tensors when there are none
  Tensor deleted_key;
};

class LookupTable : public Resource {
 public:
  explicit LookupTable(LookupTableSpec spec) : spec_(std::move(spec)) {}
  const LookupTableSpec& spec() const { return spec_; }

  virtual int64_t size() const = 0;
  // keys [batch..., key_shape] -> [batch..., value_shape]. default_value: one value, or one for every key.
  virtual Result<Tensor> Find(const Tensor& keys, const Tensor& default_value) const = 0;
  // Sets values; of equal keys the last wins.
  virtual Status Insert(const Tensor& keys, const Tensor& values) = 0;
  // Keys that are not there are skipped.
  virtual Status Remove(const Tensor& keys) = 0;
  // Replaces the whole content.
  virtual Status Import(const Tensor& keys, const Tensor& values) = 0;
  // All keys and their values, in no particular order.
  virtual Result<std::pair<Tensor, Tensor>> Export() const = 0;
  // Fills a fill-once table. Again with as many entries: nothing happens; otherwise, or with two values for one key, an
  // error that leaves the table as it was.
  virtual Status Initialize(const Tensor& keys, const Tensor& values) = 0;

 private:
  const LookupTableSpec spec_;
};

Result<ResourcePtr<LookupTable>> MakeHashLookupTable(LookupTableSpec spec);

}  // namespace weir::ops
