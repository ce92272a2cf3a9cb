// The hash map behind all lookup tables. Keys are stored as int64 (scalar integers), as strings, or as their raw bytes
// (all others, e.g. vectors of integers). Values are stored in rows of one array; a map entry holds a row number.
#include <mutex>
#include <shared_mutex>

#include "absl/container/flat_hash_map.h"
#include "base/process_memory.h"
#include "ops/state/lookup_table.h"
#include "tensor/strings.h"

namespace weir::ops {
namespace {

// Rows of `width` elements of one type, stored as bytes or as strings.
class Rows {
 public:
  Rows(DType dtype, int64_t width)
      : is_string_(dtype == kString), width_(width), row_bytes_(width * static_cast<int64_t>(ElementSize(dtype))) {}

  // Adds a row and returns its number.
  int64_t Add() {
    if (!free_.empty()) {
      const int64_t row = free_.back();
      free_.pop_back();
      return row;
    }
    if (is_string_) {
      strings_.resize(strings_.size() + static_cast<size_t>(width_));
    } else {
      bytes_.resize(bytes_.size() + static_cast<size_t>(row_bytes_));
    }
    return count_++;
  }
  void Free(int64_t row) { free_.push_back(row); }
  // Returns the bytes that reallocation takes when `rows` rows are added; 0 if the capacity suffices.
  size_t BytesToGrow(size_t rows) const {
    const auto grown = [](const auto& array, size_t more) {
      const size_t size = array.size() + more;
      return size <= array.capacity() ? 0 : std::max(size, 2 * array.capacity()) * sizeof(array[0]);
    };
    return is_string_ ? grown(strings_, rows * static_cast<size_t>(width_))
                      : grown(bytes_, rows * static_cast<size_t>(row_bytes_));
  }
  void Set(int64_t row, const Tensor& from, int64_t i) {
    if (is_string_) {
      std::copy_n(from.data<std::string>() + i * width_, width_, strings_.begin() + row * width_);
    } else if (row_bytes_ > 0) {
      std::memcpy(bytes_.data() + row * row_bytes_, Raw(from, i), static_cast<size_t>(row_bytes_));
    }
  }
  void Get(int64_t row, const Tensor& to, int64_t i) const {
    if (is_string_) {
      std::copy_n(strings_.begin() + row * width_, width_, to.data<std::string>() + i * width_);
    } else if (row_bytes_ > 0) {
      std::memcpy(Raw(to, i), bytes_.data() + row * row_bytes_, static_cast<size_t>(row_bytes_));
    }
  }
  void Copy(const Tensor& from, int64_t i, const Tensor& to, int64_t j) const {
    if (is_string_) {
      std::copy_n(from.data<std::string>() + i * width_, width_, to.data<std::string>() + j * width_);
    } else if (row_bytes_ > 0) {
      std::memcpy(Raw(to, j), Raw(from, i), static_cast<size_t>(row_bytes_));
    }
  }
  bool Equals(int64_t row, const Tensor& other, int64_t i) const {
    if (is_string_) {
      return std::equal(strings_.begin() + row * width_, strings_.begin() + (row + 1) * width_,
                        other.data<std::string>() + i * width_);
    }
    return row_bytes_ == 0 ||
           std::memcmp(bytes_.data() + row * row_bytes_, Raw(other, i), static_cast<size_t>(row_bytes_)) == 0;
  }

 private:
  char* Raw(const Tensor& t, int64_t i) const { return static_cast<char*>(t.raw()) + i * row_bytes_; }

