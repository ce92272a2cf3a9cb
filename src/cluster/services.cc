// Both directions of both services are made from the tables of their methods.
#include "cluster/services.h"

#include <atomic>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "base/out_of_memory.h"
#include "base/process_memory.h"
#include "base/this_process.h"
#include "cluster/resent_call.h"
#include "cluster/transport_errors.h"

namespace weir {
namespace {

constexpr char kWorker[] = "/tensorflow.WorkerService/";
constexpr char kMaster[] = "/tensorflow.MasterService/";

// Steps report errors in the body of the response, because gRPC limits the size of other errors.
template <class Response>
Status BodyError(const Response&) {
  return OkStatus();
}
template <class Message>
Status ErrorIn(const Message& message) {
  return ErrorFromText(message.status_code(), message.status_error_message());
}
template <>
Status BodyError(const RunGraphReply& reply) {
  return ErrorIn(reply.message);
}
template <>
Status BodyError(const RunStepReply& reply) {
  return ErrorIn(reply.message);
}

// Sets the fields that tell the peer what this process understands.
void AddAbilities(RunGraphCall& call) { call.message.set_store_errors_in_response_body(true); }
void AddAbilities(RunStepCall& call) { call.message.set_store_errors_in_response_body(true); }
void AddAbilities(tensorflow::CreateSessionRequest& request) { request.set_weir_resends(true); }
template <class Request>
void AddAbilities(Request&) {}

bool WantsBodyErrors(const RunGraphCall& call) { return call.message.store_errors_in_response_body(); }
bool WantsBodyErrors(const RunStepCall& call) { return call.message.store_errors_in_response_body(); }
template <class Request>
bool WantsBodyErrors(const Request&) {
  return false;
}

template <class Response>
Rope ErrorBody(const Status& status) {
  if constexpr (std::is_same_v<Response, RunGraphReply> || std::is_same_v<Response, RunStepReply>) {
    Response response;
    response.message.set_status_code(static_cast<tensorflow::error::Code>(status.code()));
    response.message.set_status_error_message(ErrorText(status));
    return Encode(response);
  } else {
    return Rope();
  }
}

// ---- outgoing calls ----

constexpr size_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();

// The part of a message that protobuf serializes: everything but tensors.
const google::protobuf::MessageLite& PlainPart(const google::protobuf::MessageLite& message) { return message; }
template <class Message>
const google::protobuf::MessageLite& PlainPart(const TensorMessage<Message>& message) {
  return message.message;
}

Status WithOrigin(const Status& status, const std::string& where) {
  return WithContext(status, fmt::format("From {}", where));
}

const std::vector<NamedTensor>& TensorsOf(const google::protobuf::MessageLite&) {
  static const std::vector<NamedTensor> none;
  return none;
}
template <class Message>
const std::vector<NamedTensor>& TensorsOf(const TensorMessage<Message>& message) {
  return message.tensors;
}

class RemoteCaller {
 public:
  RemoteCaller(std::shared_ptr<Channel> channel, const std::string& who)
      : channel_(std::move(channel)), where_(std::make_shared<const std::string>(TaskAt(who, channel_->address()))) {}

  template <class Request, class Response>
  void Call(const std::string& method, Request request, const CallOptions& options, Reply<Response> done) const {
    if (ThisProcess() != process_) return done(CannotCallAfterFork(*where_));
    AddAbilities(request);
    if (const size_t size = PlainPart(request).ByteSizeLong(); size > kMaxMessageBytes) {
      return done(
          InvalidArgument("the message of {} is too large: {} bytes, but protobuf's limit is {}. The usual cause is "
                          "large constants in a graph: feed them, or load them into variables",
                          method, size, kMaxMessageBytes));
    }
    Rope encoded = Encode(request);
    if (Status status = CheckCallSize(encoded.size(), TensorsOf(request)); !status.ok())
      return done(WithContext(status, method));
    auto answered = [done = std::move(done), where = where_, cancel = options.cancel](Result<Rope> bytes) {
      if (!bytes.ok()) {
        if (cancel != nullptr && cancel->cancelled()) return done(bytes.status());
        return done(WithOrigin(
            ErrorFromText(static_cast<int>(bytes.status().code()), std::string(bytes.status().message())), *where));
      }
      Response response;
      if (Status status = Decode(*bytes, &response); !status.ok()) return done(WithOrigin(status, *where));
      *bytes = Rope();  // tensors that keep its memory become its only owners
      if (Status status = BodyError(response); !status.ok()) return done(WithOrigin(status, *where));
      done(std::move(response));
    };
    if (options.resend_ms > 0) return CallAndResend(channel_, method, std::move(encoded), options, std::move(answered));
    channel_->Call(method, std::move(encoded), options, std::move(answered));
  }

