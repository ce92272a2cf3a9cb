// Written by `make generate`, not by hand.
// clang-format off
#include "graph/build/state_ops.h"

namespace weir {

Output ApplyAdaMax(Graph& graph, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdaMaxAttrs& attrs) {
  NodeBuilder node(graph, "ApplyAdaMax", attrs.name);
  node.In(var);
  node.In(m);
  node.In(v);
  node.In(beta1_power);
  node.In(lr);
  node.In(beta1);
  node.In(beta2);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyAdaMax(const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdaMaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{m}, InputList{v}, InputList{beta1_power}, InputList{lr}, InputList{beta1}, InputList{beta2}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ApplyAdaMax(*graph, var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad, attrs);
}

Output ApplyAdadelta(Graph& graph, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ApplyAdadeltaAttrs& attrs) {
  NodeBuilder node(graph, "ApplyAdadelta", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(accum_update);
  node.In(lr);
  node.In(rho);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ApplyAdadeltaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{accum_update}, InputList{lr}, InputList{rho}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ApplyAdadelta(*graph, var, accum, accum_update, lr, rho, epsilon, grad, attrs);
}

Output ApplyAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const ApplyAdagradAttrs& attrs) {
  NodeBuilder node(graph, "ApplyAdagrad", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("update_slots", attrs.update_slots);
  return node.BuildOutput();
}
Output ApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad, const ApplyAdagradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}});
  if (graph == nullptr) return {};
  return ApplyAdagrad(*graph, var, accum, lr, grad, attrs);
}

Output ApplyAdagradDA(Graph& graph, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ApplyAdagradDAAttrs& attrs) {
  NodeBuilder node(graph, "ApplyAdagradDA", attrs.name);
  node.In(var);
  node.In(gradient_accumulator);
  node.In(gradient_squared_accumulator);
  node.In(grad);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(global_step);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyAdagradDA(const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ApplyAdagradDAAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{gradient_accumulator}, InputList{gradient_squared_accumulator}, InputList{grad}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{global_step}});
  if (graph == nullptr) return {};
  return ApplyAdagradDA(*graph, var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step, attrs);
}

Output ApplyAdam(Graph& graph, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdamAttrs& attrs) {
  NodeBuilder node(graph, "ApplyAdam", attrs.name);
  node.In(var);
  node.In(m);
  node.In(v);
  node.In(beta1_power);
  node.In(beta2_power);
  node.In(lr);
  node.In(beta1);
  node.In(beta2);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("use_nesterov", attrs.use_nesterov);
  return node.BuildOutput();
}
Output ApplyAdam(const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdamAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{m}, InputList{v}, InputList{beta1_power}, InputList{beta2_power}, InputList{lr}, InputList{beta1}, InputList{beta2}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ApplyAdam(*graph, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, attrs);
}

Output ApplyAddSign(Graph& graph, const Input& var, const Input& m, const Input& lr, const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyAddSignAttrs& attrs) {
  NodeBuilder node(graph, "ApplyAddSign", attrs.name);
  node.In(var);
  node.In(m);
  node.In(lr);
  node.In(alpha);
  node.In(sign_decay);
  node.In(beta);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyAddSign(const Input& var, const Input& m, const Input& lr, const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyAddSignAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{m}, InputList{lr}, InputList{alpha}, InputList{sign_decay}, InputList{beta}, InputList{grad}});
  if (graph == nullptr) return {};
  return ApplyAddSign(*graph, var, m, lr, alpha, sign_decay, beta, grad, attrs);
}

Output ApplyCenteredRMSProp(Graph& graph, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyCenteredRMSPropAttrs& attrs) {
  NodeBuilder node(graph, "ApplyCenteredRMSProp", attrs.name);
  node.In(var);
  node.In(mg);
  node.In(ms);
  node.In(mom);
  node.In(lr);
  node.In(rho);
  node.In(momentum);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyCenteredRMSPropAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{mg}, InputList{ms}, InputList{mom}, InputList{lr}, InputList{rho}, InputList{momentum}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ApplyCenteredRMSProp(*graph, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, attrs);
}

Output ApplyFtrl(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ApplyFtrlAttrs& attrs) {
  NodeBuilder node(graph, "ApplyFtrl", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(linear);
  node.In(grad);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(lr_power);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("multiply_linear_by_lr", attrs.multiply_linear_by_lr);
  return node.BuildOutput();
}
Output ApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ApplyFtrlAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{linear}, InputList{grad}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{lr_power}});
  if (graph == nullptr) return {};
  return ApplyFtrl(*graph, var, accum, linear, grad, lr, l1, l2, lr_power, attrs);
}

Output ApplyFtrlV2(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ApplyFtrlV2Attrs& attrs) {
  NodeBuilder node(graph, "ApplyFtrlV2", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(linear);
  node.In(grad);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(l2_shrinkage);
  node.In(lr_power);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("multiply_linear_by_lr", attrs.multiply_linear_by_lr);
  return node.BuildOutput();
}
Output ApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ApplyFtrlV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{linear}, InputList{grad}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{l2_shrinkage}, InputList{lr_power}});
  if (graph == nullptr) return {};
  return ApplyFtrlV2(*graph, var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, attrs);
}

Output ApplyGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& delta, const ApplyGradientDescentAttrs& attrs) {
  NodeBuilder node(graph, "ApplyGradientDescent", attrs.name);
  node.In(var);
  node.In(alpha);
  node.In(delta);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyGradientDescent(const Input& var, const Input& alpha, const Input& delta, const ApplyGradientDescentAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{alpha}, InputList{delta}});
  if (graph == nullptr) return {};
  return ApplyGradientDescent(*graph, var, alpha, delta, attrs);
}

Output ApplyMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ApplyMomentumAttrs& attrs) {
  NodeBuilder node(graph, "ApplyMomentum", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.In(momentum);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("use_nesterov", attrs.use_nesterov);
  return node.BuildOutput();
}
Output ApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ApplyMomentumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}, InputList{momentum}});
  if (graph == nullptr) return {};
  return ApplyMomentum(*graph, var, accum, lr, grad, momentum, attrs);
}

Output ApplyPowerSign(Graph& graph, const Input& var, const Input& m, const Input& lr, const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyPowerSignAttrs& attrs) {
  NodeBuilder node(graph, "ApplyPowerSign", attrs.name);
  node.In(var);
  node.In(m);
  node.In(lr);
  node.In(logbase);
  node.In(sign_decay);
  node.In(beta);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyPowerSign(const Input& var, const Input& m, const Input& lr, const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyPowerSignAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{m}, InputList{lr}, InputList{logbase}, InputList{sign_decay}, InputList{beta}, InputList{grad}});
  if (graph == nullptr) return {};
  return ApplyPowerSign(*graph, var, m, lr, logbase, sign_decay, beta, grad, attrs);
}

