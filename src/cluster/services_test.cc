// Calls are answered even if the handler throws or drops its callback.
#include "cluster/services.h"

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace weir {
namespace {

// All methods behave in the same way.
class Behaving final : public WorkerService, public MasterService {
 public:
  std::function<void(std::function<void(Status)>)> behaviour;

#define WEIR_BEHAVE(Method, Request, Response, Allowed)                            \
  void Method(Request, const CallOptions&, Reply<Response> done) override {        \
    behaviour([done](const Status& status) {                                       \
      done(status.ok() ? Result<Response>(Response()) : Result<Response>(status)); \
    });                                                                            \
  }
  WEIR_WORKER_METHODS(WEIR_BEHAVE)
  WEIR_MASTER_METHODS(WEIR_BEHAVE)
#undef WEIR_BEHAVE
};

class RecordedCall final : public IncomingCall {
 public:
  RecordedCall(std::string method, std::vector<Status>& answers, PeerIdentity caller = TrustedPeer())
      : method_(std::move(method)), caller_(std::move(caller)), answers_(answers) {}
  const PeerIdentity& caller() const override { return caller_; }
  const std::string& method() const override { return method_; }
  const Rope& request() const override { return request_; }
  CancelToken& cancel() override { return cancel_; }
  void Respond(Result<Rope> response) override { answers_.push_back(response.status()); }

 private:
  const std::string method_;
  const PeerIdentity caller_;
  const Rope request_;
  CancelToken cancel_;
  std::vector<Status>& answers_;
};

std::vector<Status> AnswersOf(std::function<void(std::function<void(Status)>)> behaviour) {
  Behaving services;
  services.behaviour = std::move(behaviour);
  AccessControl access(RealClock());
  Quota unread_answers(Limits(), Limit::kUnreadOfPeer, Limit::kUnread);
  const CallHandler handler = MakeServiceHandler(services, services, access, unread_answers);
  std::vector<Status> answers;
  for (const char* method : {"WorkerService/RegisterGraph", "WorkerService/RecvTensor", "MasterService/CreateSession"})
    handler(std::make_shared<RecordedCall>(std::string("/tensorflow.") + method, answers));
  return answers;
}

void ExpectAll(const std::vector<Status>& answers, StatusCode code) {
  EXPECT_EQ(answers.size(), 3u);  // one for each call
  for (const Status& answer : answers) EXPECT_EQ(answer.code(), code) << answer;
}

using Done = std::function<void(Status)>;

TEST(ServicesTest, ACallIsAnsweredOnce) {
  ExpectAll(AnswersOf([](const Done& done) { done(OkStatus()); }), StatusCode::kOk);
  ExpectAll(AnswersOf([](const Done& done) {
              done(OkStatus());
              done(NotFound("again"));
            }),
            StatusCode::kOk);
}

TEST(ServicesTest, ThrowingHandlerIsAnswered) {
  ExpectAll(AnswersOf([](const Done&) { throw std::bad_alloc(); }), StatusCode::kResourceExhausted);
  ExpectAll(AnswersOf([](const Done&) { throw std::length_error("long"); }), StatusCode::kResourceExhausted);
  ExpectAll(AnswersOf([](const Done&) { throw std::runtime_error("broken"); }), StatusCode::kInternal);
}

// The table of docs/security.md, which tests/docs_test.py compares with services.h, as a server decides it.
TEST(ServicesTest, EveryMethodIsServedToItsRolesOnly) {
  Behaving services;
  int served = 0;
  services.behaviour = [&](const Done& done) {
    ++served;
    done(OkStatus());
  };
  AccessControl access(RealClock());
  Quota unread_answers(Limits(), Limit::kUnreadOfPeer, Limit::kUnread);
  const CallHandler handler = MakeServiceHandler(services, services, access, unread_answers);
  const std::pair<PeerIdentity, Roles> callers[] = {{TrustedPeer(), ~0U},
                                                    {{Role::kClient, "client/a", "x"}, Roles(Role::kClient)},
                                                    {{Role::kTask, "task/a/0", "x"}, kTasks},
                                                    {{Role::kAdministrator, "admin/a", "x"}, kAdministrators},
                                                    {{Role::kNone, "", "x"}, 0}};
  std::vector<Status> answers;
  ASSERT_GE(AllowedRoles().size(), 21U);
  for (const auto& [path, roles] : AllowedRoles()) {
    for (const auto& [caller, role] : callers) {
      const int before = served;
      const int64_t denied = access.denied_calls();
      const bool allowed = (roles & role) != 0;
      handler(std::make_shared<RecordedCall>(path, answers, caller));
      EXPECT_EQ(served - before, allowed ? 1 : 0) << path << " as " << caller.ToString();
      EXPECT_EQ(access.denied_calls() - denied, allowed ? 0 : 1) << path << " as " << caller.ToString();
      const StatusCode refused =
          caller.role == Role::kNone ? StatusCode::kUnauthenticated : StatusCode::kPermissionDenied;
      EXPECT_EQ(answers.back().code(), allowed ? StatusCode::kOk : refused) << path << " as " << caller.ToString();
    }
  }
  for (const char* path : {"", "/", "/tensorflow.MasterService/", "/tensorflow.MasterService/reset",
                           "/tensorflow.MasterService/Reset/", "/tensorflow.WorkerService/Reset", "Reset"}) {
    for (const auto& [caller, role] : callers) {
      handler(std::make_shared<RecordedCall>(path, answers, caller));
      EXPECT_EQ(answers.back().code(),
                caller.role == Role::kNone ? StatusCode::kUnauthenticated : StatusCode::kUnimplemented)
          << path;
    }
  }
}

TEST(ServicesTest, DroppedCallbackIsAnswered) {
  ExpectAll(AnswersOf([](const Done&) {}), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace weir
