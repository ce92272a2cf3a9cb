// QueueRunner: what keeps a queue filled. Each of its enqueue nodes is run over and over, on a thread of its own, until
// the queue ends, a stop is asked for or a step fails. Thread-safe. The graph must outlive it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "op/cancel.h"
#include "proto/collections.pb.h"
#include "session/session.h"
#include "train/coordinator.h"

namespace weir {

struct QueueRunnerParts {
  std::string queue_name = "";
  std::vector<Node*> enqueue = {};
  Node* close = nullptr;  // run when the last enqueue node meets the end of its input
  // Run when the coordinator stops, unless a task was lost: ends the queue, and with it the steps of who waits at it.
  Node* cancel = nullptr;
  // Errors that mean the end, not a failure.
  std::set<StatusCode> closed = {StatusCode::kOutOfRange};
};

class QueueRunner final {
 public:
  // InvalidArgument without enqueue nodes, or where a node is missing.
  static Result<std::shared_ptr<QueueRunner>> Make(QueueRunnerParts parts);
  // Of the nodes that `def` names, below `import_scope` unless that is empty. NotFound where there is no such node.
  static Result<std::shared_ptr<QueueRunner>> FromProto(Graph& graph, const tensorflow::QueueRunnerDef& def,
                                                        const std::string& import_scope = "");
  // Names without `export_scope`; nothing when the queue is not in that scope.
  std::optional<tensorflow::QueueRunnerDef> ToProto(const std::string& export_scope = "") const;
  QueueRunner(const QueueRunner&) = delete;
  QueueRunner& operator=(const QueueRunner&) = delete;

  const QueueRunnerParts& parts() const { return parts_; }

  // Something else to do on a thread of its own beside the enqueue nodes: until the coordinator stops, when `stopped`
  // is cancelled. Before Loops; left out without a coordinator.
  using Companion = std::function<Status(Session& session, const Coordinator& coordinator, CancelToken& stopped)>;
  void AddCompanion(std::string name, Companion companion);

  // What one thread is to do. It returns the error that is to be reported.
  struct Loop {
    std::string name;
    std::function<Status()> run;
  };
  // One per enqueue node and, with a coordinator, one that on its stop ends the steps that the others wait in and runs
  // `cancel`. None while loops that were made for this session before have not ended.
  std::vector<Loop> Loops(std::shared_ptr<Session> session, std::shared_ptr<Coordinator> coordinator);

 private:
  explicit QueueRunner(QueueRunnerParts parts) : parts_(std::move(parts)) {}
  using SessionKey = std::weak_ptr<Session>;
  Status RunEnqueue(const SessionKey& key, Session& session, Node* enqueue, const Coordinator* coordinator,
                    CancelToken* stopped);
  bool EndLoop(const SessionKey& key);  // true when it was the last one

  const QueueRunnerParts parts_;
  std::vector<std::pair<std::string, Companion>> companions_;
  std::weak_ptr<QueueRunner> self_;
  std::mutex mu_;
  std::map<SessionKey, int, std::owner_less<SessionKey>> running_;
};
using QueueRunnerPtr = std::shared_ptr<QueueRunner>;

// Threads of C++ that run loops and report their errors to the coordinator, which also waits for them in Join. They end
// before this is destroyed, unless they are abandoned: the coordinator must have stopped then, or the queue have ended.
class QueueRunnerThreads final {
 public:
  QueueRunnerThreads(std::shared_ptr<Coordinator> coordinator, std::vector<QueueRunner::Loop> loops);
  ~QueueRunnerThreads();
  // Lets go of those that have not ended: what they are stuck in may never come back.
  void JoinOrAbandon();
  QueueRunnerThreads(const QueueRunnerThreads&) = delete;
  QueueRunnerThreads& operator=(const QueueRunnerThreads&) = delete;

 private:
  struct Thread {
    std::shared_ptr<OwnThread> handle;
    std::thread thread;
  };
  std::vector<Thread> threads_;
};

// The runners that the graph's building code has added to a collection (GraphKeys' queue_runners), those of C++.
void AddQueueRunner(Graph& graph, QueueRunnerPtr runner, const std::string& collection = "queue_runners");
// Starts all of them that do not run for this session already.
std::unique_ptr<QueueRunnerThreads> StartQueueRunners(Graph& graph, const std::shared_ptr<Session>& session,
                                                      const std::shared_ptr<Coordinator>& coordinator,
                                                      const std::string& collection = "queue_runners");

}  // namespace weir