Output ApplyProximalAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ApplyProximalAdagradAttrs& attrs) {
  NodeBuilder node(graph, "ApplyProximalAdagrad", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ApplyProximalAdagradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{grad}});
  if (graph == nullptr) return {};
  return ApplyProximalAdagrad(*graph, var, accum, lr, l1, l2, grad, attrs);
}

Output ApplyProximalGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ApplyProximalGradientDescentAttrs& attrs) {
  NodeBuilder node(graph, "ApplyProximalGradientDescent", attrs.name);
  node.In(var);
  node.In(alpha);
  node.In(l1);
  node.In(l2);
  node.In(delta);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyProximalGradientDescent(const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ApplyProximalGradientDescentAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{alpha}, InputList{l1}, InputList{l2}, InputList{delta}});
  if (graph == nullptr) return {};
  return ApplyProximalGradientDescent(*graph, var, alpha, l1, l2, delta, attrs);
}

Output ApplyRMSProp(Graph& graph, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyRMSPropAttrs& attrs) {
  NodeBuilder node(graph, "ApplyRMSProp", attrs.name);
  node.In(var);
  node.In(ms);
  node.In(mom);
  node.In(lr);
  node.In(rho);
  node.In(momentum);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyRMSPropAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{ms}, InputList{mom}, InputList{lr}, InputList{rho}, InputList{momentum}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ApplyRMSProp(*graph, var, ms, mom, lr, rho, momentum, epsilon, grad, attrs);
}

Output Assign(Graph& graph, const Input& ref, const Input& value, const AssignAttrs& attrs) {
  NodeBuilder node(graph, "Assign", attrs.name);
  node.In(ref);
  node.In(value);
  node.Attr("validate_shape", attrs.validate_shape);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output Assign(const Input& ref, const Input& value, const AssignAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{value}});
  if (graph == nullptr) return {};
  return Assign(*graph, ref, value, attrs);
}

Output AssignAdd(Graph& graph, const Input& ref, const Input& value, const AssignAddAttrs& attrs) {
  NodeBuilder node(graph, "AssignAdd", attrs.name);
  node.In(ref);
  node.In(value);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output AssignAdd(const Input& ref, const Input& value, const AssignAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{value}});
  if (graph == nullptr) return {};
  return AssignAdd(*graph, ref, value, attrs);
}

Node* AssignAddVariableOp(Graph& graph, const Input& resource, const Input& value, const AssignAddVariableOpAttrs& attrs) {
  NodeBuilder node(graph, "AssignAddVariableOp", attrs.name);
  node.In(resource);
  node.In(value);
  return node.BuildNode();
}
Node* AssignAddVariableOp(const Input& resource, const Input& value, const AssignAddVariableOpAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{value}});
  if (graph == nullptr) return {};
  return AssignAddVariableOp(*graph, resource, value, attrs);
}

Output AssignSub(Graph& graph, const Input& ref, const Input& value, const AssignSubAttrs& attrs) {
  NodeBuilder node(graph, "AssignSub", attrs.name);
  node.In(ref);
  node.In(value);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output AssignSub(const Input& ref, const Input& value, const AssignSubAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{value}});
  if (graph == nullptr) return {};
  return AssignSub(*graph, ref, value, attrs);
}

Node* AssignSubVariableOp(Graph& graph, const Input& resource, const Input& value, const AssignSubVariableOpAttrs& attrs) {
  NodeBuilder node(graph, "AssignSubVariableOp", attrs.name);
  node.In(resource);
  node.In(value);
  return node.BuildNode();
}
Node* AssignSubVariableOp(const Input& resource, const Input& value, const AssignSubVariableOpAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{value}});
  if (graph == nullptr) return {};
  return AssignSubVariableOp(*graph, resource, value, attrs);
}

Node* AssignVariableOp(Graph& graph, const Input& resource, const Input& value, const AssignVariableOpAttrs& attrs) {
  NodeBuilder node(graph, "AssignVariableOp", attrs.name);
  node.In(resource);
  node.In(value);
  node.Attr("validate_shape", attrs.validate_shape);
  return node.BuildNode();
}
Node* AssignVariableOp(const Input& resource, const Input& value, const AssignVariableOpAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{value}});
  if (graph == nullptr) return {};
  return AssignVariableOp(*graph, resource, value, attrs);
}

Output CountUpTo(Graph& graph, const Input& ref, int64_t limit, const CountUpToAttrs& attrs) {
  NodeBuilder node(graph, "CountUpTo", attrs.name);
  node.In(ref);
  node.Attr("limit", limit);
  return node.BuildOutput();
}
Output CountUpTo(const Input& ref, int64_t limit, const CountUpToAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}});
  if (graph == nullptr) return {};
  return CountUpTo(*graph, ref, limit, attrs);
}

Node* DestroyResourceOp(Graph& graph, const Input& resource, const DestroyResourceOpAttrs& attrs) {
  NodeBuilder node(graph, "DestroyResourceOp", attrs.name);
  node.In(resource);
  node.Attr("ignore_lookup_error", attrs.ignore_lookup_error);
  return node.BuildNode();
}
Node* DestroyResourceOp(const Input& resource, const DestroyResourceOpAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}});
  if (graph == nullptr) return {};
  return DestroyResourceOp(*graph, resource, attrs);
}

Output DestroyTemporaryVariable(Graph& graph, const Input& ref, const std::string& var_name, const DestroyTemporaryVariableAttrs& attrs) {
  NodeBuilder node(graph, "DestroyTemporaryVariable", attrs.name);
  node.In(ref);
  node.Attr("var_name", var_name);
  return node.BuildOutput();
}
Output DestroyTemporaryVariable(const Input& ref, const std::string& var_name, const DestroyTemporaryVariableAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}});
  if (graph == nullptr) return {};
  return DestroyTemporaryVariable(*graph, ref, var_name, attrs);
}

Output HashTable(Graph& graph, DType key_dtype, DType value_dtype, const HashTableAttrs& attrs) {
  NodeBuilder node(graph, "HashTable", attrs.name);
  node.Attr("key_dtype", key_dtype);
  node.Attr("value_dtype", value_dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("use_node_name_sharing", attrs.use_node_name_sharing);
  return node.BuildOutput();
}

Output HashTableV2(Graph& graph, DType key_dtype, DType value_dtype, const HashTableV2Attrs& attrs) {
  NodeBuilder node(graph, "HashTableV2", attrs.name);
  node.Attr("key_dtype", key_dtype);
  node.Attr("value_dtype", value_dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("use_node_name_sharing", attrs.use_node_name_sharing);
  return node.BuildOutput();
}

Node* InitializeTable(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const InitializeTableAttrs& attrs) {
  NodeBuilder node(graph, "InitializeTable", attrs.name);
  node.In(table_handle);
  node.In(keys);
  node.In(values);
  return node.BuildNode();
}
Node* InitializeTable(const Input& table_handle, const Input& keys, const Input& values, const InitializeTableAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{keys}, InputList{values}});
  if (graph == nullptr) return {};
  return InitializeTable(*graph, table_handle, keys, values, attrs);
}

