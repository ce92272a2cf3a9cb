// Between the tensors of a node and the elements of a queue: checks, rows of batches, batches of elements.
#pragma once

#include "op/kernel.h"
#include "ops/queue/queue.h"

namespace weir::ops {

// The inputs from 1 on as one element; as the rows of their batch. They are the queue's own: nothing of the step
// writes to them later. Errors name the component and both shapes.
Result<QueueElement> ElementOfInputs(const QueueSpec& spec, KernelContext& ctx);
Result<std::vector<QueueElement>> ElementsOfBatch(const QueueSpec& spec, KernelContext& ctx);

// Component c of the elements, one behind the other in a new dimension 0. Where a shape of the queue leaves a size
// open, it is the largest there is, and shorter elements end in zeros (empty strings).
Result<Tensor> BatchComponent(const QueueSpec& spec, const std::vector<QueueElement>& elements, int c);

// Whether batches can be made.
Status CheckBatches(const QueueSpec& spec);

}  // namespace weir::ops
