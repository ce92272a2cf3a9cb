// SimClient: a client in a simulation. Makes a session on some task, runs steps, checks what comes back, and makes a
// new session when one has failed. Everything that is not as it must be goes to `wrong`.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cluster/sim/sim_cluster.h"
#include "graph/graph.h"

namespace weir {

// What a client must know to tell a right error from a wrong one.
struct SimHistory {
  bool lost = false;     // a connection broke: calls may be Unavailable
  bool crashed = false;  // a task was restarted: sessions may be Aborted
  bool stalled = false;  // something may take longer than a step has time: DeadlineExceeded
  std::vector<std::string> wrong;
  int steps = 0;
  int errors = 0;
};

class SimClient final {
 public:
  struct Options {
    int number = 0;
    int steps = 8;
    std::string master;      // a task; empty: another one for each session
    bool in_turn = false;    // all kinds of steps one after the other, and none is given up; else as it comes
    int64_t timeout_ms = 0;  // of each step; 0: random
  };
  SimClient(SimWorld& world, SimNetwork& network, SimCluster& cluster, SimHistory& history, const OpRegistry& registry,
            Options options);
  ~SimClient();

  void Start() { Next(); }
  bool done() const { return done_; }
  std::string name() const { return name_; }

 private:
  // One life of the counter on the ps: a variable of its own, so that a late step of the former life cannot change it.
  // The step number k adds 2^k: a value tells which steps were applied, and each at most once.
  struct Counter {
    int life = 0;
    int ps_crashes = 0;  // when it was initialized
    bool initialized = false;
    int next_bit = 0;
    int64_t applied = 0;    // must be in the value
    int64_t attempted = 0;  // may be in the value
  };
  struct Step;

  void Next();
  void After(int64_t nanos, std::function<void()> then);
  void BuildGraph();
  void CreateSession();
  void CloseSession(std::function<void()> then);
  void NewLife();
  void RunStep();
  std::shared_ptr<Step> NewInit();
  std::shared_ptr<Step> NewAdd();
  std::shared_ptr<Step> NewSums();
  std::shared_ptr<Step> NewLoop();
  void Send(const std::shared_ptr<Step>& step);
  void Ended(const std::shared_ptr<Step>& step, Result<RunStepReply> reply);
  void CheckError(const Step& step, const Status& status);
  void Wrong(const std::string& what);
  int64_t CrashesOfPs() const { return cluster_.num_crashes(TaskName("ps", 0)); }

  SimWorld& world_;
  SimCluster& cluster_;
  SimHistory& history_;
  const OpRegistry& registry_;
  const Options options_;
  const std::string name_;
  Transport& transport_;
  Counter counter_;
  tensorflow::GraphDef graph_;
  std::string init_, bit_, add_, x_, sums_, product_, limit_, loop_count_, loop_sum_;
  std::shared_ptr<MasterService> master_;
  std::string handle_;
  int steps_ = 0;
  int failures_ = 0;  // one after the other
  bool done_ = false;
};

}  // namespace weir
