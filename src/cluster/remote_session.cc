#include "cluster/remote_session.h"

#include <algorithm>
#include <chrono>

#include "absl/container/flat_hash_map.h"
#include "base/clock.h"
#include "base/log.h"
#include "cluster/await.h"
#include "graph/graph_def.h"
#include "op/cancel_watch.h"
#include "op/joined_token.h"

namespace weir {
namespace {

// When the first and the later log lines are written while a call waits for a server.
constexpr std::chrono::milliseconds kFirstNotice(1000);
constexpr std::chrono::milliseconds kNoticeEvery(10'000);
constexpr int64_t kCloseTimeoutMs = 10'000;
// extra time after the timeout of a step, in which the master may report its result
constexpr int64_t kAnswerMs = 2'000;

Status Closed() { return Cancelled("Session has been closed."); }

std::vector<std::string> NamesOf(const std::vector<Output>& outputs) {
  std::vector<std::string> names;
  names.reserve(outputs.size());
  for (const Output& output : outputs) names.push_back(output.name());
  return names;
}

}  // namespace

RemoteSession::RemoteSession(std::shared_ptr<Graph> graph, std::shared_ptr<MasterService> master,
                             tensorflow::ConfigProto config, std::string target,
                             std::shared_ptr<EventPoller> event_poller)
    : graph_(std::move(graph)),
      master_(std::move(master)),
      alarms_(RealClock()),
      steps_(master_, alarms_),
      config_(std::move(config)),
      target_(std::move(target)),
      event_poller_(std::move(event_poller)) {}

RemoteSession::~RemoteSession() { Close().IgnoreError(); }

int64_t RemoteSession::TimeoutFor(const tensorflow::RunOptions* options) const {
  if (options != nullptr && options->timeout_in_ms() > 0) return options->timeout_in_ms();
  return std::max<int64_t>(0, config_.operation_timeout_in_ms());
}

// The right to send the graph: one thread has it at a time.
class RemoteSession::GraphSendLock final {
 public:
  GraphSendLock(RemoteSession& session, CancelToken& cancel, int64_t timeout_ms) : session_(session) {
    const CancelWatch watch(session.mu_, session.send_lock_released_, &cancel);
    std::unique_lock lock(session_.mu_);
    const auto ready = [&] { return !session_.sending_ || watch.cancelled(); };
    bool in_time = true;
    if (timeout_ms > 0) {
      in_time = session_.send_lock_released_.wait_for(lock, std::chrono::milliseconds(timeout_ms), ready);
    } else {
      session_.send_lock_released_.wait(lock, ready);
    }
    if (cancel.cancelled()) {
      status_ = cancel.reason();
    } else if (!in_time) {
      status_ =
          DeadlineExceeded("timed out while another thread is sending the graph to the server at {}", session_.target_);
    } else {
      has_it_ = session_.sending_ = true;
    }
  }
  ~GraphSendLock() {
    if (!has_it_) return;
    const std::lock_guard lock(session_.mu_);
    session_.sending_ = false;
    session_.send_lock_released_.notify_all();
  }
  GraphSendLock(const GraphSendLock&) = delete;
  GraphSendLock& operator=(const GraphSendLock&) = delete;
  const Status& status() const { return status_; }

