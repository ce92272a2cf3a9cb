// OpTraits: properties of an op that the passes, the executor and the master use in their decisions. Each op declares
// its traits in its registry entry, so that no code outside src/ops lists ops by name. ops/traits_test.cc checks the
// traits of all registered ops.
#pragma once

#include <cstdint>
#include <optional>

namespace weir {

// How the executor treats a node.
enum class NodeKind : uint8_t {
  kKernel,
  kConst,
  kSwitch,
  kMerge,
  kEnter,
  kExit,
  kNextIteration,
  kLoopCond,
  kTrigger,   // ControlTrigger: waits for its control inputs, dead or live, and is always live
  kTransfer,  // sends and receives: run even if dead, because the other side waits
};

// True if nodes of this kind need the executor's path with frames and dead values.
constexpr bool IsFlow(NodeKind kind) {
  return kind != NodeKind::kKernel && kind != NodeKind::kConst && kind != NodeKind::kTransfer;
}

// What a node does to variables and other resources.
enum class StateRole : uint8_t {
  kNone,
  kVariable,        // is a reference variable
  kVariableHandle,  // is the handle of a resource variable
  kHandle,          // is the handle of another resource, such as a queue
  kReads,           // reads variables and changes nothing
  kUpdates,         // changes the variable or resource that its reference or handle refers to
};

// Whether the outputs of a node may be the memory of its inputs.
enum class OutputMemory : uint8_t {
  kMayShare,         // with any input of the same type
  kMayShareAnyType,  // with any input
  kForwardsFirst,    // each output is input 0
  kForwardsAll,      // each output is one of the inputs
  kForwardsRest,     // each output is one of the inputs after the first
  kOwn,              // never
};

constexpr bool Forwards(OutputMemory memory) {
  return memory == OutputMemory::kForwardsFirst || memory == OutputMemory::kForwardsAll ||
         memory == OutputMemory::kForwardsRest;
}

// How an integer output follows from shapes that are known while a graph is built.
enum class ShapeValue : uint8_t {
  kNone,
  kShape,          // output i is the shape of input i
  kVariableShape,  // the shape of the variable behind input 0
  kRank,           // the rank of input 0
  kSize,           // the number of elements of input 0
  // If the output is used as a shape:
  kSame,    // it is input 0
  kPack,    // its dimensions are the inputs
  kConcat,  // it joins the shapes in the list input
  kSlice,   // it is a range of input 0, as in StridedSlice
};

struct OpTraits {
  NodeKind kind = NodeKind::kKernel;
  StateRole state = StateRole::kNone;
  // Default: kOwn if the kernel computes with an ElementLoop, kMayShare otherwise.
  std::optional<OutputMemory> memory = {};
  // May block until an event outside the step happens, e.g. on a queue, an iterator, a peer or a Python function. The
  // event may never happen. A stateful op must set this. Default: true for ops that call functions, false for others.
  std::optional<bool> may_block = {};
  // May keep an input where later nodes or steps find it: in a queue, a TensorArray, a dataset. Default: true for
  // stateful ops and ops that call functions.
  std::optional<bool> keeps_inputs = {};
  // The kernel is fast for all input values, because it only moves, views or updates data. For an op that may block,
  // this does not include the time that it blocks.
  bool brief = false;
  // A caller may supply a value that replaces the output of the node.
  bool placeholder = false;
  ShapeValue shape_value = ShapeValue::kNone;
};

// Traits of many ops.
inline constexpr OpTraits kVariableUpdate = {
    .state = StateRole::kUpdates, .may_block = false, .keeps_inputs = false, .brief = true};
inline constexpr OpTraits kVariableRead = {.state = StateRole::kReads, .may_block = false, .brief = true};
inline constexpr OpTraits kForwardsInput = {.memory = OutputMemory::kForwardsFirst};
inline constexpr OpTraits kOwnMemory = {.memory = OutputMemory::kOwn};
inline constexpr OpTraits kNeverBlocks = {.may_block = false};
inline constexpr OpTraits kComputesOnly = {.may_block = false, .keeps_inputs = false};  // random and checking ops

}  // namespace weir
