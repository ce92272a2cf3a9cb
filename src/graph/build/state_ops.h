// Graph-building functions for the ops of ops/state, one per op: written by `make generate`, not by hand.
// Inputs first, then attributes without a default; the rest are in the trailing struct.
// clang-format off
#ifndef WEIR_GRAPH_BUILD_STATE_OPS_H_
#define WEIR_GRAPH_BUILD_STATE_OPS_H_

#include <limits>

#include "graph/node_builder.h"

namespace weir {

struct ApplyAdaMaxAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyAdaMax(Graph& graph, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdaMaxAttrs& attrs = {});
Output ApplyAdaMax(const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdaMaxAttrs& attrs = {});

struct ApplyAdadeltaAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyAdadelta(Graph& graph, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ApplyAdadeltaAttrs& attrs = {});
Output ApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ApplyAdadeltaAttrs& attrs = {});

struct ApplyAdagradAttrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string name = "";
};
Output ApplyAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const ApplyAdagradAttrs& attrs = {});
Output ApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad, const ApplyAdagradAttrs& attrs = {});

struct ApplyAdagradDAAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyAdagradDA(Graph& graph, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ApplyAdagradDAAttrs& attrs = {});
Output ApplyAdagradDA(const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ApplyAdagradDAAttrs& attrs = {});

struct ApplyAdamAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string name = "";
};
Output ApplyAdam(Graph& graph, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdamAttrs& attrs = {});
Output ApplyAdam(const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ApplyAdamAttrs& attrs = {});

struct ApplyAddSignAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyAddSign(Graph& graph, const Input& var, const Input& m, const Input& lr, const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyAddSignAttrs& attrs = {});
Output ApplyAddSign(const Input& var, const Input& m, const Input& lr, const Input& alpha, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyAddSignAttrs& attrs = {});

struct ApplyCenteredRMSPropAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyCenteredRMSProp(Graph& graph, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyCenteredRMSPropAttrs& attrs = {});
Output ApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyCenteredRMSPropAttrs& attrs = {});

struct ApplyFtrlAttrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string name = "";
};
Output ApplyFtrl(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ApplyFtrlAttrs& attrs = {});
Output ApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ApplyFtrlAttrs& attrs = {});

struct ApplyFtrlV2Attrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string name = "";
};
Output ApplyFtrlV2(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ApplyFtrlV2Attrs& attrs = {});
Output ApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ApplyFtrlV2Attrs& attrs = {});

struct ApplyGradientDescentAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& delta, const ApplyGradientDescentAttrs& attrs = {});
Output ApplyGradientDescent(const Input& var, const Input& alpha, const Input& delta, const ApplyGradientDescentAttrs& attrs = {});

struct ApplyMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string name = "";
};
Output ApplyMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ApplyMomentumAttrs& attrs = {});
Output ApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ApplyMomentumAttrs& attrs = {});

struct ApplyPowerSignAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyPowerSign(Graph& graph, const Input& var, const Input& m, const Input& lr, const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyPowerSignAttrs& attrs = {});
Output ApplyPowerSign(const Input& var, const Input& m, const Input& lr, const Input& logbase, const Input& sign_decay, const Input& beta, const Input& grad, const ApplyPowerSignAttrs& attrs = {});

struct ApplyProximalAdagradAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyProximalAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ApplyProximalAdagradAttrs& attrs = {});
Output ApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ApplyProximalAdagradAttrs& attrs = {});

struct ApplyProximalGradientDescentAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyProximalGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ApplyProximalGradientDescentAttrs& attrs = {});
Output ApplyProximalGradientDescent(const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ApplyProximalGradientDescentAttrs& attrs = {});

struct ApplyRMSPropAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ApplyRMSProp(Graph& graph, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyRMSPropAttrs& attrs = {});
Output ApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ApplyRMSPropAttrs& attrs = {});

struct AssignAttrs {
  bool validate_shape = true;
  bool use_locking = true;
  std::string name = "";
};
Output Assign(Graph& graph, const Input& ref, const Input& value, const AssignAttrs& attrs = {});
Output Assign(const Input& ref, const Input& value, const AssignAttrs& attrs = {});

