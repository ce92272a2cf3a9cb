// Graph-building functions for the ops of ops/flow, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_FLOW_OPS_H_
#define WEIR_GRAPH_BUILD_FLOW_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct AbortAttrs {
  std::string error_msg = "";
  bool exit_without_error = false;
  std::string name = "";
};
Node* Abort(Graph& graph, const AbortAttrs& attrs = {});

struct AssertAttrs {
  int64_t summarize = 3;
  std::string name = "";
};
Node* Assert(Graph& graph, const Input& condition, const InputList& data, const AssertAttrs& attrs = {});
Node* Assert(const Input& condition, const InputList& data, const AssertAttrs& attrs = {});

struct CaseAttrs {
  std::vector<PartialShape> output_shapes = {};
  std::string name = "";
};
OutputList Case(Graph& graph, const Input& branch_index, const InputList& input, const std::vector<DType>& Tout, const std::vector<FuncAttr>& branches, const CaseAttrs& attrs = {});
OutputList Case(const Input& branch_index, const InputList& input, const std::vector<DType>& Tout, const std::vector<FuncAttr>& branches, const CaseAttrs& attrs = {});

struct ControlTriggerAttrs {
  std::string name = "";
};
Node* ControlTrigger(Graph& graph, const ControlTriggerAttrs& attrs = {});

struct DeleteSessionTensorAttrs {
  std::string name = "";
};
Node* DeleteSessionTensor(Graph& graph, const Input& handle, const DeleteSessionTensorAttrs& attrs = {});
Node* DeleteSessionTensor(const Input& handle, const DeleteSessionTensorAttrs& attrs = {});

struct EagerPyFuncAttrs {
  std::string name = "";
};
OutputList EagerPyFunc(Graph& graph, const InputList& input, const std::string& token, const std::vector<DType>& Tout, const EagerPyFuncAttrs& attrs = {});
OutputList EagerPyFunc(const InputList& input, const std::string& token, const std::vector<DType>& Tout, const EagerPyFuncAttrs& attrs = {});

struct EnterAttrs {
  bool is_constant = false;
  int64_t parallel_iterations = 10;
  std::string name = "";
};
Output Enter(Graph& graph, const Input& data, const std::string& frame_name, const EnterAttrs& attrs = {});
Output Enter(const Input& data, const std::string& frame_name, const EnterAttrs& attrs = {});

struct ExitAttrs {
  std::string name = "";
};
Output Exit(Graph& graph, const Input& data, const ExitAttrs& attrs = {});
Output Exit(const Input& data, const ExitAttrs& attrs = {});

struct GetSessionHandleAttrs {
  std::string name = "";
};
Output GetSessionHandle(Graph& graph, const Input& value, const GetSessionHandleAttrs& attrs = {});
Output GetSessionHandle(const Input& value, const GetSessionHandleAttrs& attrs = {});

struct GetSessionTensorAttrs {
  std::string name = "";
};
Output GetSessionTensor(Graph& graph, const Input& handle, DType dtype, const GetSessionTensorAttrs& attrs = {});
Output GetSessionTensor(const Input& handle, DType dtype, const GetSessionTensorAttrs& attrs = {});

struct IfAttrs {
  std::vector<PartialShape> output_shapes = {};
  std::string name = "";
};
OutputList If(Graph& graph, const Input& cond, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& then_branch, const FuncAttr& else_branch, const IfAttrs& attrs = {});
OutputList If(const Input& cond, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& then_branch, const FuncAttr& else_branch, const IfAttrs& attrs = {});

struct LoopCondAttrs {
  std::string name = "";
};
Output LoopCond(Graph& graph, const Input& input, const LoopCondAttrs& attrs = {});
Output LoopCond(const Input& input, const LoopCondAttrs& attrs = {});

struct MergeAttrs {
  std::string name = "";
};
struct MergeResult {
  Output output;
  Output value_index;
};
MergeResult Merge(Graph& graph, const InputList& inputs, const MergeAttrs& attrs = {});
MergeResult Merge(const InputList& inputs, const MergeAttrs& attrs = {});

struct NextIterationAttrs {
  std::string name = "";
};
Output NextIteration(Graph& graph, const Input& data, const NextIterationAttrs& attrs = {});
Output NextIteration(const Input& data, const NextIterationAttrs& attrs = {});

struct NoOpAttrs {
  std::string name = "";
};
Node* NoOp(Graph& graph, const NoOpAttrs& attrs = {});

struct PartitionedCallAttrs {
  std::string config = "";
  std::string config_proto = "";
  std::string executor_type = "";
  std::string name = "";
};
OutputList PartitionedCall(Graph& graph, const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const PartitionedCallAttrs& attrs = {});
OutputList PartitionedCall(const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const PartitionedCallAttrs& attrs = {});