 private:
  RemoteSession& session_;
  Status status_;
  bool has_it_ = false;
};

// Makes a call that is cancelled by the caller's token, by the end of the session or by the timeout. The timeout is
// checked here, because a master in this process does not check deadlines.
template <class Response, class Start>
Result<Response> RemoteSession::Ask(const char* what, int64_t timeout_ms, CancelToken* cancel, const Start& start) {
  CancelToken late;
  JoinedToken joined{cancel, &closed_, &late};
  const auto begin = std::chrono::steady_clock::now();
  const std::chrono::milliseconds limit(timeout_ms);
  const auto until = [&](std::chrono::milliseconds notice) {
    if (timeout_ms == 0) return notice;
    const auto left = begin + limit - std::chrono::steady_clock::now();
    return std::clamp(std::chrono::ceil<std::chrono::milliseconds>(left), std::chrono::milliseconds(1), notice);
  };
  const AwaitNotice notice{
      until(kFirstNotice), [&] {
        if (timeout_ms == 0 || std::chrono::steady_clock::now() - begin < limit) {
          LogInfo("{} still waiting for response from the server at {}", what, target_);
        } else {
          late.Cancel(DeadlineExceeded("{}: no answer from the server at {} within {} ms", what, target_, timeout_ms));
        }
        return until(kNoticeEvery);
      }};
  return Await<Response>(
      [&](Reply<Response> done) {
        // The timeout of the call itself is longer: its error would not name the method and the server.
        const int64_t limit_ms = timeout_ms > 0 ? timeout_ms + kAnswerMs : 0;
        start(CallOptions{.timeout_ms = limit_ms, .cancel = joined.get()}, std::move(done));
      },
      notice);
}

Result<std::string> RemoteSession::SendGraph(CancelToken* cancel, int64_t timeout_ms) {
  {
    std::lock_guard lock(mu_);  // the common case: nothing to send
    if (!handle_.empty() && graph_->num_nodes() == sent_nodes_ && !closed_.cancelled()) return handle_;
  }
  JoinedToken joined{cancel, &closed_};
  const GraphSendLock turn(*this, *joined.get(), timeout_ms);
  WEIR_TRY(turn.status());
  std::string handle;
  int64_t version = 0;
  int first = 0;
  {
    std::lock_guard lock(mu_);
    if (closed_.cancelled()) return Closed();
    handle = handle_;
    version = version_;
    first = sent_nodes_;
  }
  const int nodes = graph_->num_nodes();
  if (!handle.empty() && nodes == first) return handle;
  ExportOptions export_options;
  export_options.first_node = first;
  WEIR_ASSIGN(tensorflow::GraphDef def, ExportGraphDef(*graph_, export_options));
  const int sent = first + def.node_size();
  if (handle.empty()) {
    tensorflow::CreateSessionRequest request;
    *request.mutable_graph_def() = std::move(def);
    *request.mutable_config() = config_;
    request.set_target(target_);
    // Wait for a server that is not running yet.
    WEIR_ASSIGN(
        const tensorflow::CreateSessionResponse response,
        Ask<tensorflow::CreateSessionResponse>("CreateSession", timeout_ms, cancel,
                                               [&](CallOptions options, Reply<tensorflow::CreateSessionResponse> done) {
                                                 options.wait_for_ready = true;
                                                 master_->CreateSession(std::move(request), options, std::move(done));
                                               }));
    steps_.set_master_recognizes_copies(response.weir_resends());
    std::lock_guard lock(mu_);
    handle_ = response.session_handle();
    version_ = response.graph_version();
    sent_nodes_ = sent;
    return handle_;
  }
  tensorflow::ExtendSessionRequest request;
  request.set_session_handle(handle);
  *request.mutable_graph_def() = std::move(def);
  request.set_current_graph_version(version);
  WEIR_ASSIGN(const tensorflow::ExtendSessionResponse response,
              Await<tensorflow::ExtendSessionResponse>([&](Reply<tensorflow::ExtendSessionResponse> done) {
                master_->ExtendSession(std::move(request),
                                       CallOptions{.timeout_ms = timeout_ms, .cancel = joined.get()}, std::move(done));
              }));
  std::lock_guard lock(mu_);
  version_ = response.new_graph_version();
  sent_nodes_ = sent;
  return handle;
}

Status RemoteSession::Check(const std::vector<Output>& outputs, const std::vector<Node*>& targets) const {
  for (const Output& output : outputs) {
    if (!output.valid()) return InvalidArgument("A feed or fetch is not a value of the graph");
    if (&output.node->graph() != graph_.get())
      return InvalidArgument("Tensor '{}' is not an element of this graph", output.name());
  }
  for (const Node* target : targets) {
    if (target == nullptr) return InvalidArgument("A target is not a node of the graph");
    if (&target->graph() != graph_.get())
      return InvalidArgument("Target '{}' is not an element of this graph", target->name());
  }
  return OkStatus();
}

// A fed value is known here and not requested. A value that is fetched twice is requested once. Masters may return
// values in any order.
Result<std::vector<Tensor>> RemoteSession::RunStep(RunStepCall call, const std::vector<std::string>& fetches,
                                                   const tensorflow::RunOptions* options,
                                                   tensorflow::RunMetadata* metadata, CancelToken* cancel) {
  if (closed_.cancelled()) return Closed();
  const int64_t timeout_ms = TimeoutFor(options);
  WEIR_ASSIGN(std::string handle, SendGraph(cancel, timeout_ms));
  call.message.set_session_handle(std::move(handle));
  if (options != nullptr) *call.message.mutable_options() = *options;
  absl::flat_hash_map<std::string_view, Tensor> values;  // by name; the names are those in `fetches`
  std::vector<std::string_view> wanted;
  for (const std::string& fetch : fetches) {
    if (values.try_emplace(fetch).second) wanted.push_back(fetch);
  }
  for (const NamedTensor& feed : call.tensors) {
    if (auto it = values.find(feed.name); it != values.end()) it->second = feed.tensor;
  }
  for (std::string_view name : wanted) {
    if (!values.find(name)->second.valid()) call.message.add_fetch(std::string(name));
  }
  const int asked = call.message.fetch_size();
  JoinedToken joined{cancel, &closed_};
  WEIR_ASSIGN(RunStepReply reply, Await<RunStepReply>(
                                      [&](Reply<RunStepReply> done) {
                                        const int64_t limit_ms = timeout_ms > 0 ? timeout_ms + kAnswerMs : 0;
                                        steps_.RunStep(std::move(call),
                                                       CallOptions{.timeout_ms = limit_ms, .cancel = joined.get()},
                                                       std::move(done));
                                      },
                                      {}, event_poller_.get()));
  if (static_cast<int>(reply.tensors.size()) != asked)
    return Internal("the server at {} returned {} values, expected {}", target_, reply.tensors.size(), asked);
  if (metadata != nullptr) *metadata = std::move(*reply.message.mutable_metadata());
  for (NamedTensor& named : reply.tensors) {
    auto it = values.find(named.name);
    if (it == values.end())
      return Internal("the server at {} returned a value for '{}', which was not requested", target_, named.name);
    it->second = std::move(named.tensor);
  }
  std::vector<Tensor> result;
  result.reserve(fetches.size());
  for (const std::string& fetch : fetches) {
    result.push_back(values.find(fetch)->second);
    if (!result.back().valid()) return Internal("the server at {} returned no value for '{}'", target_, fetch);
  }
  return result;
}

Result<std::vector<Tensor>> RemoteSession::Run(const RunRequest& request) {
  RunStepCall call;
  for (const Feed& feed : request.feeds) {
    WEIR_TRY(Check({feed.output}, {}));
    call.tensors.push_back({feed.output.name(), feed.value});
  }
  WEIR_TRY(Check(request.fetches, request.targets));
  for (const Node* target : request.targets) call.message.add_target(target->name());
  return RunStep(std::move(call), NamesOf(request.fetches), request.options, request.metadata, request.cancel);
}

class RemoteSession::RemoteCallable final : public Session::Callable {
 public:
  RemoteCallable(RemoteSession& session, RunStepCall call, std::vector<std::string> fetches)
      : session_(session), call_(std::move(call)), fetches_(std::move(fetches)) {}
  Result<std::vector<Tensor>> Call(std::vector<Tensor> feeds, const tensorflow::RunOptions* options,
                                   tensorflow::RunMetadata* metadata, CancelToken* cancel) override {
    if (feeds.size() != call_.tensors.size())
      return InvalidArgument("Expected {} feed values, but got {}", call_.tensors.size(), feeds.size());
    RunStepCall call = call_;
    for (size_t k = 0; k < feeds.size(); ++k) call.tensors[k].tensor = std::move(feeds[k]);
    return session_.RunStep(std::move(call), fetches_, options, metadata, cancel);
  }