Node* InitializeTableFromTextFile(Graph& graph, const Input& table_handle, const Input& filename, int64_t key_index, int64_t value_index, const InitializeTableFromTextFileAttrs& attrs) {
  NodeBuilder node(graph, "InitializeTableFromTextFile", attrs.name);
  node.In(table_handle);
  node.In(filename);
  node.Attr("key_index", key_index);
  node.Attr("value_index", value_index);
  node.Attr("vocab_size", attrs.vocab_size);
  node.Attr("delimiter", attrs.delimiter);
  return node.BuildNode();
}
Node* InitializeTableFromTextFile(const Input& table_handle, const Input& filename, int64_t key_index, int64_t value_index, const InitializeTableFromTextFileAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{filename}});
  if (graph == nullptr) return {};
  return InitializeTableFromTextFile(*graph, table_handle, filename, key_index, value_index, attrs);
}

Node* InitializeTableFromTextFileV2(Graph& graph, const Input& table_handle, const Input& filename, int64_t key_index, int64_t value_index, const InitializeTableFromTextFileV2Attrs& attrs) {
  NodeBuilder node(graph, "InitializeTableFromTextFileV2", attrs.name);
  node.In(table_handle);
  node.In(filename);
  node.Attr("key_index", key_index);
  node.Attr("value_index", value_index);
  node.Attr("vocab_size", attrs.vocab_size);
  node.Attr("delimiter", attrs.delimiter);
  return node.BuildNode();
}
Node* InitializeTableFromTextFileV2(const Input& table_handle, const Input& filename, int64_t key_index, int64_t value_index, const InitializeTableFromTextFileV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{filename}});
  if (graph == nullptr) return {};
  return InitializeTableFromTextFileV2(*graph, table_handle, filename, key_index, value_index, attrs);
}

Node* InitializeTableV2(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const InitializeTableV2Attrs& attrs) {
  NodeBuilder node(graph, "InitializeTableV2", attrs.name);
  node.In(table_handle);
  node.In(keys);
  node.In(values);
  return node.BuildNode();
}
Node* InitializeTableV2(const Input& table_handle, const Input& keys, const Input& values, const InitializeTableV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{keys}, InputList{values}});
  if (graph == nullptr) return {};
  return InitializeTableV2(*graph, table_handle, keys, values, attrs);
}

Output IsVariableInitialized(Graph& graph, const Input& ref, const IsVariableInitializedAttrs& attrs) {
  NodeBuilder node(graph, "IsVariableInitialized", attrs.name);
  node.In(ref);
  return node.BuildOutput();
}
Output IsVariableInitialized(const Input& ref, const IsVariableInitializedAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}});
  if (graph == nullptr) return {};
  return IsVariableInitialized(*graph, ref, attrs);
}

LookupTableExportResult LookupTableExport(Graph& graph, const Input& table_handle, DType Tkeys, DType Tvalues, const LookupTableExportAttrs& attrs) {
  NodeBuilder node(graph, "LookupTableExport", attrs.name);
  node.In(table_handle);
  node.Attr("Tkeys", Tkeys);
  node.Attr("Tvalues", Tvalues);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
LookupTableExportResult LookupTableExport(const Input& table_handle, DType Tkeys, DType Tvalues, const LookupTableExportAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}});
  if (graph == nullptr) return {};
  return LookupTableExport(*graph, table_handle, Tkeys, Tvalues, attrs);
}

LookupTableExportV2Result LookupTableExportV2(Graph& graph, const Input& table_handle, DType Tkeys, DType Tvalues, const LookupTableExportV2Attrs& attrs) {
  NodeBuilder node(graph, "LookupTableExportV2", attrs.name);
  node.In(table_handle);
  node.Attr("Tkeys", Tkeys);
  node.Attr("Tvalues", Tvalues);
  const OutputList outputs = node.BuildOutputs(2);
  return {outputs[0], outputs[1]};
}
LookupTableExportV2Result LookupTableExportV2(const Input& table_handle, DType Tkeys, DType Tvalues, const LookupTableExportV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}});
  if (graph == nullptr) return {};
  return LookupTableExportV2(*graph, table_handle, Tkeys, Tvalues, attrs);
}

Output LookupTableFind(Graph& graph, const Input& table_handle, const Input& keys, const Input& default_value, const LookupTableFindAttrs& attrs) {
  NodeBuilder node(graph, "LookupTableFind", attrs.name);
  node.In(table_handle);
  node.In(keys);
  node.In(default_value);
  return node.BuildOutput();
}
Output LookupTableFind(const Input& table_handle, const Input& keys, const Input& default_value, const LookupTableFindAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{keys}, InputList{default_value}});
  if (graph == nullptr) return {};
  return LookupTableFind(*graph, table_handle, keys, default_value, attrs);
}

Output LookupTableFindV2(Graph& graph, const Input& table_handle, const Input& keys, const Input& default_value, const LookupTableFindV2Attrs& attrs) {
  NodeBuilder node(graph, "LookupTableFindV2", attrs.name);
  node.In(table_handle);
  node.In(keys);
  node.In(default_value);
  return node.BuildOutput();
}
Output LookupTableFindV2(const Input& table_handle, const Input& keys, const Input& default_value, const LookupTableFindV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{keys}, InputList{default_value}});
  if (graph == nullptr) return {};
  return LookupTableFindV2(*graph, table_handle, keys, default_value, attrs);
}

Node* LookupTableImport(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const LookupTableImportAttrs& attrs) {
  NodeBuilder node(graph, "LookupTableImport", attrs.name);
  node.In(table_handle);
  node.In(keys);
  node.In(values);
  return node.BuildNode();
}
Node* LookupTableImport(const Input& table_handle, const Input& keys, const Input& values, const LookupTableImportAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{keys}, InputList{values}});
  if (graph == nullptr) return {};
  return LookupTableImport(*graph, table_handle, keys, values, attrs);
}

Node* LookupTableImportV2(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const LookupTableImportV2Attrs& attrs) {
  NodeBuilder node(graph, "LookupTableImportV2", attrs.name);
  node.In(table_handle);
  node.In(keys);
  node.In(values);
  return node.BuildNode();
}
Node* LookupTableImportV2(const Input& table_handle, const Input& keys, const Input& values, const LookupTableImportV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{keys}, InputList{values}});
  if (graph == nullptr) return {};
  return LookupTableImportV2(*graph, table_handle, keys, values, attrs);
}