struct PrintAttrs {
  std::string message = "";
  int64_t first_n = -1;
  int64_t summarize = 3;
  std::string name = "";
};
Output Print(Graph& graph, const Input& input, const InputList& data, const PrintAttrs& attrs = {});
Output Print(const Input& input, const InputList& data, const PrintAttrs& attrs = {});

struct PrintV2Attrs {
  std::string output_stream = "stderr";
  std::string end = "\n";
  std::string name = "";
};
Node* PrintV2(Graph& graph, const Input& input, const PrintV2Attrs& attrs = {});
Node* PrintV2(const Input& input, const PrintV2Attrs& attrs = {});

struct PyFuncAttrs {
  std::string name = "";
};
OutputList PyFunc(Graph& graph, const InputList& input, const std::string& token, const std::vector<DType>& Tout, const PyFuncAttrs& attrs = {});
OutputList PyFunc(const InputList& input, const std::string& token, const std::vector<DType>& Tout, const PyFuncAttrs& attrs = {});

struct PyFuncStatelessAttrs {
  std::string name = "";
};
OutputList PyFuncStateless(Graph& graph, const InputList& input, const std::string& token, const std::vector<DType>& Tout, const PyFuncStatelessAttrs& attrs = {});
OutputList PyFuncStateless(const InputList& input, const std::string& token, const std::vector<DType>& Tout, const PyFuncStatelessAttrs& attrs = {});

struct RefEnterAttrs {
  bool is_constant = false;
  int64_t parallel_iterations = 10;
  std::string name = "";
};
Output RefEnter(Graph& graph, const Input& data, const std::string& frame_name, const RefEnterAttrs& attrs = {});
Output RefEnter(const Input& data, const std::string& frame_name, const RefEnterAttrs& attrs = {});

struct RefExitAttrs {
  std::string name = "";
};
Output RefExit(Graph& graph, const Input& data, const RefExitAttrs& attrs = {});
Output RefExit(const Input& data, const RefExitAttrs& attrs = {});

struct RefIdentityAttrs {
  std::string name = "";
};
Output RefIdentity(Graph& graph, const Input& input, const RefIdentityAttrs& attrs = {});
Output RefIdentity(const Input& input, const RefIdentityAttrs& attrs = {});

struct RefMergeAttrs {
  std::string name = "";
};
struct RefMergeResult {
  Output output;
  Output value_index;
};
RefMergeResult RefMerge(Graph& graph, const InputList& inputs, const RefMergeAttrs& attrs = {});
RefMergeResult RefMerge(const InputList& inputs, const RefMergeAttrs& attrs = {});

struct RefNextIterationAttrs {
  std::string name = "";
};
Output RefNextIteration(Graph& graph, const Input& data, const RefNextIterationAttrs& attrs = {});
Output RefNextIteration(const Input& data, const RefNextIterationAttrs& attrs = {});

struct RefSelectAttrs {
  std::string name = "";
};
Output RefSelect(Graph& graph, const Input& index, const InputList& inputs, const RefSelectAttrs& attrs = {});
Output RefSelect(const Input& index, const InputList& inputs, const RefSelectAttrs& attrs = {});

struct RefSwitchAttrs {
  std::string name = "";
};
struct RefSwitchResult {
  Output output_false;
  Output output_true;
};
RefSwitchResult RefSwitch(Graph& graph, const Input& data, const Input& pred, const RefSwitchAttrs& attrs = {});
RefSwitchResult RefSwitch(const Input& data, const Input& pred, const RefSwitchAttrs& attrs = {});

struct RemoteCallAttrs {
  std::string name = "";
};
OutputList RemoteCall(Graph& graph, const Input& target, const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const RemoteCallAttrs& attrs = {});
OutputList RemoteCall(const Input& target, const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const RemoteCallAttrs& attrs = {});

struct StackAttrs {
  std::string stack_name = "";
  std::string name = "";
};
Output Stack(Graph& graph, DType elem_type, const StackAttrs& attrs = {});

struct StackCloseAttrs {
  std::string name = "";
};
Node* StackClose(Graph& graph, const Input& handle, const StackCloseAttrs& attrs = {});
Node* StackClose(const Input& handle, const StackCloseAttrs& attrs = {});

struct StackCloseV2Attrs {
  std::string name = "";
};
Node* StackCloseV2(Graph& graph, const Input& handle, const StackCloseV2Attrs& attrs = {});
Node* StackCloseV2(const Input& handle, const StackCloseV2Attrs& attrs = {});

struct StackPopAttrs {
  std::string name = "";
};
Output StackPop(Graph& graph, const Input& handle, DType elem_type, const StackPopAttrs& attrs = {});
Output StackPop(const Input& handle, DType elem_type, const StackPopAttrs& attrs = {});

