// SimClient: a simulated client. It creates a session on some task, runs steps, checks their results, and creates a new
// session after a failure. Everything that is not as expected is added to SimHistory::wrong.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/sim/sim_cluster.h"
#include "graph/graph.h"

namespace weir {

// The faults injected so far, which tell clients which errors to expect, and the results of the clients.
struct SimHistory {
  bool lost = false;       // a connection broke: calls may be Unavailable
  bool crashed = false;    // a task was restarted: sessions may be Aborted
  int64_t stalled_ms = 0;  // total delay injected so far: a step with a shorter timeout may time out
  std::vector<std::string> wrong;
  int steps = 0;   // steps that returned values
  int errors = 0;  // steps that failed
};

class SimClient final {
 public:
  struct Options {
    int number = 0;
    int steps = 8;
    std::string master;          // a task; empty: a random one for each session
    bool in_turn = false;        // run all kinds of steps in order and cancel none; else random
    int64_t timeout_ms = 0;      // of each step; 0: random
    bool keeps_session = false;  // after its steps it keeps its session open until Leave
  };
  SimClient(SimWorld& world, SimNetwork& network, SimCluster& cluster, SimHistory& history, const OpRegistry& registry,
            Options options);
  ~SimClient();

  void Start() { Next(); }
  bool done() const { return (done_ || keeps_session_open_) && closing_ == 0; }
  void Leave() {
    if (std::exchange(keeps_session_open_, false)) CloseSession([this] { done_ = true; });
  }
  std::string name() const { return name_; }

 private:
  // One generation of the counter on the ps. Each generation has a separate variable, so that a late step of an earlier
  // generation cannot change it. Step number k adds 2^k: the value shows which steps were applied, and that none was
  // applied twice.
  struct Counter {
    int ps_crashes = 0;  // number of crashes before it was initialized
    bool initialized = false;
    int next_bit = 0;
    int64_t applied = 0;    // bits that must be set
    int64_t attempted = 0;  // bits that may be set
  };
  struct Step;
  using StepPtr = std::shared_ptr<Step>;

  // The client continues when all holds are released.
  void Hold() { ++holds_; }
  void Release() {
    if (--holds_ == 0) Next();
  }
  void Next();
  void BuildGraph();
  void CreateSession();
  // Calls `then` when the first attempt has ended, and retries until a master has answered.
  void CloseSession(std::function<void()> then);
  void SendClose(std::shared_ptr<MasterService> master, std::string handle, int attempt, std::function<void()> then);
  void NewCounter();
  StepPtr NewStep();
  StepPtr NewInit();
  StepPtr NewAdd();
  StepPtr NewSums();
  StepPtr NewLoop();
  StepPtr NewPieces();
  void Begin(const StepPtr& step);
  void Ended(const StepPtr& step, Result<RunStepReply> reply);
  void Failed(const StepPtr& step, const Status& status);
  void CheckError(const Step& step, const Status& status);
  void CheckVector(const NamedTensor& value, int64_t first, int64_t pace);
  void Wrong(const std::string& what);
  int CrashesOfPs() const { return cluster_.num_crashes(TaskName("ps", 0)); }

  SimWorld& world_;
  SimCluster& cluster_;
  SimHistory& history_;
  const OpRegistry& registry_;
  const Options options_;
  const std::string name_;
  Transport& transport_;
  int life_ = 0;
  std::shared_ptr<Counter> counter_ = std::make_shared<Counter>();
  tensorflow::GraphDef graph_;
  std::string init_, bit_, add_, x_, y_, sum_, product_, scaled_, limit_, loop_count_, loop_sum_;  // names
  std::shared_ptr<MasterService> master_;
  std::string handle_;
  std::vector<StepPtr> active_;
  int holds_ = 0;
  int steps_ = 0;
  int failures_ = 0;          // consecutive
  int closing_ = 0;           // sessions whose closing no master has confirmed
  bool left_pieces_ = false;  // the session may have a partial run that waits for its next piece
  bool keeps_session_open_ = false;
  bool done_ = false;
};

}  // namespace weir
