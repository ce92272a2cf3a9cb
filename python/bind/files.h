// Binds checkpoints, savers, meta graphs and record files.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "base/file_scheme.h"
#include "bind/errors.h"
#include "train/meta_graph.h"
#include "train/saver.h"

namespace weir::python {

namespace py = pybind11;

// Converts a path: str, bytes or os.PathLike. Raises TypeError for anything else.
std::string PathFrom(py::handle path);
// Raises tf.errors.*, as TensorFlow does for files.
inline void CheckFile(const Status& status) {
  if (!status.ok()) RaiseRunError(status, nullptr);
}
template <class T>
T TakeFile(Result<T> result) {
  CheckFile(result.status());
  return *std::move(result);
}

// Converts collection items for meta graphs: plain values, types registered with register_proto_function, and types
// with a registered codec.
CollectionCodec PythonCollectionCodec();
void AddCollectionCodec(CollectionCodec codec);

// Converts an exception to a Status, with its error code if it is one of tf.errors. Raising the Status raises the
// exception again.
Status StatusOfRun(py::error_already_set& error);

// Runs steps with run(fetches, feed_dict) of any session object. May be called without the GIL.
RunStep RunInPython(py::object session);

void BindCheckpoints(py::module_& m);
void BindSaver(py::module_& m);
void BindMetaGraph(py::module_& m);
void BindSavedModel(py::module_& m);
void BindRecords(py::module_& m);

}  // namespace weir::python
