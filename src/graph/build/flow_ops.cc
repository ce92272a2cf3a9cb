// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/flow_ops.h"

namespace weir {

Node* Abort(Graph& graph, const AbortAttrs& attrs) {
  NodeBuilder node(graph, "Abort", attrs.name);
  node.Attr("error_msg", attrs.error_msg);
  node.Attr("exit_without_error", attrs.exit_without_error);
  return node.BuildNode();
}

Node* Assert(Graph& graph, const Input& condition, const InputList& data, const AssertAttrs& attrs) {
  NodeBuilder node(graph, "Assert", attrs.name);
  node.In(condition);
  node.In(data);
  node.Attr("summarize", attrs.summarize);
  return node.BuildNode();
}
Node* Assert(const Input& condition, const InputList& data, const AssertAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{condition}, data});
  if (graph == nullptr) return {};
  return Assert(*graph, condition, data, attrs);
}

OutputList Case(Graph& graph, const Input& branch_index, const InputList& input, const std::vector<DType>& Tout, const std::vector<FuncAttr>& branches, const CaseAttrs& attrs) {
  NodeBuilder node(graph, "Case", attrs.name);
  node.In(branch_index);
  node.In(input);
  node.Attr("Tout", Tout);
  node.Attr("branches", branches);
  node.Attr("output_shapes", attrs.output_shapes);
  return node.BuildOutputs();
}
OutputList Case(const Input& branch_index, const InputList& input, const std::vector<DType>& Tout, const std::vector<FuncAttr>& branches, const CaseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{branch_index}, input});
  if (graph == nullptr) return {};
  return Case(*graph, branch_index, input, Tout, branches, attrs);
}

Node* ControlTrigger(Graph& graph, const ControlTriggerAttrs& attrs) {
  NodeBuilder node(graph, "ControlTrigger", attrs.name);
  return node.BuildNode();
}

Node* DeleteSessionTensor(Graph& graph, const Input& handle, const DeleteSessionTensorAttrs& attrs) {
  NodeBuilder node(graph, "DeleteSessionTensor", attrs.name);
  node.In(handle);
  return node.BuildNode();
}
Node* DeleteSessionTensor(const Input& handle, const DeleteSessionTensorAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return DeleteSessionTensor(*graph, handle, attrs);
}

OutputList EagerPyFunc(Graph& graph, const InputList& input, const std::string& token, const std::vector<DType>& Tout, const EagerPyFuncAttrs& attrs) {
  NodeBuilder node(graph, "EagerPyFunc", attrs.name);
  node.In(input);
  node.Attr("token", token);
  node.Attr("Tout", Tout);
  return node.BuildOutputs();
}
OutputList EagerPyFunc(const InputList& input, const std::string& token, const std::vector<DType>& Tout, const EagerPyFuncAttrs& attrs) {
  Graph* graph = GraphOfAll({input});
  if (graph == nullptr) return {};
  return EagerPyFunc(*graph, input, token, Tout, attrs);
}

Output Enter(Graph& graph, const Input& data, const std::string& frame_name, const EnterAttrs& attrs) {
  NodeBuilder node(graph, "Enter", attrs.name);
  node.In(data);
  node.Attr("frame_name", frame_name);
  node.Attr("is_constant", attrs.is_constant);
  node.Attr("parallel_iterations", attrs.parallel_iterations);
  return node.BuildOutput();
}
Output Enter(const Input& data, const std::string& frame_name, const EnterAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}});
  if (graph == nullptr) return {};
  return Enter(*graph, data, frame_name, attrs);
}

Output Exit(Graph& graph, const Input& data, const ExitAttrs& attrs) {
  NodeBuilder node(graph, "Exit", attrs.name);
  node.In(data);
  return node.BuildOutput();
}
Output Exit(const Input& data, const ExitAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}});
  if (graph == nullptr) return {};
  return Exit(*graph, data, attrs);
}

Output GetSessionHandle(Graph& graph, const Input& value, const GetSessionHandleAttrs& attrs) {
  NodeBuilder node(graph, "GetSessionHandle", attrs.name);
  node.In(value);
  return node.BuildOutput();
}
Output GetSessionHandle(const Input& value, const GetSessionHandleAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{value}});
  if (graph == nullptr) return {};
  return GetSessionHandle(*graph, value, attrs);
}

