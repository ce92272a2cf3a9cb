// Scaffold: the nodes and the saver that get a model ready and keep it: those that the program gives, those that the
// graph's collections name, and defaults for the rest, which Finalize adds. The graph must outlive it.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "train/session_manager.h"

namespace weir {

struct Scaffold {
  std::vector<Node*> init = {};  // by default: initializes all global variables
  std::vector<Feed> init_feeds = {};
  InitFunction init_fn = {};           // called after `init`
  ReadyOp ready = {};                  // by default: names the variables without a value
  ReadyOp ready_for_local_init = {};   // by default: the same of the global ones
  std::vector<Node*> local_init = {};  // by default: initializes local variables and tables
  std::vector<Feed> local_init_feeds = {};
  std::optional<Output> summary = {};  // by default: all summaries of the graph, if it has any
  std::shared_ptr<Saver> saver = {};   // by default: a sharded one of all that can be saved

  // Completes what is not set, notes that in the graph's collections (GraphKeys' init_op and so on) and finalizes the
  // graph. FailedPrecondition where a collection holds several of a kind. What is complete already is left as it is.
  Status Finalize(Graph& graph);

  // How to get a session with this model, after Finalize.
  SessionManagerOptions session_manager_options(double recovery_wait_secs, Clock* clock = &RealClock()) const;
  PrepareOptions prepare_options(RestoreOptions restore) const;  // with this saver
};

// What initializes local variables and tables.
Result<Node*> DefaultLocalInit(Graph& graph);

}  // namespace weir
