// Master: the sessions of the clients of one server. Thread-safe. Calls that take their time run on the blocking pool.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/master_session.h"

namespace weir {

// A session that no client has used since it was created is closed after that time. Its client may never have heard of
// it: when the answer to CreateSession is lost, it makes another one, and nobody would ever close this one. A client
// that holds a session need not say so in any way, so that one that was used once stays until it is closed. Clients
// create a session when they run its first step, but a program may do the one long before the other: hence a day.
inline constexpr int64_t kUnclaimedSessionMs = int64_t{24} * 3600 * 1000;

class Master final : public MasterService {
 public:
  struct Dependencies {
    MasterSession::Dependencies session;
    tensorflow::ConfigProto default_config;
    WorkerService& own_worker;  // for sessions that bring their own cluster
    Transport& transport;
    int64_t unclaimed_session_ms = kUnclaimedSessionMs;  // 0: they stay
  };
  explicit Master(Dependencies dependencies) : dependencies_(std::move(dependencies)) {}
  ~Master() override { Stop(); }
  // Takes no more sessions and steps, and waits for those that run, but not longer than that.
  void Drain(int64_t timeout_ms);
  // Closes all sessions; later calls fail. Blocks until nothing runs.
  void Stop();
  // The same without blocking: `done` runs when it is over.
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
  // The devices of the tasks that answer before the caller gives up. One without a type stands for a task that does
  // not: it has the task's name and, as its description, the address.
  void ListCluster(const CallOptions& options, Reply<tensorflow::ListDevicesResponse> done);
  struct Entry {
    std::shared_ptr<MasterSession> session;
    Alarms::Id unclaimed = 0;  // when it rings, no client has used the session; 0 once one has
  };
  using Sessions = std::map<std::string, Entry>;

  // Aborted for a handle that this master does not know. Who asks for a session uses it.
  Result<std::shared_ptr<MasterSession>> Find(const std::string& handle);
  // For a new step: not when the server is stopping.
  Result<std::shared_ptr<MasterSession>> FindForStep(const std::string& handle);
  // `target` is how the client has reached this master.
  Result<std::shared_ptr<MasterSession>> NewSession(tensorflow::ConfigProto config, const std::string& target);
  // Which task of the cluster this one is.
  Result<std::string> OwnTaskIn(const ClusterSpec& cluster, const std::string& target) const;
  void WaitForClaim(const std::string& handle);
  void CloseUnclaimed(const std::string& handle);
  // Closes all sessions, then calls `done`.
  void CloseAll(std::function<void()> done);
  void InBackground(std::function<void()> work);

  const Dependencies dependencies_;
  InFlight in_flight_;
  mutable std::mutex mu_;
  bool draining_ = false;
  bool stopped_ = false;
  Sessions sessions_;
};

}  // namespace weir