struct AssignAddAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output AssignAdd(Graph& graph, const Input& ref, const Input& value, const AssignAddAttrs& attrs = {});
Output AssignAdd(const Input& ref, const Input& value, const AssignAddAttrs& attrs = {});

struct AssignAddVariableOpAttrs {
  std::string name = "";
};
Node* AssignAddVariableOp(Graph& graph, const Input& resource, const Input& value, const AssignAddVariableOpAttrs& attrs = {});
Node* AssignAddVariableOp(const Input& resource, const Input& value, const AssignAddVariableOpAttrs& attrs = {});

struct AssignSubAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output AssignSub(Graph& graph, const Input& ref, const Input& value, const AssignSubAttrs& attrs = {});
Output AssignSub(const Input& ref, const Input& value, const AssignSubAttrs& attrs = {});

struct AssignSubVariableOpAttrs {
  std::string name = "";
};
Node* AssignSubVariableOp(Graph& graph, const Input& resource, const Input& value, const AssignSubVariableOpAttrs& attrs = {});
Node* AssignSubVariableOp(const Input& resource, const Input& value, const AssignSubVariableOpAttrs& attrs = {});

struct AssignVariableOpAttrs {
  bool validate_shape = false;
  std::string name = "";
};
Node* AssignVariableOp(Graph& graph, const Input& resource, const Input& value, const AssignVariableOpAttrs& attrs = {});
Node* AssignVariableOp(const Input& resource, const Input& value, const AssignVariableOpAttrs& attrs = {});

struct CountUpToAttrs {
  std::string name = "";
};
Output CountUpTo(Graph& graph, const Input& ref, int64_t limit, const CountUpToAttrs& attrs = {});
Output CountUpTo(const Input& ref, int64_t limit, const CountUpToAttrs& attrs = {});

struct DestroyResourceOpAttrs {
  bool ignore_lookup_error = true;
  std::string name = "";
};
Node* DestroyResourceOp(Graph& graph, const Input& resource, const DestroyResourceOpAttrs& attrs = {});
Node* DestroyResourceOp(const Input& resource, const DestroyResourceOpAttrs& attrs = {});

struct DestroyTemporaryVariableAttrs {
  std::string name = "";
};
Output DestroyTemporaryVariable(Graph& graph, const Input& ref, const std::string& var_name, const DestroyTemporaryVariableAttrs& attrs = {});
Output DestroyTemporaryVariable(const Input& ref, const std::string& var_name, const DestroyTemporaryVariableAttrs& attrs = {});

struct HashTableAttrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  std::string name = "";
};
Output HashTable(Graph& graph, DType key_dtype, DType value_dtype, const HashTableAttrs& attrs = {});

struct HashTableV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  std::string name = "";
};
Output HashTableV2(Graph& graph, DType key_dtype, DType value_dtype, const HashTableV2Attrs& attrs = {});

struct InitializeTableAttrs {
  std::string name = "";
};
Node* InitializeTable(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const InitializeTableAttrs& attrs = {});
Node* InitializeTable(const Input& table_handle, const Input& keys, const Input& values, const InitializeTableAttrs& attrs = {});

struct InitializeTableFromTextFileAttrs {
  int64_t vocab_size = -1;
  std::string delimiter = "\t";
  std::string name = "";
};
Node* InitializeTableFromTextFile(Graph& graph, const Input& table_handle, const Input& filename, int64_t key_index, int64_t value_index, const InitializeTableFromTextFileAttrs& attrs = {});
Node* InitializeTableFromTextFile(const Input& table_handle, const Input& filename, int64_t key_index, int64_t value_index, const InitializeTableFromTextFileAttrs& attrs = {});

struct InitializeTableFromTextFileV2Attrs {
  int64_t vocab_size = -1;
  std::string delimiter = "\t";
  std::string name = "";
};
Node* InitializeTableFromTextFileV2(Graph& graph, const Input& table_handle, const Input& filename, int64_t key_index, int64_t value_index, const InitializeTableFromTextFileV2Attrs& attrs = {});
Node* InitializeTableFromTextFileV2(const Input& table_handle, const Input& filename, int64_t key_index, int64_t value_index, const InitializeTableFromTextFileV2Attrs& attrs = {});

