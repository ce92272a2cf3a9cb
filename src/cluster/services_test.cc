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
  RecordedCall(std::string method, std::vector<Status>& answers) : method_(std::move(method)), answers_(answers) {}
  const std::string& method() const override { return method_; }
  const Rope& request() const override { return request_; }
  CancelToken& cancel() override { return cancel_; }
  void Respond(Result<Rope> response) override { answers_.push_back(response.status()); }

 private:
  const std::string method_;
  const Rope request_;
  CancelToken cancel_;
  std::vector<Status>& answers_;
};

std::vector<Status> AnswersOf(std::function<void(std::function<void(Status)>)> behaviour) {
  Behaving services;
  services.behaviour = std::move(behaviour);
  AccessControl access(RealClock());
  const CallHandler handler = MakeServiceHandler(services, services, access);
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

TEST(ServicesTest, DroppedCallbackIsAnswered) {
  ExpectAll(AnswersOf([](const Done&) {}), StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace weir