Node* LookupTableInsert(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const LookupTableInsertAttrs& attrs) {
  NodeBuilder node(graph, "LookupTableInsert", attrs.name);
  node.In(table_handle);
  node.In(keys);
  node.In(values);
  return node.BuildNode();
}
Node* LookupTableInsert(const Input& table_handle, const Input& keys, const Input& values, const LookupTableInsertAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{keys}, InputList{values}});
  if (graph == nullptr) return {};
  return LookupTableInsert(*graph, table_handle, keys, values, attrs);
}

Node* LookupTableInsertV2(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const LookupTableInsertV2Attrs& attrs) {
  NodeBuilder node(graph, "LookupTableInsertV2", attrs.name);
  node.In(table_handle);
  node.In(keys);
  node.In(values);
  return node.BuildNode();
}
Node* LookupTableInsertV2(const Input& table_handle, const Input& keys, const Input& values, const LookupTableInsertV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{keys}, InputList{values}});
  if (graph == nullptr) return {};
  return LookupTableInsertV2(*graph, table_handle, keys, values, attrs);
}

Node* LookupTableRemoveV2(Graph& graph, const Input& table_handle, const Input& keys, const LookupTableRemoveV2Attrs& attrs) {
  NodeBuilder node(graph, "LookupTableRemoveV2", attrs.name);
  node.In(table_handle);
  node.In(keys);
  return node.BuildNode();
}
Node* LookupTableRemoveV2(const Input& table_handle, const Input& keys, const LookupTableRemoveV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}, InputList{keys}});
  if (graph == nullptr) return {};
  return LookupTableRemoveV2(*graph, table_handle, keys, attrs);
}

Output LookupTableSize(Graph& graph, const Input& table_handle, const LookupTableSizeAttrs& attrs) {
  NodeBuilder node(graph, "LookupTableSize", attrs.name);
  node.In(table_handle);
  return node.BuildOutput();
}
Output LookupTableSize(const Input& table_handle, const LookupTableSizeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}});
  if (graph == nullptr) return {};
  return LookupTableSize(*graph, table_handle, attrs);
}

Output LookupTableSizeV2(Graph& graph, const Input& table_handle, const LookupTableSizeV2Attrs& attrs) {
  NodeBuilder node(graph, "LookupTableSizeV2", attrs.name);
  node.In(table_handle);
  return node.BuildOutput();
}
Output LookupTableSizeV2(const Input& table_handle, const LookupTableSizeV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{table_handle}});
  if (graph == nullptr) return {};
  return LookupTableSizeV2(*graph, table_handle, attrs);
}

Output MutableDenseHashTable(Graph& graph, const Input& empty_key, DType value_dtype, const MutableDenseHashTableAttrs& attrs) {
  NodeBuilder node(graph, "MutableDenseHashTable", attrs.name);
  node.In(empty_key);
  node.Attr("value_dtype", value_dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("use_node_name_sharing", attrs.use_node_name_sharing);
  node.Attr("value_shape", attrs.value_shape);
  node.Attr("initial_num_buckets", attrs.initial_num_buckets);
  node.Attr("max_load_factor", attrs.max_load_factor);
  return node.BuildOutput();
}
Output MutableDenseHashTable(const Input& empty_key, DType value_dtype, const MutableDenseHashTableAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{empty_key}});
  if (graph == nullptr) return {};
  return MutableDenseHashTable(*graph, empty_key, value_dtype, attrs);
}

Output MutableDenseHashTableV2(Graph& graph, const Input& empty_key, const Input& deleted_key, DType value_dtype, const MutableDenseHashTableV2Attrs& attrs) {
  NodeBuilder node(graph, "MutableDenseHashTableV2", attrs.name);
  node.In(empty_key);
  node.In(deleted_key);
  node.Attr("value_dtype", value_dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("use_node_name_sharing", attrs.use_node_name_sharing);
  node.Attr("value_shape", attrs.value_shape);
  node.Attr("initial_num_buckets", attrs.initial_num_buckets);
  node.Attr("max_load_factor", attrs.max_load_factor);
  return node.BuildOutput();
}
Output MutableDenseHashTableV2(const Input& empty_key, const Input& deleted_key, DType value_dtype, const MutableDenseHashTableV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{empty_key}, InputList{deleted_key}});
  if (graph == nullptr) return {};
  return MutableDenseHashTableV2(*graph, empty_key, deleted_key, value_dtype, attrs);
}

Output MutableHashTable(Graph& graph, DType key_dtype, DType value_dtype, const MutableHashTableAttrs& attrs) {
  NodeBuilder node(graph, "MutableHashTable", attrs.name);
  node.Attr("key_dtype", key_dtype);
  node.Attr("value_dtype", value_dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("use_node_name_sharing", attrs.use_node_name_sharing);
  return node.BuildOutput();
}

Output MutableHashTableOfTensors(Graph& graph, DType key_dtype, DType value_dtype, const MutableHashTableOfTensorsAttrs& attrs) {
  NodeBuilder node(graph, "MutableHashTableOfTensors", attrs.name);
  node.Attr("key_dtype", key_dtype);
  node.Attr("value_dtype", value_dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("use_node_name_sharing", attrs.use_node_name_sharing);
  node.Attr("value_shape", attrs.value_shape);
  return node.BuildOutput();
}

Output MutableHashTableOfTensorsV2(Graph& graph, DType key_dtype, DType value_dtype, const MutableHashTableOfTensorsV2Attrs& attrs) {
  NodeBuilder node(graph, "MutableHashTableOfTensorsV2", attrs.name);
  node.Attr("key_dtype", key_dtype);
  node.Attr("value_dtype", value_dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("use_node_name_sharing", attrs.use_node_name_sharing);
  node.Attr("value_shape", attrs.value_shape);
  return node.BuildOutput();
}

Output MutableHashTableV2(Graph& graph, DType key_dtype, DType value_dtype, const MutableHashTableV2Attrs& attrs) {
  NodeBuilder node(graph, "MutableHashTableV2", attrs.name);
  node.Attr("key_dtype", key_dtype);
  node.Attr("value_dtype", value_dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  node.Attr("use_node_name_sharing", attrs.use_node_name_sharing);
  return node.BuildOutput();
}

Output ReadVariableOp(Graph& graph, const Input& resource, DType dtype, const ReadVariableOpAttrs& attrs) {
  NodeBuilder node(graph, "ReadVariableOp", attrs.name);
  node.In(resource);
  node.Attr("dtype", dtype);
  return node.BuildOutput();
}
Output ReadVariableOp(const Input& resource, DType dtype, const ReadVariableOpAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}});
  if (graph == nullptr) return {};
  return ReadVariableOp(*graph, resource, dtype, attrs);
}

Node* ResourceApplyAdaMax(Graph& graph, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdaMaxAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyAdaMax", attrs.name);
  node.In(var);
  node.In(m);
  node.In(v);
  node.In(beta1_power);
  node.In(lr);
  node.In(beta1);
  node.In(beta2);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceApplyAdaMax(const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdaMaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{m}, InputList{v}, InputList{beta1_power}, InputList{lr}, InputList{beta1}, InputList{beta2}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ResourceApplyAdaMax(*graph, var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad, attrs);
}

Node* ResourceApplyAdadelta(Graph& graph, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ResourceApplyAdadeltaAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyAdadelta", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(accum_update);
  node.In(lr);
  node.In(rho);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ResourceApplyAdadeltaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{accum_update}, InputList{lr}, InputList{rho}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ResourceApplyAdadelta(*graph, var, accum, accum_update, lr, rho, epsilon, grad, attrs);
}

Node* ResourceApplyAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const ResourceApplyAdagradAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyAdagrad", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("update_slots", attrs.update_slots);
  return node.BuildNode();
}
Node* ResourceApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad, const ResourceApplyAdagradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}});
  if (graph == nullptr) return {};
  return ResourceApplyAdagrad(*graph, var, accum, lr, grad, attrs);
}

