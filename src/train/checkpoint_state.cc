#include "train/checkpoint_state.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "base/file_scheme.h"
#include "io/bundle_writer.h"
#include "io/verify.h"
#include "train/log.h"

namespace weir {
namespace {

std::string Quoted(const std::string& text) { return '"' + absl::CEscape(text) + '"'; }

// The shortest text that parses to the same number.
std::string NumberText(double value) { return fmt::format("{}", value); }

// Parses "name: value" pairs: names, numbers and quoted strings; '#' starts a comment.
class TextReader {
 public:
  explicit TextReader(std::string_view text) : text_(text) {}

  bool AtEnd() {
    SkipSpace();
    return text_.empty();
  }
  Status Error(std::string_view what) const { return InvalidArgument("line {}: {}", line_, what); }
  Result<std::string> Word() {
    SkipSpace();
    const auto part_of_word = [](char c) {
      return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '-' || c == '+';
    };
    const auto end = std::find_if_not(text_.begin(), text_.end(), part_of_word);
    std::string word(text_.begin(), end);
    if (word.empty()) return Error("a name or a number is expected");
    text_.remove_prefix(word.size());
    return word;
  }
  Status Colon() {
    SkipSpace();
    if (!text_.starts_with(':')) return Error("':' is expected after the name of a field");
    text_.remove_prefix(1);
    return OkStatus();
  }
  Result<std::string> String() {
    std::string value;
    SkipSpace();
    if (text_.empty() || (text_[0] != '"' && text_[0] != '\'')) return Error("a string in quotes is expected");
    while (!text_.empty() && (text_[0] == '"' || text_[0] == '\'')) {  // adjacent strings are concatenated
      const char quote = text_[0];
      size_t end = 1;
      while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2 : 1;
      if (end >= text_.size() || text_[end] != quote) return Error("unterminated string");
      std::string part;
      std::string error;
      if (!absl::CUnescape(absl::string_view(text_.data() + 1, end - 1), &part, &error)) return Error(error);
      value += part;
      text_.remove_prefix(end + 1);
      SkipSpace();
    }
    return value;
  }
  Result<double> Number() {
    WEIR_ASSIGN(const std::string word, Word());
    double value = 0;
    if (!absl::SimpleAtod(word, &value)) return Error(fmt::format("'{}' is not a number", word));
    return value;
  }
  void Separator() {
    SkipSpace();
    if (text_.starts_with(',') || text_.starts_with(';')) text_.remove_prefix(1);
  }

