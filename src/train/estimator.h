// Estimators for Weir's own code: the public header, and parts that training, evaluation and export share.
#ifndef WEIR_TRAIN_ESTIMATOR_PARTS_H_
#define WEIR_TRAIN_ESTIMATOR_PARTS_H_

#include "train/saved_model.h"
#include "weir/train/estimator.h"

namespace weir {

// A new graph with a model, and the scopes in which it is built and completed.
struct BuiltModel {
  std::shared_ptr<Graph> graph;
  std::shared_ptr<void> scopes;
  Output global_step;
  EstimatorSpec spec;
};
Result<BuiltModel> BuildModel(EstimatorHost& host, const RunConfig& config, const ModelBuilder& build,
                              EstimatorMode mode);
// The given checkpoint, or else the latest of the model; "" if there is none.
Result<std::string> CheckpointOf(const RunConfig& config, const std::string& given);
Result<std::unique_ptr<MonitoredSession>> StartSession(EstimatorHost& host, const BuiltModel& model,
                                                       std::vector<HookPtr> hooks,
                                                       const EstimatorHost::SessionRequest& request,
                                                       CancelToken* cancel);
// Runs steps until a hook requests a stop or the input ends, and closes the session.
Status RunUntilStop(MonitoredSession& session, CancelToken* cancel, const std::function<Status()>& step);

}  // namespace weir

#endif  // WEIR_TRAIN_ESTIMATOR_PARTS_H_