Output GetSessionTensor(Graph& graph, const Input& handle, DType dtype, const GetSessionTensorAttrs& attrs) {
  NodeBuilder node(graph, "GetSessionTensor", attrs.name);
  node.In(handle);
  node.Attr("dtype", dtype);
  return node.BuildOutput();
}
Output GetSessionTensor(const Input& handle, DType dtype, const GetSessionTensorAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return GetSessionTensor(*graph, handle, dtype, attrs);
}

OutputList If(Graph& graph, const Input& cond, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& then_branch, const FuncAttr& else_branch, const IfAttrs& attrs) {
  NodeBuilder node(graph, "If", attrs.name);
  node.In(cond);
  node.In(input);
  node.Attr("Tout", Tout);
  node.Attr("then_branch", then_branch);
  node.Attr("else_branch", else_branch);
  node.Attr("output_shapes", attrs.output_shapes);
  return node.BuildOutputs();
}
OutputList If(const Input& cond, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& then_branch, const FuncAttr& else_branch, const IfAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{cond}, input});
  if (graph == nullptr) return {};
  return If(*graph, cond, input, Tout, then_branch, else_branch, attrs);
}

Output LoopCond(Graph& graph, const Input& input, const LoopCondAttrs& attrs) {
  NodeBuilder node(graph, "LoopCond", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output LoopCond(const Input& input, const LoopCondAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return LoopCond(*graph, input, attrs);
}

MergeResult Merge(Graph& graph, const InputList& inputs, const MergeAttrs& attrs) {
  NodeBuilder node(graph, "Merge", attrs.name);
  node.In(inputs);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
MergeResult Merge(const InputList& inputs, const MergeAttrs& attrs) {
  Graph* graph = GraphOfAll({inputs});
  if (graph == nullptr) return {};
  return Merge(*graph, inputs, attrs);
}

Output NextIteration(Graph& graph, const Input& data, const NextIterationAttrs& attrs) {
  NodeBuilder node(graph, "NextIteration", attrs.name);
  node.In(data);
  return node.BuildOutput();
}
Output NextIteration(const Input& data, const NextIterationAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}});
  if (graph == nullptr) return {};
  return NextIteration(*graph, data, attrs);
}

Node* NoOp(Graph& graph, const NoOpAttrs& attrs) {
  NodeBuilder node(graph, "NoOp", attrs.name);
  return node.BuildNode();
}

OutputList PartitionedCall(Graph& graph, const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const PartitionedCallAttrs& attrs) {
  NodeBuilder node(graph, "PartitionedCall", attrs.name);
  node.In(args);
  node.Attr("Tout", Tout);
  node.Attr("f", f);
  node.Attr("config", attrs.config);
  node.Attr("config_proto", attrs.config_proto);
  node.Attr("executor_type", attrs.executor_type);
  return node.BuildOutputs();
}
OutputList PartitionedCall(const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const PartitionedCallAttrs& attrs) {
  Graph* graph = GraphOfAll({args});
  if (graph == nullptr) return {};
  return PartitionedCall(*graph, args, Tout, f, attrs);
}

Output Print(Graph& graph, const Input& input, const InputList& data, const PrintAttrs& attrs) {
  NodeBuilder node(graph, "Print", attrs.name);
  node.In(input);
  node.In(data);
  node.Attr("message", attrs.message);
  node.Attr("first_n", attrs.first_n);
  node.Attr("summarize", attrs.summarize);
  return node.BuildOutput();
}
Output Print(const Input& input, const InputList& data, const PrintAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}, data});
  if (graph == nullptr) return {};
  return Print(*graph, input, data, attrs);
}

Node* PrintV2(Graph& graph, const Input& input, const PrintV2Attrs& attrs) {
  NodeBuilder node(graph, "PrintV2", attrs.name);
  node.In(input);
  node.Attr("output_stream", attrs.output_stream);
  node.Attr("end", attrs.end);
  return node.BuildNode();
}
Node* PrintV2(const Input& input, const PrintV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return PrintV2(*graph, input, attrs);
}

