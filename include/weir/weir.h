// Weir for C++ programs: build a graph, differentiate it, run it.
//
//   weir::Engine engine;
//   weir::Graph& g = engine.graph();
//   auto x = Placeholder(g, weir::kFloat, {.shape = {weir::kUnknownDim, 2}});
//   weir::Var w(g, weir::Tensor::Zeros(weir::kFloat, {2, 1}).value());
//   auto loss = ReduceMean(Square(MatMul(x, w) - 1.0f));
//   weir::Op train = weir::AdagradOptimizer(0.1).Minimize(loss);
//   weir::ClientSession session(engine);
//   session.Run(engine.InitializeVariables());
//   session.Run({{x, batch}}, {loss}, {train});
//
// Layers: weir/layers.h. Records, queues and batches: weir/input.h. This header includes both.
//
// Clusters:
//   engine.StartServer(cluster, "ps", 0)                               start a server
//   DeviceScope(g, "/job:ps/task:0")                                   place nodes
//   ClientSession(engine, "grpc://host:port")                          connect
// Training with initialization, checkpoints, recovery and shutdown:
//   Supervisor::Make(g, ...), RunManaged(supervisor, engine, target, ...)
//   MonitoredTrainingSession(g, engine.Sessions(target), ...)          with hooks, and recovery from lost tasks
//   Estimator (weir/estimator.h)                                       train, evaluate, predict and export a model
//
// Graph-building functions store the first error in the graph; Op, Var and ClientSession throw it as weir::Error.
// weir/graph/build has one function per op, by group, in weir::raw_ops: weir has it too, unless a function made of
// several ops (weir/graph/compose) has its name. weir/train has optimizers. docs/cpp.md has an example of each.
#pragma once

#include "weir/engine.h"
#include "weir/estimator.h"
#include "weir/graph/build/array_ops.h"
#include "weir/graph/build/flow_ops.h"
#include "weir/graph/build/io_ops.h"
#include "weir/graph/build/math_ops.h"
#include "weir/graph/build/nn_ops.h"
#include "weir/graph/build/operators.h"
#include "weir/graph/build/queue_ops.h"
#include "weir/graph/build/ragged_ops.h"
#include "weir/graph/build/reduce.h"
#include "weir/graph/build/signal_ops.h"
#include "weir/graph/build/state_ops.h"
#include "weir/graph/build/string_ops.h"
#include "weir/graph/compose/accumulator.h"
#include "weir/graph/compose/array.h"   // Zeros, Stack, BooleanMask, ...
#include "weir/graph/compose/checks.h"  // AssertRelation, AssertRank, ...
#include "weir/graph/compose/clip.h"
#include "weir/graph/compose/contrib_metrics.h"
#include "weir/graph/compose/convolution.h"
#include "weir/graph/compose/embedding.h"
#include "weir/graph/compose/feature_columns.h"  // NumericColumn, InputLayer, LinearModel, ...
#include "weir/graph/compose/flow.h"             // Cond, WhileLoop, Case
#include "weir/graph/compose/flow_map.h"         // MapFn, Scan, Foldl, Foldr
#include "weir/graph/compose/image.h"
#include "weir/graph/compose/image_files.h"
#include "weir/graph/compose/initializers.h"
#include "weir/graph/compose/math.h"     // Norm, TensorDot, Einsum, ...
#include "weir/graph/compose/metrics.h"  // metrics::Accuracy, metrics::Auc, ...
#include "weir/graph/compose/nn.h"
#include "weir/graph/compose/parse.h"  // ParseExample, FixedLenFeature, ...
#include "weir/graph/compose/queue.h"
#include "weir/graph/compose/random.h"
#include "weir/graph/compose/rnn.h"           // DynamicRnn, StaticRnn, ...
#include "weir/graph/compose/rnn_cells.h"     // BasicLstmCell, GruCell, ...
#include "weir/graph/compose/rnn_wrappers.h"  // DropoutRnnCell, ResidualRnnCell, ...
#include "weir/graph/compose/string.h"
#include "weir/graph/compose/summary.h"
#include "weir/graph/compose/tensor_array.h"
#include "weir/graph/compose/variable.h"
#include "weir/graph/compose/variable_scope.h"
#include "weir/graph/gradients.h"
#include "weir/graph/graph_def.h"
#include "weir/graph_bytes.h"
#include "weir/input.h"   // Features, Batched
#include "weir/io/idx.h"  // files of digits
#include "weir/layers.h"  // layers::Dense, layers::Conv2D, ...
#include "weir/train/batching.h"
#include "weir/train/bucketing.h"
#include "weir/train/checkpoint_wait.h"
#include "weir/train/contrib_optimizers.h"
#include "weir/train/coordinator.h"
#include "weir/train/device_setter.h"
#include "weir/train/file_writer.h"
#include "weir/train/freeze_graph.h"
#include "weir/train/global_step_variable.h"
#include "weir/train/gradient_edits.h"
#include "weir/train/hooks.h"
#include "weir/train/input_producers.h"
#include "weir/train/learning_rate.h"
#include "weir/train/monitored_session.h"
#include "weir/train/moving_averages.h"
#include "weir/train/optimizers.h"
#include "weir/train/queue_runner.h"
#include "weir/train/resampling.h"
#include "weir/train/saved_model.h"
#include "weir/train/saver.h"
#include "weir/train/saving_hooks.h"
#include "weir/train/scaffold.h"
#include "weir/train/session_manager.h"
#include "weir/train/supervisor.h"
#include "weir/train/sync_replicas.h"
#include "weir/train/train_loop.h"