Node* ResourceApplyAdagradDA(Graph& graph, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceApplyAdagradDAAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyAdagradDA", attrs.name);
  node.In(var);
  node.In(gradient_accumulator);
  node.In(gradient_squared_accumulator);
  node.In(grad);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(global_step);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceApplyAdagradDA(const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceApplyAdagradDAAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{gradient_accumulator}, InputList{gradient_squared_accumulator}, InputList{grad}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{global_step}});
  if (graph == nullptr) return {};
  return ResourceApplyAdagradDA(*graph, var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2, global_step, attrs);
}

Node* ResourceApplyAdam(Graph& graph, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdamAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyAdam", attrs.name);
  node.In(var);
  node.In(m);
  node.In(v);
  node.In(beta1_power);
  node.In(beta2_power);
  node.In(lr);
  node.In(beta1);
  node.In(beta2);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("use_nesterov", attrs.use_nesterov);
  return node.BuildNode();
}
Node* ResourceApplyAdam(const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdamAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{m}, InputList{v}, InputList{beta1_power}, InputList{beta2_power}, InputList{lr}, InputList{beta1}, InputList{beta2}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ResourceApplyAdam(*graph, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, attrs);
}

Node* ResourceApplyCenteredRMSProp(Graph& graph, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyCenteredRMSPropAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyCenteredRMSProp", attrs.name);
  node.In(var);
  node.In(mg);
  node.In(ms);
  node.In(mom);
  node.In(lr);
  node.In(rho);
  node.In(momentum);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyCenteredRMSPropAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{mg}, InputList{ms}, InputList{mom}, InputList{lr}, InputList{rho}, InputList{momentum}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ResourceApplyCenteredRMSProp(*graph, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, attrs);
}

Node* ResourceApplyFtrl(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceApplyFtrlAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyFtrl", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(linear);
  node.In(grad);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(lr_power);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("multiply_linear_by_lr", attrs.multiply_linear_by_lr);
  return node.BuildNode();
}
Node* ResourceApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceApplyFtrlAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{linear}, InputList{grad}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{lr_power}});
  if (graph == nullptr) return {};
  return ResourceApplyFtrl(*graph, var, accum, linear, grad, lr, l1, l2, lr_power, attrs);
}

Node* ResourceApplyFtrlV2(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceApplyFtrlV2Attrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyFtrlV2", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(linear);
  node.In(grad);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(l2_shrinkage);
  node.In(lr_power);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("multiply_linear_by_lr", attrs.multiply_linear_by_lr);
  return node.BuildNode();
}
Node* ResourceApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceApplyFtrlV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{linear}, InputList{grad}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{l2_shrinkage}, InputList{lr_power}});
  if (graph == nullptr) return {};
  return ResourceApplyFtrlV2(*graph, var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power, attrs);
}

Node* ResourceApplyGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& delta, const ResourceApplyGradientDescentAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyGradientDescent", attrs.name);
  node.In(var);
  node.In(alpha);
  node.In(delta);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceApplyGradientDescent(const Input& var, const Input& alpha, const Input& delta, const ResourceApplyGradientDescentAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{alpha}, InputList{delta}});
  if (graph == nullptr) return {};
  return ResourceApplyGradientDescent(*graph, var, alpha, delta, attrs);
}

Node* ResourceApplyKerasMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyKerasMomentumAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyKerasMomentum", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.In(momentum);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("use_nesterov", attrs.use_nesterov);
  return node.BuildNode();
}
Node* ResourceApplyKerasMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyKerasMomentumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}, InputList{momentum}});
  if (graph == nullptr) return {};
  return ResourceApplyKerasMomentum(*graph, var, accum, lr, grad, momentum, attrs);
}

Node* ResourceApplyMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyMomentumAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyMomentum", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.In(momentum);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("use_nesterov", attrs.use_nesterov);
  return node.BuildNode();
}
Node* ResourceApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyMomentumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}, InputList{momentum}});
  if (graph == nullptr) return {};
  return ResourceApplyMomentum(*graph, var, accum, lr, grad, momentum, attrs);
}

Node* ResourceApplyProximalAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ResourceApplyProximalAdagradAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyProximalAdagrad", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ResourceApplyProximalAdagradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{grad}});
  if (graph == nullptr) return {};
  return ResourceApplyProximalAdagrad(*graph, var, accum, lr, l1, l2, grad, attrs);
}

Node* ResourceApplyProximalGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ResourceApplyProximalGradientDescentAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyProximalGradientDescent", attrs.name);
  node.In(var);
  node.In(alpha);
  node.In(l1);
  node.In(l2);
  node.In(delta);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceApplyProximalGradientDescent(const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ResourceApplyProximalGradientDescentAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{alpha}, InputList{l1}, InputList{l2}, InputList{delta}});
  if (graph == nullptr) return {};
  return ResourceApplyProximalGradientDescent(*graph, var, alpha, l1, l2, delta, attrs);
}

Node* ResourceApplyRMSProp(Graph& graph, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyRMSPropAttrs& attrs) {
  NodeBuilder node(graph, "ResourceApplyRMSProp", attrs.name);
  node.In(var);
  node.In(ms);
  node.In(mom);
  node.In(lr);
  node.In(rho);
  node.In(momentum);
  node.In(epsilon);
  node.In(grad);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyRMSPropAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{ms}, InputList{mom}, InputList{lr}, InputList{rho}, InputList{momentum}, InputList{epsilon}, InputList{grad}});
  if (graph == nullptr) return {};
  return ResourceApplyRMSProp(*graph, var, ms, mom, lr, rho, momentum, epsilon, grad, attrs);
}

Output ResourceCountUpTo(Graph& graph, const Input& resource, int64_t limit, DType T, const ResourceCountUpToAttrs& attrs) {
  NodeBuilder node(graph, "ResourceCountUpTo", attrs.name);
  node.In(resource);
  node.Attr("limit", limit);
  node.Attr("T", T);
  return node.BuildOutput();
}
Output ResourceCountUpTo(const Input& resource, int64_t limit, DType T, const ResourceCountUpToAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}});
  if (graph == nullptr) return {};
  return ResourceCountUpTo(*graph, resource, limit, T, attrs);
}

