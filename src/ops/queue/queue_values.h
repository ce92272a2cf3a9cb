// Conversion between the tensors of a node and the elements of a queue.
#pragma once

#include "op/kernel.h"
#include "ops/queue/queue.h"

namespace weir::ops {

// Make one element of inputs 1, 2, ..., or one element per row of them. The elements own their memory, so the step
// cannot overwrite them. Errors name the component and both shapes.
Result<QueueElement> ElementOfInputs(const QueueSpec& spec, KernelContext& ctx);
Result<std::vector<QueueElement>> ElementsOfBatch(const QueueSpec& spec, KernelContext& ctx);

// Stacks component c of the elements along a new dimension 0. If the queue's shape leaves a dimension unknown, the
// largest element determines it and smaller ones are padded with zeros (empty strings).
Result<Tensor> BatchComponent(const QueueSpec& spec, const std::vector<QueueElement>& elements, int c);

// An error if elements of this queue cannot be batched.
Status CheckBatches(const QueueSpec& spec);

}  // namespace weir::ops
