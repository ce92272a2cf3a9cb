// QueueOrder: the order in which a queue gives out its elements. It stores the elements of the queue. Unbounded. Not
// thread-safe: the queue locks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "tensor/tensor.h"

namespace weir::ops {

// One tensor per component. `arrival` is a sequence number over all elements ever added to the queue.
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
  // Puts back elements that were taken, in the order in which they were taken. Except for the random order, they come
  // out again in the same order.
  virtual void PutBack(std::vector<QueueElement> elements) = 0;
};

// First in, first out.
std::unique_ptr<QueueOrder> MakeFifoOrder();
// Uniformly random. Equal seeds give TensorFlow's order; two zeros give an unpredictable order.
std::unique_ptr<QueueOrder> MakeRandomOrder(int64_t seed, int64_t seed2);
// Smallest first component (an int64 scalar) first; ties in FIFO order.
std::unique_ptr<QueueOrder> MakePriorityOrder();

}  // namespace weir::ops