Output ResourceGather(Graph& graph, const Input& resource, const Input& indices, DType dtype, const ResourceGatherAttrs& attrs) {
  NodeBuilder node(graph, "ResourceGather", attrs.name);
  node.In(resource);
  node.In(indices);
  node.Attr("dtype", dtype);
  node.Attr("batch_dims", attrs.batch_dims);
  node.Attr("validate_indices", attrs.validate_indices);
  return node.BuildOutput();
}
Output ResourceGather(const Input& resource, const Input& indices, DType dtype, const ResourceGatherAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{indices}});
  if (graph == nullptr) return {};
  return ResourceGather(*graph, resource, indices, dtype, attrs);
}

Output ResourceGatherNd(Graph& graph, const Input& resource, const Input& indices, DType dtype, const ResourceGatherNdAttrs& attrs) {
  NodeBuilder node(graph, "ResourceGatherNd", attrs.name);
  node.In(resource);
  node.In(indices);
  node.Attr("dtype", dtype);
  return node.BuildOutput();
}
Output ResourceGatherNd(const Input& resource, const Input& indices, DType dtype, const ResourceGatherNdAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{indices}});
  if (graph == nullptr) return {};
  return ResourceGatherNd(*graph, resource, indices, dtype, attrs);
}

Node* ResourceScatterAdd(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterAddAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterAdd", attrs.name);
  node.In(resource);
  node.In(indices);
  node.In(updates);
  return node.BuildNode();
}
Node* ResourceScatterAdd(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterAdd(*graph, resource, indices, updates, attrs);
}

Node* ResourceScatterDiv(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterDivAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterDiv", attrs.name);
  node.In(resource);
  node.In(indices);
  node.In(updates);
  return node.BuildNode();
}
Node* ResourceScatterDiv(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterDivAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterDiv(*graph, resource, indices, updates, attrs);
}

Node* ResourceScatterMax(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMaxAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterMax", attrs.name);
  node.In(resource);
  node.In(indices);
  node.In(updates);
  return node.BuildNode();
}
Node* ResourceScatterMax(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterMax(*graph, resource, indices, updates, attrs);
}

Node* ResourceScatterMin(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMinAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterMin", attrs.name);
  node.In(resource);
  node.In(indices);
  node.In(updates);
  return node.BuildNode();
}
Node* ResourceScatterMin(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterMin(*graph, resource, indices, updates, attrs);
}

Node* ResourceScatterMul(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMulAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterMul", attrs.name);
  node.In(resource);
  node.In(indices);
  node.In(updates);
  return node.BuildNode();
}
Node* ResourceScatterMul(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMulAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterMul(*graph, resource, indices, updates, attrs);
}

Node* ResourceScatterNdAdd(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdAddAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterNdAdd", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceScatterNdAdd(const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterNdAdd(*graph, ref, indices, updates, attrs);
}

Node* ResourceScatterNdSub(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdSubAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterNdSub", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceScatterNdSub(const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdSubAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterNdSub(*graph, ref, indices, updates, attrs);
}

Node* ResourceScatterNdUpdate(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdUpdateAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterNdUpdate", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceScatterNdUpdate(const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdUpdateAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterNdUpdate(*graph, ref, indices, updates, attrs);
}

Node* ResourceScatterSub(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterSubAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterSub", attrs.name);
  node.In(resource);
  node.In(indices);
  node.In(updates);
  return node.BuildNode();
}
Node* ResourceScatterSub(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterSubAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterSub(*graph, resource, indices, updates, attrs);
}

Node* ResourceScatterUpdate(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterUpdateAttrs& attrs) {
  NodeBuilder node(graph, "ResourceScatterUpdate", attrs.name);
  node.In(resource);
  node.In(indices);
  node.In(updates);
  return node.BuildNode();
}
Node* ResourceScatterUpdate(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterUpdateAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ResourceScatterUpdate(*graph, resource, indices, updates, attrs);
}

Node* ResourceSparseApplyAdadelta(Graph& graph, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyAdadeltaAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyAdadelta", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(accum_update);
  node.In(lr);
  node.In(rho);
  node.In(epsilon);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceSparseApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyAdadeltaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{accum_update}, InputList{lr}, InputList{rho}, InputList{epsilon}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyAdadelta(*graph, var, accum, accum_update, lr, rho, epsilon, grad, indices, attrs);
}

Node* ResourceSparseApplyAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const ResourceSparseApplyAdagradAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyAdagrad", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("update_slots", attrs.update_slots);
  return node.BuildNode();
}
Node* ResourceSparseApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const ResourceSparseApplyAdagradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyAdagrad(*graph, var, accum, lr, grad, indices, attrs);
}

Node* ResourceSparseApplyAdagradDA(Graph& graph, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceSparseApplyAdagradDAAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyAdagradDA", attrs.name);
  node.In(var);
  node.In(gradient_accumulator);
  node.In(gradient_squared_accumulator);
  node.In(grad);
  node.In(indices);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(global_step);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceSparseApplyAdagradDA(const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceSparseApplyAdagradDAAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{gradient_accumulator}, InputList{gradient_squared_accumulator}, InputList{grad}, InputList{indices}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{global_step}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyAdagradDA(*graph, var, gradient_accumulator, gradient_squared_accumulator, grad, indices, lr, l1, l2, global_step, attrs);
}

Node* ResourceSparseApplyCenteredRMSProp(Graph& graph, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyCenteredRMSPropAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyCenteredRMSProp", attrs.name);
  node.In(var);
  node.In(mg);
  node.In(ms);
  node.In(mom);
  node.In(lr);
  node.In(rho);
  node.In(momentum);
  node.In(epsilon);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceSparseApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyCenteredRMSPropAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{mg}, InputList{ms}, InputList{mom}, InputList{lr}, InputList{rho}, InputList{momentum}, InputList{epsilon}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyCenteredRMSProp(*graph, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices, attrs);
}

Node* ResourceSparseApplyFtrl(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceSparseApplyFtrlAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyFtrl", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(linear);
  node.In(grad);
  node.In(indices);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(lr_power);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("multiply_linear_by_lr", attrs.multiply_linear_by_lr);
  return node.BuildNode();
}
Node* ResourceSparseApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceSparseApplyFtrlAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{linear}, InputList{grad}, InputList{indices}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{lr_power}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyFtrl(*graph, var, accum, linear, grad, indices, lr, l1, l2, lr_power, attrs);
}