  bool is_string_;
  int64_t width_;
  int64_t row_bytes_;
  int64_t count_ = 0;
  std::vector<char> bytes_;
  std::vector<std::string> strings_;
  std::vector<int64_t> free_;
};

// K: int64_t for scalar int32 and int64 keys, std::string for all others.
template <class K>
class HashLookupTable final : public LookupTableResource {
 public:
  explicit HashLookupTable(LookupTableSpec spec) : LookupTableResource(std::move(spec)), content_(MakeContent()) {
    if (this->spec().empty_key.valid()) empty_key_ = K(KeyAt(this->spec().empty_key, 0));
    if (this->spec().deleted_key.valid()) deleted_key_ = K(KeyAt(this->spec().deleted_key, 0));
  }

  std::string DebugString() const override {
    return fmt::format("lookup table {} -> {} {}, {} entries", spec().key_dtype, spec().value_dtype, spec().value_shape,
                       size());
  }
  int64_t size() const override {
    std::shared_lock lock(mu_);
    return static_cast<int64_t>(content_.index.size());
  }

  Result<Tensor> Find(const Tensor& keys, const Tensor& default_value) const override {
    WEIR_ASSIGN(const Shape batch, CheckKeys(keys));
    WEIR_ASSIGN(const Shape shape, WithValueShape(batch));
    const bool one_default = default_value.shape() == spec().value_shape;
    if (default_value.dtype() != spec().value_dtype || (!one_default && !(default_value.shape() == shape))) {
      return InvalidArgument("Expected shape {} or {} and type {} for default value, got {} and {}", spec().value_shape,
                             shape, spec().value_dtype, default_value.shape(), default_value.dtype());
    }
    WEIR_ASSIGN(Tensor values, Tensor::Allocate(spec().value_dtype, shape));
    std::shared_lock lock(mu_);
    if (spec().fill_once && !initialized_) return FailedPrecondition("Table not initialized.");
    const int64_t n = batch.num_elements();
    for (int64_t i = 0; i < n; ++i) {
      const auto& key = KeyAt(keys, i);
      WEIR_TRY(CheckUsable(key));
      if (auto it = content_.index.find(key); it != content_.index.end()) {
        content_.rows.Get(it->second, values, i);
      } else {
        content_.rows.Copy(default_value, one_default ? 0 : i, values, i);
      }
    }
    return values;
  }

  Status Insert(const Tensor& keys, const Tensor& values) override {
    if (spec().fill_once) return Unimplemented("Insert not supported: the table can only be initialized");
    WEIR_ASSIGN(const int64_t n, CheckEntries(keys, values));
    for (int64_t i = 0; i < n; ++i) WEIR_TRY(CheckUsable(KeyAt(keys, i)));
    std::unique_lock lock(mu_);
    WEIR_TRY(ReserveEntries(content_, keys, values, n));
    for (int64_t i = 0; i < n; ++i) Put(content_, keys, values, i);
    return OkStatus();
  }

  Status Remove(const Tensor& keys) override {
    if (spec().fill_once) return Unimplemented("Remove not supported: the table can only be initialized");
    WEIR_ASSIGN(const Shape batch, CheckKeys(keys));
    const int64_t n = batch.num_elements();
    for (int64_t i = 0; i < n; ++i) WEIR_TRY(CheckUsable(KeyAt(keys, i)));
    std::unique_lock lock(mu_);
    for (int64_t i = 0; i < n; ++i) {
      if (auto it = content_.index.find(KeyAt(keys, i)); it != content_.index.end()) {
        content_.rows.Free(it->second);
        content_.index.erase(it);
      }
    }
    return OkStatus();
  }

  Status Import(const Tensor& keys, const Tensor& values) override {
    if (spec().fill_once) return Initialize(keys, values);
    WEIR_ASSIGN(const int64_t n, CheckEntries(keys, values));
    Content next = MakeContent();
    WEIR_TRY(ReserveEntries(next, keys, values, n));
    for (int64_t i = 0; i < n; ++i) {
      // Skip reserved keys: TensorFlow exports them, too.
      if (CheckUsable(KeyAt(keys, i)).ok()) Put(next, keys, values, i);
    }
    std::unique_lock lock(mu_);
    std::swap(content_, next);
    return OkStatus();
  }

