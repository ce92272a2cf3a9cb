// Learning rate schedules with TensorFlow's formulas. The step may have any numeric type.
#pragma once

#include <vector>

#include "weir/graph/input.h"

namespace weir {

struct DecayOptions {
  bool staircase = false;
  std::string name = "";
};

// rate * decay_rate ^ (step / decay_steps)
Output ExponentialDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                        const Input& decay_rate, const DecayOptions& options = {});
// rate * exp(-decay_rate * step / decay_steps)
Output NaturalExpDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                       const Input& decay_rate, const DecayOptions& options = {});
// rate / (1 + decay_rate * step / decay_steps)
Output InverseTimeDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                        const Input& decay_rate, const DecayOptions& options = {});
Output PolynomialDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                       const Input& end_rate = 0.0001f, const Input& power = 1.0f, bool cycle = false,
                       std::string name = "");
// values[i] for steps in (boundaries[i-1], boundaries[i]].
Output PiecewiseConstant(Graph& graph, const Input& step, const InputList& boundaries, const InputList& values,
                         std::string name = "");
Output CosineDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps, float alpha = 0,
                   std::string name = "");
Output CosineDecayRestarts(Graph& graph, const Input& rate, const Input& step, const Input& first_decay_steps,
                           float t_mul = 2, float m_mul = 1, float alpha = 0, std::string name = "");
Output LinearCosineDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                         float num_periods = 0.5f, float alpha = 0, float beta = 0.001f, std::string name = "");
Output NoisyLinearCosineDecay(Graph& graph, const Input& rate, const Input& step, const Input& decay_steps,
                              float initial_variance = 1, float variance_decay = 0.55f, float num_periods = 0.5f,
                              float alpha = 0, float beta = 0.001f, std::string name = "");

}  // namespace weir
