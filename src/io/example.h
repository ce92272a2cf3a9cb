// The wire format of Example and SequenceExample, read in place: no message objects are made, and every view points
// into the serialized bytes. Of several entries with one key the last counts, as in protobuf. Bytes that are not this
// format are found out as far as they are looked at, and nothing is allocated because they say so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "tensor/dtype.h"

namespace weir::io {

// One feature: the type of its values (kString, kFloat or kInt64; kInvalidType: it has none) and the message that
// lists them.
struct FeatureView {
  DType dtype = kInvalidType;
  std::string_view list = {};
};

using VisitEntry = FunctionRef<void(std::string_view key, std::string_view value)>;
// The features of an Example, or the context of a SequenceExample: keys with serialized features. False: malformed.
bool VisitFeatures(std::string_view example, VisitEntry visit);
// The feature lists of a SequenceExample: keys with serialized lists.
bool VisitFeatureLists(std::string_view sequence_example, VisitEntry visit);
// The serialized features of one feature list, in order.
bool VisitListed(std::string_view feature_list, FunctionRef<void(std::string_view feature)> visit);

// False: malformed.
bool ParseFeature(std::string_view feature, FeatureView* view);

// How many values a list has, the first `room` of which are written to `to`. -1: malformed.
int64_t ReadValues(std::string_view list, float* to, int64_t room);
int64_t ReadValues(std::string_view list, int64_t* to, int64_t room);
int64_t ReadValues(std::string_view list, std::string* to, int64_t room);
// How many values there are: none without a type. -1: malformed.
int64_t CountValues(const FeatureView& view);

}  // namespace weir::io