  Result<std::pair<Tensor, Tensor>> Export() const override {
    std::shared_lock lock(mu_);
    if (spec().fill_once && !initialized_) return Aborted("HashTable is not initialized.");
    WEIR_ASSIGN(Shape batch, Shape::Make({static_cast<int64_t>(content_.index.size())}));
    WEIR_ASSIGN(const Shape value_shape, WithValueShape(batch));
    for (int64_t d : spec().key_shape) WEIR_TRY(batch.AddDim(d));
    WEIR_ASSIGN(Tensor keys, Tensor::Allocate(spec().key_dtype, batch));
    WEIR_ASSIGN(Tensor values, Tensor::Allocate(spec().value_dtype, value_shape));
    int64_t i = 0;
    for (const auto& [key, row] : content_.index) {
      SetKey(key, keys, i);
      content_.rows.Get(row, values, i++);
    }
    return std::pair(std::move(keys), std::move(values));
  }

  Status Initialize(const Tensor& keys, const Tensor& values) override {
    if (!spec().fill_once) return InvalidArgument("the table is mutable and cannot be initialized: use insert instead");
    WEIR_ASSIGN(const int64_t n, CheckEntries(keys, values));
    std::unique_lock lock(mu_);
    if (initialized_) {
      if (n == static_cast<int64_t>(content_.index.size())) return OkStatus();
      return FailedPrecondition("Table was already initialized with different data.");
    }
    Content next = MakeContent();
    WEIR_TRY(ReserveEntries(next, keys, values, n));
    for (int64_t i = 0; i < n; ++i) {
      if (auto it = next.index.find(KeyAt(keys, i));
          it != next.index.end() && !next.rows.Equals(it->second, values, i)) {
        return FailedPrecondition(
            "HashTable has different value for same key. Key {} at position {} has another value already",
            KeyText(keys, i), i);
      }
      Put(next, keys, values, i);
    }
    std::swap(content_, next);
    initialized_ = true;
    return OkStatus();
  }

 private:
  struct Content {
    absl::flat_hash_map<K, int64_t> index;
    Rows rows;
  };
  Content MakeContent() const { return {{}, Rows(spec().value_dtype, spec().value_shape.num_elements())}; }

  // Returns key i in the form used for lookup, without a copy if possible.
  auto KeyAt(const Tensor& keys, int64_t i) const {
    if constexpr (std::is_same_v<K, int64_t>) {
      return keys.Int(i);
    } else if (keys.dtype() == kString) {
      const std::string& s = keys.data<std::string>()[i];
      return absl::string_view(s.data(), s.size());
    } else {
      const size_t bytes = ElementSize(keys.dtype()) * static_cast<size_t>(spec().key_shape.num_elements());
      return absl::string_view(static_cast<const char*>(keys.raw()) + static_cast<size_t>(i) * bytes, bytes);
    }
  }
  void SetKey(const K& key, const Tensor& keys, int64_t i) const {
    if constexpr (std::is_same_v<K, int64_t>) {
      if (keys.dtype() == kInt32) {
        keys.data<int32_t>()[i] = static_cast<int32_t>(key);
      } else {
        keys.data<int64_t>()[i] = key;
      }
    } else if (keys.dtype() == kString) {
      keys.data<std::string>()[i] = key;
    } else {
      std::memcpy(static_cast<char*>(keys.raw()) + static_cast<size_t>(i) * key.size(), key.data(), key.size());
    }
  }
  std::string KeyText(const Tensor& keys, int64_t i) const {
    if constexpr (std::is_same_v<K, int64_t>) return std::to_string(keys.Int(i));
    return keys.dtype() == kString ? keys.data<std::string>()[i] : "";
  }

