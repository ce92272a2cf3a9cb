// QueueRunner: keeps a queue filled. Each enqueue node runs repeatedly in its own thread until the queue is closed, a
// stop is requested or a step fails. Thread-safe. The graph must outlive it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/op/cancel.h"
#include "weir/proto/messages.h"
#include "weir/session/session.h"
#include "weir/train/coordinator.h"

namespace weir {

struct QueueRunnerParts {
  std::string queue_name = "";
  std::vector<Node*> enqueue = {};
  Node* close = nullptr;  // run when the last enqueue node reaches the end of its input
  // Run when the coordinator stops: closes the queue, which fails the steps that wait for it. Not run if a task was
  // lost, unless the queue belongs to the session (it has no shared_name): its steps would wait forever.
  Node* cancel = nullptr;
  // Error codes that mean the end of the queue, not a failure.
  std::set<StatusCode> closed = {StatusCode::kOutOfRange};
};

class QueueRunner final {
 public:
  // InvalidArgument if there are no enqueue nodes or a node is null.
  static Result<std::shared_ptr<QueueRunner>> Make(QueueRunnerParts parts);
  // Uses the nodes that `def` names, in `import_scope` if not empty. NotFound if a node does not exist.
  static Result<std::shared_ptr<QueueRunner>> FromProto(Graph& graph, const tensorflow::QueueRunnerDef& def,
                                                        const std::string& import_scope = "");
  // Removes `export_scope` from names; nullopt if the queue is not in that scope.
  std::optional<tensorflow::QueueRunnerDef> ToProto(const std::string& export_scope = "") const;
  QueueRunner(const QueueRunner&) = delete;
  QueueRunner& operator=(const QueueRunner&) = delete;

  const QueueRunnerParts& parts() const { return parts_; }

  // Adds a function that runs in its own thread beside the enqueue nodes. `stopped` is cancelled when the coordinator
  // stops. Call before Loops. Not run without a coordinator.
  using Companion = std::function<Status(Session& session, const Coordinator& coordinator, CancelToken& stopped)>;
  void AddCompanion(std::string name, Companion companion);

  // The work of one thread. Returns the error to report.
  struct Loop {
    std::string name;
    std::function<Status()> run;
  };
  // Returns one loop per enqueue node and companion. If there is a coordinator, one more loop waits for a stop; it then
  // cancels the steps of the other loops and runs `cancel`. Empty if earlier loops for this session still run.
  std::vector<Loop> Loops(std::shared_ptr<Session> session, std::shared_ptr<Coordinator> coordinator);

 private:
  explicit QueueRunner(QueueRunnerParts parts) : parts_(std::move(parts)) {}
  using SessionKey = std::weak_ptr<Session>;
  Status RunEnqueue(const SessionKey& key, Session& session, Node* enqueue, const Coordinator* coordinator,
                    CancelToken* stopped);
  bool EndLoop(const SessionKey& key);  // true for the last one

  const QueueRunnerParts parts_;
  std::vector<std::pair<std::string, Companion>> companions_;
  std::weak_ptr<QueueRunner> self_;
  std::mutex mu_;
  std::map<SessionKey, int, std::owner_less<SessionKey>> running_;
};
using QueueRunnerPtr = std::shared_ptr<QueueRunner>;

// Runs loops in C++ threads and reports their errors to the coordinator, whose Join also waits for them. The destructor
// joins the threads unless they were abandoned. REQUIRES: the coordinator has stopped or the queue is closed by then.
class QueueRunnerThreads final {
 public:
  QueueRunnerThreads(std::shared_ptr<Coordinator> coordinator, std::vector<QueueRunner::Loop> loops);
  ~QueueRunnerThreads();
  // Joins the threads, and detaches those that do not end: they may be blocked forever.
  void JoinOrAbandon();
  QueueRunnerThreads(const QueueRunnerThreads&) = delete;
  QueueRunnerThreads& operator=(const QueueRunnerThreads&) = delete;

 private:
  struct Thread {
    std::shared_ptr<TrackedThread> handle;
    std::thread thread;
  };
  std::vector<Thread> threads_;
};

// Adds a runner to a collection of the graph. Only C++ runners are in it.
void AddQueueRunner(Graph& graph, QueueRunnerPtr runner, const std::string& collection = "queue_runners");
// Starts all runners of the collection that do not already run for this session.
std::unique_ptr<QueueRunnerThreads> StartQueueRunners(Graph& graph, const std::shared_ptr<Session>& session,
                                                      const std::shared_ptr<Coordinator>& coordinator,
                                                      const std::string& collection = "queue_runners");

}  // namespace weir
