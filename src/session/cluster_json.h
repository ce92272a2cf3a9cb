// Parts of clusters in JSON. Errors are InvalidArgument.
#ifndef WEIR_SESSION_CLUSTER_JSON_H_
#define WEIR_SESSION_CLUSTER_JSON_H_

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "session/cluster_spec.h"

namespace weir {

// Parses JSON. A duplicate key is an error, because it is ambiguous.
Result<nlohmann::json> ParseJson(std::string_view text);
// The kind of a value for messages: "a number".
std::string KindOf(const nlohmann::json& value);
// A task index, as a number or a string: TensorFlow accepts both. -1 if it is not a valid index.
int IndexFrom(const nlohmann::json& value);
// An object from job to tasks.
Result<ClusterSpec> ClusterFrom(const nlohmann::json& value,
                                ClusterSpec::Addresses addresses = ClusterSpec::Addresses::kComplete);

}  // namespace weir

#endif  // WEIR_SESSION_CLUSTER_JSON_H_
