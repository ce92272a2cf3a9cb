// Losses and metrics with the formulas of Keras: one value per example, reduced over the last axis. Labels are cast to
// the type of the predictions.
#pragma once

#include <string>

#include "graph/graph.h"
#include "graph/input.h"

namespace weir {

struct KerasLossOptions {
  bool from_logits = false;
  double label_smoothing = 0;
  int axis = -1;
  double epsilon = 1e-7;   // keeps divisors and arguments of logarithms from zero
  double threshold = 0.5;  // binary_accuracy: above it, a prediction counts as one
  double delta = 1;        // huber: where the loss becomes linear
  int64_t k = 5;           // top_k_categorical_accuracy
};
// `kind` is the name of a function of tf.keras.losses or tf.keras.metrics: "mean_squared_error". "element_crossentropy"
// is binary_crossentropy without the reduction. InvalidArgument for an unknown name.
Result<Output> KerasLoss(Graph& graph, const std::string& kind, const Input& labels, const Input& predictions,
                         const KerasLossOptions& options = {});
}  // namespace weir