  // Reserves memory for n more entries.
  static Status ReserveEntries(const Content& content, const Tensor& keys, const Tensor& values, int64_t n) {
    for (const Tensor& part : {keys, values}) {
      if (part.dtype() == kString) WEIR_TRY(ReserveStrings(part.flat<std::string>()));
    }
    const auto more = static_cast<size_t>(n);
    size_t bytes = content.rows.BytesToGrow(more);
    const size_t entries = content.index.size() + more;
    // The map is full at a load of 7/8 and is then copied to one of twice the size.
    if (entries > content.index.capacity() / 8 * 7) bytes += 2 * entries * (sizeof(std::pair<K, int64_t>) + 1);
    return ProcessMemory::Get().ReserveKept(bytes);
  }

  void Put(Content& content, const Tensor& keys, const Tensor& values, int64_t i) const {
    auto [it, added] = content.index.try_emplace(KeyAt(keys, i), 0);
    if (added) it->second = content.rows.Add();
    content.rows.Set(it->second, values, i);
  }

  template <class Key>
  Status CheckUsable(const Key& key) const {
    if (empty_key_ && key == *empty_key_) return InvalidArgument("Using the empty_key as a table key is not allowed");
    if (deleted_key_ && key == *deleted_key_)
      return InvalidArgument("Using the deleted_key as a table key is not allowed");
    return OkStatus();
  }
  // Returns the batch shape of the keys.
  Result<Shape> CheckKeys(const Tensor& keys) const {
    const Shape& key_shape = spec().key_shape;
    bool fits = keys.dtype() == spec().key_dtype && keys.rank() >= key_shape.rank();
    for (int d = 0; fits && d < key_shape.rank(); ++d) {
      fits = keys.dim(keys.rank() - key_shape.rank() + d) == key_shape[d];
    }
    if (!fits) {
      return InvalidArgument("Expected keys of type {} that end in shape {}, got {} of shape {}", spec().key_dtype,
                             key_shape, keys.dtype(), keys.shape());
    }
    Shape batch = keys.shape();
    batch.RemoveLastDims(key_shape.rank());
    return batch;
  }
  Result<Shape> WithValueShape(Shape batch) const {
    for (int64_t d : spec().value_shape) WEIR_TRY(batch.AddDim(d));
    return batch;
  }
  // Returns the number of entries.
  Result<int64_t> CheckEntries(const Tensor& keys, const Tensor& values) const {
    WEIR_ASSIGN(const Shape batch, CheckKeys(keys));
    WEIR_ASSIGN(const Shape shape, WithValueShape(batch));
    if (values.dtype() != spec().value_dtype || !(values.shape() == shape)) {
      return InvalidArgument("Expected shape {} and type {} for value, got {} and {}", shape, spec().value_dtype,
                             values.shape(), values.dtype());
    }
    return batch.num_elements();
  }

  std::optional<K> empty_key_;
  std::optional<K> deleted_key_;
  mutable std::shared_mutex mu_;
  Content content_;
  bool initialized_ = false;
};

}  // namespace

Result<ResourcePtr<LookupTableResource>> MakeHashLookupTable(LookupTableSpec spec) {
  if (spec.value_dtype != kString && !IsPlain(spec.value_dtype)) {
    return InvalidArgument("lookup tables with values of type {} are not supported", spec.value_dtype);
  }
  const bool scalar = spec.key_shape.rank() == 0;
  if (scalar && (spec.key_dtype == kInt32 || spec.key_dtype == kInt64)) {
    return ResourcePtr<LookupTableResource>(MakeIntrusive<HashLookupTable<int64_t>>(std::move(spec)));
  }
  if (spec.key_dtype == kString ? scalar : (IsInteger(spec.key_dtype) || spec.key_dtype == kBool)) {
    return ResourcePtr<LookupTableResource>(MakeIntrusive<HashLookupTable<std::string>>(std::move(spec)));
  }
  return InvalidArgument("lookup tables with keys of type {} and shape {} are not supported", spec.key_dtype,
                         spec.key_shape);
}

}  // namespace weir::ops
