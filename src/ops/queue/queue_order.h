// In what order a queue gives its elements out. An order holds the elements that are in the queue; it has no bound and
// no lock: the queue guards it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/tensor.h"

namespace weir::ops {

// One tensor per component. `arrival` is the element's place among all that ever came into its queue.
struct QueueElement {
  std::vector<Tensor> components;
  uint64_t arrival = 0;
};

class QueueOrder {
 public:
  virtual ~QueueOrder() = default;
  virtual int64_t size() const = 0;
  virtual void Add(QueueElement element) = 0;
  // REQUIRES: size() > 0.
  virtual QueueElement Take() = 0;
  // Puts back what was taken, in the order in which it was: it comes out again as if it had not been, where the order
  // is not a random one.
  virtual void GiveBack(std::vector<QueueElement> elements) = 0;
};

// First in, first out.
std::unique_ptr<QueueOrder> MakeArrivalOrder();
// Any of the elements, equally likely; equal seeds give TensorFlow's order. Two zeros: unpredictable.
std::unique_ptr<QueueOrder> MakeRandomOrder(int64_t seed, int64_t seed2);
// The smallest first component first (an int64 scalar); equal ones first in, first out.
std::unique_ptr<QueueOrder> MakePriorityOrder();

}  // namespace weir::ops
