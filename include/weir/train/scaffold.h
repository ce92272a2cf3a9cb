// Scaffold: the nodes and the saver that initialize and save a model: those given by the program, those in the graph's
// collections, and defaults, which Finalize adds. The graph must outlive it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "weir/train/session_manager.h"

namespace weir {

struct Scaffold {
  std::vector<Node*> init = {};  // default: initializes all global variables
  std::vector<Feed> init_feeds = {};
  InitFunction init_fn = {};           // called after `init`
  ReadyOp ready = {};                  // default: lists all uninitialized variables
  ReadyOp ready_for_local_init = {};   // default: lists uninitialized global variables
  std::vector<Node*> local_init = {};  // default: initializes local variables and tables
  std::vector<Feed> local_init_feeds = {};
  std::optional<Output> summary = {};  // default: all summaries of the graph, if any
  std::shared_ptr<Saver> saver = {};   // default: a sharded saver of everything that can be saved
  Env* env = &RealEnv();               // for checkpoints

  // Completes unset fields, adds them to the graph's collections (init_op and so on) and finalizes the graph.
  // FailedPrecondition if a collection has several items. Fields that are set are not changed.
  Status Finalize(Graph& graph);

  // Options for creating a session with this model. REQUIRES: Finalize was called.
  SessionManagerOptions session_manager_options(double recovery_wait_secs, Clock* clock = &RealClock()) const;
  PrepareOptions prepare_options(RestoreOptions restore) const;  // uses this saver
};

// A node that initializes local variables and tables.
Result<Node*> DefaultLocalInit(Graph& graph);

}  // namespace weir
