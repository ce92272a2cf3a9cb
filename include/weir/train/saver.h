// Saver: saves variables to checkpoints, restores them, and deletes old checkpoints. Saving and restoring are steps of
// the graph that any session can run, including a remote one. Naming and deleting checkpoints happen here. Thread-safe
// except for Build.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/clock.h"
#include "weir/base/env.h"
#include "weir/session/session.h"
#include "weir/train/meta_graph.h"
#include "weir/train/saver_graph.h"

namespace weir {

// Runs a step in a session, or in a wrapper of one.
using RunStep = std::function<Result<std::vector<Tensor>>(const RunRequest&)>;
RunStep RunIn(Session& session);

struct SaverOptions {
  // Default: all global variables, tables, saveable iterators and work queues.
  std::optional<SavedVariables> variables = {};
  std::vector<SavedTable> tables = {};           // beside the given variables
  std::vector<SavedIterator> iterators = {};     // beside the given variables
  std::vector<SavedWorkQueue> work_queues = {};  // beside the given variables
  SaverGraphOptions graph = {};
  int max_to_keep = 5;  // 0 or less: all
  double keep_checkpoint_every_n_hours = 10000;
  bool allow_empty = false;  // without variables, saving and restoring are no-ops
  bool defer_build = false;  // do not build the nodes until Build is called
  bool pad_step_number = false;
  bool save_relative_paths = false;
  Env* env = &RealEnv();
  Clock* clock = &RealClock();
};

struct SaveOptions {
  std::optional<int64_t> global_step = {};  // "path-7"
  std::string latest_filename = "";         // default: "checkpoint"
  std::string meta_graph_suffix = "meta";
  bool write_meta_graph = true;
  bool write_state = true;
  MetaGraphOptions meta_graph = {};
};

class Saver final {
 public:
  static Result<std::shared_ptr<Saver>> Make(Graph& graph, SaverOptions options = {});
  // Uses existing nodes of the graph, in `import_scope`.
  static Result<std::shared_ptr<Saver>> FromDef(tensorflow::SaverDef def, const std::string& import_scope = "",
                                                SaverOptions options = {});

  // Adds the nodes. No-op if they exist.
  Status Build(Graph& graph);
  bool is_empty() const { return is_empty_; }
  // The graph of the nodes, or of the variables if not built yet. Null if only names are known (FromDef).
  Graph* graph() const { return graph_; }
  const tensorflow::SaverDef& def() const { return *def_; }
  // The def with `export_scope` removed from its names. An error if a name is not in the scope.
  Result<tensorflow::SaverDef> Def(const std::string& export_scope) const;

  // The prefix under which Save writes. An error if `options` do not fit `path`.
  Result<std::string> CheckpointName(const std::string& path, const SaveOptions& options) const;
  // Returns the prefix of the checkpoint; nullopt if there is nothing to save.
  Result<std::optional<std::string>> Save(Graph& graph, const RunStep& run, const std::string& path,
                                          const SaveOptions& options = {});
  // InvalidArgument if the checkpoint does not exist. Errors of the step include the likely cause.
  Status Restore(Graph& graph, const RunStep& run, const std::string& path);

  // The retained checkpoints, oldest first, with their times in seconds since the epoch.
  using RetainedCheckpoints = std::vector<std::pair<std::string, double>>;
  std::vector<std::string> last_checkpoints() const;
  RetainedCheckpoints last_checkpoints_with_time() const;
  void set_last_checkpoints(RetainedCheckpoints checkpoints);
  // Adopts the checkpoints of an earlier run that still exist.
  void RecoverLastCheckpoints(const std::vector<std::string>& prefixes);

 private:
  explicit Saver(SaverOptions options);
  void Record(const std::string& prefix);
  void DeleteOld(const std::string& meta_graph_suffix);

  SaverOptions options_;
  const std::shared_ptr<tensorflow::SaverDef> def_;  // never null
  Graph* graph_ = nullptr;
  bool built_ = false;
  bool is_empty_ = false;
  std::mutex saving_mu_;  // serializes saves: they write the same state file, and for one step the same checkpoint
  mutable std::mutex mu_;
  RetainedCheckpoints kept_;
  RetainedCheckpoints to_delete_;
  double next_preserved_secs_ = 0;
};

// Converts savers in the collection "savers" to and from SaverDefs in meta graphs.
CollectionCodec SaverCodec(Env& env = RealEnv());

// Returns the saver of an imported meta graph: made from its saver_def if it has one, else a new saver. Null if there
// is no saver_def and no variable.
Result<std::shared_ptr<Saver>> SaverOfMetaGraph(Graph& graph, const tensorflow::MetaGraphDef& def,
                                                const std::string& import_scope, SaverOptions options = {});

}  // namespace weir
