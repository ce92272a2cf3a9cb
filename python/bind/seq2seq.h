// Binds the functions below tf.contrib.seq2seq, tf.contrib.crf and CTC of tf.nn. Python's decoders, helpers and
// attention mechanisms are in weir/lib/seq2seq_*.py.
#pragma once

#include <pybind11/pybind11.h>

namespace weir::python {

void BindSeq2seq(pybind11::module_& m);
void BindAttention(pybind11::module_& m);
void BindSequenceLabels(pybind11::module_& m);

}  // namespace weir::python
