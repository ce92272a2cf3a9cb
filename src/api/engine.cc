#include "weir/engine.h"

#include <exception>

#include "base/out_of_memory.h"
#include "base/thread_pool.h"
#include "cluster/network.h"
#include "cluster/server.h"
#include "graph/graph.h"
#include "ops/register.h"
#include "runtime/constant_evaluator.h"
#include "runtime/local_session.h"
#include "train/supervisor.h"

namespace weir {

namespace {

Result<tensorflow::ConfigProto> ToProto(const SessionConfig& config) {
  tensorflow::ConfigProto proto;
  if (!proto.ParseFromString(config.serialized))
    return InvalidArgument("SessionConfig::serialized is not a tensorflow.ConfigProto ({} bytes)",
                           config.serialized.size());
  if (config.allow_soft_placement) proto.set_allow_soft_placement(true);
  if (config.log_device_placement) proto.set_log_device_placement(true);
  if (config.intra_op_parallelism_threads != 0)
    proto.set_intra_op_parallelism_threads(config.intra_op_parallelism_threads);
  if (config.inter_op_parallelism_threads != 0)
    proto.set_inter_op_parallelism_threads(config.inter_op_parallelism_threads);
  if (config.operation_timeout_in_ms != 0) proto.set_operation_timeout_in_ms(config.operation_timeout_in_ms);
  for (const auto& [device, count] : config.device_count) (*proto.mutable_device_count())[device] = count;
  if (!config.device_filters.empty())
    proto.mutable_device_filters()->Assign(config.device_filters.begin(), config.device_filters.end());
  return proto;
}

}  // namespace

ClusterSpec Cluster(const std::map<std::string, std::vector<std::string>>& jobs) {
  std::map<std::string, ClusterSpec::Tasks> numbered;
  for (const auto& [job, addresses] : jobs) {
    for (size_t i = 0; i < addresses.size(); ++i) numbered[job][static_cast<int>(i)] = addresses[i];
  }
  return ValueOrThrow(ClusterSpec::Make(std::move(numbered)));
}

struct Engine::Parts {
  Env& env = RealEnv();
  OpRegistry registry;
  ThreadPool compute{"weir", 0};
  ElasticPool blocking{"weir-io"};
  Network network{env};
};

Engine::Engine() : parts_(std::make_unique<Parts>()) {
  ops::RegisterAllOps(parts_->registry);
  graph_ = NewGraph();
}

Engine::~Engine() { graph_ = nullptr; }  // before the registry

std::shared_ptr<Graph> Engine::NewGraph() const {
  auto graph = std::make_shared<Graph>(parts_->registry);
  graph->set_constant_evaluator(MakeLocalConstantEvaluator(parts_->env));
  return graph;
}

Node* Engine::InitializeVariables() const {
  Node* node = weir::InitializeVariables(*graph_, GlobalVariables(*graph_));
  ThrowIfError(graph_->TakeError());
  return node;
}

std::unique_ptr<Server> Engine::StartServer(const ClusterSpec& cluster, const std::string& job, int task,
                                            const SessionConfig& config, const std::string& bind_address) const {
  tensorflow::ServerDef def;
  *def.mutable_cluster() = cluster.ToProto();
  def.set_job_name(job);
  def.set_task_index(task);
  *def.mutable_default_session_config() = ValueOrThrow(ToProto(config));
  std::unique_ptr<Server> server = ValueOrThrow(
      Server::Make(def, Server::Options{bind_address},
                   ProcessParts{parts_->registry, parts_->compute, parts_->blocking, parts_->env}, parts_->network));
  ThrowIfError(server->Start());
  return server;
}

std::unique_ptr<Server> Engine::StartLocalServer() const {
  return StartServer(Cluster({{"local", {"localhost:0"}}}), "local", 0);
}

SessionMaker Engine::Sessions(const std::string& target, const SessionConfig& config) const {
  return Sessions(graph_, target, config);
}

SessionMaker Engine::Sessions(std::shared_ptr<Graph> graph, const std::string& target,
                              const SessionConfig& config) const {
  return [this, graph = std::move(graph), target, config]() -> Result<SessionPtr> {
    if (!target.empty()) return NewRemoteSession(target, graph, config);
    return NewLocalSession(graph, config);
  };
}

const OpRegistry& Engine::registry() const { return parts_->registry; }

Result<SessionPtr> Engine::NewLocalSession(std::shared_ptr<Graph> graph, const SessionConfig& config) const {
  WEIR_ASSIGN(tensorflow::ConfigProto proto, ToProto(config));
  return std::make_shared<LocalSession>(
      std::move(graph),
      LocalSession::Dependencies{parts_->compute, parts_->blocking, parts_->env, nullptr, std::move(proto)});
}

Result<SessionPtr> Engine::NewRemoteSession(const std::string& target, std::shared_ptr<Graph> graph,
                                            const SessionConfig& config) const {
  WEIR_ASSIGN(const tensorflow::ConfigProto proto, ToProto(config));
  return parts_->network.NewSession(target, std::move(graph), proto);
}

Op::Op(Output output) : node_(output.valid() ? output.node : nullptr) {
  if (output.has_graph()) ThrowIfError(output.graph().TakeError());
  if (node_ == nullptr) throw Error(InvalidArgument("nothing to run: the Output is empty (building it failed)"));
}

std::vector<Output> DenseGradients(Output y, const std::vector<Output>& xs) {
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

ClientSession::ClientSession(const Engine& engine, const SessionConfig& config)
    : ClientSession(engine, engine.shared_graph(), config) {}
ClientSession::ClientSession(const Engine& engine, std::shared_ptr<Graph> graph, const SessionConfig& config)
    : graph_(graph), session_(ValueOrThrow(engine.NewLocalSession(std::move(graph), config))) {}
ClientSession::ClientSession(const Engine& engine, const std::string& target, const SessionConfig& config)
    : ClientSession(engine, target, engine.shared_graph(), config) {}
ClientSession::ClientSession(const Engine& engine, const std::string& target, std::shared_ptr<Graph> graph,
                             const SessionConfig& config)
    : graph_(graph), session_(ValueOrThrow(engine.NewRemoteSession(target, std::move(graph), config))) {}
ClientSession::ClientSession(const Engine& engine, std::shared_ptr<Session> session)
    : graph_(engine.shared_graph()), session_(std::move(session)) {}

std::vector<Tensor> ClientSession::Run(const Feeds& feeds, const std::vector<Output>& fetches,
                                       const std::vector<Op>& targets) const {
  ThrowIfError(graph_->TakeError());  // errors from graph building
  RunRequest request;
  for (const auto& [output, value] : feeds) request.feeds.push_back({output, value});
  request.fetches = fetches;
  for (const Op& op : targets) request.targets.push_back(op.node());
  return ValueOrThrow(CatchOutOfMemory("a step", [&] { return session_->Run(request); }));
}

void RunManaged(Supervisor& supervisor, const Engine& engine, const std::string& target, const SessionConfig& config,
                const std::function<void(const ClientSession&)>& body) {
  std::exception_ptr thrown;  // an exception that has no Status
  const Status status =
      supervisor.RunManaged(engine.Sessions(target, config), [&](const SessionPtr& session) -> Status {
        try {
          body(ClientSession(engine, session));
          return OkStatus();
        } catch (const Error& error) {
          return error.status();
        } catch (const std::bad_alloc&) {
          return StatusFromCurrentException("the body of a managed session");
        } catch (...) {
          thrown = std::current_exception();
          return Cancelled("the body of a managed session threw an exception");
        }
      });
  if (thrown != nullptr) std::rethrow_exception(thrown);
  ThrowIfError(status);
}

}  // namespace weir