struct StackPopV2Attrs {
  std::string name = "";
};
Output StackPopV2(Graph& graph, const Input& handle, DType elem_type, const StackPopV2Attrs& attrs = {});
Output StackPopV2(const Input& handle, DType elem_type, const StackPopV2Attrs& attrs = {});

struct StackPushAttrs {
  bool swap_memory = false;
  std::string name = "";
};
Output StackPush(Graph& graph, const Input& handle, const Input& elem, const StackPushAttrs& attrs = {});
Output StackPush(const Input& handle, const Input& elem, const StackPushAttrs& attrs = {});

struct StackPushV2Attrs {
  bool swap_memory = false;
  std::string name = "";
};
Output StackPushV2(Graph& graph, const Input& handle, const Input& elem, const StackPushV2Attrs& attrs = {});
Output StackPushV2(const Input& handle, const Input& elem, const StackPushV2Attrs& attrs = {});

struct StackV2Attrs {
  std::string stack_name = "";
  std::string name = "";
};
Output StackV2(Graph& graph, const Input& max_size, DType elem_type, const StackV2Attrs& attrs = {});
Output StackV2(const Input& max_size, DType elem_type, const StackV2Attrs& attrs = {});

struct StatefulPartitionedCallAttrs {
  std::string config = "";
  std::string config_proto = "";
  std::string executor_type = "";
  std::string name = "";
};
OutputList StatefulPartitionedCall(Graph& graph, const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const StatefulPartitionedCallAttrs& attrs = {});
OutputList StatefulPartitionedCall(const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const StatefulPartitionedCallAttrs& attrs = {});

struct StatelessIfAttrs {
  std::vector<PartialShape> output_shapes = {};
  std::string name = "";
};
OutputList StatelessIf(Graph& graph, const Input& cond, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& then_branch, const FuncAttr& else_branch, const StatelessIfAttrs& attrs = {});
OutputList StatelessIf(const Input& cond, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& then_branch, const FuncAttr& else_branch, const StatelessIfAttrs& attrs = {});

struct StatelessWhileAttrs {
  std::vector<PartialShape> output_shapes = {};
  int64_t parallel_iterations = 10;
  std::string name = "";
};
OutputList StatelessWhile(Graph& graph, const InputList& input, const FuncAttr& cond, const FuncAttr& body, const StatelessWhileAttrs& attrs = {});
OutputList StatelessWhile(const InputList& input, const FuncAttr& cond, const FuncAttr& body, const StatelessWhileAttrs& attrs = {});

struct StringFormatAttrs {
  std::string template_ = "%s";
  std::string placeholder = "%s";
  int64_t summarize = 3;
  std::string name = "";
};
Output StringFormat(Graph& graph, const InputList& inputs, const StringFormatAttrs& attrs = {});
Output StringFormat(const InputList& inputs, const StringFormatAttrs& attrs = {});

struct SwitchAttrs {
  std::string name = "";
};
struct SwitchResult {
  Output output_false;
  Output output_true;
};
SwitchResult Switch(Graph& graph, const Input& data, const Input& pred, const SwitchAttrs& attrs = {});
SwitchResult Switch(const Input& data, const Input& pred, const SwitchAttrs& attrs = {});

struct SymbolicGradientAttrs {
  std::string name = "";
};
OutputList SymbolicGradient(Graph& graph, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& f, const SymbolicGradientAttrs& attrs = {});
OutputList SymbolicGradient(const InputList& input, const std::vector<DType>& Tout, const FuncAttr& f, const SymbolicGradientAttrs& attrs = {});

struct TensorArrayCloseV3Attrs {
  std::string name = "";
};
Node* TensorArrayCloseV3(Graph& graph, const Input& handle, const TensorArrayCloseV3Attrs& attrs = {});
Node* TensorArrayCloseV3(const Input& handle, const TensorArrayCloseV3Attrs& attrs = {});

struct TensorArrayConcatV3Attrs {
  PartialShape element_shape_except0 = PartialShape();
  std::string name = "";
};
struct TensorArrayConcatV3Result {
  Output value;
  Output lengths;
};
TensorArrayConcatV3Result TensorArrayConcatV3(Graph& graph, const Input& handle, const Input& flow_in, DType dtype, const TensorArrayConcatV3Attrs& attrs = {});
TensorArrayConcatV3Result TensorArrayConcatV3(const Input& handle, const Input& flow_in, DType dtype, const TensorArrayConcatV3Attrs& attrs = {});

