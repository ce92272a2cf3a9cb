// Reads arbitrary bytes as a serialized Example or SequenceExample. If protobuf can parse them, the reader must find
// the same values in the message that protobuf writes.
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "io/example.h"
#include "proto/example.pb.h"

namespace {

using weir::io::FeatureView;

template <class T>
std::vector<T> Values(const FeatureView& view, int64_t count) {
  std::vector<T> values(static_cast<size_t>(count));
  if (weir::io::ReadValues(view.list, values.data(), count) != count) std::abort();
  return values;
}

// Reads all values of a feature. Returns false if it is malformed.
bool ReadAll(std::string_view feature) {
  FeatureView view;
  if (!weir::io::ParseFeature(feature, &view)) return false;
  const int64_t count = weir::io::CountValues(view);
  if (count < 0) return false;
  if (view.dtype == weir::kFloat) Values<float>(view, count);
  if (view.dtype == weir::kInt64) Values<int64_t>(view, count);
  if (view.dtype == weir::kString) Values<std::string>(view, count);
  return true;
}

void Compare(std::string_view bytes, const tensorflow::Feature& wanted) {
  FeatureView view;
  if (!weir::io::ParseFeature(bytes, &view)) std::abort();
  const int64_t count = weir::io::CountValues(view);
  bool same = false;
  switch (wanted.kind_case()) {
    case tensorflow::Feature::kBytesList: {
      const auto& list = wanted.bytes_list().value();
      same = view.dtype == weir::kString && count == list.size() &&
             Values<std::string>(view, count) == std::vector<std::string>(list.begin(), list.end());
      break;
    }
    case tensorflow::Feature::kInt64List: {
      const auto& list = wanted.int64_list().value();
      same = view.dtype == weir::kInt64 && count == list.size() &&
             Values<int64_t>(view, count) == std::vector<int64_t>(list.begin(), list.end());
      break;
    }
    case tensorflow::Feature::kFloatList:
      same = view.dtype == weir::kFloat && count == wanted.float_list().value_size();
      break;
    default:
      same = view.dtype == weir::kInvalidType && count == 0;
  }
  if (!same) std::abort();
}

}  // namespace

// Silences protobuf, which logs every message that it cannot parse.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  (void)weir::io::VisitFeatures(bytes, [](std::string_view, std::string_view feature) { (void)ReadAll(feature); });
  (void)weir::io::VisitFeatureLists(bytes, [](std::string_view, std::string_view list) {
    (void)weir::io::VisitFeatureList(list, [](std::string_view feature) { (void)ReadAll(feature); });
  });
  tensorflow::Example example;
  if (!example.ParseFromString(bytes)) return 0;
  const std::string again = example.SerializeAsString();
  std::map<std::string, std::string> features;
  const bool ok = weir::io::VisitFeatures(
      again, [&](std::string_view key, std::string_view feature) { features[std::string(key)] = feature; });
  if (!ok || features.size() != static_cast<size_t>(example.features().feature_size())) std::abort();
  for (const auto& [key, feature] : example.features().feature()) Compare(features.at(key), feature);
  return 0;
}
