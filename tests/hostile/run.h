// Runs hostile cases in this process, as a server runs a graph of a client: import, shape inference, plan and step,
// then the gradients. Only a crash or a hang is a failure.
#pragma once

#include <string>

#include "runtime/local_session.h"
#include "tests/hostile/case.h"

namespace weir::hostile {

class CaseRunner final {
 public:
  // The registry outlives the runner.
  explicit CaseRunner(const OpRegistry& registry);
  struct Outcome {
    bool imported = false;
    std::string text;  // human-readable
  };
  Outcome Run(const HostileCase& hostile);

 private:
  std::string RunImported(Graph& graph, LocalSession& session, const HostileCase& hostile);
  std::string RunGradients(Graph& graph, LocalSession& session, Node& node, const std::vector<Feed>& feeds);
  Status Step(LocalSession& session, RunRequest request);

  const OpRegistry& registry_;
  ThreadPool pool_{"hostile", 2};
  ElasticPool blocking_pool_{"hostile_blocking"};
  std::shared_ptr<ConstantEvaluator> evaluator_;
  tensorflow::RunOptions options_;
};

}  // namespace weir::hostile
