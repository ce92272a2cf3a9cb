// StepPlan: one signature of a session, cut into parts that are registered with their workers. Read-only once
// PlanCompiler has registered the parts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cluster/own_task_values.h"
#include "cluster/services.h"
#include "runtime/partition.h"

namespace weir {

struct StepPlan {
  struct Part {
    std::string task;
    std::shared_ptr<WorkerService> worker;
    std::string graph_handle;
    bool recognizes_copies = false;  // its worker recognizes calls that are sent again
    bool is_own = false;             // its worker is that of the master's task
    bool requests_values = false;    // it exchanges values with other parts by RecvTensor
    bool cleans_up = false;          // the worker discards a successful step without a CleanupGraph call
    std::vector<Partition::ClientEdge> feeds;
    std::vector<Partition::ClientEdge> fetches;
    std::vector<std::string> keys;  // of the fetches, each once, and of the values for other parts
    bool returns_values = false;    // its response has values for the master's own task or for other parts
    // The part is called when part `after` of the same task (-1: none) has ended and all its input values have arrived.
    int after = -1;
    int num_inputs = 0;  // number of values that come with the call
    bool waits() const { return after >= 0 || num_inputs > 0; }
  };
  struct FedFetch {
    int fetch = 0;
    int feed = 0;
  };
  std::vector<Part> parts;  // the master's own task comes last, so that the others start before its nodes run
  // values that the part of the master's task exchanges with the master; null: none
  std::shared_ptr<const OwnTaskValues::Keys> own_values;
  absl::flat_hash_map<std::string, size_t> consumer_parts;  // the part whose call takes a value, by key
  bool keeps_values = false;   // the workers keep values that were requested until the step has ended
  bool repeatable = false;     // a step changes nothing
  bool numbers_calls = false;  // some part recognizes copies
  bool delivers_values() const { return own_values != nullptr && !own_values->delivered.empty(); }
  std::vector<PlanGraph::Feed> feeds;
  std::vector<std::string> fetch_names;  // as the client wrote them
  std::vector<FedFetch> fed_fetches;     // fetches of fed tensors, which need no worker
  std::vector<std::vector<bool>> feeds_of_fetch;
};

}  // namespace weir
