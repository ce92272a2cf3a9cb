#include "cluster/task.h"

#include "runtime/constant_evaluator.h"
#include "runtime/local_devices.h"

namespace weir {

Task::Task(std::string name, const ClusterSpec& cluster, const tensorflow::ConfigProto& config,
           const Dependencies& dependencies)
    : access_(dependencies.clock),
      unread_answers_(dependencies.limits, Limit::kUnreadOfPeer, Limit::kUnread),
      worker_(name, MakeLocalDevices(config, name, dependencies.rng, &dependencies.parts.env),
              Worker::Dependencies{.parts = dependencies.parts,
                                   .transport = dependencies.transport,
                                   .clock = dependencies.clock,
                                   .access = access_,
                                   .chunk_bytes = dependencies.chunk_bytes,
                                   .kept_response_bytes = dependencies.kept_response_bytes,
                                   .alarms = &dependencies.alarms}),
      peers_(std::make_shared<Peers>(cluster, dependencies.transport, name, &worker_)),
      best_effort_(std::make_shared<BestEffortCalls>(dependencies.alarms)) {
  worker_.set_peers(peers_);
  master_ = std::make_unique<Master>(Master::Dependencies{
      MasterSession::Dependencies{dependencies.parts.registry, MakeLocalConstantEvaluator(dependencies.parts.env),
                                  peers_, dependencies.parts.blocking_pool, dependencies.alarms, best_effort_,
                                  dependencies.rng, dependencies.session_lease_ms, dependencies.kept_response_bytes},
      config, worker_, dependencies.transport, access_, dependencies.unclaimed_session_ms, dependencies.idle_session_ms,
      dependencies.limits});
}

Task::~Task() { best_effort_->Stop(); }

void Task::End() {
  worker_.Stop(Unavailable("the server of {} has been stopped", worker_.task()));
  master_->Stop();
}

void Task::End(std::function<void()> done) {
  worker_.Stop(Unavailable("the server of {} has been stopped", worker_.task()));
  master_->Stop([this, done = std::move(done)]() mutable { worker_.WhenIdle(std::move(done)); });
}

}  // namespace weir
