#include "tests/ops/simulated.h"

#include "base/check.h"
#include "tests/ops/remote.h"

namespace weir::optest {
namespace {

constexpr int64_t kPatienceMs = 3'600'000;  // simulated
constexpr int64_t kNanosPerMilli = 1'000'000;
constexpr size_t kSmallChunk = 24;  // bytes; small, so that most values between tasks are sent in several chunks

// A channel whose calls complete before Call returns: it runs the simulated world until the answer has arrived. So the
// caller may block on the answer.
class BlockingChannel final : public Channel {
 public:
  BlockingChannel(SimWorld& world, std::shared_ptr<Channel> channel) : world_(world), channel_(std::move(channel)) {}
  void Call(const std::string& method, Rope request, const CallOptions& options, Done done) override {
    CallOptions bounded = options;
    if (bounded.timeout_ms == 0) bounded.timeout_ms = kPatienceMs;  // so that a hang becomes an error
    bool answered = false;
    channel_->Call(method, std::move(request), bounded, [&](Result<Rope> response) {
      answered = true;
      done(std::move(response));
    });
    const bool has_answer = world_.RunUntil([&] { return answered; }, world_.now() + 2 * kPatienceMs * kNanosPerMilli);
    WEIR_CHECK(has_answer, method);
  }
  const std::string& address() const override { return channel_->address(); }

 private:
  SimWorld& world_;
  const std::shared_ptr<Channel> channel_;
};

}  // namespace

SimulatedCluster::SimulatedCluster(const OpRegistry& registry, uint64_t seed)
    : world_(seed, /*tell=*/false),
      network_(world_),
      cluster_(world_, network_, registry, {{"ps", 2}, {"worker", 1}}, kSmallChunk),
      client_(network_.StartHost("client")) {
  for (const std::string& task : cluster_.tasks()) cluster_.Start(task);
}

SimulatedCluster::~SimulatedCluster() {
  const std::string left = cluster_.End(kPatienceMs * kNanosPerMilli);
  WEIR_CHECK(left.empty(), left);
}

std::vector<RunMode> SimulatedCluster::Modes() {
  const std::string address = cluster_.AddressOf(TaskName("worker", 0));
  RunMode one = OnAnotherTask("on another simulated task", "grpc://" + address, [this, address] {
    return MakeRemoteMaster(std::make_shared<BlockingChannel>(world_, client_.Connect(address)));
  });
  RunMode spread = one;
  spread.name = "spread over simulated tasks";
  spread.spread = true;
  spread.device = [](int n) { return fmt::format("/job:ps/task:{}", n % 2); };
  return {std::move(one), std::move(spread)};
}

}  // namespace weir::optest
