#include "weir/input.h"

#include "base/status.h"
#include "io/record_file.h"
#include "tensor/tensor.h"

namespace weir {

namespace {

template <class T>
T Get(const ParsedFeatures& parsed, const std::string& key, const char* kind) {
  const auto found = parsed.find(key);
  if (found == parsed.end()) throw Error(NotFound("there is no feature '{}'", key));
  if (!std::holds_alternative<T>(found->second)) throw Error(InvalidArgument("feature '{}' is not {}", key, kind));
  return std::get<T>(found->second);
}

}  // namespace

Output Features::operator[](const std::string& key) const { return Get<Output>(parsed_, key, "dense"); }

Sparse Features::sparse(const std::string& key) const { return Get<Sparse>(parsed_, key, "sparse"); }

Output Batched::operator[](size_t i) const {
  if (Get(i).sparse.has_value()) throw Error(InvalidArgument("value {} of the batch is sparse", i));
  return Get(i).dense.output();
}

Sparse Batched::sparse(size_t i) const {
  if (!Get(i).sparse.has_value()) throw Error(InvalidArgument("value {} of the batch is not sparse", i));
  return *Get(i).sparse;
}

const BatchValue& Batched::Get(size_t i) const {
  if (i >= values_.size()) throw Error(InvalidArgument("a batch of {} values has no value {}", values_.size(), i));
  return values_[i];
}

int64_t CountRecords(const std::string& path, Env& env) {
  const auto reader = ValueOrThrow(io::RecordReader::Open(env, path));
  int64_t count = 0;
  while (ValueOrThrow(reader->Next()).has_value()) ++count;
  return count;
}

}  // namespace weir
