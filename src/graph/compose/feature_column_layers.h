// What the layers over feature columns have in common.
#pragma once

#include "graph/compose/feature_column_transforms.h"

namespace weir::feature_column {

// How a layer makes its variables.
struct VariableSettings {
  std::vector<std::string> collections;
  bool trainable = true;
};
// The settings with the collections that all variables of layers are in.
VariableSettings SettingsWith(std::vector<std::string> collections, bool trainable);

// The values of a column, and the variables that were made for it.
struct ColumnValue {
  Output value;
  Output lengths;  // sequence columns: the number of steps of each example
  std::vector<VariablePtr> variables;
};
// The value of an indicator or embedding column, of whatever rank its ids imply.
Result<ColumnValue> CategoricalValue(Transforms& transforms, const FeatureColumn& column,
                                     const VariableSettings& settings);
// [batch, variable_shape...]. REQUIRES: column.is_dense()
Result<ColumnValue> DenseValue(Transforms& transforms, const FeatureColumn& column, const VariableSettings& settings);
// [batch, steps, variable_shape...]. REQUIRES: column.is_sequence()
Result<ColumnValue> SequenceValue(Transforms& transforms, const FeatureColumn& column,
                                  const VariableSettings& settings);

int64_t SizeOf(const FeatureColumn& column);  // elements of variable_shape
// The columns by name. Checks them: at least one, without errors, with different names.
Result<FeatureColumns> SortedColumns(const FeatureColumns& columns);
// Fails if the static batch sizes of the outputs contradict each other.
Status CheckBatchSizes(const std::vector<ColumnOutput>& outputs);

// The outputs of all columns of an input layer.
struct ColumnOutputs {
  std::vector<ColumnOutput> columns;
  InputList values;    // of `columns`
  OutputList lengths;  // sequence columns: ColumnValue::lengths
};
// Makes the value of each column in the variable scope of the column, and joins its dimensions with `flatten`. Checks
// the batch sizes.
Result<ColumnOutputs> OutputsOf(Transforms& transforms, const FeatureColumns& sorted, const VariableSettings& settings,
                                Result<ColumnValue> (*value_of)(Transforms&, const FeatureColumn&,
                                                                const VariableSettings&),
                                Output (*flatten)(const FeatureColumn&, Output value));

}  // namespace weir::feature_column
