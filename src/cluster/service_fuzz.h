// Shared by the fuzz targets of the two services: a cluster of two tasks in memory, and scripts, which are sequences of
// calls to one of them. Handles and step ids come from a fixed seed, so that recorded scripts stay valid.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/services.h"
#include "cluster/task.h"
#include "graph/mutate_node_fuzz.h"

namespace weir::fuzz {

// ---- calls in memory ----

class MemoryCall final : public IncomingCall {
 public:
  MemoryCall(std::string method, Rope request, PeerIdentity caller, CancelToken* token, Channel::Done done)
      : method_(std::move(method)),
        request_(std::move(request)),
        caller_(std::move(caller)),
        token_(token),
        done_(std::move(done)) {}
  // Cancelling the caller's token ends the call at once for the caller, and cancels it for the handler.
  static void Start(const CallHandler& handler, std::string method, Rope request, const PeerIdentity& caller,
                    const CallOptions& options, Channel::Done done) {
    auto call =
        std::make_shared<MemoryCall>(std::move(method), std::move(request), caller, options.cancel, std::move(done));
    if (options.cancel != nullptr) {
      call->registration_ = options.cancel->Register([call] {
        call->cancel_.Cancel(call->token_->reason());
        call->Respond(call->token_->reason());
      });
      if (call->registration_ == 0) return call->Respond(options.cancel->reason());
    }
    handler(call);
  }

  const std::string& method() const override { return method_; }
  const Rope& request() const override { return request_; }
  CancelToken& cancel() override { return cancel_; }
  const PeerIdentity& caller() const override { return caller_; }
  void Respond(Result<Rope> response) override {
    if (answered_.exchange(true)) return;
    if (const CancelToken::Id registration = registration_; registration != 0) token_->Unregister(registration);
    const Channel::Done done = std::move(done_);
    done(std::move(response));
  }

 private:
  const std::string method_;
  const Rope request_;
  const PeerIdentity caller_;
  CancelToken* const token_;
  std::atomic<CancelToken::Id> registration_{0};
  std::atomic<bool> answered_{false};
  Channel::Done done_;
  CancelToken cancel_;
};

class MemoryTransport final : public Transport {
 public:
  void Add(const std::string& address, CallHandler handler) { handlers_[address] = std::move(handler); }
  using Transport::Connect;
  std::shared_ptr<Channel> Connect(const std::string& address, const std::string& /*task*/) override {
    return ConnectAs(TrustedPeer(), address);
  }
  // The server takes the calls on the channel for those of `caller`.
  std::shared_ptr<Channel> ConnectAs(const PeerIdentity& caller, const std::string& address) {
    auto it = handlers_.find(address);
    return std::make_shared<MemoryChannel>(address, it == handlers_.end() ? nullptr : it->second, caller);
  }
  Result<std::unique_ptr<Listener>> Listen(const std::string&) override {
    return Unimplemented("nobody listens in memory");
  }

 private:
  class MemoryChannel final : public Channel {
   public:
    MemoryChannel(std::string address, CallHandler handler, PeerIdentity caller)
        : address_(std::move(address)), handler_(std::move(handler)), caller_(std::move(caller)) {}
    void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override {
      if (handler_ == nullptr) return done(Unavailable("nobody is at {}", address_));
      MemoryCall::Start(handler_, method, std::move(request), caller_, options, std::move(done));
    }
    const std::string& address() const override { return address_; }

