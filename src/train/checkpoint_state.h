// The file `checkpoint` of a directory: the list of checkpoints and the latest one. It is written to a temporary file,
// synced and renamed. Paths in it are absolute or relative to its directory.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "proto/saver.pb.h"

namespace weir {

inline constexpr char kCheckpointStateName[] = "checkpoint";

// Text format of the message, compatible with TensorFlow.
std::string FormatCheckpointState(const tensorflow::CheckpointState& state);
// Errors name the line and the problem.
Result<tensorflow::CheckpointState> ParseCheckpointState(std::string_view text);

// An empty `latest_filename` means "checkpoint".
std::string CheckpointStatePath(const std::string& directory, const std::string& latest_filename = "");

struct CheckpointStateOptions {
  std::string latest_filename = "";
  bool relative_paths = false;  // write paths relative to the directory
  std::vector<double> timestamps = {};
  std::optional<double> last_preserved_timestamp = {};
};
// The message for a directory. Appends `latest` to `all` unless it is the last entry. If the directory is a relative
// path, relative checkpoint paths are made relative to it.
Result<tensorflow::CheckpointState> MakeCheckpointState(const std::string& directory, std::string latest,
                                                        std::vector<std::string> all,
                                                        const CheckpointStateOptions& options = {});
Status UpdateCheckpointState(Env& env, const std::string& directory, const std::string& latest,
                             const std::vector<std::string>& all, const CheckpointStateOptions& options = {});
// nullopt if the file does not exist or cannot be read (which is logged). Relative paths are prefixed with the
// directory.
Result<std::optional<tensorflow::CheckpointState>> GetCheckpointState(Env& env, const std::string& directory,
                                                                      const std::string& latest_filename = "");
// The prefix of the newest checkpoint that can be restored, nullopt if there is none. Damaged or incomplete checkpoints
// are logged and skipped.
Result<std::optional<std::string>> LatestCheckpoint(Env& env, const std::string& directory,
                                                    const std::string& latest_filename = "");

// True if checkpoint files (V2 or V1) with this prefix exist. The prefix may be a pattern.
bool CheckpointExists(Env& env, const std::string& prefix);
// The same, but returns an error if the disk fails.
Result<bool> FindCheckpoint(Env& env, const std::string& prefix);
// Modification time in seconds since the Unix epoch; nullopt if the checkpoint does not exist.
std::optional<double> CheckpointTime(Env& env, const std::string& prefix);
// Deletes the files and the meta graph of a checkpoint, the index first.
Status RemoveCheckpoint(Env& env, const std::string& prefix, const std::string& meta_graph_suffix = "meta");
// "dir/model-3.meta"; a shard suffix is removed.
std::string MetaGraphName(const std::string& checkpoint, const std::string& suffix = "meta");

// `path` relative to `directory`. Both must be absolute, or relative to the same directory.
std::string RelativePath(const std::string& path, const std::string& directory);

}  // namespace weir
