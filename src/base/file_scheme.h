// Schemes of file names: "hdfs" of "hdfs://host/a". Weir serves local files only, which need none or have "file".
#ifndef WEIR_BASE_FILE_SCHEME_H_
#define WEIR_BASE_FILE_SCHEME_H_

#include <string>
#include <string_view>

#include "base/status.h"

namespace weir {

// Empty for a plain path. As in TensorFlow a scheme is a letter and then one or more letters, digits or dots.
std::string_view FileSchemeOf(std::string_view name);

// Unimplemented where no file system serves the scheme of `name`.
Status CheckFileScheme(std::string_view name);
// Whether an error is that of CheckFileScheme.
bool IsUnknownFileScheme(const Status& status);

// How much of `name` comes before the path that the system's calls take: "file://" and a host, or nothing.
// REQUIRES: CheckFileScheme(name).ok().
size_t FilePrefixSize(std::string_view name);

}  // namespace weir

#endif  // WEIR_BASE_FILE_SCHEME_H_
