// Accumulator: a resource that sums up gradients until enough of them were added. Gradients of steps before its global
// step are stale and dropped; taking the sum increments the global step. Waiting Take calls block no thread and
// are served in FIFO order.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "op/cancel.h"
#include "op/resource.h"
#include "ops/queue/gradient_sum.h"
#include "ops/queue/waiter_list.h"

namespace weir::ops {

struct AccumulatorSpec {
  bool sparse = false;
  std::string name;  // for error messages
  DType dtype = kFloat;
  PartialShape shape;  // all gradients must be compatible with it
  bool mean = true;    // return the mean; otherwise the sum
};

// Thread-safe. Callbacks run without the accumulator's lock, either on the caller's thread or on the thread that ends
// the wait.
class Accumulator final : public Resource {
 public:
  explicit Accumulator(AccumulatorSpec spec) : spec_(std::move(spec)) {}
  const AccumulatorSpec& spec() const { return spec_; }

  using TakeDone = std::function<void(Result<std::vector<Tensor>>)>;

  // Adds a gradient. A stale gradient is dropped without an error.
  Status Apply(int64_t local_step, GradientInput gradient);
  // Returns the sum (or mean) once at least `num_required` gradients were added, and resets it. REQUIRES: `cancel`
  // lives until `done` is called.
  void Take(int64_t num_required, CancelToken& cancel, TakeDone done);
  void SetGlobalStep(int64_t step);
  int64_t num_accumulated() const;
  std::string DebugString() const override;

 private:
  struct Call {
    int64_t num_required = 0;
    TakeDone done;
    std::unique_ptr<GradientSum> sum;  // set when the call is served
    int64_t count = 0;
    bool mean = true;

    void Finish(Status status);
  };
  using Waiters = WaiterList<Call>;
  using Ended = std::vector<Waiters::Ended>;

  void CancelWaiter(uint64_t id);
  // Serves at most one call: the sum is empty afterwards.
  void ServeLocked(Ended& ended);
  // Ends a call and serves the next one, which may require fewer gradients.
  void EndCancelledLocked(Waiters::Iterator it, Ended& ended);

  const AccumulatorSpec spec_;
  mutable std::mutex mu_;
  std::unique_ptr<GradientSum> sum_;  // null: no gradient added yet
  int64_t count_ = 0;
  int64_t global_step_ = 0;
  Waiters waiters_;
};

}  // namespace weir::ops