struct TensorArrayGatherV3Attrs {
  PartialShape element_shape = PartialShape();
  std::string name = "";
};
Output TensorArrayGatherV3(Graph& graph, const Input& handle, const Input& indices, const Input& flow_in, DType dtype, const TensorArrayGatherV3Attrs& attrs = {});
Output TensorArrayGatherV3(const Input& handle, const Input& indices, const Input& flow_in, DType dtype, const TensorArrayGatherV3Attrs& attrs = {});

struct TensorArrayGradV3Attrs {
  std::string name = "";
};
struct TensorArrayGradV3Result {
  Output grad_handle;
  Output flow_out;
};
TensorArrayGradV3Result TensorArrayGradV3(Graph& graph, const Input& handle, const Input& flow_in, const std::string& source, const TensorArrayGradV3Attrs& attrs = {});
TensorArrayGradV3Result TensorArrayGradV3(const Input& handle, const Input& flow_in, const std::string& source, const TensorArrayGradV3Attrs& attrs = {});

struct TensorArrayGradWithShapeAttrs {
  std::string name = "";
};
struct TensorArrayGradWithShapeResult {
  Output grad_handle;
  Output flow_out;
};
TensorArrayGradWithShapeResult TensorArrayGradWithShape(Graph& graph, const Input& handle, const Input& flow_in, const Input& shape_to_prepend, const std::string& source, const TensorArrayGradWithShapeAttrs& attrs = {});
TensorArrayGradWithShapeResult TensorArrayGradWithShape(const Input& handle, const Input& flow_in, const Input& shape_to_prepend, const std::string& source, const TensorArrayGradWithShapeAttrs& attrs = {});

struct TensorArrayReadV3Attrs {
  std::string name = "";
};
Output TensorArrayReadV3(Graph& graph, const Input& handle, const Input& index, const Input& flow_in, DType dtype, const TensorArrayReadV3Attrs& attrs = {});
Output TensorArrayReadV3(const Input& handle, const Input& index, const Input& flow_in, DType dtype, const TensorArrayReadV3Attrs& attrs = {});

struct TensorArrayScatterV3Attrs {
  std::string name = "";
};
Output TensorArrayScatterV3(Graph& graph, const Input& handle, const Input& indices, const Input& value, const Input& flow_in, const TensorArrayScatterV3Attrs& attrs = {});
Output TensorArrayScatterV3(const Input& handle, const Input& indices, const Input& value, const Input& flow_in, const TensorArrayScatterV3Attrs& attrs = {});

struct TensorArraySizeV3Attrs {
  std::string name = "";
};
Output TensorArraySizeV3(Graph& graph, const Input& handle, const Input& flow_in, const TensorArraySizeV3Attrs& attrs = {});
Output TensorArraySizeV3(const Input& handle, const Input& flow_in, const TensorArraySizeV3Attrs& attrs = {});

struct TensorArraySplitV3Attrs {
  std::string name = "";
};
Output TensorArraySplitV3(Graph& graph, const Input& handle, const Input& value, const Input& lengths, const Input& flow_in, const TensorArraySplitV3Attrs& attrs = {});
Output TensorArraySplitV3(const Input& handle, const Input& value, const Input& lengths, const Input& flow_in, const TensorArraySplitV3Attrs& attrs = {});

struct TensorArrayV3Attrs {
  PartialShape element_shape = PartialShape();
  bool dynamic_size = false;
  bool clear_after_read = true;
  bool identical_element_shapes = false;
  std::string tensor_array_name = "";
  std::string name = "";
};
struct TensorArrayV3Result {
  Output handle;
  Output flow;
};
TensorArrayV3Result TensorArrayV3(Graph& graph, const Input& size, DType dtype, const TensorArrayV3Attrs& attrs = {});
TensorArrayV3Result TensorArrayV3(const Input& size, DType dtype, const TensorArrayV3Attrs& attrs = {});

struct TensorArrayWriteV3Attrs {
  std::string name = "";
};
Output TensorArrayWriteV3(Graph& graph, const Input& handle, const Input& index, const Input& value, const Input& flow_in, const TensorArrayWriteV3Attrs& attrs = {});
Output TensorArrayWriteV3(const Input& handle, const Input& index, const Input& value, const Input& flow_in, const TensorArrayWriteV3Attrs& attrs = {});

struct TimestampAttrs {
  std::string name = "";
};
Output Timestamp(Graph& graph, const TimestampAttrs& attrs = {});

struct WhileAttrs {
  std::vector<PartialShape> output_shapes = {};
  int64_t parallel_iterations = 10;
  std::string name = "";
};
OutputList While(Graph& graph, const InputList& input, const FuncAttr& cond, const FuncAttr& body, const WhileAttrs& attrs = {});
OutputList While(const InputList& input, const FuncAttr& cond, const FuncAttr& body, const WhileAttrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_FLOW_OPS_H_