struct InitializeTableV2Attrs {
  std::string name = "";
};
Node* InitializeTableV2(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const InitializeTableV2Attrs& attrs = {});
Node* InitializeTableV2(const Input& table_handle, const Input& keys, const Input& values, const InitializeTableV2Attrs& attrs = {});

struct IsVariableInitializedAttrs {
  std::string name = "";
};
Output IsVariableInitialized(Graph& graph, const Input& ref, const IsVariableInitializedAttrs& attrs = {});
Output IsVariableInitialized(const Input& ref, const IsVariableInitializedAttrs& attrs = {});

struct LookupTableExportAttrs {
  std::string name = "";
};
struct LookupTableExportResult {
  Output keys;
  Output values;
};
LookupTableExportResult LookupTableExport(Graph& graph, const Input& table_handle, DType Tkeys, DType Tvalues, const LookupTableExportAttrs& attrs = {});
LookupTableExportResult LookupTableExport(const Input& table_handle, DType Tkeys, DType Tvalues, const LookupTableExportAttrs& attrs = {});

struct LookupTableExportV2Attrs {
  std::string name = "";
};
struct LookupTableExportV2Result {
  Output keys;
  Output values;
};
LookupTableExportV2Result LookupTableExportV2(Graph& graph, const Input& table_handle, DType Tkeys, DType Tvalues, const LookupTableExportV2Attrs& attrs = {});
LookupTableExportV2Result LookupTableExportV2(const Input& table_handle, DType Tkeys, DType Tvalues, const LookupTableExportV2Attrs& attrs = {});

struct LookupTableFindAttrs {
  std::string name = "";
};
Output LookupTableFind(Graph& graph, const Input& table_handle, const Input& keys, const Input& default_value, const LookupTableFindAttrs& attrs = {});
Output LookupTableFind(const Input& table_handle, const Input& keys, const Input& default_value, const LookupTableFindAttrs& attrs = {});

struct LookupTableFindV2Attrs {
  std::string name = "";
};
Output LookupTableFindV2(Graph& graph, const Input& table_handle, const Input& keys, const Input& default_value, const LookupTableFindV2Attrs& attrs = {});
Output LookupTableFindV2(const Input& table_handle, const Input& keys, const Input& default_value, const LookupTableFindV2Attrs& attrs = {});

struct LookupTableImportAttrs {
  std::string name = "";
};
Node* LookupTableImport(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const LookupTableImportAttrs& attrs = {});
Node* LookupTableImport(const Input& table_handle, const Input& keys, const Input& values, const LookupTableImportAttrs& attrs = {});

struct LookupTableImportV2Attrs {
  std::string name = "";
};
Node* LookupTableImportV2(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const LookupTableImportV2Attrs& attrs = {});
Node* LookupTableImportV2(const Input& table_handle, const Input& keys, const Input& values, const LookupTableImportV2Attrs& attrs = {});

struct LookupTableInsertAttrs {
  std::string name = "";
};
Node* LookupTableInsert(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const LookupTableInsertAttrs& attrs = {});
Node* LookupTableInsert(const Input& table_handle, const Input& keys, const Input& values, const LookupTableInsertAttrs& attrs = {});

struct LookupTableInsertV2Attrs {
  std::string name = "";
};
Node* LookupTableInsertV2(Graph& graph, const Input& table_handle, const Input& keys, const Input& values, const LookupTableInsertV2Attrs& attrs = {});
Node* LookupTableInsertV2(const Input& table_handle, const Input& keys, const Input& values, const LookupTableInsertV2Attrs& attrs = {});

struct LookupTableRemoveV2Attrs {
  std::string name = "";
};
Node* LookupTableRemoveV2(Graph& graph, const Input& table_handle, const Input& keys, const LookupTableRemoveV2Attrs& attrs = {});
Node* LookupTableRemoveV2(const Input& table_handle, const Input& keys, const LookupTableRemoveV2Attrs& attrs = {});