 private:
  RemoteSession& session_;
  const RunStepCall call_;
  const std::vector<std::string> fetches_;
};

Result<std::shared_ptr<Session::Callable>> RemoteSession::MakeCallable(const std::vector<Output>& feeds,
                                                                       const std::vector<Output>& fetches,
                                                                       const std::vector<Node*>& targets) {
  WEIR_TRY(Check(feeds, targets));
  WEIR_TRY(Check(fetches, {}));
  if (closed_.cancelled()) return Closed();
  RunStepCall call;
  for (const Output& feed : feeds) call.tensors.push_back({feed.name(), Tensor()});
  for (const Node* target : targets) call.message.add_target(target->name());
  return std::shared_ptr<Callable>(std::make_shared<RemoteCallable>(*this, std::move(call), NamesOf(fetches)));
}

Result<std::string> RemoteSession::PartialRunSetup(const std::vector<Output>& feeds, const std::vector<Output>& fetches,
                                                   const std::vector<Node*>& targets, CancelToken* cancel) {
  WEIR_TRY(Check(feeds, targets));
  WEIR_TRY(Check(fetches, {}));
  tensorflow::PartialRunSetupRequest request;
  const int64_t timeout_ms = TimeoutFor(nullptr);
  WEIR_ASSIGN(*request.mutable_session_handle(), SendGraph(cancel, timeout_ms));
  for (const Output& feed : feeds) request.add_feed(feed.name());
  for (const Output& fetch : fetches) request.add_fetch(fetch.name());
  for (const Node* target : targets) request.add_target(target->name());
  WEIR_ASSIGN(const tensorflow::PartialRunSetupResponse response,
              Ask<tensorflow::PartialRunSetupResponse>(
                  "PartialRunSetup", timeout_ms, cancel,
                  [&](const CallOptions& options, Reply<tensorflow::PartialRunSetupResponse> done) {
                    master_->PartialRunSetup(std::move(request), options, std::move(done));
                  }));
  return response.partial_run_handle();
}

Result<std::vector<Tensor>> RemoteSession::PartialRun(const std::string& handle, const std::vector<Feed>& feeds,
                                                      const std::vector<Output>& fetches, CancelToken* cancel) {
  RunStepCall call;
  call.message.set_partial_run_handle(handle);
  for (const Feed& feed : feeds) {
    WEIR_TRY(Check({feed.output}, {}));
    call.tensors.push_back({feed.output.name(), feed.value});
  }
  WEIR_TRY(Check(fetches, {}));
  return RunStep(std::move(call), NamesOf(fetches), nullptr, nullptr, cancel);
}

Result<std::shared_ptr<Session>> RemoteSession::NewSessionForGraph(std::shared_ptr<Graph> graph) {
  return std::make_shared<RemoteSession>(std::move(graph), master_, config_, target_, event_poller_);
}

Result<std::vector<DeviceInfo>> RemoteSession::ListDevices(CancelToken* cancel) {
  tensorflow::ListDevicesRequest request;
  const int64_t timeout_ms = TimeoutFor(nullptr);
  WEIR_ASSIGN(*request.mutable_session_handle(), SendGraph(cancel, timeout_ms));
  WEIR_ASSIGN(const tensorflow::ListDevicesResponse response,
              Ask<tensorflow::ListDevicesResponse>(
                  "ListDevices", timeout_ms, cancel,
                  [&](const CallOptions& options, Reply<tensorflow::ListDevicesResponse> done) {
                    master_->ListDevices(std::move(request), options, std::move(done));
                  }));
  std::vector<DeviceInfo> devices;
  for (const auto* list : {&response.local_device(), &response.remote_device()}) {
    for (const tensorflow::DeviceAttributes& device : *list)
      devices.push_back({device.name(), device.device_type(), device.memory_limit(), device.incarnation()});
  }
  return devices;
}

Status RemoteSession::Close() {
  closed_.Cancel(Closed());
  CancelToken never;
  const GraphSendLock turn(*this, never, 0);  // a session that is being created exists by now, or has failed
  tensorflow::CloseSessionRequest request;
  {
    std::lock_guard lock(mu_);
    if (handle_.empty()) return OkStatus();
    request.set_session_handle(std::exchange(handle_, ""));
  }
  return Await<tensorflow::CloseSessionResponse>([&](Reply<tensorflow::CloseSessionResponse> done) {
           master_->CloseSession(std::move(request), CallOptions{.timeout_ms = kCloseTimeoutMs}, std::move(done));
         })
      .status();
}

Status ResetServer(MasterService& master, const std::vector<std::string>& containers,
                   const tensorflow::ConfigProto& config) {
  tensorflow::ResetRequest request;
  for (const std::string& container : containers) request.add_container(container);
  for (const std::string& filter : config.device_filters()) request.add_device_filters(filter);
  return Await<tensorflow::ResetResponse>([&](Reply<tensorflow::ResetResponse> done) {
           master.Reset(std::move(request), CallOptions{.timeout_ms = config.operation_timeout_in_ms()},
                        std::move(done));
         })
      .status();
}

}  // namespace weir
