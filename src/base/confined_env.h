// ConfinedEnv: an Env that lets callers use only what lies in certain folders of the local file system, and only
// regular files and directories there. Links are followed first, so a link out of the folders leads nowhere. Nothing
// here makes or moves a link, so callers who can only name files cannot change the links between that check and the
// use of a file. Those who can also change the folders otherwise meanwhile can. Thread-safe.
#ifndef WEIR_BASE_CONFINED_ENV_H_
#define WEIR_BASE_CONFINED_ENV_H_

#include <string>
#include <vector>

#include "base/env.h"

namespace weir {

// Follows the links and removes "." and ".." from a path, of which the last parts need not exist. InvalidArgument for a
// chain of too many links and for a path with a zero byte.
Result<std::string> ResolveLinks(const std::string& path);

class ConfinedEnv final : public Env {
 public:
  // `base` must live longer. PermissionDenied is the answer to everything if there are no folders. NotFound if a folder
  // does not exist.
  static Result<std::unique_ptr<ConfinedEnv>> Make(Env& base, const std::vector<std::string>& folders);

  Result<std::unique_ptr<ReadableFile>> OpenRead(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> OpenWrite(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> OpenAppend(const std::string& path) override;
  Result<FileInfo> Stat(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& directory) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status DeleteFile(const std::string& path) override;
  Status DeleteDirectory(const std::string& path) override;
  Status MakeDirectories(const std::string& path) override;
  Status SyncDirectory(const std::string& path) override;
  Result<std::unique_ptr<WritableFile>> OpenReplacement(const std::string& path, const std::string& aside) override;
  std::unique_ptr<FileLock> Lock(const std::string& path) override;
  Status DeleteUnlocked(const std::string& path) override;

 private:
  ConfinedEnv(Env& base, std::vector<std::string> folders) : base_(base), folders_(std::move(folders)) {}
  // The path that `base` may use. PermissionDenied outside of the folders.
  Result<std::string> Allowed(const std::string& path) const;
  // The same, if there is no file or a regular one.
  Result<std::string> AllowedFile(const std::string& path) const;

  Env& base_;
  const std::vector<std::string> folders_;  // without links
};

}  // namespace weir

#endif  // WEIR_BASE_CONFINED_ENV_H_
