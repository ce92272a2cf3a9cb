// Checkpoints, savers, meta graphs and record files in Python.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "base/file_scheme.h"
#include "bind/errors.h"
#include "train/meta_graph.h"
#include "train/saver.h"

namespace weir::python {

namespace py = pybind11;

// A path as str, bytes or os.PathLike; TypeError for anything else.
std::string PathFrom(py::handle path);
// The error classes that TensorFlow has for files: tf.errors.*.
inline void CheckFile(const Status& status) {
  if (!status.ok()) RaiseRunError(status, nullptr);
}
template <class T>
T TakeFile(Result<T> result) {
  CheckFile(result.status());
  return *std::move(result);
}

// How items of collections that Python knows cross into meta graphs: plain values, what register_proto_function names,
// and types that add a codec of their own.
CollectionCodec PythonCollectionCodec();
void AddCollectionCodec(CollectionCodec codec);

// The exception as a Status of the code that it has as one of tf.errors. Raising the Status raises the exception again.
Status StatusOfRun(py::error_already_set& error);

// A step in whatever `session` is: its run(fetches, feed_dict). May be called without the GIL.
RunStep RunInPython(py::object session);

void BindCheckpoints(py::module_& m);
void BindSaver(py::module_& m);
void BindMetaGraph(py::module_& m);
void BindSavedModel(py::module_& m);
void BindRecords(py::module_& m);

}  // namespace weir::python