   private:
    const std::string address_;
    const CallHandler handler_;
    const PeerIdentity caller_;
  };
  std::map<std::string, CallHandler> handlers_;
};

// ---- the cluster ----

inline constexpr char kPs[] = "ps0:1";
inline constexpr char kWorker[] = "worker0:1";

class MemoryCluster final {
 public:
  // `watch` sees all calls to both tasks.
  MemoryCluster(const OpRegistry& registry, ThreadPool& pool, ElasticPool& blocking_pool,
                std::function<void(const std::string& address, const IncomingCall& call)> watch = nullptr,
                const Limits& limits = Limits(), int64_t idle_session_ms = 0)
      : alarms_(RealClock()), rng_(/*seed=*/1) {
    const ClusterSpec spec =
        *ClusterSpec::Make({{"ps", ClusterSpec::Tasks{{0, kPs}}}, {"worker", ClusterSpec::Tasks{{0, kWorker}}}});
    for (const auto& [job, address] : {std::pair("ps", kPs), std::pair("worker", kWorker)}) {
      tasks_.push_back(std::make_unique<Task>(TaskName(job, 0), spec, tensorflow::ConfigProto(),
                                              Task::Dependencies{.parts = {registry, pool, blocking_pool, RealEnv()},
                                                                 .transport = transport_,
                                                                 .clock = RealClock(),
                                                                 .alarms = alarms_,
                                                                 .rng = rng_,
                                                                 .idle_session_ms = idle_session_ms,
                                                                 .limits = limits}));
      CallHandler handler = tasks_.back()->Handler();
      transport_.Add(address, [handler = std::move(handler), watch,
                               name = std::string(address)](const std::shared_ptr<IncomingCall>& call) {
        if (watch) watch(name, *call);
        handler(call);
      });
    }
  }
  ~MemoryCluster() {
    for (const auto& task : tasks_) task->End();
  }
  MemoryTransport& transport() { return transport_; }
  Task& task(size_t i) { return *tasks_.at(i); }

