// Kernels with loops of unbounded length must stop when their step is cancelled.
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "op/testing.h"
#include "ops/register.h"

namespace weir::ops {
namespace {

// Runs an op that does not terminate by itself and cancels it after a moment.
Status RunCancelled(const char* op, std::vector<Tensor> inputs, AttrMap attrs) {
  OpRegistry registry;
  RegisterAllOps(registry);
  KernelTester tester(registry);
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    tester.cancel().Cancel(Cancelled("enough"));
  });
  const Status status = tester.Run(op, std::move(inputs), std::move(attrs)).status();
  canceller.join();
  return status;
}

TEST(SlowKernelsTest, CancelStopsBoxSampling) {
  const Status status = RunCancelled(
      "SampleDistortedBoundingBoxV2",
      {Tensor::Vector<int32_t>({10, 20, 3}), Tensor::Of<float>(Shape{1, 1, 4}, {0, 0, 1, 1}), Tensor::Scalar(1.5f)},
      {{"max_attempts", std::numeric_limits<int64_t>::max()}});
  EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
}

TEST(SlowKernelsTest, CancelStopsRejectionSampling) {
  const Status status = RunCancelled("ParameterizedTruncatedNormal",
                                     {Tensor::Vector<int32_t>({1 << 26}), Tensor::Scalar(0.0f), Tensor::Scalar(1.0f),
                                      Tensor::Scalar(1e20f), Tensor::Scalar(2e20f)},
                                     {});
  EXPECT_EQ(status.code(), StatusCode::kCancelled) << status;
}

}  // namespace
}  // namespace weir::ops
