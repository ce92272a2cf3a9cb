// The objects that a C++ program creates: Engine, Var, Op, ClientSession, servers. They throw weir::Error.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weir/cluster/join_until_signal.h"
#include "weir/cluster/server.h"
#include "weir/error.h"
#include "weir/graph/compose/variable.h"
#include "weir/graph/gradients.h"
#include "weir/session/cluster_spec.h"
#include "weir/session/session.h"
#include "weir/session_config.h"
#include "weir/train/session_manager.h"

namespace weir {

class Supervisor;

// Makes a ClusterSpec from the addresses of each job's tasks, in task order.
ClusterSpec Cluster(const std::map<std::string, std::vector<std::string>>& jobs);

// Owns the ops, the threads and a default graph. Create one per program; it must outlive its graphs, sessions and
// servers.
class Engine final {
 public:
  Engine();
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Graph& graph() const { return *graph_; }
  const std::shared_ptr<Graph>& shared_graph() const { return graph_; }
  std::shared_ptr<Graph> NewGraph() const;
  // Returns a node that initializes the global variables that the graph has now.
  Node* InitializeVariables() const;
  // Starts one task of a cluster in this process. Sessions connect to its target(), from this or another process. The
  // server runs until it is destroyed or Stop is called. Join waits for that; JoinUntilSignal also returns on SIGTERM
  // and SIGINT.
  std::unique_ptr<Server> StartServer(const ClusterSpec& cluster, const std::string& job, int task,
                                      const SessionConfig& config = {}, const std::string& bind_address = "") const;
  // Starts a cluster of one task, "/job:local/task:0", on a free port.
  std::unique_ptr<Server> StartLocalServer() const;
  // Returns a factory of sessions for supervisors and session managers: in this process if `target` is empty, else on
  // the cluster of the server at `target`.
  SessionMaker Sessions(const std::string& target = "", const SessionConfig& config = {}) const;
  SessionMaker Sessions(std::shared_ptr<Graph> graph, const std::string& target, const SessionConfig& config) const;
  const OpRegistry& registry() const;

 private:
  friend class ClientSession;
  struct Parts;
  Result<std::shared_ptr<Session>> NewLocalSession(std::shared_ptr<Graph> graph, const SessionConfig& config) const;
  Result<std::shared_ptr<Session>> NewRemoteSession(const std::string& target, std::shared_ptr<Graph> graph,
                                                    const SessionConfig& config) const;

  const std::unique_ptr<Parts> parts_;
  std::shared_ptr<Graph> graph_;
};

// A variable. Converts to its value in arithmetic and in graph-building functions.
class Var final {
 public:
  Var(Graph& graph, const Input& initial_value, const VariableOptions& options = {})
      : variable_(ValueOrThrow(Variable::Make(graph, initial_value, options))) {}
  Var(VariablePtr variable) : variable_(std::move(variable)) {}
  Var(Result<VariablePtr> variable) : variable_(ValueOrThrow(std::move(variable))) {}
  operator Output() const { return variable_->AsInput(); }
  operator Input() const { return variable_->AsInput(); }
  const VariablePtr& variable() const { return variable_; }
  Variable* operator->() const { return variable_.get(); }

 private:
  VariablePtr variable_;
};

// A node to run. An Output or Result of a failed build throws here; a null Node* fails when it is run.
class Op final {
 public:
  Op(Node* node) : node_(node) {}
  Op(Output output);
  Op(Result<Node*> node) : node_(ValueOrThrow(std::move(node))) {}
  Node* node() const { return node_; }

 private:
  Node* node_;
};

// Returns the dense gradients of y with respect to each x. Throws if y does not depend on an x, or if a gradient is
// sparse (IndexedSlices).
std::vector<Output> DenseGradients(Output y, const std::vector<Output>& xs);

// Runs parts of an engine's graph, in this process or on a cluster. Thread-safe.
class ClientSession final {
 public:
  explicit ClientSession(const Engine& engine, const SessionConfig& config = {});
  ClientSession(const Engine& engine, std::shared_ptr<Graph> graph, const SessionConfig& config = {});
  // Runs on the cluster of the server at `target`, "grpc://host:port".
  ClientSession(const Engine& engine, const std::string& target, const SessionConfig& config = {});
  ClientSession(const Engine& engine, const std::string& target, std::shared_ptr<Graph> graph,
                const SessionConfig& config = {});
  // Wraps an existing session of the engine's graph.
  ClientSession(const Engine& engine, std::shared_ptr<Session> session);

  using Feeds = std::vector<std::pair<Output, Tensor>>;
  // Runs the fetches and the targets. Returns the values of the fetches, in order.
  std::vector<Tensor> Run(const Feeds& feeds, const std::vector<Output>& fetches,
                          const std::vector<Op>& targets = {}) const;
  std::vector<Tensor> Run(const std::vector<Output>& fetches) const { return Run({}, fetches); }
  Tensor Run(const Output& fetch) const { return Run({}, {fetch})[0]; }
  void Run(const Op& target) const { Run({}, {}, {target}); }
  void Run(Node* target) const { Run(Op(target)); }
  // The full interface: cancellation, callables, partial runs, options and metadata. It returns errors as values:
  //   auto step = ValueOrThrow(session.session().MakeCallable({x}, {loss}, {train.node()}));
  //   std::vector<Tensor> values = ValueOrThrow(step->Call({batch}));
  Session& session() const { return *session_; }
  Graph& graph() const { return *graph_; }
  std::shared_ptr<Session> shared_session() const { return session_; }

 private:
  std::shared_ptr<Graph> graph_;
  std::shared_ptr<Session> session_;
};

// Runs `body` in a session that the supervisor prepares on the cluster at `target` ("": in this process), then stops
// everything that the supervisor started. Throws the exception of `body`, or the error of a service. OutOfRange means
// the end of the input and is not an error.
void RunManaged(Supervisor& supervisor, const Engine& engine, const std::string& target, const SessionConfig& config,
                const std::function<void(const ClientSession&)>& body);
inline void RunManaged(Supervisor& supervisor, const Engine& engine, const std::string& target,
                       const std::function<void(const ClientSession&)>& body) {
  RunManaged(supervisor, engine, target, {}, body);
}

}  // namespace weir
