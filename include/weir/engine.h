// The objects that a C++ program creates: Engine, Var, Op, ClientSession, servers. Only this API turns a Status into an
// exception.
#pragma once

#include <initializer_list>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/out_of_memory.h"
#include "base/thread_pool.h"
#include "cluster/join_until_signal.h"
#include "cluster/network.h"
#include "cluster/server.h"
#include "graph/compose/variable.h"
#include "graph/gradients.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_session.h"
#include "train/session_manager.h"
#include "train/supervisor.h"

namespace weir {

// The exception for a failed Status: TensorFlow's error code and, if known, the node.
class Error : public std::runtime_error {
 public:
  explicit Error(const Status& status)
      : std::runtime_error(status.ToString(absl::StatusToStringMode::kWithNoExtraData)),  // the message names the node
        status_(status),
        node_(NodeOf(status).value_or("")) {}
  StatusCode code() const { return status_.code(); }
  const std::string& node() const { return node_; }
  const Status& status() const { return status_; }

 private:
  Status status_;
  std::string node_;
};

inline void ThrowIfError(const Status& status) {
  if (!status.ok()) throw Error(status);
}
template <class T>
T ValueOrThrow(Result<T> result) {
  ThrowIfError(result.status());
  return *std::move(result);
}

// Makes a ClusterSpec from the addresses of each job's tasks, in task order.
inline ClusterSpec Cluster(const std::map<std::string, std::vector<std::string>>& jobs) {
  std::map<std::string, ClusterSpec::Tasks> numbered;
  for (const auto& [job, addresses] : jobs) {
    for (size_t i = 0; i < addresses.size(); ++i) numbered[job][static_cast<int>(i)] = addresses[i];
  }
  return ValueOrThrow(ClusterSpec::Make(std::move(numbered)));
}

// Owns the ops, the threads and a default graph. Create one per program; it must outlive its graphs, sessions and
// servers.
class Engine final {
 public:
  Engine() : compute_("weir", 0), blocking_("weir-io") {
    ops::RegisterAllOps(registry_);
    graph_ = NewGraph();
  }
  Graph& graph() const { return *graph_; }
  const std::shared_ptr<Graph>& shared_graph() const { return graph_; }
  std::shared_ptr<Graph> NewGraph() const {
    auto graph = std::make_shared<Graph>(registry_);
    graph->set_constant_evaluator(MakeLocalConstantEvaluator(env_));
    return graph;
  }
  // Returns a node that initializes all global variables of the graph.
  Node* InitializeVariables() const {
    Node* node = weir::InitializeVariables(*graph_, GlobalVariables(*graph_));
    ThrowIfError(graph_->TakeError());
    return node;
  }
  // Starts one task of a cluster in this process. Sessions connect to its target(), from this or another process. The
  // server runs until it is destroyed or Stop is called. Join waits for that; JoinUntilSignal also returns on SIGTERM
  // and SIGINT.
  std::unique_ptr<Server> StartServer(const ClusterSpec& cluster, const std::string& job, int task,
                                      const tensorflow::ConfigProto& config = {},
                                      const std::string& bind_address = "") const {
    tensorflow::ServerDef def;
    *def.mutable_cluster() = cluster.ToProto();
    def.set_job_name(job);
    def.set_task_index(task);
    *def.mutable_default_session_config() = config;
    std::unique_ptr<Server> server = ValueOrThrow(Server::Make(
        def, Server::Options{bind_address}, Server::Dependencies{registry_, compute_, blocking_, env_, network_}));
    ThrowIfError(server->Start());
    return server;
  }
  // Starts a cluster of one task, "/job:local/task:0", on a free port.
  std::unique_ptr<Server> StartLocalServer() const {
    return StartServer(Cluster({{"local", {"localhost:0"}}}), "local", 0);
  }
  // Returns a factory of sessions for supervisors and session managers: in this process if `target` is empty, else on
  // the cluster of the server at `target`.
  SessionMaker Sessions(const std::string& target = "", const tensorflow::ConfigProto& config = {}) const {
    return [this, target, config]() -> Result<SessionPtr> {
      if (!target.empty()) return network_.NewSession(target, graph_, config);
      return std::make_shared<LocalSession>(graph_,
                                            LocalSession::Dependencies{compute_, blocking_, env_, nullptr, config});
    };
  }
  const OpRegistry& registry() const { return registry_; }

