// Tests that a cancelled step ends without waiting for kernels that do not return, and that the objects they use live
// until they do.
#include <condition_variable>
#include <mutex>

#include "runtime/small_ops_test.h"

namespace weir {
namespace {

using std::chrono::milliseconds;

// Blocks kernels until Open is called.
class Gate {
 public:
  void Pass() {
    std::unique_lock lock(mu_);
    ++inside_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    --inside_;
    changed_.notify_all();
  }
  void WaitForOne() {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [this] { return inside_ > 0; });
  }
  void Open() {
    std::unique_lock lock(mu_);
    open_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  int inside_ = 0;
  bool open_ = false;
};

class GiveUpTest : public SmallGraph {
 protected:
  GiveUpTest() {
    // Blocks at the gate, then uses everything that a kernel may use.
    auto run = [gate = gate_](KernelContext& ctx) -> Status {
      gate->Pass();
      std::atomic<int64_t> sum{0};
      ctx.step().pool->ParallelFor(1000, 10'000, [&](int64_t begin, int64_t end) { sum += end - begin; });
      EXPECT_EQ(sum, 1000);
      EXPECT_EQ(ctx.input(0).data<float>()[0], 7);
      EXPECT_TRUE(ctx.cancel().cancelled());
      EXPECT_FALSE(ctx.step().session_handle->empty());
      EXPECT_EQ(ctx.resources().Lookup<VariableState>("", "none").status().code(), StatusCode::kNotFound);
      EXPECT_EQ(ctx.step().step_resources->Lookup<VariableState>("", "none").status().code(), StatusCode::kNotFound);
      ctx.set_output(0, ctx.input(0));
      return OkStatus();
    };
    registry_.Add({.name = "Stuck", .signature = "x: float -> y: float", .kernels = SmallKernel([run] {
                                                                           return Kernel::Sync(run);
                                                                         })});
    registry_.Add({.name = "StuckBlocking", .signature = "x: float -> y: float", .kernels = SmallKernel([run] {
                                                                                   return Kernel::Sync(run).Blocking();
                                                                                 })});
  }
  ~GiveUpTest() override { gate_->Open(); }

  // Runs a step and calls `end`, which must end it. Returns the time from the call to the end of the step.
  milliseconds TimeToEnd(const std::string& op, const std::function<void()>& end, CancelToken* cancel,
                         const tensorflow::RunOptions* options = nullptr) {
    const Output x = Placeholder("x");
    const Output y = Op("Add", {Op(op, {x}), Const(1)});
    std::chrono::steady_clock::time_point began;
    std::thread ender([&] {
      gate_->WaitForOne();
      began = std::chrono::steady_clock::now();
      end();
    });
    RunRequest request;
    // Large enough that the kernel does not run on this thread.
    Tensor large = *Tensor::Allocate(kFloat, *Shape::Make({1 << 18}));
    large.data<float>()[0] = 7;
    request.feeds = {{x, large}};
    request.fetches = {y};
    request.cancel = cancel;
    request.options = options;
    status_ = session().Run(request).status();
    const auto ended = std::chrono::steady_clock::now();
    ender.join();
    return std::chrono::duration_cast<milliseconds>(ended - began);
  }

  const std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  Status status_;
};

TEST_F(GiveUpTest, ACancelledStepDoesNotWaitForAKernel) {
  for (const char* op : {"Stuck", "StuckBlocking"}) {
    CancelToken cancel;
    EXPECT_LT(TimeToEnd(
                  op, [&] { cancel.Cancel(Cancelled("enough")); }, &cancel),
              milliseconds(900));
    EXPECT_EQ(status_.code(), StatusCode::kCancelled);
  }
}

TEST_F(GiveUpTest, AStepOutOfTimeDoesNotWaitForAKernel) {
  tensorflow::RunOptions options;
  options.set_timeout_in_ms(20);
  EXPECT_LT(TimeToEnd(
                "Stuck", [] {}, nullptr, &options),
            milliseconds(900));
  EXPECT_EQ(status_.code(), StatusCode::kDeadlineExceeded);
}

TEST_F(GiveUpTest, AKernelMayOutliveItsSession) {
  config_.set_intra_op_parallelism_threads(2);
  config_.set_inter_op_parallelism_threads(2);
  CancelToken cancel;
  TimeToEnd(
      "Stuck", [&] { cancel.Cancel(Cancelled("enough")); }, &cancel);
  session_.reset();
  graph_.reset();
  gate_->Open();  // the kernel continues
}

TEST_F(GiveUpTest, CloseDoesNotWaitForAKernel) {
  milliseconds closing{};
  TimeToEnd(
      "StuckBlocking",
      [&] {
        const auto began = std::chrono::steady_clock::now();
        EXPECT_TRUE(session().Close().ok());
        closing = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - began);
      },
      nullptr);
  EXPECT_LT(closing, milliseconds(900));
  EXPECT_EQ(status_.code(), StatusCode::kCancelled);
}

TEST_F(GiveUpTest, AFailedStepDoesNotWaitForOtherKernels) {
  const Output x = Placeholder("x");
  const Output late = Op("SlowBlocking", {Const(1)});
  const Output y = Op("Add", {Op("StuckBlocking", {x}), Op("Fail", {late})});
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(Run({y}, {{x, Float(7)}}).status().code(), StatusCode::kOutOfRange);
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(900));
}

TEST_F(GiveUpTest, ManyStepsAreGivenUpAtATime) {
  const Output y = Op("StuckBlocking", {Placeholder("x")});
  session();
  CancelToken cancel;
  std::vector<std::thread> threads;
  std::atomic<int> cancelled{0};
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      RunRequest request;
      request.feeds = {{y.node->input(0), Float(7)}};
      request.fetches = {y};
      request.cancel = &cancel;
      cancelled += session().Run(request).status().code() == StatusCode::kCancelled ? 1 : 0;
    });
  }
  gate_->WaitForOne();
  const auto began = std::chrono::steady_clock::now();
  cancel.Cancel(Cancelled("enough"));
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cancelled, 16);
  EXPECT_LT(std::chrono::steady_clock::now() - began, milliseconds(900));
}

}  // namespace
}  // namespace weir
