// Session: the interface for running parts of a graph. LocalSession (runtime/local_session.h) runs them in this
// process. Thread-safe: steps may run concurrently.
#ifndef WEIR_SESSION_SESSION_H_
#define WEIR_SESSION_SESSION_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weir/graph/graph.h"
#include "weir/proto/messages.h"

namespace weir {

struct Feed {
  Output output;
  Tensor value;
};

class CancelToken;

struct RunRequest {
  std::vector<Feed> feeds;
  std::vector<Output> fetches;
  std::vector<Node*> targets;
  const tensorflow::RunOptions* options = nullptr;
  tensorflow::RunMetadata* metadata = nullptr;  // filled if not null
  CancelToken* cancel = nullptr;                // lets the caller cancel the step; may be null
};

struct DeviceInfo {
  std::string name;
  std::string type;
  int64_t memory_limit = 0;
  uint64_t incarnation = 0;
};

class Session {
 public:
  virtual ~Session() = default;
  // Returns the values of the fetches, in order. Blocks until the step has ended.
  virtual Result<std::vector<Tensor>> Run(const RunRequest& request) = 0;
  // A signature compiled ahead of time: Call is Run without the lookup of the signature.
  class Callable {
   public:
    virtual ~Callable() = default;
    virtual Result<std::vector<Tensor>> Call(std::vector<Tensor> feeds, const tensorflow::RunOptions* options = nullptr,
                                             tensorflow::RunMetadata* metadata = nullptr,
                                             CancelToken* cancel = nullptr) = 0;
  };
  virtual Result<std::shared_ptr<Callable>> MakeCallable(const std::vector<Output>& feeds,
                                                         const std::vector<Output>& fetches,
                                                         const std::vector<Node*>& targets) = 0;
  // A step that is fed and fetched in several calls.
  virtual Result<std::string> PartialRunSetup(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                                              const std::vector<Node*>& targets, CancelToken* cancel = nullptr) = 0;
  virtual Result<std::vector<Tensor>> PartialRun(const std::string& handle, const std::vector<Feed>& feeds,
                                                 const std::vector<Output>& fetches, CancelToken* cancel = nullptr) = 0;
  virtual Result<std::vector<DeviceInfo>> ListDevices(CancelToken* cancel = nullptr) = 0;
  // Creates a session for another graph on the same servers, with which it shares variables by name. Null if the
  // variables end with this session.
  virtual Result<std::shared_ptr<Session>> NewSessionForGraph(std::shared_ptr<Graph> graph);
  // Cancels running steps, waits a limited time for them, and releases the session's resources. Later runs fail.
  virtual Status Close() = 0;
};

inline Result<std::shared_ptr<Session>> Session::NewSessionForGraph(std::shared_ptr<Graph>) { return nullptr; }

}  // namespace weir

#endif  // WEIR_SESSION_SESSION_H_