struct LookupTableSizeAttrs {
  std::string name = "";
};
Output LookupTableSize(Graph& graph, const Input& table_handle, const LookupTableSizeAttrs& attrs = {});
Output LookupTableSize(const Input& table_handle, const LookupTableSizeAttrs& attrs = {});

struct LookupTableSizeV2Attrs {
  std::string name = "";
};
Output LookupTableSizeV2(Graph& graph, const Input& table_handle, const LookupTableSizeV2Attrs& attrs = {});
Output LookupTableSizeV2(const Input& table_handle, const LookupTableSizeV2Attrs& attrs = {});

struct MutableDenseHashTableAttrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  PartialShape value_shape = PartialShape::Scalar();
  int64_t initial_num_buckets = 131072;
  float max_load_factor = 0.8f;
  std::string name = "";
};
Output MutableDenseHashTable(Graph& graph, const Input& empty_key, DType value_dtype, const MutableDenseHashTableAttrs& attrs = {});
Output MutableDenseHashTable(const Input& empty_key, DType value_dtype, const MutableDenseHashTableAttrs& attrs = {});

struct MutableDenseHashTableV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  PartialShape value_shape = PartialShape::Scalar();
  int64_t initial_num_buckets = 131072;
  float max_load_factor = 0.8f;
  std::string name = "";
};
Output MutableDenseHashTableV2(Graph& graph, const Input& empty_key, const Input& deleted_key, DType value_dtype, const MutableDenseHashTableV2Attrs& attrs = {});
Output MutableDenseHashTableV2(const Input& empty_key, const Input& deleted_key, DType value_dtype, const MutableDenseHashTableV2Attrs& attrs = {});

struct MutableHashTableAttrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  std::string name = "";
};
Output MutableHashTable(Graph& graph, DType key_dtype, DType value_dtype, const MutableHashTableAttrs& attrs = {});

struct MutableHashTableOfTensorsAttrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  PartialShape value_shape = PartialShape::Scalar();
  std::string name = "";
};
Output MutableHashTableOfTensors(Graph& graph, DType key_dtype, DType value_dtype, const MutableHashTableOfTensorsAttrs& attrs = {});

struct MutableHashTableOfTensorsV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  PartialShape value_shape = PartialShape::Scalar();
  std::string name = "";
};
Output MutableHashTableOfTensorsV2(Graph& graph, DType key_dtype, DType value_dtype, const MutableHashTableOfTensorsV2Attrs& attrs = {});

struct MutableHashTableV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  bool use_node_name_sharing = false;
  std::string name = "";
};
Output MutableHashTableV2(Graph& graph, DType key_dtype, DType value_dtype, const MutableHashTableV2Attrs& attrs = {});

struct ReadVariableOpAttrs {
  std::string name = "";
};
Output ReadVariableOp(Graph& graph, const Input& resource, DType dtype, const ReadVariableOpAttrs& attrs = {});
Output ReadVariableOp(const Input& resource, DType dtype, const ReadVariableOpAttrs& attrs = {});

struct ResourceApplyAdaMaxAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceApplyAdaMax(Graph& graph, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdaMaxAttrs& attrs = {});
Node* ResourceApplyAdaMax(const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdaMaxAttrs& attrs = {});

struct ResourceApplyAdadeltaAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceApplyAdadelta(Graph& graph, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ResourceApplyAdadeltaAttrs& attrs = {});
Node* ResourceApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const ResourceApplyAdadeltaAttrs& attrs = {});

struct ResourceApplyAdagradAttrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string name = "";
};
Node* ResourceApplyAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const ResourceApplyAdagradAttrs& attrs = {});
Node* ResourceApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad, const ResourceApplyAdagradAttrs& attrs = {});

struct ResourceApplyAdagradDAAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceApplyAdagradDA(Graph& graph, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceApplyAdagradDAAttrs& attrs = {});
Node* ResourceApplyAdagradDA(const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceApplyAdagradDAAttrs& attrs = {});

