// The file `checkpoint` of a directory: which checkpoints there are and which is the latest. It is written aside,
// synced and renamed; paths in it are relative to its directory or absolute.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "proto/saver.pb.h"

namespace weir {

inline constexpr char kCheckpointStateName[] = "checkpoint";

// The text form of the message, as TensorFlow writes and reads it.
std::string FormatCheckpointState(const tensorflow::CheckpointState& state);
// An error names line and what is wrong with it.
Result<tensorflow::CheckpointState> ParseCheckpointState(std::string_view text);

// `latest_filename` may be empty: "checkpoint".
std::string CheckpointStatePath(const std::string& directory, const std::string& latest_filename = "");

struct CheckpointStateOptions {
  std::string latest_filename = "";
  bool relative_paths = false;  // make paths relative to the directory
  std::vector<double> timestamps = {};
  std::optional<double> last_preserved_timestamp = {};
};
// The message for a directory: the latest is added to `all` where it is not the last of them; where the directory is a
// relative path, relative paths of checkpoints are made relative to it.
Result<tensorflow::CheckpointState> MakeCheckpointState(const std::string& directory, std::string latest,
                                                        std::vector<std::string> all,
                                                        const CheckpointStateOptions& options = {});
Status UpdateCheckpointState(Env& env, const std::string& directory, const std::string& latest,
                             const std::vector<std::string>& all, const CheckpointStateOptions& options = {});
// Nothing where there is no such file, or none that can be read (which is logged). Relative paths have the directory
// put before them.
Result<std::optional<tensorflow::CheckpointState>> GetCheckpointState(Env& env, const std::string& directory,
                                                                      const std::string& latest_filename = "");
// The prefix of the newest checkpoint that can be restored. One that is damaged or not complete is passed over with a
// message. Nothing where there is none.
Result<std::optional<std::string>> LatestCheckpoint(Env& env, const std::string& directory,
                                                    const std::string& latest_filename = "");

// True if there are files of a checkpoint (V2 or V1) with that prefix, which may be a pattern.
bool CheckpointExists(Env& env, const std::string& prefix);
// When it was written, in seconds since the Unix epoch; nothing where there is none.
std::optional<double> CheckpointTime(Env& env, const std::string& prefix);
// Deletes its files and its meta graph. Its index goes first.
Status RemoveCheckpoint(Env& env, const std::string& prefix, const std::string& meta_graph_suffix = "meta");
// "dir/model-3.meta"; the numbers of shards are left out.
std::string MetaGraphName(const std::string& checkpoint, const std::string& suffix = "meta");

// `path` seen from `directory`, both absolute or both relative to one place.
std::string RelativePath(const std::string& path, const std::string& directory);

}  // namespace weir