OutputList PyFunc(Graph& graph, const InputList& input, const std::string& token, const std::vector<DType>& Tout, const PyFuncAttrs& attrs) {
  NodeBuilder node(graph, "PyFunc", attrs.name);
  node.In(input);
  node.Attr("token", token);
  node.Attr("Tout", Tout);
  return node.BuildOutputs();
}
OutputList PyFunc(const InputList& input, const std::string& token, const std::vector<DType>& Tout, const PyFuncAttrs& attrs) {
  Graph* graph = GraphOfAll({input});
  if (graph == nullptr) return {};
  return PyFunc(*graph, input, token, Tout, attrs);
}

OutputList PyFuncStateless(Graph& graph, const InputList& input, const std::string& token, const std::vector<DType>& Tout, const PyFuncStatelessAttrs& attrs) {
  NodeBuilder node(graph, "PyFuncStateless", attrs.name);
  node.In(input);
  node.Attr("token", token);
  node.Attr("Tout", Tout);
  return node.BuildOutputs();
}
OutputList PyFuncStateless(const InputList& input, const std::string& token, const std::vector<DType>& Tout, const PyFuncStatelessAttrs& attrs) {
  Graph* graph = GraphOfAll({input});
  if (graph == nullptr) return {};
  return PyFuncStateless(*graph, input, token, Tout, attrs);
}

Output RefEnter(Graph& graph, const Input& data, const std::string& frame_name, const RefEnterAttrs& attrs) {
  NodeBuilder node(graph, "RefEnter", attrs.name);
  node.In(data);
  node.Attr("frame_name", frame_name);
  node.Attr("is_constant", attrs.is_constant);
  node.Attr("parallel_iterations", attrs.parallel_iterations);
  return node.BuildOutput();
}
Output RefEnter(const Input& data, const std::string& frame_name, const RefEnterAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}});
  if (graph == nullptr) return {};
  return RefEnter(*graph, data, frame_name, attrs);
}

Output RefExit(Graph& graph, const Input& data, const RefExitAttrs& attrs) {
  NodeBuilder node(graph, "RefExit", attrs.name);
  node.In(data);
  return node.BuildOutput();
}
Output RefExit(const Input& data, const RefExitAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}});
  if (graph == nullptr) return {};
  return RefExit(*graph, data, attrs);
}

Output RefIdentity(Graph& graph, const Input& input, const RefIdentityAttrs& attrs) {
  NodeBuilder node(graph, "RefIdentity", attrs.name);
  node.In(input);
  return node.BuildOutput();
}
Output RefIdentity(const Input& input, const RefIdentityAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return RefIdentity(*graph, input, attrs);
}

RefMergeResult RefMerge(Graph& graph, const InputList& inputs, const RefMergeAttrs& attrs) {
  NodeBuilder node(graph, "RefMerge", attrs.name);
  node.In(inputs);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
RefMergeResult RefMerge(const InputList& inputs, const RefMergeAttrs& attrs) {
  Graph* graph = GraphOfAll({inputs});
  if (graph == nullptr) return {};
  return RefMerge(*graph, inputs, attrs);
}

Output RefNextIteration(Graph& graph, const Input& data, const RefNextIterationAttrs& attrs) {
  NodeBuilder node(graph, "RefNextIteration", attrs.name);
  node.In(data);
  return node.BuildOutput();
}
Output RefNextIteration(const Input& data, const RefNextIterationAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}});
  if (graph == nullptr) return {};
  return RefNextIteration(*graph, data, attrs);
}

Output RefSelect(Graph& graph, const Input& index, const InputList& inputs, const RefSelectAttrs& attrs) {
  NodeBuilder node(graph, "RefSelect", attrs.name);
  node.In(index);
  node.In(inputs);
  return node.BuildOutput();
}
Output RefSelect(const Input& index, const InputList& inputs, const RefSelectAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{index}, inputs});
  if (graph == nullptr) return {};
  return RefSelect(*graph, index, inputs, attrs);
}

