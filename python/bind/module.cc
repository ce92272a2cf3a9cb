// The extension module weir._weir. Calls the Bind functions of this folder in the order in which types depend on each
// other.
#include <pybind11/pybind11.h>

#include "base/startup_pages.h"
#include "bind/arguments.h"
#include "bind/cluster.h"
#include "bind/contrib.h"
#include "bind/convolution.h"
#include "bind/coordinator.h"
#include "bind/dataset.h"
#include "bind/device_setter.h"
#include "bind/dtype.h"
#include "bind/errors.h"
#include "bind/estimator.h"
#include "bind/feature_columns.h"
#include "bind/files.h"
#include "bind/gil.h"
#include "bind/hooks.h"
#include "bind/keras.h"
#include "bind/literal.h"
#include "bind/metrics.h"
#include "bind/nest.h"
#include "bind/numpy.h"
#include "bind/objects.h"
#include "bind/op_errors.h"
#include "bind/operators.h"
#include "bind/ops.h"
#include "bind/process.h"
#include "bind/py_func.h"
#include "bind/queue.h"
#include "bind/queue_runner.h"
#include "bind/ragged.h"
#include "bind/rnn.h"
#include "bind/seq2seq.h"
#include "bind/server.h"
#include "bind/session.h"
#include "bind/session_manager.h"
#include "bind/sets.h"
#include "bind/shape.h"
#include "bind/sparse.h"
#include "bind/summary.h"
#include "bind/supervisor.h"
#include "bind/tensor_array.h"
#include "bind/train.h"
#include "bind/variables.h"

PYBIND11_MODULE(_weir, m) {
  using namespace weir::python;
  m.doc() = "The C++ engine of Weir.";
  TranslateOutOfMemory();
  BindNumpy(m);
  weir::ReleaseStartupPages();  // startup pages of linking and of numpy
  BindDType(m);
  BindShape(m);
  BindGraph(m);
  BindOperation(m);
  BindTensor(m);
  BindOperators(m);
  BindSparse(m);
  BindLiteral(m);
  BindOps(m);
  BindVariables(m);
  BindVariableScopes(m);
  BindGradients(m);
  BindOptimizers(m);
  BindLearningRates(m);
  BindSparseFunctions(m);
  BindSets(m);
  BindMath(m);
  BindArray(m);
  BindLinalg(m);
  BindLinearOperators(m);
  BindSignal(m);
  BindRagged(m);
  BindNn(m);
  BindConvolution(m);
  BindLayers(m);
  BindRandom(m);
  BindProbabilities(m);
  BindString(m);
  BindChecks(m);
  BindLosses(m);
  BindKeras(m);
  BindMetrics(m);
  BindContribLayers(m);
  BindContribMetrics(m);
  BindContribTrain(m);
  BindImage(m);
  BindLookup(m);
  BindGraphParts(m);
  BindParsing(m);
  BindFeatureColumns(m);
  BindSummaries(m);
  BindTensorArray(m);
  BindQueues(m);
  BindAccumulators(m);
  BindNest(m);
  BindFlow(m);
  BindRnn(m);
  BindSeq2seq(m);
  BindAttention(m);
  BindSequenceLabels(m);
  BindPyFunc(m);
  BindDefun(m);
  BindDataset(m);
  BindSavedIterators(m);
  BindCluster(m);
  BindDeviceSetter(m);
  BindCoordinator(m);
  BindSession(m);
  BindQueueRunner(m);
  BindInputPipelines(m);
  BindWorkQueues(m);
  BindSyncReplicas(m);
  BindGlobalStep(m);
  BindImportGraph(m);
  BindCheckpoints(m);
  BindSaver(m);
  BindSessionManager(m);
  BindScaffold(m);
  BindMetaGraph(m);
  BindSavedModel(m);
  BindRecords(m);
  BindFileWriter(m);
  BindSupervisor(m);
  BindHooks(m);
  BindSavingHooks(m);
  BindMonitoredSession(m);
  BindEstimator(m);
  BindServer(m);
  CountCalls(m);
  // Called after CountCalls, so that these functions are not counted. They call no Python code. The functions of the
  // live line are called while the locks of an output stream are held, and a thread must not park then.
  BindProcess(m);
}