struct ResourceApplyAdamAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string name = "";
};
Node* ResourceApplyAdam(Graph& graph, const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdamAttrs& attrs = {});
Node* ResourceApplyAdam(const Input& var, const Input& m, const Input& v, const Input& beta1_power, const Input& beta2_power, const Input& lr, const Input& beta1, const Input& beta2, const Input& epsilon, const Input& grad, const ResourceApplyAdamAttrs& attrs = {});

struct ResourceApplyCenteredRMSPropAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceApplyCenteredRMSProp(Graph& graph, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyCenteredRMSPropAttrs& attrs = {});
Node* ResourceApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyCenteredRMSPropAttrs& attrs = {});

struct ResourceApplyFtrlAttrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string name = "";
};
Node* ResourceApplyFtrl(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceApplyFtrlAttrs& attrs = {});
Node* ResourceApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceApplyFtrlAttrs& attrs = {});

struct ResourceApplyFtrlV2Attrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string name = "";
};
Node* ResourceApplyFtrlV2(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceApplyFtrlV2Attrs& attrs = {});
Node* ResourceApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceApplyFtrlV2Attrs& attrs = {});

struct ResourceApplyGradientDescentAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceApplyGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& delta, const ResourceApplyGradientDescentAttrs& attrs = {});
Node* ResourceApplyGradientDescent(const Input& var, const Input& alpha, const Input& delta, const ResourceApplyGradientDescentAttrs& attrs = {});

struct ResourceApplyKerasMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string name = "";
};
Node* ResourceApplyKerasMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyKerasMomentumAttrs& attrs = {});
Node* ResourceApplyKerasMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyKerasMomentumAttrs& attrs = {});

struct ResourceApplyMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string name = "";
};
Node* ResourceApplyMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyMomentumAttrs& attrs = {});
Node* ResourceApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& momentum, const ResourceApplyMomentumAttrs& attrs = {});

struct ResourceApplyProximalAdagradAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceApplyProximalAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ResourceApplyProximalAdagradAttrs& attrs = {});
Node* ResourceApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const ResourceApplyProximalAdagradAttrs& attrs = {});

struct ResourceApplyProximalGradientDescentAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceApplyProximalGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ResourceApplyProximalGradientDescentAttrs& attrs = {});
Node* ResourceApplyProximalGradientDescent(const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& delta, const ResourceApplyProximalGradientDescentAttrs& attrs = {});

struct ResourceApplyRMSPropAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceApplyRMSProp(Graph& graph, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyRMSPropAttrs& attrs = {});
Node* ResourceApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const ResourceApplyRMSPropAttrs& attrs = {});

struct ResourceCountUpToAttrs {
  std::string name = "";
};
Output ResourceCountUpTo(Graph& graph, const Input& resource, int64_t limit, DType T, const ResourceCountUpToAttrs& attrs = {});
Output ResourceCountUpTo(const Input& resource, int64_t limit, DType T, const ResourceCountUpToAttrs& attrs = {});

struct ResourceGatherAttrs {
  int64_t batch_dims = 0;
  bool validate_indices = true;
  std::string name = "";
};
Output ResourceGather(Graph& graph, const Input& resource, const Input& indices, DType dtype, const ResourceGatherAttrs& attrs = {});
Output ResourceGather(const Input& resource, const Input& indices, DType dtype, const ResourceGatherAttrs& attrs = {});

struct ResourceGatherNdAttrs {
  std::string name = "";
};
Output ResourceGatherNd(Graph& graph, const Input& resource, const Input& indices, DType dtype, const ResourceGatherNdAttrs& attrs = {});
Output ResourceGatherNd(const Input& resource, const Input& indices, DType dtype, const ResourceGatherNdAttrs& attrs = {});

struct ResourceScatterAddAttrs {
  std::string name = "";
};
Node* ResourceScatterAdd(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterAddAttrs& attrs = {});
Node* ResourceScatterAdd(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterAddAttrs& attrs = {});

struct ResourceScatterDivAttrs {
  std::string name = "";
};
Node* ResourceScatterDiv(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterDivAttrs& attrs = {});
Node* ResourceScatterDiv(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterDivAttrs& attrs = {});