RefSwitchResult RefSwitch(Graph& graph, const Input& data, const Input& pred, const RefSwitchAttrs& attrs) {
  NodeBuilder node(graph, "RefSwitch", attrs.name);
  node.In(data);
  node.In(pred);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
RefSwitchResult RefSwitch(const Input& data, const Input& pred, const RefSwitchAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{pred}});
  if (graph == nullptr) return {};
  return RefSwitch(*graph, data, pred, attrs);
}

OutputList RemoteCall(Graph& graph, const Input& target, const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const RemoteCallAttrs& attrs) {
  NodeBuilder node(graph, "RemoteCall", attrs.name);
  node.In(target);
  node.In(args);
  node.Attr("Tout", Tout);
  node.Attr("f", f);
  return node.BuildOutputs();
}
OutputList RemoteCall(const Input& target, const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const RemoteCallAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{target}, args});
  if (graph == nullptr) return {};
  return RemoteCall(*graph, target, args, Tout, f, attrs);
}

Output Stack(Graph& graph, DType elem_type, const StackAttrs& attrs) {
  NodeBuilder node(graph, "Stack", attrs.name);
  node.Attr("elem_type", elem_type);
  node.Attr("stack_name", attrs.stack_name);
  return node.BuildOutput();
}

Node* StackClose(Graph& graph, const Input& handle, const StackCloseAttrs& attrs) {
  NodeBuilder node(graph, "StackClose", attrs.name);
  node.In(handle);
  return node.BuildNode();
}
Node* StackClose(const Input& handle, const StackCloseAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return StackClose(*graph, handle, attrs);
}

Node* StackCloseV2(Graph& graph, const Input& handle, const StackCloseV2Attrs& attrs) {
  NodeBuilder node(graph, "StackCloseV2", attrs.name);
  node.In(handle);
  return node.BuildNode();
}
Node* StackCloseV2(const Input& handle, const StackCloseV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return StackCloseV2(*graph, handle, attrs);
}

Output StackPop(Graph& graph, const Input& handle, DType elem_type, const StackPopAttrs& attrs) {
  NodeBuilder node(graph, "StackPop", attrs.name);
  node.In(handle);
  node.Attr("elem_type", elem_type);
  return node.BuildOutput();
}
Output StackPop(const Input& handle, DType elem_type, const StackPopAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return StackPop(*graph, handle, elem_type, attrs);
}

Output StackPopV2(Graph& graph, const Input& handle, DType elem_type, const StackPopV2Attrs& attrs) {
  NodeBuilder node(graph, "StackPopV2", attrs.name);
  node.In(handle);
  node.Attr("elem_type", elem_type);
  return node.BuildOutput();
}
Output StackPopV2(const Input& handle, DType elem_type, const StackPopV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return StackPopV2(*graph, handle, elem_type, attrs);
}

Output StackPush(Graph& graph, const Input& handle, const Input& elem, const StackPushAttrs& attrs) {
  NodeBuilder node(graph, "StackPush", attrs.name);
  node.In(handle);
  node.In(elem);
  node.Attr("swap_memory", attrs.swap_memory);
  return node.BuildOutput();
}
Output StackPush(const Input& handle, const Input& elem, const StackPushAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{elem}});
  if (graph == nullptr) return {};
  return StackPush(*graph, handle, elem, attrs);
}

Output StackPushV2(Graph& graph, const Input& handle, const Input& elem, const StackPushV2Attrs& attrs) {
  NodeBuilder node(graph, "StackPushV2", attrs.name);
  node.In(handle);
  node.In(elem);
  node.Attr("swap_memory", attrs.swap_memory);
  return node.BuildOutput();
}
Output StackPushV2(const Input& handle, const Input& elem, const StackPushV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{elem}});
  if (graph == nullptr) return {};
  return StackPushV2(*graph, handle, elem, attrs);
}

Output StackV2(Graph& graph, const Input& max_size, DType elem_type, const StackV2Attrs& attrs) {
  NodeBuilder node(graph, "StackV2", attrs.name);
  node.In(max_size);
  node.Attr("elem_type", elem_type);
  node.Attr("stack_name", attrs.stack_name);
  return node.BuildOutput();
}
Output StackV2(const Input& max_size, DType elem_type, const StackV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{max_size}});
  if (graph == nullptr) return {};
  return StackV2(*graph, max_size, elem_type, attrs);
}