 private:
  friend class ClientSession;
  Env& env_ = RealEnv();
  OpRegistry registry_;
  mutable ThreadPool compute_;
  mutable ElasticPool blocking_;
  mutable Network network_;
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

// A node to run. Converts from the results of graph-building functions; throws if building failed.
class Op final {
 public:
  Op(Node* node) : node_(node) {}
  Op(Output output) : node_(output.valid() ? output.node : nullptr) {
    if (output.has_graph()) ThrowIfError(output.graph().TakeError());
    if (node_ == nullptr) throw Error(InvalidArgument("nothing to run: the Output is empty (building it failed)"));
  }
  Op(Result<Node*> node) : node_(ValueOrThrow(std::move(node))) {}
  Node* node() const { return node_; }

 private:
  Node* node_;
};

// Returns the dense gradients of y with respect to each x. Throws if y does not depend on an x, or if a gradient is
// sparse (IndexedSlices).
inline std::vector<Output> DenseGradients(Output y, const std::vector<Output>& xs) {
  std::vector<Output> result;
  if (!y.has_graph())
    throw Error(InvalidArgument("nothing to differentiate: the Output is empty (building it failed)"));
  ThrowIfError(y.graph().TakeError());
  for (const Grad& g : ValueOrThrow(AddGradients(y.graph(), {y}, xs))) {
    const std::string& x = xs[result.size()].name();
    if (!HasGrad(g)) throw Error(InvalidArgument("'{}' does not depend on '{}': no gradient", y.name(), x));
    if (!std::holds_alternative<Output>(g))
      throw Error(InvalidArgument(
          "the gradient of '{}' with respect to '{}' is sparse (IndexedSlices): use AddGradients instead", y.name(),
          x));
    result.push_back(std::get<Output>(g));
  }
  return result;
}

// Runs parts of an engine's graph, in this process or on a cluster. Thread-safe. Throws weir::Error.
class ClientSession final {
 public:
  explicit ClientSession(const Engine& engine, const tensorflow::ConfigProto& config = {})
      : ClientSession(engine, engine.shared_graph(), config) {}
  ClientSession(const Engine& engine, std::shared_ptr<Graph> graph, const tensorflow::ConfigProto& config = {})
      : graph_(graph),
        session_(std::make_shared<LocalSession>(
            graph, LocalSession::Dependencies{engine.compute_, engine.blocking_, engine.env_, nullptr, config})) {}
  // Runs on the cluster of the server at `target`, "grpc://host:port".
  ClientSession(const Engine& engine, const std::string& target, const tensorflow::ConfigProto& config = {})
      : ClientSession(engine, target, engine.shared_graph(), config) {}
  ClientSession(const Engine& engine, const std::string& target, std::shared_ptr<Graph> graph,
                const tensorflow::ConfigProto& config = {})
      : graph_(graph), session_(ValueOrThrow(engine.network_.NewSession(target, graph, config))) {}
  // Wraps an existing session of the engine's graph.
  ClientSession(const Engine& engine, std::shared_ptr<Session> session)
      : graph_(engine.shared_graph()), session_(std::move(session)) {}

  using Feeds = std::vector<std::pair<Output, Tensor>>;
  // Runs the fetches and the targets. Returns the values of the fetches, in order.
  std::vector<Tensor> Run(const Feeds& feeds, const std::vector<Output>& fetches,
                          const std::vector<Op>& targets = {}) const {
    ThrowIfError(graph_->TakeError());  // errors from graph building
    RunRequest request;
    for (const auto& [output, value] : feeds) request.feeds.push_back({output, value});
    request.fetches = fetches;
    for (const Op& op : targets) request.targets.push_back(op.node());
    return ValueOrThrow(CatchOutOfMemory("a step", [&] { return session_->Run(request); }));
  }
  std::vector<Tensor> Run(const std::vector<Output>& fetches) const { return Run({}, fetches); }
  Tensor Run(const Output& fetch) const { return Run({}, {fetch})[0]; }
  void Run(const Op& target) const { Run({}, {}, {target}); }
  void Run(Node* target) const { Run(Op(target)); }
  // The full interface: RunOptions and metadata, cancellation, callables, partial runs. It returns errors as values:
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
inline void RunManaged(Supervisor& supervisor, const Engine& engine, const std::string& target,
                       const std::function<void(const ClientSession&)>& body) {
  ThrowIfError(supervisor.RunManaged(engine.Sessions(target), [&](const SessionPtr& session) -> Status {
    try {
      body(ClientSession(engine, session));
      return OkStatus();
    } catch (const Error& error) {
      return error.status();
    } catch (const std::bad_alloc&) {
      return StatusFromCurrentException("the body of a managed session");
    }
  }));
}

}  // namespace weir
