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
//
// Graph-building functions store the first error in the graph; Op, Var and ClientSession throw it as weir::Error.
// graph/build has one function per op, by group, in weir::raw_ops: weir has it too, unless a function made of several
// ops (graph/compose) has its name. train has optimizers.
#pragma once

#include "graph/build/array_ops.h"
#include "graph/build/flow_ops.h"
#include "graph/build/io_ops.h"
#include "graph/build/math_ops.h"
#include "graph/build/nn_ops.h"
#include "graph/build/operators.h"
#include "graph/build/queue_ops.h"
#include "graph/build/reduce.h"
#include "graph/build/state_ops.h"
#include "graph/build/string_ops.h"
#include "graph/compose/accumulator.h"
#include "graph/compose/array.h"   // Zeros, Stack, BooleanMask, ...
#include "graph/compose/checks.h"  // AssertRelation, AssertRank, ...
#include "graph/compose/clip.h"
#include "graph/compose/convolution.h"
#include "graph/compose/embedding.h"
#include "graph/compose/flow.h"      // Cond, WhileLoop, Case
#include "graph/compose/flow_map.h"  // MapFn, Scan, Foldl, Foldr
#include "graph/compose/image.h"
#include "graph/compose/image_files.h"
#include "graph/compose/initializers.h"
#include "graph/compose/math.h"     // Norm, TensorDot, Einsum, ...
#include "graph/compose/metrics.h"  // metrics::Accuracy, metrics::Auc, ...
#include "graph/compose/nn.h"
#include "graph/compose/parse.h"  // ParseExample, FixedLenFeature, ...
#include "graph/compose/queue.h"
#include "graph/compose/random.h"
#include "graph/compose/rnn.h"           // DynamicRnn, StaticRnn, ...
#include "graph/compose/rnn_cells.h"     // BasicLstmCell, GruCell, ...
#include "graph/compose/rnn_wrappers.h"  // DropoutRnnCell, ResidualRnnCell, ...
#include "graph/compose/string.h"
#include "graph/compose/summary.h"
#include "graph/compose/tensor_array.h"
#include "graph/compose/variable.h"
#include "graph/compose/variable_scope.h"
#include "graph/gradients.h"
#include "graph/graph_def.h"
#include "io/idx.h"  // files of digits
#include "train/batching.h"
#include "train/coordinator.h"
#include "train/device_setter.h"
#include "train/file_writer.h"
#include "train/freeze_graph.h"
#include "train/global_step_variable.h"
#include "train/hooks.h"
#include "train/input_producers.h"
#include "train/learning_rate.h"
#include "train/monitored_session.h"
#include "train/moving_averages.h"
#include "train/optimizers.h"
#include "train/queue_runner.h"
#include "train/saved_model.h"
#include "train/saver.h"
#include "train/saving_hooks.h"
#include "train/scaffold.h"
#include "train/session_manager.h"
#include "train/supervisor.h"
#include "train/sync_replicas.h"
#include "weir/engine.h"
#include "weir/input.h"   // Features, Batched
#include "weir/layers.h"  // layers::Dense, layers::Conv2D, ...
