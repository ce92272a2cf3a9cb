// Master: the client sessions of one server. Calls that take long run on the blocking pool. Thread-safe.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/limits.h"
#include "cluster/master_session.h"

namespace weir {

// A session that no client has used since its creation is closed after this time. Its client may not know that it
// exists: if the response to CreateSession is lost, the client creates another session, and no client would ever close
// this one. A session that was used once stays until it is closed, because an idle client sends nothing, unless
// idle_session_ms is set. A program may create a session long before its first step: hence a whole day.
inline constexpr int64_t kUnclaimedSessionMs = int64_t{24} * 3600 * 1000;

class Master final : public MasterService {
 public:
  struct Dependencies {
    MasterSession::Dependencies session;
    tensorflow::ConfigProto default_config;
    WorkerService& own_worker;  // for sessions that bring their own cluster
    Transport& transport;
    AccessControl& access;
    int64_t unclaimed_session_ms = kUnclaimedSessionMs;  // 0: never close them
    // A session that was used, but not for this long or up to twice as long, is closed; 0: never.
    int64_t idle_session_ms = 0;
    Limits limits = Limits();
  };
  explicit Master(Dependencies dependencies)
      : dependencies_(std::move(dependencies)),
        session_quota_(dependencies_.limits, Limit::kSessionsOfPeer, Limit::kSessions),
        step_quota_(dependencies_.limits, Limit::kStepsOfPeer, Limit::kSteps) {}
  ~Master() override { Stop(); }
  // Refuses new sessions and steps, and waits for running steps, for at most `timeout_ms`.
  void Drain(int64_t timeout_ms);
  // Closes all sessions; later calls fail. Blocks until nothing is running.
  void Stop();
  // The same without blocking: `done` runs at the end.
  void Stop(std::function<void()> done);
  int num_sessions() const;

  void CreateSession(tensorflow::CreateSessionRequest request, const CallOptions& options,
                     Reply<tensorflow::CreateSessionResponse> done) override;
  void ExtendSession(tensorflow::ExtendSessionRequest request, const CallOptions& options,
                     Reply<tensorflow::ExtendSessionResponse> done) override;
  void RunStep(RunStepCall call, const CallOptions& options, Reply<RunStepReply> done) override;
  void PartialRunSetup(tensorflow::PartialRunSetupRequest request, const CallOptions& options,
                       Reply<tensorflow::PartialRunSetupResponse> done) override;
  void CloseSession(tensorflow::CloseSessionRequest request, const CallOptions& options,
                    Reply<tensorflow::CloseSessionResponse> done) override;
  void ListDevices(tensorflow::ListDevicesRequest request, const CallOptions& options,
                   Reply<tensorflow::ListDevicesResponse> done) override;
  void Reset(tensorflow::ResetRequest request, const CallOptions& options,
             Reply<tensorflow::ResetResponse> done) override;
  void MakeCallable(tensorflow::MakeCallableRequest request, const CallOptions& options,
                    Reply<tensorflow::MakeCallableResponse> done) override;
  void RunCallable(RunCallableCall call, const CallOptions& options, Reply<RunCallableReply> done) override;
  void ReleaseCallable(tensorflow::ReleaseCallableRequest request, const CallOptions& options,
                       Reply<tensorflow::ReleaseCallableResponse> done) override;

 private:
  // Lists the devices of all tasks that answer before the caller's timeout. A device without a type stands for a task
  // that does not: its name is the task's name, its description the address.
  void ListCluster(const CallOptions& options, Reply<tensorflow::ListDevicesResponse> done);
  struct Entry {
    std::shared_ptr<MasterSession> session;
    std::string owner;         // the name of the caller who has created it; empty if that was a trusted one
    Alarms::Id unclaimed = 0;  // fires if no client has used the session; 0 after the first use
    Quota::Share share;
    int64_t nodes = 0;  // of its graph
    uint64_t uses = 0;
    std::shared_ptr<std::atomic<int>> steps = std::make_shared<std::atomic<int>>(0);  // in flight
    Alarms::Id idle = 0;  // fires periodically, to see whether the session is idle; 0: does not
  };
  using Sessions = std::map<std::string, Entry>;

  // Counts as a use of the session. Aborted if the handle is unknown, PermissionDenied if the session is another's.
  Result<std::shared_ptr<MasterSession>> Find(const std::string& handle, const PeerIdentity& caller);
  // The same for a new step: Unavailable while the server is stopping.
  Status CheckNotDraining() const;
  Result<std::shared_ptr<MasterSession>> FindForStep(const std::string& handle, const PeerIdentity& caller);
  // `target` is the address by which the client has reached this master.
  Result<std::shared_ptr<MasterSession>> NewSession(tensorflow::ConfigProto config, const std::string& target,
                                                    const PeerIdentity& caller);
  // Counts a step until the result is destroyed. ResourceExhausted if there are too many.
  Result<std::shared_ptr<void>> CountStep(const std::string& handle, const PeerIdentity& caller);
  // The nodes of the session's graph; 0 if there is no such session.
  int64_t NodesOf(const std::string& handle) const;
  void CountNodes(const std::string& handle, const tensorflow::GraphDef& added);
  // ResourceExhausted if a graph would have too many nodes with those of `added`.
  Status CheckNodes(int64_t nodes, const tensorflow::GraphDef& added, const PeerIdentity& caller) const;
  // The name of this server's task in a cluster that a session brings.
  Result<std::string> OwnTaskIn(const ClusterSpec& cluster, const std::string& target) const;
  void StartUnclaimedTimer(const std::string& handle);
  void CloseUnclaimed(const std::string& handle);
  void StartIdleTimer(const std::string& handle, uint64_t uses);
  // Closes the session if it has no step in flight and was not used after its use number `uses`.
  void CloseIfIdle(const std::string& handle, uint64_t uses);
  // Closes all sessions, then calls `done`.
  void CloseAll(std::function<void()> done);
  void InBackground(std::function<void()> work);

  const Dependencies dependencies_;
  Quota session_quota_;
  Quota step_quota_;
  InFlight in_flight_;
  mutable std::mutex mu_;
  bool draining_ = false;
  bool stopped_ = false;
  Sessions sessions_;
};

}  // namespace weir