struct ResourceScatterMaxAttrs {
  std::string name = "";
};
Node* ResourceScatterMax(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMaxAttrs& attrs = {});
Node* ResourceScatterMax(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMaxAttrs& attrs = {});

struct ResourceScatterMinAttrs {
  std::string name = "";
};
Node* ResourceScatterMin(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMinAttrs& attrs = {});
Node* ResourceScatterMin(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMinAttrs& attrs = {});

struct ResourceScatterMulAttrs {
  std::string name = "";
};
Node* ResourceScatterMul(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMulAttrs& attrs = {});
Node* ResourceScatterMul(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterMulAttrs& attrs = {});

struct ResourceScatterNdAddAttrs {
  bool use_locking = true;
  std::string name = "";
};
Node* ResourceScatterNdAdd(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdAddAttrs& attrs = {});
Node* ResourceScatterNdAdd(const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdAddAttrs& attrs = {});

struct ResourceScatterNdSubAttrs {
  bool use_locking = true;
  std::string name = "";
};
Node* ResourceScatterNdSub(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdSubAttrs& attrs = {});
Node* ResourceScatterNdSub(const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdSubAttrs& attrs = {});

struct ResourceScatterNdUpdateAttrs {
  bool use_locking = true;
  std::string name = "";
};
Node* ResourceScatterNdUpdate(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdUpdateAttrs& attrs = {});
Node* ResourceScatterNdUpdate(const Input& ref, const Input& indices, const Input& updates, const ResourceScatterNdUpdateAttrs& attrs = {});

struct ResourceScatterSubAttrs {
  std::string name = "";
};
Node* ResourceScatterSub(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterSubAttrs& attrs = {});
Node* ResourceScatterSub(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterSubAttrs& attrs = {});

struct ResourceScatterUpdateAttrs {
  std::string name = "";
};
Node* ResourceScatterUpdate(Graph& graph, const Input& resource, const Input& indices, const Input& updates, const ResourceScatterUpdateAttrs& attrs = {});
Node* ResourceScatterUpdate(const Input& resource, const Input& indices, const Input& updates, const ResourceScatterUpdateAttrs& attrs = {});

struct ResourceSparseApplyAdadeltaAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceSparseApplyAdadelta(Graph& graph, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyAdadeltaAttrs& attrs = {});
Node* ResourceSparseApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyAdadeltaAttrs& attrs = {});

struct ResourceSparseApplyAdagradAttrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string name = "";
};
Node* ResourceSparseApplyAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const ResourceSparseApplyAdagradAttrs& attrs = {});
Node* ResourceSparseApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const ResourceSparseApplyAdagradAttrs& attrs = {});

struct ResourceSparseApplyAdagradDAAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceSparseApplyAdagradDA(Graph& graph, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceSparseApplyAdagradDAAttrs& attrs = {});
Node* ResourceSparseApplyAdagradDA(const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const ResourceSparseApplyAdagradDAAttrs& attrs = {});

struct ResourceSparseApplyCenteredRMSPropAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceSparseApplyCenteredRMSProp(Graph& graph, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyCenteredRMSPropAttrs& attrs = {});
Node* ResourceSparseApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyCenteredRMSPropAttrs& attrs = {});

struct ResourceSparseApplyFtrlAttrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string name = "";
};
Node* ResourceSparseApplyFtrl(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceSparseApplyFtrlAttrs& attrs = {});
Node* ResourceSparseApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const ResourceSparseApplyFtrlAttrs& attrs = {});

struct ResourceSparseApplyFtrlV2Attrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string name = "";
};
Node* ResourceSparseApplyFtrlV2(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceSparseApplyFtrlV2Attrs& attrs = {});
Node* ResourceSparseApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const ResourceSparseApplyFtrlV2Attrs& attrs = {});

struct ResourceSparseApplyKerasMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string name = "";
};
Node* ResourceSparseApplyKerasMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyKerasMomentumAttrs& attrs = {});
Node* ResourceSparseApplyKerasMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyKerasMomentumAttrs& attrs = {});