Node* ResourceSparseApplyFtrlV2(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceSparseApplyFtrlV2Attrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyFtrlV2", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(linear);
  node.In(grad);
  node.In(indices);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(l2_shrinkage);
  node.In(lr_power);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("multiply_linear_by_lr", attrs.multiply_linear_by_lr);
  return node.BuildNode();
}
Node* ResourceSparseApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceSparseApplyFtrlV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{linear}, InputList{grad}, InputList{indices}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{l2_shrinkage}, InputList{lr_power}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyFtrlV2(*graph, var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power, attrs);
}

Node* ResourceSparseApplyKerasMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyKerasMomentumAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyKerasMomentum", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.In(indices);
  node.In(momentum);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("use_nesterov", attrs.use_nesterov);
  return node.BuildNode();
}
Node* ResourceSparseApplyKerasMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyKerasMomentumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}, InputList{indices}, InputList{momentum}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyKerasMomentum(*graph, var, accum, lr, grad, indices, momentum, attrs);
}

Node* ResourceSparseApplyMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyMomentumAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyMomentum", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.In(indices);
  node.In(momentum);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("use_nesterov", attrs.use_nesterov);
  return node.BuildNode();
}
Node* ResourceSparseApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyMomentumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}, InputList{indices}, InputList{momentum}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyMomentum(*graph, var, accum, lr, grad, indices, momentum, attrs);
}

Node* ResourceSparseApplyProximalAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalAdagradAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyProximalAdagrad", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceSparseApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalAdagradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyProximalAdagrad(*graph, var, accum, lr, l1, l2, grad, indices, attrs);
}

Node* ResourceSparseApplyProximalGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalGradientDescentAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyProximalGradientDescent", attrs.name);
  node.In(var);
  node.In(alpha);
  node.In(l1);
  node.In(l2);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceSparseApplyProximalGradientDescent(const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalGradientDescentAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{alpha}, InputList{l1}, InputList{l2}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyProximalGradientDescent(*graph, var, alpha, l1, l2, grad, indices, attrs);
}

Node* ResourceSparseApplyRMSProp(Graph& graph, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyRMSPropAttrs& attrs) {
  NodeBuilder node(graph, "ResourceSparseApplyRMSProp", attrs.name);
  node.In(var);
  node.In(ms);
  node.In(mom);
  node.In(lr);
  node.In(rho);
  node.In(momentum);
  node.In(epsilon);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildNode();
}
Node* ResourceSparseApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyRMSPropAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{ms}, InputList{mom}, InputList{lr}, InputList{rho}, InputList{momentum}, InputList{epsilon}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return ResourceSparseApplyRMSProp(*graph, var, ms, mom, lr, rho, momentum, epsilon, grad, indices, attrs);
}