 private:
  ThreadAlarms alarms_;
  SeededRng rng_;
  MemoryTransport transport_;
  std::vector<std::unique_ptr<Task>> tasks_;
};

// ---- scripts ----

struct ScriptedCall {
  uint8_t method = 0;  // index into the list of methods, plus kCallerStep for each caller before it in Callers()
  std::string bytes;
};
using Script = std::vector<ScriptedCall>;

#define WEIR_NAME(Method, Request, Response, Allowed) #Method,
inline const std::vector<std::string>& MasterMethods() {
  static const std::vector<std::string> methods = {WEIR_MASTER_METHODS(WEIR_NAME)};
  return methods;
}
inline const std::vector<std::string>& WorkerMethods() {
  static const std::vector<std::string> methods = {WEIR_WORKER_METHODS(WEIR_NAME)};
  return methods;
}
#undef WEIR_NAME

// Whom the server takes the caller for: the first one for the calls of recorded sessions.
inline constexpr int kCallerStep = 32;
inline const std::vector<PeerIdentity>& Callers() {
  static const std::vector<PeerIdentity> callers = {TrustedPeer(),
                                                    {Role::kTrusted, "", "connection 1"},
                                                    {Role::kClient, "client/alice", "connection 2"},
                                                    {Role::kClient, "client/bob", "connection 3"},
                                                    {Role::kTask, "task/worker/0", "connection 4"},
                                                    {Role::kTask, "task/ps/7", "connection 5"},
                                                    {Role::kAdministrator, "admin/eve", "connection 6"},
                                                    {Role::kNone, "", "connection 7"}};
  return callers;
}
inline const PeerIdentity& CallerOf(const ScriptedCall& call) { return Callers()[call.method / kCallerStep]; }
inline const std::string& MethodOf(const ScriptedCall& call, const std::vector<std::string>& methods) {
  return methods[call.method % kCallerStep % methods.size()];
}

// Each call is its method, the size of its message in two bytes, and the message. Any bytes are a valid script.
inline Script ParseScript(std::string_view text) {
  constexpr size_t kHeader = 3;
  constexpr size_t kMaxCalls = 24;
  Script script;
  while (text.size() >= kHeader && script.size() < kMaxCalls) {
    const size_t size = static_cast<uint8_t>(text[1]) | static_cast<size_t>(static_cast<uint8_t>(text[2])) << 8;
    script.push_back({static_cast<uint8_t>(text[0]), std::string(text.substr(kHeader, size))});
    text.remove_prefix(std::min(kHeader + size, text.size()));
  }
  return script;
}

inline std::string ToText(const Script& script) {
  constexpr size_t kMaxBytes = 0xffff;
  std::string text;
  for (const ScriptedCall& call : script) {
    const size_t size = std::min(call.bytes.size(), kMaxBytes);
    text += static_cast<char>(call.method);
    text += static_cast<char>(size & 0xff);
    text += static_cast<char>(size >> 8);
    text += call.bytes.substr(0, size);
  }
  return text;
}

// Makes the calls one after the other. After `patience_ms` it continues without the response; all open calls are
// cancelled at the end. Returns the statuses of the responses.
inline std::vector<Status> RunScript(MemoryCluster& cluster, const std::string& address, const std::string& service,
                                     const std::vector<std::string>& methods, const Script& script, int patience_ms) {
  struct Answers {
    std::mutex mu;
    std::condition_variable changed;
    std::vector<Status> statuses;
    std::vector<bool> answered;
    size_t left = 0;
  };
  auto shared = std::make_shared<Answers>();
  Answers& answers = *shared;
  CancelToken token;
  for (size_t i = 0; i < script.size(); ++i) {
    {
      std::lock_guard lock(answers.mu);
      answers.statuses.emplace_back();
      answers.answered.push_back(false);
      ++answers.left;
    }
    const std::string method = fmt::format("/tensorflow.{}/{}", service, MethodOf(script[i], methods));
    cluster.transport()
        .ConnectAs(CallerOf(script[i]), address)
        ->Call(method, Rope(script[i].bytes), CallOptions{.cancel = &token}, [shared, i](Result<Rope> response) {
          std::lock_guard lock(shared->mu);
          shared->statuses[i] = response.status();
          shared->answered[i] = true;
          --shared->left;
          shared->changed.notify_all();
        });
    std::unique_lock lock(answers.mu);
    answers.changed.wait_for(lock, std::chrono::milliseconds(patience_ms), [&] { return bool{answers.answered[i]}; });
  }
  token.Cancel(Cancelled("the script is over"));
  std::unique_lock lock(answers.mu);
  answers.changed.wait(lock, [&] { return answers.left == 0; });
  return answers.statuses;
}

// ---- mutations ----

template <class Message>
bool MutateGraphOf(std::string* bytes, std::minstd_rand& random) {
  Message message;
  if (!message.ParseFromString(*bytes)) return false;
  MutateNode(message.mutable_graph_def()->mutable_node(), random);
  *bytes = message.SerializeAsString();
  return true;
}

using Mutate = std::function<void(std::string* bytes)>;  // changes some bytes

inline std::string MutateScript(std::string_view text, const std::vector<std::string>& methods, unsigned seed,
                                const Mutate& mutate) {
  std::minstd_rand random(seed);
  auto pick = [&random](size_t n) { return static_cast<size_t>(random() % n); };
  Script script = ParseScript(text);
  if (script.empty()) script.emplace_back();
  ScriptedCall& call = script[pick(script.size())];
  const std::string& method = MethodOf(call, methods);
  switch (pick(9)) {
    case 0:
      call.method = static_cast<uint8_t>(call.method / kCallerStep * kCallerStep + pick(methods.size()));
      break;
    case 8:
      call.method = static_cast<uint8_t>(call.method % kCallerStep + kCallerStep * pick(Callers().size()));
      break;
    case 1:
      std::swap(call, script[pick(script.size())]);
      break;
    case 2:
      script.push_back(ScriptedCall(call));
      break;
    case 3:
    case 4: {
      const bool mutated =
          method == "CreateSession"   ? MutateGraphOf<tensorflow::CreateSessionRequest>(&call.bytes, random)
          : method == "ExtendSession" ? MutateGraphOf<tensorflow::ExtendSessionRequest>(&call.bytes, random)
          : method == "RegisterGraph" ? MutateGraphOf<tensorflow::RegisterGraphRequest>(&call.bytes, random)
                                      : false;
      if (!mutated) mutate(&call.bytes);
      break;
    }
    default:
      mutate(&call.bytes);
      break;
  }
  return ToText(script);
}

}  // namespace weir::fuzz
