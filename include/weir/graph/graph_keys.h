// Names of the standard collections, spelled as in TensorFlow.
#ifndef WEIR_GRAPH_GRAPH_KEYS_H_
#define WEIR_GRAPH_GRAPH_KEYS_H_

namespace weir::graph_keys {

inline constexpr char kGlobalVariables[] = "variables";
inline constexpr char kLocalVariables[] = "local_variables";
inline constexpr char kMetricVariables[] = "metric_variables";
inline constexpr char kModelVariables[] = "model_variables";
inline constexpr char kTrainableVariables[] = "trainable_variables";
inline constexpr char kMovingAverageVariables[] = "moving_average_variables";
inline constexpr char kSummaries[] = "summaries";
inline constexpr char kQueueRunners[] = "queue_runners";
inline constexpr char kTableInitializers[] = "table_initializer";
inline constexpr char kAssetFilepaths[] = "asset_filepaths";
inline constexpr char kRegularizationLosses[] = "regularization_losses";
inline constexpr char kLosses[] = "losses";
inline constexpr char kWeights[] = "weights";
inline constexpr char kBiases[] = "biases";
inline constexpr char kActivations[] = "activations";
inline constexpr char kUpdateOps[] = "update_ops";
inline constexpr char kSavers[] = "savers";
inline constexpr char kSaveableObjects[] = "saveable_objects";
inline constexpr char kInitOp[] = "init_op";
inline constexpr char kLocalInitOp[] = "local_init_op";
inline constexpr char kReadyOp[] = "ready_op";
inline constexpr char kReadyForLocalInitOp[] = "ready_for_local_init_op";
inline constexpr char kSummaryOp[] = "summary_op";
inline constexpr char kGlobalStep[] = "global_step";
inline constexpr char kGlobalStepRead[] = "global_step_read_op_cache";
inline constexpr char kTrainOp[] = "train_op";
inline constexpr char kCondContext[] = "cond_context";
inline constexpr char kWhileContext[] = "while_context";

}  // namespace weir::graph_keys

#endif  // WEIR_GRAPH_GRAPH_KEYS_H_
