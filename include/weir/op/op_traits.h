// OpTraits: properties of an op that the passes, the executor and the master use in their decisions. Each op declares
// its traits in its registry entry, so that no code outside src/ops compares the name of an op. ops/traits_test.cc
// checks the traits of all registered ops. tools/check_layers rejects comparisons with names and lists the few
// exceptions, each with its reason. The tables of device/gpu (programs of the kernels) and graph/float_ops.cc
// (TensorFlow's "flops" statistics) hold an implementation per op. traits_test.cc checks that these ops are registered.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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

// What a node does with the value of the variable that it reads or updates.
enum class ValueUse : uint8_t {
  kComputes,   // uses it in a way that has no entry here
  kGives,      // output 0 is the value
  kReplaces,   // input 1 is the new value
  kShape,      // uses only its shape
  kExistence,  // uses only whether there is a value, or drops it
};

// The place of an op in a product with a bias and an activation (passes/fold_activations.cc).
enum class FoldStage : uint8_t {
  kNone,
  kProduct,     // `folded_op` computes all three
  kBias,        // adds input 1, a vector, to each row or pixel of input 0
  kSum,         // a bias if input 1 is a vector with one element per column or channel
  kActivation,  // has no attributes except its type
};

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

// Ops whose output is probabilities, and whose input 0 is the logits of these.
enum class Probabilities : uint8_t {
  kNone,
  kOfElements,  // one for each element, as in Sigmoid
  kOfRows,      // one for each position of the last axis, which sum to 1, as in Softmax
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
  // The output is the value of input 0, and the op has no other meaning, such as stopping gradients. It may be a copy.
  bool identity = false;
  // The op exists to fail for some inputs. It may not be skipped if its output is unused.
  bool checks = false;
  // Calls the function in the attribute f. Its arguments are all inputs, and its results all outputs.
  bool calls_f = false;
  // Calls the gradient function of the function in the attribute f.
  bool calls_gradient_of_f = false;
  // An argument or a result of the body of a function. It has no effect of its own.
  bool function_edge = false;
  // The outputs are the components of one element of the queue behind input 0.
  bool gives_element = false;
  // Output 0 is the handle of an accumulator, which averages the gradients of several replicas.
  bool accumulator = false;
  // Output 0 is the handle of an iterator over a dataset.
  bool iterator = false;
  // Outputs 0 and 1 are the indices and the values of slices, and no index occurs twice.
  bool unique_indices = false;
  ShapeValue shape_value = ShapeValue::kNone;
  ValueUse value_use = ValueUse::kComputes;
  Probabilities probabilities = Probabilities::kNone;
  FoldStage fold = FoldStage::kNone;
  std::string_view folded_op = {};  // of a kProduct
};

// True for an op that passes on its input and does nothing else: Identity and RefIdentity.
constexpr bool IsAlias(const OpTraits& traits) {
  return traits.identity && traits.memory == OutputMemory::kForwardsFirst;
}

// Traits of many ops.
inline constexpr OpTraits kVariableUpdate = {
    .state = StateRole::kUpdates, .may_block = false, .keeps_inputs = false, .brief = true};
inline constexpr OpTraits kVariableRead = {.state = StateRole::kReads, .may_block = false, .brief = true};
inline constexpr OpTraits kForwardsInput = {.memory = OutputMemory::kForwardsFirst};
inline constexpr OpTraits kOwnMemory = {.memory = OutputMemory::kOwn};
inline constexpr OpTraits kNeverBlocks = {.may_block = false};
inline constexpr OpTraits kComputesOnly = {.may_block = false, .keeps_inputs = false};  // random and checking ops

}  // namespace weir