 private:
  void SkipSpace() {
    while (!text_.empty()) {
      if (text_[0] == '#') {
        text_.remove_prefix(std::min(text_.find('\n'), text_.size()));
      } else if (absl::ascii_isspace(static_cast<unsigned char>(text_[0]))) {
        line_ += text_[0] == '\n';
        text_.remove_prefix(1);
      } else {
        return;
      }
    }
  }
  std::string_view text_;
  int line_ = 1;
};

bool IsAbsolute(const std::string& path) { return path.starts_with('/') || path.find("://") != std::string::npos; }

// Removes the shard suffix of "x-00001-of-00004" or "x-?????-of-00004".
std::string WithoutShard(const std::string& name) {
  const size_t size = name.size();
  if (size < 15) return name;
  const std::string_view tail = std::string_view(name).substr(size - 15);
  const auto digits = [](std::string_view part) {
    return std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const bool shard = tail[0] == '-' && (digits(tail.substr(1, 5)) || tail.substr(1, 5) == "?????") &&
                     tail.substr(6, 4) == "-of-" && digits(tail.substr(10));
  return shard ? name.substr(0, size - 15) : name;
}

}  // namespace

std::string FormatCheckpointState(const tensorflow::CheckpointState& state) {
  std::string text;
  if (!state.model_checkpoint_path().empty())
    text += fmt::format("model_checkpoint_path: {}\n", Quoted(state.model_checkpoint_path()));
  for (const std::string& path : state.all_model_checkpoint_paths())
    text += fmt::format("all_model_checkpoint_paths: {}\n", Quoted(path));
  for (const double time : state.all_model_checkpoint_timestamps())
    text += fmt::format("all_model_checkpoint_timestamps: {}\n", NumberText(time));
  if (state.last_preserved_timestamp() != 0)
    text += fmt::format("last_preserved_timestamp: {}\n", NumberText(state.last_preserved_timestamp()));
  return text;
}

Result<tensorflow::CheckpointState> ParseCheckpointState(std::string_view text) {
  tensorflow::CheckpointState state;
  TextReader reader(text);
  while (!reader.AtEnd()) {
    WEIR_ASSIGN(const std::string field, reader.Word());
    WEIR_TRY(reader.Colon());
    if (field == "model_checkpoint_path") {
      WEIR_ASSIGN(*state.mutable_model_checkpoint_path(), reader.String());
    } else if (field == "all_model_checkpoint_paths") {
      WEIR_ASSIGN(*state.add_all_model_checkpoint_paths(), reader.String());
    } else if (field == "all_model_checkpoint_timestamps") {
      WEIR_ASSIGN(const double time, reader.Number());
      state.add_all_model_checkpoint_timestamps(time);
    } else if (field == "last_preserved_timestamp") {
      WEIR_ASSIGN(const double time, reader.Number());
      state.set_last_preserved_timestamp(time);
    } else {
      return reader.Error(fmt::format("unknown field '{}' in the checkpoint state", field));
    }
    reader.Separator();
  }
  return state;
}

std::string CheckpointStatePath(const std::string& directory, const std::string& latest_filename) {
  return JoinPath(directory, latest_filename.empty() ? kCheckpointStateName : latest_filename);
}

std::string RelativePath(const std::string& path, const std::string& directory) {
  const std::filesystem::path from = directory.empty() ? "." : directory;
  const std::filesystem::path relative =
      std::filesystem::path(path).lexically_normal().lexically_relative(from.lexically_normal());
  return relative.empty() ? path : relative.string();
}

Result<tensorflow::CheckpointState> MakeCheckpointState(const std::string& directory, std::string latest,
                                                        std::vector<std::string> all,
                                                        const CheckpointStateOptions& options) {
  if (all.empty() || all.back() != latest) all.push_back(latest);
  if (!options.timestamps.empty() && options.timestamps.size() != all.size())
    return InvalidArgument("Checkpoint timestamps, if provided, must match checkpoint paths: {} times, {} paths",
                           options.timestamps.size(), all.size());
  if (!IsAbsolute(directory)) {
    const auto relate = [&](std::string& path) {
      if (!IsAbsolute(path)) path = RelativePath(path, directory);
    };
    relate(latest);
    for (std::string& path : all) relate(path);
  }
  tensorflow::CheckpointState state;
  state.set_model_checkpoint_path(latest);
  for (std::string& path : all) state.add_all_model_checkpoint_paths(std::move(path));
  for (const double time : options.timestamps) state.add_all_model_checkpoint_timestamps(time);
  state.set_last_preserved_timestamp(options.last_preserved_timestamp.value_or(0));
  return state;
}

Status UpdateCheckpointState(Env& env, const std::string& directory, const std::string& latest,
                             const std::vector<std::string>& all, const CheckpointStateOptions& options) {
  const std::string file = CheckpointStatePath(directory, options.latest_filename);
  const auto relate = [&](const std::string& path) {
    return options.relative_paths && IsAbsolute(path) ? RelativePath(path, directory) : path;
  };
  std::vector<std::string> paths;
  for (const std::string& path : all) paths.push_back(relate(path));
  WEIR_ASSIGN(const tensorflow::CheckpointState state,
              MakeCheckpointState(directory, relate(latest), std::move(paths), options));
  if (state.model_checkpoint_path() == file)
    return FailedPrecondition(
        "Save path '{}' conflicts with path used for checkpoint state.  Please use a different save path.", latest);
  return env.WriteFileAtomically(file, FormatCheckpointState(state));
}

Result<std::optional<tensorflow::CheckpointState>> GetCheckpointState(Env& env, const std::string& directory,
                                                                      const std::string& latest_filename) {
  const std::string file = CheckpointStatePath(directory, latest_filename);
  WEIR_TRY(CheckFileScheme(file));
  Result<std::string> text = env.ReadFile(file);
  if (text.status().code() == StatusCode::kNotFound) return std::nullopt;
  // Do not treat a failing disk as an empty directory: training would start over and delete the checkpoints.
  if (IsDiskFault(text.status())) return text.status();
  if (!text.ok()) {
    TrainWarning("{}: checkpoint ignored: {}", file, std::string(text.status().message()));
    return std::nullopt;
  }
  Result<tensorflow::CheckpointState> state = ParseCheckpointState(*text);
  if (!state.ok()) {
    TrainWarning("{}: checkpoint ignored: {}", file, std::string(state.status().message()));
    return std::nullopt;
  }
  if (state->model_checkpoint_path().empty())
    return InvalidArgument("Invalid checkpoint state loaded from {}", directory);
  const auto place = [&](const std::string& path) { return IsAbsolute(path) ? path : JoinPath(directory, path); };
  state->set_model_checkpoint_path(place(state->model_checkpoint_path()));
  for (std::string& path : *state->mutable_all_model_checkpoint_paths()) path = place(path);
  return std::optional<tensorflow::CheckpointState>(*std::move(state));
}

Result<std::optional<std::string>> LatestCheckpoint(Env& env, const std::string& directory,
                                                    const std::string& latest_filename) {
  WEIR_ASSIGN(const std::optional<tensorflow::CheckpointState> state,
              GetCheckpointState(env, directory, latest_filename));
  if (!state.has_value()) return std::nullopt;
  std::vector<std::string> candidates = {state->model_checkpoint_path()};
  const auto& all = state->all_model_checkpoint_paths();
  for (auto path = all.rbegin(); path != all.rend(); ++path)
    if (*path != state->model_checkpoint_path()) candidates.push_back(*path);
  for (const std::string& prefix : candidates) {
    const Status status = io::VerifyCheckpoint(env, prefix);
    if (status.ok()) {
      if (prefix != candidates.front()) TrainWarning("using the latest intact checkpoint {}", prefix);
      return std::optional<std::string>(prefix);
    }
    TrainWarning("skipping checkpoint {}: {}", prefix, std::string(status.message()));
  }
  return std::nullopt;
}

Result<bool> FindCheckpoint(Env& env, const std::string& prefix) {
  for (const std::string& pattern : {io::BundleIndexName(prefix), prefix}) {
    const Result<std::vector<std::string>> found = env.Match(pattern);
    if (IsDiskFault(found.status())) return found.status();
    if (found.ok() && !found->empty()) return true;
  }
  return false;
}

bool CheckpointExists(Env& env, const std::string& prefix) { return FindCheckpoint(env, prefix).value_or(false); }

std::optional<double> CheckpointTime(Env& env, const std::string& prefix) {
  for (const std::string& pattern : {io::BundleIndexName(prefix), prefix}) {
    const Result<std::vector<std::string>> found = env.Match(pattern);
    if (!found.ok() || found->empty()) continue;
    if (const Result<FileInfo> info = env.Stat(found->front()); info.ok())
      return static_cast<double>(info->modified_micros) / 1e6;
  }
  return std::nullopt;
}

std::string MetaGraphName(const std::string& checkpoint, const std::string& suffix) {
  return WithoutShard(checkpoint) + "." + suffix;
}

Status RemoveCheckpoint(Env& env, const std::string& prefix, const std::string& meta_graph_suffix) {
  WEIR_TRY(CheckFileScheme(prefix));
  const std::string index = io::BundleIndexName(prefix);
  std::vector<std::string> files;
  if (env.Exists(index)) {
    WEIR_TRY(env.DeleteFile(index));
    WEIR_ASSIGN(files, env.Match(prefix + ".data-?????"
                                          "-of-?????"));
  } else {
    WEIR_ASSIGN(files, env.Match(prefix));
  }
  if (const std::string meta = MetaGraphName(prefix, meta_graph_suffix); env.Exists(meta)) files.push_back(meta);
  for (const std::string& file : files) WEIR_TRY(env.DeleteFile(file));
  return OkStatus();
}

}  // namespace weir