 private:
  const pid_t process_ = ThisProcess();
  const std::shared_ptr<Channel> channel_;
  const std::shared_ptr<const std::string> where_;  // the callee, for errors
};

class RemoteWorker final : public WorkerService {
 public:
  RemoteWorker(std::shared_ptr<Channel> channel, std::string who) : end_(std::move(channel), std::move(who)) {}
#define WEIR_REMOTE(Method, Request, Response, Allowed)                                     \
  void Method(Request request, const CallOptions& options, Reply<Response> done) override { \
    static const std::string path = std::string(kWorker) + #Method;                         \
    end_.Call<Request, Response>(path, std::move(request), options, std::move(done));       \
  }
  WEIR_WORKER_METHODS(WEIR_REMOTE)
#undef WEIR_REMOTE

 private:
  const RemoteCaller end_;
};

// The worker of this process. Prefixes errors with their origin.
class DirectWorker final : public WorkerService {
 public:
  DirectWorker(WorkerService& worker, std::string where)
      : worker_(worker), where_(std::make_shared<const std::string>(std::move(where))) {}
#define WEIR_OWN(Method, Request, Response, Allowed)                                        \
  void Method(Request request, const CallOptions& options, Reply<Response> done) override { \
    worker_.Method(std::move(request), options, Named<Response>(options, std::move(done))); \
  }
  WEIR_WORKER_METHODS(WEIR_OWN)
#undef WEIR_OWN

 private:
  template <class Response>
  Reply<Response> Named(const CallOptions& options, Reply<Response> done) const {
    return [where = where_, cancel = options.cancel, done = std::move(done)](Result<Response> response) {
      if (response.ok()) return done(std::move(response));
      // The caller knows its own reason for giving up.
      const bool given_up =
          cancel != nullptr && cancel->cancelled() && cancel->reason().message() == response.status().message();
      done(given_up ? response.status() : WithOrigin(response.status(), *where));
    };
  }
  WorkerService& worker_;
  const std::shared_ptr<const std::string> where_;
};

class RemoteMaster final : public MasterService {
 public:
  explicit RemoteMaster(std::shared_ptr<Channel> channel) : end_(std::move(channel), "") {}
#define WEIR_REMOTE(Method, Request, Response, Allowed)                                     \
  void Method(Request request, const CallOptions& options, Reply<Response> done) override { \
    static const std::string path = std::string(kMaster) + #Method;                         \
    end_.Call<Request, Response>(path, std::move(request), options, std::move(done));       \
  }
  WEIR_MASTER_METHODS(WEIR_REMOTE)
#undef WEIR_REMOTE

 private:
  const RemoteCaller end_;
};

// ---- incoming calls ----

using Handlers = absl::flat_hash_map<std::string, CallHandler>;

// Answers a call exactly once. If the last reference is dropped without an answer, an exception has ended the work, and
// the destructor answers with an error.
template <class Response>
class ReplyOnce final {
 public:
  ReplyOnce(std::shared_ptr<IncomingCall> call, Quota& unread_answers)
      : call_(std::move(call)), unread_answers_(unread_answers) {}
  ~ReplyOnce() { Send(ResourceExhausted("out of memory: {} was aborted", call_->method())); }
  ReplyOnce(const ReplyOnce&) = delete;
  ReplyOnce& operator=(const ReplyOnce&) = delete;

  void set_in_body(bool in_body) { in_body_ = in_body; }
  void Send(const Result<Response>& response) {
    if (given_.exchange(true)) return;
    Result<Rope> encoded = CatchOutOfMemory(call_->method(), [&]() -> Result<Rope> {
      WEIR_TRY(response.status());
      Rope bytes = Encode(*response);
      WEIR_TRY(CheckCallSize(bytes.size(), TensorsOf(*response)));
      if (const std::string& peer = call_->caller().key(); !peer.empty() && bytes.size() > 0) {
        WEIR_ASSIGN(Quota::Share share, unread_answers_.Take(peer, static_cast<int64_t>(bytes.size() + kCallBytes)));
        bytes.Keep(std::make_shared<const Quota::Share>(std::move(share)));
      }
      return bytes;
    });
    if (encoded.ok()) return call_->Respond(*std::move(encoded));
    if (in_body_) return call_->Respond(ErrorBody<Response>(encoded.status()));
    call_->Respond(MakeStatus(encoded.status().code(), ErrorText(encoded.status())));
  }