OutputList StatefulPartitionedCall(Graph& graph, const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const StatefulPartitionedCallAttrs& attrs) {
  NodeBuilder node(graph, "StatefulPartitionedCall", attrs.name);
  node.In(args);
  node.Attr("Tout", Tout);
  node.Attr("f", f);
  node.Attr("config", attrs.config);
  node.Attr("config_proto", attrs.config_proto);
  node.Attr("executor_type", attrs.executor_type);
  return node.BuildOutputs();
}
OutputList StatefulPartitionedCall(const InputList& args, const std::vector<DType>& Tout, const FuncAttr& f, const StatefulPartitionedCallAttrs& attrs) {
  Graph* graph = GraphOfAll({args});
  if (graph == nullptr) return {};
  return StatefulPartitionedCall(*graph, args, Tout, f, attrs);
}

OutputList StatelessIf(Graph& graph, const Input& cond, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& then_branch, const FuncAttr& else_branch, const StatelessIfAttrs& attrs) {
  NodeBuilder node(graph, "StatelessIf", attrs.name);
  node.In(cond);
  node.In(input);
  node.Attr("Tout", Tout);
  node.Attr("then_branch", then_branch);
  node.Attr("else_branch", else_branch);
  node.Attr("output_shapes", attrs.output_shapes);
  return node.BuildOutputs();
}
OutputList StatelessIf(const Input& cond, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& then_branch, const FuncAttr& else_branch, const StatelessIfAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{cond}, input});
  if (graph == nullptr) return {};
  return StatelessIf(*graph, cond, input, Tout, then_branch, else_branch, attrs);
}

OutputList StatelessWhile(Graph& graph, const InputList& input, const FuncAttr& cond, const FuncAttr& body, const StatelessWhileAttrs& attrs) {
  NodeBuilder node(graph, "StatelessWhile", attrs.name);
  node.In(input);
  node.Attr("cond", cond);
  node.Attr("body", body);
  node.Attr("output_shapes", attrs.output_shapes);
  node.Attr("parallel_iterations", attrs.parallel_iterations);
  return node.BuildOutputs();
}
OutputList StatelessWhile(const InputList& input, const FuncAttr& cond, const FuncAttr& body, const StatelessWhileAttrs& attrs) {
  Graph* graph = GraphOfAll({input});
  if (graph == nullptr) return {};
  return StatelessWhile(*graph, input, cond, body, attrs);
}

Output StringFormat(Graph& graph, const InputList& inputs, const StringFormatAttrs& attrs) {
  NodeBuilder node(graph, "StringFormat", attrs.name);
  node.In(inputs);
  node.Attr("template", attrs.template_);
  node.Attr("placeholder", attrs.placeholder);
  node.Attr("summarize", attrs.summarize);
  return node.BuildOutput();
}
Output StringFormat(const InputList& inputs, const StringFormatAttrs& attrs) {
  Graph* graph = GraphOfAll({inputs});
  if (graph == nullptr) return {};
  return StringFormat(*graph, inputs, attrs);
}

SwitchResult Switch(Graph& graph, const Input& data, const Input& pred, const SwitchAttrs& attrs) {
  NodeBuilder node(graph, "Switch", attrs.name);
  node.In(data);
  node.In(pred);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
SwitchResult Switch(const Input& data, const Input& pred, const SwitchAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{data}, InputList{pred}});
  if (graph == nullptr) return {};
  return Switch(*graph, data, pred, attrs);
}

OutputList SymbolicGradient(Graph& graph, const InputList& input, const std::vector<DType>& Tout, const FuncAttr& f, const SymbolicGradientAttrs& attrs) {
  NodeBuilder node(graph, "SymbolicGradient", attrs.name);
  node.In(input);
  node.Attr("Tout", Tout);
  node.Attr("f", f);
  return node.BuildOutputs();
}
OutputList SymbolicGradient(const InputList& input, const std::vector<DType>& Tout, const FuncAttr& f, const SymbolicGradientAttrs& attrs) {
  Graph* graph = GraphOfAll({input});
  if (graph == nullptr) return {};
  return SymbolicGradient(*graph, input, Tout, f, attrs);
}

