// Saver: writes variables to checkpoints, reads them back, and keeps the last few. Saving and restoring are steps of
// the graph that any session can run, a remote one too; naming, keeping and deleting checkpoints happen here.
// Thread-safe except for building.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/env.h"
#include "session/session.h"
#include "train/meta_graph.h"
#include "train/saver_graph.h"

namespace weir {

// Runs a step: a session, or what stands before one.
using RunStep = std::function<Result<std::vector<Tensor>>(const RunRequest&)>;
RunStep RunIn(Session& session);

struct SaverOptions {
  std::optional<SavedVariables> variables = {};  // all global variables and tables when not given
  SaverGraphOptions graph = {};
  int max_to_keep = 5;  // 0 or less: all
  double keep_checkpoint_every_n_hours = 10000;
  bool allow_empty = false;  // without variables saving and restoring do nothing
  bool defer_build = false;  // until Build
  bool pad_step_number = false;
  bool save_relative_paths = false;
  Env* env = &RealEnv();
  Clock* clock = &RealClock();
};

struct SaveOptions {
  std::optional<int64_t> global_step = {};  // "path-7"
  std::string latest_filename = "";         // "checkpoint" when empty
  std::string meta_graph_suffix = "meta";
  bool write_meta_graph = true;
  bool write_state = true;
  MetaGraphOptions meta_graph = {};
};

class Saver final {
 public:
  static Result<std::shared_ptr<Saver>> Make(Graph& graph, SaverOptions options = {});
  // Over nodes that are in the graph already, below `import_scope`.
  static Result<std::shared_ptr<Saver>> FromDef(tensorflow::SaverDef def, const std::string& import_scope = "",
                                                SaverOptions options = {});

  // Adds the nodes; where they are there already nothing happens.
  Status Build(Graph& graph);
  bool is_empty() const { return is_empty_; }
  // The graph that the nodes, or the variables until it is built, are in. Null where only names are known (FromDef).
  Graph* graph() const { return graph_; }
  const tensorflow::SaverDef& def() const { return def_; }
  // Without the scope before its names; one outside of it is an error.
  Result<tensorflow::SaverDef> Def(const std::string& export_scope) const;

  // Returns the prefix of the checkpoint; nothing when there is nothing to save.
  Result<std::optional<std::string>> Save(Graph& graph, const RunStep& run, const std::string& path,
                                          const SaveOptions& options = {});
  // InvalidArgument where there is no such checkpoint; errors of the step say what is likely wrong.
  Status Restore(Graph& graph, const RunStep& run, const std::string& path);

  // The checkpoints that are kept, oldest first, with the times they were written.
  using Kept = std::vector<std::pair<std::string, double>>;
  std::vector<std::string> last_checkpoints() const;
  Kept last_checkpoints_with_time() const;
  void set_last_checkpoints(Kept checkpoints);
  // Takes over what an earlier run has left, as far as it still exists.
  void RecoverLastCheckpoints(const std::vector<std::string>& prefixes);

 private:
  explicit Saver(SaverOptions options);
  void Record(const std::string& prefix);
  void DeleteOld(const std::string& meta_graph_suffix);
  Result<std::string> CheckpointName(const std::string& path, const SaveOptions& options) const;

  SaverOptions options_;
  tensorflow::SaverDef def_;
  Graph* graph_ = nullptr;
  bool built_ = false;
  bool is_empty_ = false;
  std::mutex saving_mu_;  // one save at a time: they write the same checkpoint state, at one step the same files
  mutable std::mutex mu_;
  Kept kept_;
  Kept to_delete_;
  double next_kept_for_good_ = 0;
};

// Savers in the collection "savers" cross into meta graphs as SaverDefs.
CollectionCodec SaverCodec();

// The saver of an imported meta graph: that of its saver_def; where it has none a new one if there are variables, else
// null.
Result<std::shared_ptr<Saver>> SaverOfMetaGraph(Graph& graph, const tensorflow::MetaGraphDef& def,
                                                const std::string& import_scope, SaverOptions options = {});

}  // namespace weir