struct ResourceSparseApplyMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string name = "";
};
Node* ResourceSparseApplyMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyMomentumAttrs& attrs = {});
Node* ResourceSparseApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const ResourceSparseApplyMomentumAttrs& attrs = {});

struct ResourceSparseApplyProximalAdagradAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceSparseApplyProximalAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalAdagradAttrs& attrs = {});
Node* ResourceSparseApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalAdagradAttrs& attrs = {});

struct ResourceSparseApplyProximalGradientDescentAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceSparseApplyProximalGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalGradientDescentAttrs& attrs = {});
Node* ResourceSparseApplyProximalGradientDescent(const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const ResourceSparseApplyProximalGradientDescentAttrs& attrs = {});

struct ResourceSparseApplyRMSPropAttrs {
  bool use_locking = false;
  std::string name = "";
};
Node* ResourceSparseApplyRMSProp(Graph& graph, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyRMSPropAttrs& attrs = {});
Node* ResourceSparseApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const ResourceSparseApplyRMSPropAttrs& attrs = {});

struct ScatterAddAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ScatterAdd(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterAddAttrs& attrs = {});
Output ScatterAdd(const Input& ref, const Input& indices, const Input& updates, const ScatterAddAttrs& attrs = {});

struct ScatterDivAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ScatterDiv(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterDivAttrs& attrs = {});
Output ScatterDiv(const Input& ref, const Input& indices, const Input& updates, const ScatterDivAttrs& attrs = {});

struct ScatterMaxAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ScatterMax(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterMaxAttrs& attrs = {});
Output ScatterMax(const Input& ref, const Input& indices, const Input& updates, const ScatterMaxAttrs& attrs = {});

struct ScatterMinAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ScatterMin(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterMinAttrs& attrs = {});
Output ScatterMin(const Input& ref, const Input& indices, const Input& updates, const ScatterMinAttrs& attrs = {});

struct ScatterMulAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ScatterMul(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterMulAttrs& attrs = {});
Output ScatterMul(const Input& ref, const Input& indices, const Input& updates, const ScatterMulAttrs& attrs = {});

struct ScatterNdAddAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ScatterNdAdd(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterNdAddAttrs& attrs = {});
Output ScatterNdAdd(const Input& ref, const Input& indices, const Input& updates, const ScatterNdAddAttrs& attrs = {});

struct ScatterNdSubAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ScatterNdSub(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterNdSubAttrs& attrs = {});
Output ScatterNdSub(const Input& ref, const Input& indices, const Input& updates, const ScatterNdSubAttrs& attrs = {});

struct ScatterNdUpdateAttrs {
  bool use_locking = true;
  std::string name = "";
};
Output ScatterNdUpdate(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterNdUpdateAttrs& attrs = {});
Output ScatterNdUpdate(const Input& ref, const Input& indices, const Input& updates, const ScatterNdUpdateAttrs& attrs = {});

struct ScatterSubAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output ScatterSub(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterSubAttrs& attrs = {});
Output ScatterSub(const Input& ref, const Input& indices, const Input& updates, const ScatterSubAttrs& attrs = {});

struct ScatterUpdateAttrs {
  bool use_locking = true;
  std::string name = "";
};
Output ScatterUpdate(Graph& graph, const Input& ref, const Input& indices, const Input& updates, const ScatterUpdateAttrs& attrs = {});
Output ScatterUpdate(const Input& ref, const Input& indices, const Input& updates, const ScatterUpdateAttrs& attrs = {});

struct SparseApplyAdadeltaAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output SparseApplyAdadelta(Graph& graph, const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyAdadeltaAttrs& attrs = {});
Output SparseApplyAdadelta(const Input& var, const Input& accum, const Input& accum_update, const Input& lr, const Input& rho, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyAdadeltaAttrs& attrs = {});

struct SparseApplyAdagradAttrs {
  bool use_locking = false;
  bool update_slots = true;
  std::string name = "";
};
Output SparseApplyAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const SparseApplyAdagradAttrs& attrs = {});
Output SparseApplyAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const SparseApplyAdagradAttrs& attrs = {});

struct SparseApplyAdagradDAAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output SparseApplyAdagradDA(Graph& graph, const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const SparseApplyAdagradDAAttrs& attrs = {});
Output SparseApplyAdagradDA(const Input& var, const Input& gradient_accumulator, const Input& gradient_squared_accumulator, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& global_step, const SparseApplyAdagradDAAttrs& attrs = {});

struct SparseApplyCenteredRMSPropAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output SparseApplyCenteredRMSProp(Graph& graph, const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyCenteredRMSPropAttrs& attrs = {});
Output SparseApplyCenteredRMSProp(const Input& var, const Input& mg, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyCenteredRMSPropAttrs& attrs = {});

struct SparseApplyFtrlAttrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string name = "";
};
Output SparseApplyFtrl(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const SparseApplyFtrlAttrs& attrs = {});
Output SparseApplyFtrl(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& lr_power, const SparseApplyFtrlAttrs& attrs = {});

struct SparseApplyFtrlV2Attrs {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string name = "";
};
Output SparseApplyFtrlV2(Graph& graph, const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const SparseApplyFtrlV2Attrs& attrs = {});
Output SparseApplyFtrlV2(const Input& var, const Input& accum, const Input& linear, const Input& grad, const Input& indices, const Input& lr, const Input& l1, const Input& l2, const Input& l2_shrinkage, const Input& lr_power, const SparseApplyFtrlV2Attrs& attrs = {});

struct SparseApplyMomentumAttrs {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string name = "";
};
Output SparseApplyMomentum(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const SparseApplyMomentumAttrs& attrs = {});
Output SparseApplyMomentum(const Input& var, const Input& accum, const Input& lr, const Input& grad, const Input& indices, const Input& momentum, const SparseApplyMomentumAttrs& attrs = {});

struct SparseApplyProximalAdagradAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output SparseApplyProximalAdagrad(Graph& graph, const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalAdagradAttrs& attrs = {});
Output SparseApplyProximalAdagrad(const Input& var, const Input& accum, const Input& lr, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalAdagradAttrs& attrs = {});

struct SparseApplyProximalGradientDescentAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output SparseApplyProximalGradientDescent(Graph& graph, const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalGradientDescentAttrs& attrs = {});
Output SparseApplyProximalGradientDescent(const Input& var, const Input& alpha, const Input& l1, const Input& l2, const Input& grad, const Input& indices, const SparseApplyProximalGradientDescentAttrs& attrs = {});

struct SparseApplyRMSPropAttrs {
  bool use_locking = false;
  std::string name = "";
};
Output SparseApplyRMSProp(Graph& graph, const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyRMSPropAttrs& attrs = {});
Output SparseApplyRMSProp(const Input& var, const Input& ms, const Input& mom, const Input& lr, const Input& rho, const Input& momentum, const Input& epsilon, const Input& grad, const Input& indices, const SparseApplyRMSPropAttrs& attrs = {});

struct TemporaryVariableAttrs {
  std::string var_name = "";
  std::string name = "";
};
Output TemporaryVariable(Graph& graph, const PartialShape& shape, DType dtype, const TemporaryVariableAttrs& attrs = {});

struct VarHandleOpAttrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output VarHandleOp(Graph& graph, DType dtype, const PartialShape& shape, const VarHandleOpAttrs& attrs = {});

struct VarIsInitializedOpAttrs {
  std::string name = "";
};
Output VarIsInitializedOp(Graph& graph, const Input& resource, const VarIsInitializedOpAttrs& attrs = {});
Output VarIsInitializedOp(const Input& resource, const VarIsInitializedOpAttrs& attrs = {});

struct VariableShapeAttrs {
  DType out_type = kInt32;
  std::string name = "";
};
Output VariableShape(Graph& graph, const Input& input, const VariableShapeAttrs& attrs = {});
Output VariableShape(const Input& input, const VariableShapeAttrs& attrs = {});

struct VariableV2Attrs {
  std::string container = "";
  std::string shared_name = "";
  std::string name = "";
};
Output VariableV2(Graph& graph, const PartialShape& shape, DType dtype, const VariableV2Attrs& attrs = {});

}  // namespace weir

#endif  // WEIR_GRAPH_BUILD_STATE_OPS_H_