Node* TensorArrayCloseV3(Graph& graph, const Input& handle, const TensorArrayCloseV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArrayCloseV3", attrs.name);
  node.In(handle);
  return node.BuildNode();
}
Node* TensorArrayCloseV3(const Input& handle, const TensorArrayCloseV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}});
  if (graph == nullptr) return {};
  return TensorArrayCloseV3(*graph, handle, attrs);
}

TensorArrayConcatV3Result TensorArrayConcatV3(Graph& graph, const Input& handle, const Input& flow_in, DType dtype, const TensorArrayConcatV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArrayConcatV3", attrs.name);
  node.In(handle);
  node.In(flow_in);
  node.Attr("dtype", dtype);
  node.Attr("element_shape_except0", attrs.element_shape_except0);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
TensorArrayConcatV3Result TensorArrayConcatV3(const Input& handle, const Input& flow_in, DType dtype, const TensorArrayConcatV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{flow_in}});
  if (graph == nullptr) return {};
  return TensorArrayConcatV3(*graph, handle, flow_in, dtype, attrs);
}

Output TensorArrayGatherV3(Graph& graph, const Input& handle, const Input& indices, const Input& flow_in, DType dtype, const TensorArrayGatherV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArrayGatherV3", attrs.name);
  node.In(handle);
  node.In(indices);
  node.In(flow_in);
  node.Attr("dtype", dtype);
  node.Attr("element_shape", attrs.element_shape);
  return node.BuildOutput();
}
Output TensorArrayGatherV3(const Input& handle, const Input& indices, const Input& flow_in, DType dtype, const TensorArrayGatherV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{indices}, InputList{flow_in}});
  if (graph == nullptr) return {};
  return TensorArrayGatherV3(*graph, handle, indices, flow_in, dtype, attrs);
}

TensorArrayGradV3Result TensorArrayGradV3(Graph& graph, const Input& handle, const Input& flow_in, const std::string& source, const TensorArrayGradV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArrayGradV3", attrs.name);
  node.In(handle);
  node.In(flow_in);
  node.Attr("source", source);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
TensorArrayGradV3Result TensorArrayGradV3(const Input& handle, const Input& flow_in, const std::string& source, const TensorArrayGradV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{flow_in}});
  if (graph == nullptr) return {};
  return TensorArrayGradV3(*graph, handle, flow_in, source, attrs);
}

TensorArrayGradWithShapeResult TensorArrayGradWithShape(Graph& graph, const Input& handle, const Input& flow_in, const Input& shape_to_prepend, const std::string& source, const TensorArrayGradWithShapeAttrs& attrs) {
  NodeBuilder node(graph, "TensorArrayGradWithShape", attrs.name);
  node.In(handle);
  node.In(flow_in);
  node.In(shape_to_prepend);
  node.Attr("source", source);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
TensorArrayGradWithShapeResult TensorArrayGradWithShape(const Input& handle, const Input& flow_in, const Input& shape_to_prepend, const std::string& source, const TensorArrayGradWithShapeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{flow_in}, InputList{shape_to_prepend}});
  if (graph == nullptr) return {};
  return TensorArrayGradWithShape(*graph, handle, flow_in, shape_to_prepend, source, attrs);
}

Output TensorArrayReadV3(Graph& graph, const Input& handle, const Input& index, const Input& flow_in, DType dtype, const TensorArrayReadV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArrayReadV3", attrs.name);
  node.In(handle);
  node.In(index);
  node.In(flow_in);
  node.Attr("dtype", dtype);
  return node.BuildOutput();
}
Output TensorArrayReadV3(const Input& handle, const Input& index, const Input& flow_in, DType dtype, const TensorArrayReadV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{index}, InputList{flow_in}});
  if (graph == nullptr) return {};
  return TensorArrayReadV3(*graph, handle, index, flow_in, dtype, attrs);
}

