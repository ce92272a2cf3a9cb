#include "base/file_scheme.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"

namespace weir {
namespace {

constexpr std::string_view kSeparator = "://";
constexpr std::string_view kFile = "file";
constexpr char kUnknownSchemeUrl[] = "weir/unknown_file_scheme";

}  // namespace

std::string_view FileSchemeOf(std::string_view name) {
  const size_t end = name.find(kSeparator);
  if (end == std::string_view::npos || end < 2) return {};
  const std::string_view scheme = name.substr(0, end);
  const bool is_valid =
      absl::ascii_isalpha(static_cast<unsigned char>(scheme[0])) &&
      std::all_of(scheme.begin(), scheme.end(), [](unsigned char c) { return absl::ascii_isalnum(c) || c == '.'; });
  return is_valid ? scheme : std::string_view();
}

Status CheckFileScheme(std::string_view name) {
  const std::string_view scheme = FileSchemeOf(name);
  if (scheme.empty() || scheme == kFile) return OkStatus();
  Status status = Unimplemented(
      "File system scheme '{}' not implemented (file: '{}'): Weir supports local files only (no scheme, or 'file')",
      scheme, name);
  status.SetPayload(kUnknownSchemeUrl, absl::Cord());
  return status;
}

bool IsUnknownFileScheme(const Status& status) { return status.GetPayload(kUnknownSchemeUrl).has_value(); }

size_t FilePrefixSize(std::string_view name) {
  if (FileSchemeOf(name) != kFile) return 0;
  return std::min(name.find('/', kFile.size() + kSeparator.size()), name.size());
}

}  // namespace weir