 private:
  static constexpr size_t kCallBytes = 1024;  // what a transport needs for an answer, at least
  const std::shared_ptr<IncomingCall> call_;
  Quota& unread_answers_;
  bool in_body_ = false;
  std::atomic<bool> given_{false};
};

// A graph that protobuf has parsed takes several times the memory of its bytes. Tensors are not parsed by protobuf.
template <class Request>
Status ReserveDecoded(size_t bytes) {
  constexpr size_t kExpansion = 8;
  constexpr bool kHasTensors = !std::is_base_of_v<google::protobuf::MessageLite, Request>;
  return ProcessMemory::Get().Reserve(kHasTensors ? bytes : kExpansion * bytes);
}

template <class Service, class Request, class Response>
void Add(Handlers& handlers, std::string method, Roles allowed, AccessControl& access, Quota& unread_answers,
         Service& service, void (Service::*run)(Request, const CallOptions&, Reply<Response>)) {
  handlers[method] = [&service, run, allowed, &access, &unread_answers](const std::shared_ptr<IncomingCall>& call) {
    const auto answer = std::make_shared<ReplyOnce<Response>>(call, unread_answers);
    try {
      if (Status status = access.CheckMethod(call->caller(), allowed, call->method()); !status.ok())
        return answer->Send(status);
      Request request;
      if (Status status = ReserveDecoded<Request>(call->request().size()); !status.ok()) return answer->Send(status);
      if (Status status = Decode(call->TakeRequest(), &request); !status.ok()) return answer->Send(status);
      answer->set_in_body(WantsBodyErrors(request));
      const CallOptions options{.cancel = &call->cancel(),
                                .single_message_is_cheap = call->single_message_is_cheap(),
                                .caller_timeout_ms = call->caller_timeout_ms(),
                                .caller = &call->caller()};
      (service.*run)(std::move(request), options,
                     [answer](const Result<Response>& response) { answer->Send(response); });
    } catch (...) {
      answer->Send(StatusFromCurrentException(call->method()));
    }
  };
}

}  // namespace

std::string TaskAt(const std::string& task, const std::string& address) {
  if (task.empty() || address.empty()) return task + address;
  return fmt::format("{} ({})", task, address);
}

std::shared_ptr<WorkerService> MakeRemoteWorker(std::shared_ptr<Channel> channel, std::string who) {
  return std::make_shared<RemoteWorker>(std::move(channel), std::move(who));
}

std::shared_ptr<WorkerService> MakeDirectWorker(WorkerService& worker, std::string where) {
  return std::make_shared<DirectWorker>(worker, std::move(where));
}

std::shared_ptr<MasterService> MakeRemoteMaster(std::shared_ptr<Channel> channel) {
  return std::make_shared<RemoteMaster>(std::move(channel));
}

CallHandler MakeServiceHandler(WorkerService& worker, MasterService& master, AccessControl& access,
                               Quota& unread_answers) {
  auto handlers = std::make_shared<Handlers>();
#define WEIR_SERVE(Method, Request, Response, Allowed) \
  Add(*handlers, std::string(kWorker) + #Method, Allowed, access, unread_answers, worker, &WorkerService::Method);
  WEIR_WORKER_METHODS(WEIR_SERVE)
#undef WEIR_SERVE
#define WEIR_SERVE(Method, Request, Response, Allowed) \
  Add(*handlers, std::string(kMaster) + #Method, Allowed, access, unread_answers, master, &MasterService::Method);
  WEIR_MASTER_METHODS(WEIR_SERVE)
#undef WEIR_SERVE
  return [handlers, &access](std::shared_ptr<IncomingCall> call) {
    auto it = handlers->find(call->method());
    if (it == handlers->end()) {
      if (Status status = access.CheckMethod(call->caller(), kEverybody, call->method()); !status.ok())
        return call->Respond(status);
      return call->Respond(Unimplemented("unknown method {}", call->method()));
    }
    it->second(std::move(call));
  };
}

std::vector<std::pair<std::string, Roles>> AllowedRoles() {
  std::vector<std::pair<std::string, Roles>> roles;
#define WEIR_ROLES(Method, Request, Response, Allowed) roles.emplace_back(std::string(kWorker) + #Method, Allowed);
  WEIR_WORKER_METHODS(WEIR_ROLES)
#undef WEIR_ROLES
#define WEIR_ROLES(Method, Request, Response, Allowed) roles.emplace_back(std::string(kMaster) + #Method, Allowed);
  WEIR_MASTER_METHODS(WEIR_ROLES)
#undef WEIR_ROLES
  return roles;
}

}  // namespace weir