Output ScatterAdd(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterAddAttrs& attrs) {
  NodeBuilder node(graph, "ScatterAdd", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterAdd(const Input& ref, const Input& indices, const Input& updates, const ScatterAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterAdd(*graph, ref, indices, updates, attrs);
}

Output ScatterDiv(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterDivAttrs& attrs) {
  NodeBuilder node(graph, "ScatterDiv", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterDiv(const Input& ref, const Input& indices, const Input& updates, const ScatterDivAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterDiv(*graph, ref, indices, updates, attrs);
}

Output ScatterMax(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterMaxAttrs& attrs) {
  NodeBuilder node(graph, "ScatterMax", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterMax(const Input& ref, const Input& indices, const Input& updates, const ScatterMaxAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterMax(*graph, ref, indices, updates, attrs);
}

Output ScatterMin(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterMinAttrs& attrs) {
  NodeBuilder node(graph, "ScatterMin", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterMin(const Input& ref, const Input& indices, const Input& updates, const ScatterMinAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterMin(*graph, ref, indices, updates, attrs);
}

Output ScatterMul(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterMulAttrs& attrs) {
  NodeBuilder node(graph, "ScatterMul", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterMul(const Input& ref, const Input& indices, const Input& updates, const ScatterMulAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterMul(*graph, ref, indices, updates, attrs);
}

Output ScatterNdAdd(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterNdAddAttrs& attrs) {
  NodeBuilder node(graph, "ScatterNdAdd", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterNdAdd(const Input& ref, const Input& indices, const Input& updates, const ScatterNdAddAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterNdAdd(*graph, ref, indices, updates, attrs);
}

Output ScatterNdSub(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterNdSubAttrs& attrs) {
  NodeBuilder node(graph, "ScatterNdSub", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterNdSub(const Input& ref, const Input& indices, const Input& updates, const ScatterNdSubAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterNdSub(*graph, ref, indices, updates, attrs);
}

Output ScatterNdUpdate(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterNdUpdateAttrs& attrs) {
  NodeBuilder node(graph, "ScatterNdUpdate", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterNdUpdate(const Input& ref, const Input& indices, const Input& updates, const ScatterNdUpdateAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterNdUpdate(*graph, ref, indices, updates, attrs);
}

Output ScatterSub(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterSubAttrs& attrs) {
  NodeBuilder node(graph, "ScatterSub", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterSub(const Input& ref, const Input& indices, const Input& updates, const ScatterSubAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterSub(*graph, ref, indices, updates, attrs);
}

Output ScatterUpdate(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterUpdateAttrs& attrs) {
  NodeBuilder node(graph, "ScatterUpdate", attrs.name);
  node.In(ref);
  node.In(indices);
  node.In(updates);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output ScatterUpdate(const Input& ref, const Input& indices, const Input& updates, const ScatterUpdateAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{ref}, InputList{indices}, InputList{updates}});
  if (graph == nullptr) return {};
  return ScatterUpdate(*graph, ref, indices, updates, attrs);
}

Output SparseApplyAdadelta(Graph& graph, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyAdadeltaAttrs& attrs) {
  NodeBuilder node(graph, "SparseApplyAdadelta", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(accum_update);
  node.In(lr);
  node.In(rho);
  node.In(epsilon);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output SparseApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyAdadeltaAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{accum_update}, InputList{lr}, InputList{rho}, InputList{epsilon}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return SparseApplyAdadelta(*graph, var, accum, accum_update, lr, rho, epsilon, grad, indices, attrs);
}

Output SparseApplyAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const SparseApplyAdagradAttrs& attrs) {
  NodeBuilder node(graph, "SparseApplyAdagrad", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("update_slots", attrs.update_slots);
  return node.BuildOutput();
}
Output SparseApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const SparseApplyAdagradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return SparseApplyAdagrad(*graph, var, accum, lr, grad, indices, attrs);
}

Output SparseApplyAdagradDA(Graph& graph, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const SparseApplyAdagradDAAttrs& attrs) {
  NodeBuilder node(graph, "SparseApplyAdagradDA", attrs.name);
  node.In(var);
  node.In(gradient_accumulator);
  node.In(gradient_squared_accumulator);
  node.In(grad);
  node.In(indices);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(global_step);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output SparseApplyAdagradDA(const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const SparseApplyAdagradDAAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{gradient_accumulator}, InputList{gradient_squared_accumulator}, InputList{grad}, InputList{indices}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{global_step}});
  if (graph == nullptr) return {};
  return SparseApplyAdagradDA(*graph, var, gradient_accumulator, gradient_squared_accumulator, grad, indices, lr, l1, l2, global_step, attrs);
}

Output SparseApplyCenteredRMSProp(Graph& graph, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyCenteredRMSPropAttrs& attrs) {
  NodeBuilder node(graph, "SparseApplyCenteredRMSProp", attrs.name);
  node.In(var);
  node.In(mg);
  node.In(ms);
  node.In(mom);
  node.In(lr);
  node.In(rho);
  node.In(momentum);
  node.In(epsilon);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output SparseApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyCenteredRMSPropAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{mg}, InputList{ms}, InputList{mom}, InputList{lr}, InputList{rho}, InputList{momentum}, InputList{epsilon}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return SparseApplyCenteredRMSProp(*graph, var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices, attrs);
}

Output SparseApplyFtrl(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const SparseApplyFtrlAttrs& attrs) {
  NodeBuilder node(graph, "SparseApplyFtrl", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(linear);
  node.In(grad);
  node.In(indices);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(lr_power);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("multiply_linear_by_lr", attrs.multiply_linear_by_lr);
  return node.BuildOutput();
}
Output SparseApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const SparseApplyFtrlAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{linear}, InputList{grad}, InputList{indices}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{lr_power}});
  if (graph == nullptr) return {};
  return SparseApplyFtrl(*graph, var, accum, linear, grad, indices, lr, l1, l2, lr_power, attrs);
}

Output SparseApplyFtrlV2(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const SparseApplyFtrlV2Attrs& attrs) {
  NodeBuilder node(graph, "SparseApplyFtrlV2", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(linear);
  node.In(grad);
  node.In(indices);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(l2_shrinkage);
  node.In(lr_power);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("multiply_linear_by_lr", attrs.multiply_linear_by_lr);
  return node.BuildOutput();
}
Output SparseApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const SparseApplyFtrlV2Attrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{linear}, InputList{grad}, InputList{indices}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{l2_shrinkage}, InputList{lr_power}});
  if (graph == nullptr) return {};
  return SparseApplyFtrlV2(*graph, var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power, attrs);
}

Output SparseApplyMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const SparseApplyMomentumAttrs& attrs) {
  NodeBuilder node(graph, "SparseApplyMomentum", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(grad);
  node.In(indices);
  node.In(momentum);
  node.Attr("use_locking", attrs.use_locking);
  node.Attr("use_nesterov", attrs.use_nesterov);
  return node.BuildOutput();
}
Output SparseApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const SparseApplyMomentumAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{grad}, InputList{indices}, InputList{momentum}});
  if (graph == nullptr) return {};
  return SparseApplyMomentum(*graph, var, accum, lr, grad, indices, momentum, attrs);
}

Output SparseApplyProximalAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalAdagradAttrs& attrs) {
  NodeBuilder node(graph, "SparseApplyProximalAdagrad", attrs.name);
  node.In(var);
  node.In(accum);
  node.In(lr);
  node.In(l1);
  node.In(l2);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output SparseApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalAdagradAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{accum}, InputList{lr}, InputList{l1}, InputList{l2}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return SparseApplyProximalAdagrad(*graph, var, accum, lr, l1, l2, grad, indices, attrs);
}

Output SparseApplyProximalGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalGradientDescentAttrs& attrs) {
  NodeBuilder node(graph, "SparseApplyProximalGradientDescent", attrs.name);
  node.In(var);
  node.In(alpha);
  node.In(l1);
  node.In(l2);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output SparseApplyProximalGradientDescent(const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalGradientDescentAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{alpha}, InputList{l1}, InputList{l2}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return SparseApplyProximalGradientDescent(*graph, var, alpha, l1, l2, grad, indices, attrs);
}

Output SparseApplyRMSProp(Graph& graph, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyRMSPropAttrs& attrs) {
  NodeBuilder node(graph, "SparseApplyRMSProp", attrs.name);
  node.In(var);
  node.In(ms);
  node.In(mom);
  node.In(lr);
  node.In(rho);
  node.In(momentum);
  node.In(epsilon);
  node.In(grad);
  node.In(indices);
  node.Attr("use_locking", attrs.use_locking);
  return node.BuildOutput();
}
Output SparseApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyRMSPropAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{var}, InputList{ms}, InputList{mom}, InputList{lr}, InputList{rho}, InputList{momentum}, InputList{epsilon}, InputList{grad}, InputList{indices}});
  if (graph == nullptr) return {};
  return SparseApplyRMSProp(*graph, var, ms, mom, lr, rho, momentum, epsilon, grad, indices, attrs);
}

Output TemporaryVariable(Graph& graph, const PartialShape& shape, DType dtype, const TemporaryVariableAttrs& attrs) {
  NodeBuilder node(graph, "TemporaryVariable", attrs.name);
  node.Attr("shape", shape);
  node.Attr("dtype", dtype);
  node.Attr("var_name", attrs.var_name);
  return node.BuildOutput();
}

Output VarHandleOp(Graph& graph, DType dtype, const PartialShape& shape, const VarHandleOpAttrs& attrs) {
  NodeBuilder node(graph, "VarHandleOp", attrs.name);
  node.Attr("dtype", dtype);
  node.Attr("shape", shape);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

Output VarIsInitializedOp(Graph& graph, const Input& resource, const VarIsInitializedOpAttrs& attrs) {
  NodeBuilder node(graph, "VarIsInitializedOp", attrs.name);
  node.In(resource);
  return node.BuildOutput();
}
Output VarIsInitializedOp(const Input& resource, const VarIsInitializedOpAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{resource}});
  if (graph == nullptr) return {};
  return VarIsInitializedOp(*graph, resource, attrs);
}

Output VariableShape(Graph& graph, const Input& input, const VariableShapeAttrs& attrs) {
  NodeBuilder node(graph, "VariableShape", attrs.name);
  node.In(input);
  node.Attr("out_type", attrs.out_type);
  return node.BuildOutput();
}
Output VariableShape(const Input& input, const VariableShapeAttrs& attrs) {
  Graph* graph = GraphOfAll({InputList{input}});
  if (graph == nullptr) return {};
  return VariableShape(*graph, input, attrs);
}

Output VariableV2(Graph& graph, const PartialShape& shape, DType dtype, const VariableV2Attrs& attrs) {
  NodeBuilder node(graph, "VariableV2", attrs.name);
  node.Attr("shape", shape);
  node.Attr("dtype", dtype);
  node.Attr("container", attrs.container);
  node.Attr("shared_name", attrs.shared_name);
  return node.BuildOutput();
}

}  // namespace weir
