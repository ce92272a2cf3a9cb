// The non-virtual functions of Env: whole files, patterns and paths.
#include "base/env.h"

#include <fnmatch.h>

#include <algorithm>

#include "absl/strings/str_split.h"
#include "base/file_scheme.h"
#include "base/rng.h"

namespace weir {
namespace {

// Writes `data` to `temp_path` and renames it to `path`. On failure deletes `temp_path` and leaves `path` unchanged.
Status WriteAndRename(Env& env, const std::string& temp_path, const std::string& path, std::string_view data,
                      bool sync) {
  const auto write = [&]() -> Status {
    WEIR_ASSIGN(const std::unique_ptr<WritableFile> file, env.OpenReplacement(path, temp_path));
    WEIR_TRY(file->Append(data));
    if (sync) WEIR_TRY(file->Sync());
    WEIR_TRY(file->Close());
    return env.Rename(temp_path, path);
  };
  Status status = write();
  if (!status.ok()) env.DeleteFile(temp_path).IgnoreError();  // return the first error
  return status;
}

bool IsPattern(std::string_view part) { return part.find_first_of("*?[\\") != std::string_view::npos; }

}  // namespace

Result<std::string> Env::ReadFile(const std::string& path) {
  WEIR_ASSIGN(const std::unique_ptr<ReadableFile> file, OpenRead(path));
  WEIR_ASSIGN(const uint64_t size, file->Size());
  // Files under /proc report a size of 0: read until the end of the file.
  std::string data;
  for (size_t want = size + 1;; want = std::max<size_t>(data.size(), 4096)) {
    const size_t have = data.size();
    data.resize(have + want);
    WEIR_ASSIGN(const size_t got, file->Read(have, want, data.data() + have));
    data.resize(have + got);
    if (got < want) return data;
  }
}

Status Env::WriteFile(const std::string& path, std::string_view data) {
  WEIR_ASSIGN(const std::unique_ptr<WritableFile> file, OpenWrite(path));
  WEIR_TRY(file->Append(data));
  return file->Close();
}

Status Env::WriteFileAtomically(const std::string& path, std::string_view data) {
  WEIR_TRY(WriteAndRename(*this, path + ".tmp", path, data, /*sync=*/true));
  return SyncDirectory(std::string(DirectoryOf(path)));
}

Status Env::ReplaceFile(const std::string& path, std::string_view data) {
  const Result<FileInfo> known = Stat(path);
  if (IsDiskFault(known.status())) return known.status();
  if (known.ok() && !known->is_regular) return WriteFile(path, data);
  const std::string temp_path = fmt::format("{}.tmp{:016x}", path, RealRng().Next64());
  Status status = WriteAndRename(*this, temp_path, path, data, /*sync=*/false);
  // The process may have permission to write the file but not its directory, or the name of the temporary file may be
  // too long.
  const bool needs_place =
      status.code() == StatusCode::kPermissionDenied || status.code() == StatusCode::kInvalidArgument;
  return needs_place ? WriteFile(path, data) : status;
}

Result<std::vector<std::string>> Env::Match(const std::string& pattern) {
  WEIR_TRY(CheckFileScheme(pattern));
  if (const size_t prefix = FilePrefixSize(pattern); prefix > 0) {
    WEIR_ASSIGN(std::vector<std::string> paths, Match(pattern.substr(prefix)));
    for (std::string& path : paths) path.insert(0, pattern, 0, prefix);
    return paths;
  }
  const bool absolute = pattern.starts_with('/');
  std::vector<std::string> found = {absolute ? "/" : ""};
  const std::vector<std::string> parts = absl::StrSplit(pattern, '/', absl::SkipEmpty());
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    std::vector<std::string> next;
    for (const std::string& directory : found) {
      if (!IsPattern(part)) {
        std::string path = JoinPath(directory, part);
        // Only the last part of the path is looked up: an Env may not show the directories above (ConfinedEnv).
        const Status exists = i + 1 == parts.size() ? Stat(path).status() : OkStatus();
        if (IsDiskFault(exists)) return exists;
        if (exists.ok()) next.push_back(std::move(path));
        continue;
      }
      const Result<FileInfo> info = directory.empty() ? FileInfo{.is_directory = true} : Stat(directory);
      if (IsDiskFault(info.status())) return info.status();
      if (!info.ok() || !info->is_directory) continue;
      WEIR_ASSIGN(const std::vector<std::string> names, List(directory.empty() ? "." : directory));
      for (const std::string& name : names) {
        if (fnmatch(part.c_str(), name.c_str(), FNM_PERIOD) == 0) next.push_back(JoinPath(directory, name));
      }
    }
    found = std::move(next);
  }
  if (pattern.empty()) found.clear();
  std::sort(found.begin(), found.end());
  return found;
}

bool IsDiskFault(const Status& status) {
  switch (status.code()) {
    case StatusCode::kDataLoss:
    case StatusCode::kResourceExhausted:
    case StatusCode::kUnavailable:
    case StatusCode::kUnknown:
      return true;
    default:
      return false;
  }
}

std::string JoinPath(std::string_view directory, std::string_view name) {
  if (directory.empty() || name.starts_with('/')) return std::string(name);
  if (name.empty()) return std::string(directory);
  return directory.ends_with('/') ? fmt::format("{}{}", directory, name) : fmt::format("{}/{}", directory, name);
}

std::string_view DirectoryOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return "";
  return path.substr(0, std::max<size_t>(slash, 1));
}

std::string_view FileNameOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace weir
