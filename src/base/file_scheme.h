// The scheme of a file name: "hdfs" in "hdfs://host/a". Weir supports local files only: no scheme, or "file".
#ifndef WEIR_BASE_FILE_SCHEME_H_
#define WEIR_BASE_FILE_SCHEME_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace weir {

// Empty for a plain path. As in TensorFlow, a scheme is a letter followed by one or more letters, digits or dots.
std::string_view FileSchemeOf(std::string_view name);

// Unimplemented if the scheme of `name` is not supported.
Status CheckFileScheme(std::string_view name);
// Whether `status` is the error of CheckFileScheme.
bool IsUnknownFileScheme(const Status& status);

// The length of the prefix of `name` before the local path: "file://" and a host, or 0 for a plain path.
// REQUIRES: CheckFileScheme(name).ok().
size_t FilePrefixSize(std::string_view name);

}  // namespace weir

#endif  // WEIR_BASE_FILE_SCHEME_H_
