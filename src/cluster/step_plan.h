// StepPlan: one signature of a session, cut into parts and registered with the workers that run them. Read only, but
// for what Register fills in.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "cluster/answer_values.h"
#include "cluster/services.h"
#include "runtime/partition.h"

namespace weir {

struct StepPlan {
  struct Part {
    std::string task;
    std::shared_ptr<WorkerService> worker;
    std::string graph_handle;
    bool cleans_up = false;  // the worker forgets a step that has ended well by itself
    std::vector<Partition::ClientEdge> feeds;
    std::vector<Partition::ClientEdge> fetches;
    std::vector<std::string> keys;  // of the fetches, each once, and of the values below
    bool brings_values = false;     // for nodes of the master's own task and for other parts, with its answer
    // What must be there before it is called: an answer of an earlier part of the same task, or -1, and values.
    int after = -1;
    int num_taken = 0;                  // values that come with the call
    std::vector<std::string> from_own;  // the keys of those that the master's own task has
    bool waits() const { return after >= 0 || num_taken > 0; }
  };
  struct FedFetch {
    int fetch = 0;
    int feed = 0;
  };
  std::vector<Part> parts;  // the master's own task comes last: the others begin before its nodes run
  std::shared_ptr<const AnswerValues::Keys> brought;  // what other parts bring to that one; null: nothing
  absl::flat_hash_map<std::string, size_t> takers;    // of what parts bring to another one: its number, by key
  std::vector<PlanGraph::Feed> feeds;
  std::vector<std::string> fetch_names;  // as the client wrote them
  std::vector<FedFetch> fed_fetches;     // that need no worker
  std::vector<std::vector<bool>> feeds_of_fetch;
};

}  // namespace weir
