#include "base/confined_env.h"

#include <algorithm>
#include <deque>
#include <filesystem>

#include "absl/strings/str_join.h"
#include "base/file_scheme.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

bool IsWithin(const std::string& path, const std::string& folder) {
  if (folder == "/") return true;
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace

Result<std::string> ResolveLinks(const std::string& path) {
  constexpr int kMaxLinks = 40;  // as in Linux
  // System calls would end the path there.
  if (path.find('\0') != std::string::npos) return InvalidArgument("the path contains a zero byte");
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  if (error) return InvalidArgument("cannot resolve the path '{}': {}", path, error.message());
  std::deque<fs::path> left(absolute.begin(), absolute.end());
  fs::path resolved = "/";
  int links = 0;
  while (!left.empty()) {
    const fs::path part = std::move(left.front());
    left.pop_front();
    if (part.empty() || part == "." || part == "/") continue;
    if (part == "..") {
      resolved = resolved.parent_path();
      continue;
    }
    const fs::path next = resolved / part;
    if (!fs::is_symlink(fs::symlink_status(next, error))) {
      resolved = next;
      continue;
    }
    const fs::path target = fs::read_symlink(next, error);
    if (error || ++links > kMaxLinks) return InvalidArgument("cannot follow the links in the path '{}'", path);
    if (target.is_absolute()) resolved = "/";
    left.insert(left.begin(), target.begin(), target.end());
  }
  return resolved.string();
}

Result<std::unique_ptr<ConfinedEnv>> ConfinedEnv::Make(Env& base, const std::vector<std::string>& folders) {
  std::vector<std::string> resolved;
  for (const std::string& folder : folders) {
    WEIR_ASSIGN(std::string path, ResolveLinks(folder));
    Result<FileInfo> info = base.Stat(path);
    if (!info.ok()) return WithContext(info.status(), fmt::format("the folder '{}'", folder));
    if (!info->is_directory) return InvalidArgument("'{}' is not a folder", folder);
    resolved.push_back(std::move(path));
  }
  return std::unique_ptr<ConfinedEnv>(new ConfinedEnv(base, std::move(resolved)));
}

Result<std::string> ConfinedEnv::Allowed(const std::string& path) const {
  WEIR_TRY(CheckFileScheme(path));
  WEIR_ASSIGN(std::string resolved, ResolveLinks(path.substr(FilePrefixSize(path))));
  if (std::any_of(folders_.begin(), folders_.end(),
                  [&](const std::string& folder) { return IsWithin(resolved, folder); }))
    return resolved;
  if (folders_.empty()) {
    return MakeStatus(
        StatusCode::kPermissionDenied,
        fmt::format("'{}': this server may not use files. Its operator allows folders with --files", path));
  }
  return MakeStatus(StatusCode::kPermissionDenied,
                    fmt::format("'{}' is outside of the folders that this server may use (--files): {}", path,
                                absl::StrJoin(folders_, ", ")));
}

Result<std::string> ConfinedEnv::AllowedFile(const std::string& path) const {
  WEIR_ASSIGN(std::string allowed, Allowed(path));
  const Result<FileInfo> info = base_.Stat(allowed);
  if (info.ok() && !info->is_regular && !info->is_directory)
    return MakeStatus(StatusCode::kPermissionDenied, fmt::format("'{}' is not a regular file", path));
  return allowed;
}

Result<std::unique_ptr<ReadableFile>> ConfinedEnv::OpenRead(const std::string& path) {
  WEIR_ASSIGN(const std::string allowed, AllowedFile(path));
  return base_.OpenRead(allowed);
}

Result<std::unique_ptr<WritableFile>> ConfinedEnv::OpenWrite(const std::string& path) {
  WEIR_ASSIGN(const std::string allowed, AllowedFile(path));
  return base_.OpenWrite(allowed);
}

Result<std::unique_ptr<WritableFile>> ConfinedEnv::OpenAppend(const std::string& path) {
  WEIR_ASSIGN(const std::string allowed, AllowedFile(path));
  return base_.OpenAppend(allowed);
}

Result<FileInfo> ConfinedEnv::Stat(const std::string& path) {
  WEIR_ASSIGN(const std::string allowed, Allowed(path));
  return base_.Stat(allowed);
}

Result<std::vector<std::string>> ConfinedEnv::List(const std::string& directory) {
  WEIR_ASSIGN(const std::string allowed, Allowed(directory));
  return base_.List(allowed);
}

Status ConfinedEnv::Rename(const std::string& from, const std::string& to) {
  WEIR_ASSIGN(const std::string allowed_from, AllowedFile(from));
  WEIR_ASSIGN(const std::string allowed_to, AllowedFile(to));
  // A directory would take the links in it along, to where another call may just be about to open a file.
  if (const Result<FileInfo> info = base_.Stat(allowed_from); info.ok() && info->is_directory)
    return MakeStatus(StatusCode::kPermissionDenied, fmt::format("cannot rename '{}': it is a directory", from));
  return base_.Rename(allowed_from, allowed_to);
}

Status ConfinedEnv::DeleteFile(const std::string& path) {
  WEIR_ASSIGN(const std::string allowed, AllowedFile(path));
  return base_.DeleteFile(allowed);
}

Status ConfinedEnv::DeleteDirectory(const std::string& path) {
  WEIR_ASSIGN(const std::string allowed, Allowed(path));
  return base_.DeleteDirectory(allowed);
}

Status ConfinedEnv::MakeDirectories(const std::string& path) {
  WEIR_ASSIGN(const std::string allowed, Allowed(path));
  return base_.MakeDirectories(allowed);
}

Status ConfinedEnv::SyncDirectory(const std::string& path) {
  WEIR_ASSIGN(const std::string allowed, Allowed(path));
  return base_.SyncDirectory(allowed);
}

Result<std::unique_ptr<WritableFile>> ConfinedEnv::OpenReplacement(const std::string& path, const std::string& aside) {
  WEIR_ASSIGN(const std::string allowed, AllowedFile(path));
  WEIR_ASSIGN(const std::string allowed_aside, AllowedFile(aside));
  return base_.OpenReplacement(allowed, allowed_aside);
}

std::unique_ptr<FileLock> ConfinedEnv::Lock(const std::string& path) {
  const Result<std::string> allowed = AllowedFile(path);
  return allowed.ok() ? base_.Lock(*allowed) : nullptr;
}

Status ConfinedEnv::DeleteUnlocked(const std::string& path) {
  WEIR_ASSIGN(const std::string allowed, AllowedFile(path));
  return base_.DeleteUnlocked(allowed);
}

}  // namespace weir
