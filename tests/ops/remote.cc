#include "tests/ops/remote.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "ops/register.h"

namespace weir::optest {
namespace {

tensorflow::ServerDef Definition(const std::string& worker, const std::string& ps, const std::string& job) {
  tensorflow::ServerDef def;
  for (const auto& [name, address] : {std::pair("worker", worker), std::pair("ps", ps)}) {
    tensorflow::JobDef* one = def.mutable_cluster()->add_job();
    one->set_name(name);
    (*one->mutable_tasks())[0] = address;
  }
  def.set_job_name(job);
  return def;
}

}  // namespace

RunMode OnAnotherTask(std::string name, std::string target,
                      std::function<Result<std::shared_ptr<MasterService>>()> find) {
  RunMode mode{.name = std::move(name)};
  mode.checks_gradients = false;
  mode.device = [](int) { return "/job:ps/task:0"; };
  mode.open = [target = std::move(target),
               find = std::move(find)](std::shared_ptr<Graph> graph) -> Result<std::unique_ptr<Session>> {
    tensorflow::ConfigProto config;
    config.set_isolate_session_state(true);  // variables of different cases have the same names
    WEIR_ASSIGN(std::shared_ptr<MasterService> master, find());
    return std::make_unique<RemoteSession>(std::move(graph), std::move(master), config, target);
  };
  return mode;
}

RemoteCluster::RemoteCluster(const OpRegistry& registry, const std::string& program) {
  const ProcessParts parts{registry, pool_, blocking_pool_, RealEnv()};
  // Holds both ports at the same time, so that they differ.
  auto taken = [&] {
    auto probe = Server::Make(Definition("localhost:0", "localhost:1", "worker"), {}, parts, network_);
    WEIR_CHECK(probe.ok(), std::string(probe.status().message()));
    const Status started = (*probe)->Start();
    WEIR_CHECK(started.ok(), std::string(started.message()));
    return *std::move(probe);
  };
  auto address_of = [](const Server& probe) { return probe.target().substr(std::string("grpc://").size()); };
  std::unique_ptr<Server> probes[] = {taken(), taken()};
  const std::string worker = address_of(*probes[0]);
  const std::string ps = address_of(*probes[1]);
  for (std::unique_ptr<Server>& probe : probes) probe = nullptr;
  other_ = fork();
  if (other_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl(program.c_str(), program.c_str(), "--serve", ps.c_str(), worker.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  auto server = Server::Make(Definition(worker, ps, "worker"), {}, parts, network_);
  WEIR_CHECK(server.ok(), std::string(server.status().message()));
  server_ = *std::move(server);
  const Status started = server_->Start();
  WEIR_CHECK(started.ok(), std::string(started.message()));
}

RemoteCluster::~RemoteCluster() {
  kill(other_, SIGKILL);
  waitpid(other_, nullptr, 0);
}

RunMode RemoteCluster::Mode() {
  const std::string target = server_->target();
  return OnAnotherTask("on another task", target, [this, target] { return network_.FindMaster(target); });
}

int ServeOther(const std::string& own_address, const std::string& other_address) {
  OpRegistry registry;
  ops::RegisterAllOps(registry);
  ThreadPool pool("optest_other", 2);
  ElasticPool blocking_pool("optest_other_blocking");
  Network network(RealEnv());
  auto server = Server::Make(Definition(other_address, own_address, "ps"), {},
                             {registry, pool, blocking_pool, RealEnv()}, network);
  if (!server.ok() || !(*server)->Start().ok()) {
    std::fprintf(stderr, "the other server does not start: %s\n", std::string(server.status().message()).c_str());
    return 1;
  }
  (*server)->Join();
  return 0;
}

}  // namespace weir::optest