Output TensorArrayScatterV3(Graph& graph, const Input& handle, const Input& indices, const Input& value, const Input& flow_in, const TensorArrayScatterV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArrayScatterV3", attrs.name);
  node.In(handle);
  node.In(indices);
  node.In(value);
  node.In(flow_in);
  return node.BuildOutput();
}
Output TensorArrayScatterV3(const Input& handle, const Input& indices, const Input& value, const Input& flow_in, const TensorArrayScatterV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{indices}, InputList{value}, InputList{flow_in}});
  if (graph == nullptr) return {};
  return TensorArrayScatterV3(*graph, handle, indices, value, flow_in, attrs);
}

Output TensorArraySizeV3(Graph& graph, const Input& handle, const Input& flow_in, const TensorArraySizeV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArraySizeV3", attrs.name);
  node.In(handle);
  node.In(flow_in);
  return node.BuildOutput();
}
Output TensorArraySizeV3(const Input& handle, const Input& flow_in, const TensorArraySizeV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{flow_in}});
  if (graph == nullptr) return {};
  return TensorArraySizeV3(*graph, handle, flow_in, attrs);
}

Output TensorArraySplitV3(Graph& graph, const Input& handle, const Input& value, const Input& lengths, const Input& flow_in, const TensorArraySplitV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArraySplitV3", attrs.name);
  node.In(handle);
  node.In(value);
  node.In(lengths);
  node.In(flow_in);
  return node.BuildOutput();
}
Output TensorArraySplitV3(const Input& handle, const Input& value, const Input& lengths, const Input& flow_in, const TensorArraySplitV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{value}, InputList{lengths}, InputList{flow_in}});
  if (graph == nullptr) return {};
  return TensorArraySplitV3(*graph, handle, value, lengths, flow_in, attrs);
}

TensorArrayV3Result TensorArrayV3(Graph& graph, const Input& size, DType dtype, const TensorArrayV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArrayV3", attrs.name);
  node.In(size);
  node.Attr("dtype", dtype);
  node.Attr("element_shape", attrs.element_shape);
  node.Attr("dynamic_size", attrs.dynamic_size);
  node.Attr("clear_after_read", attrs.clear_after_read);
  node.Attr("identical_element_shapes", attrs.identical_element_shapes);
  node.Attr("tensor_array_name", attrs.tensor_array_name);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
TensorArrayV3Result TensorArrayV3(const Input& size, DType dtype, const TensorArrayV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{size}});
  if (graph == nullptr) return {};
  return TensorArrayV3(*graph, size, dtype, attrs);
}

Output TensorArrayWriteV3(Graph& graph, const Input& handle, const Input& index, const Input& value, const Input& flow_in, const TensorArrayWriteV3Attrs& attrs) {
  NodeBuilder node(graph, "TensorArrayWriteV3", attrs.name);
  node.In(handle);
  node.In(index);
  node.In(value);
  node.In(flow_in);
  return node.BuildOutput();
}
Output TensorArrayWriteV3(const Input& handle, const Input& index, const Input& value, const Input& flow_in, const TensorArrayWriteV3Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{handle}, InputList{index}, InputList{value}, InputList{flow_in}});
  if (graph == nullptr) return {};
  return TensorArrayWriteV3(*graph, handle, index, value, flow_in, attrs);
}

Output Timestamp(Graph& graph, const TimestampAttrs& attrs) {
  NodeBuilder node(graph, "Timestamp", attrs.name);
  return node.BuildOutput();
}

OutputList While(Graph& graph, const InputList& input, const FuncAttr& cond, const FuncAttr& body, const WhileAttrs& attrs) {
  NodeBuilder node(graph, "While", attrs.name);
  node.In(input);
  node.Attr("cond", cond);
  node.Attr("body", body);
  node.Attr("output_shapes", attrs.output_shapes);
  node.Attr("parallel_iterations", attrs.parallel_iterations);
  return node.BuildOutputs();
}
OutputList While(const InputList& input, const FuncAttr& cond, const FuncAttr& body, const WhileAttrs& attrs) {
  Graph* graph = GraphOfAll({input});
  if (graph == nullptr) return {};
  return While(*graph, input, cond, body, attrs);
}

}  // namespace weir
