// Reads the wire format of Example and SequenceExample in place: no message objects are created, and every view points
// into the serialized bytes. If a key occurs several times, the last entry counts, as in protobuf. Malformed bytes are
// detected only in the parts that are read. Sizes in the data never cause an allocation.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "tensor/dtype.h"

namespace weir::io {

// One feature: the type of its values (kString, kFloat or kInt64; kInvalidType if it has none) and the serialized list
// of values.
struct FeatureView {
  DType dtype = kInvalidType;
  std::string_view list = {};
};

using VisitEntry = FunctionRef<void(std::string_view key, std::string_view value)>;
// Visits the features of an Example, or of the context of a SequenceExample: keys and serialized features. Like the
// following functions, returns false if the bytes are malformed.
bool VisitFeatures(std::string_view example, VisitEntry visit);
// Visits the feature lists of a SequenceExample: keys and serialized lists.
bool VisitFeatureLists(std::string_view sequence_example, VisitEntry visit);
// Visits the serialized features of one feature list, in order.
bool VisitFeatureList(std::string_view feature_list, FunctionRef<void(std::string_view feature)> visit);

bool ParseFeature(std::string_view feature, FeatureView* view);

// Returns the number of values in a list, or -1 if it is malformed. Writes the first `room` values to `to`.
int64_t ReadValues(std::string_view list, float* to, int64_t room);
int64_t ReadValues(std::string_view list, int64_t* to, int64_t room);
int64_t ReadValues(std::string_view list, std::string* to, int64_t room);
// The number of values; 0 for a feature without a type; -1 if malformed.
int64_t CountValues(const FeatureView& view);

}  // namespace weir::io
