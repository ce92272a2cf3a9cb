#include "bind/origins.h"

#include <frameobject.h>

#include <algorithm>

namespace weir::python {
namespace {
constexpr size_t kMostFrames = 64;
}  // namespace

Origins::Origins() { frames_.push_back({0, nullptr, 0}); }

Origins::~Origins() {
  for (const Frame& f : frames_) Py_XDECREF(f.code);
}

void Origins::RecordNew(int num_nodes) { stacks_.resize(static_cast<size_t>(num_nodes), CurrentStack()); }

uint32_t Origins::CurrentStack() {
  Frame stack[kMostFrames];  // innermost first
  size_t depth = 0;
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame != nullptr && depth < kMostFrames) {
    stack[depth++] = {0, PyFrame_GetCode(frame), PyFrame_GetLasti(frame)};
    PyFrameObject* back = PyFrame_GetBack(frame);
    Py_DECREF(frame);
    frame = back;
  }
  Py_XDECREF(frame);
  uint32_t at = 0;
  while (depth > 0) {
    Frame& next = stack[--depth];
    next.parent = at;
    const auto [found, is_new] = known_.try_emplace(next, static_cast<uint32_t>(frames_.size()));
    if (is_new)
      frames_.push_back(next);  // takes over the reference
    else
      Py_DECREF(next.code);
    at = found->second;
  }
  return at;
}

py::list Origins::StackOf(int node) const {
  py::list stack;
  if (static_cast<size_t>(node) >= stacks_.size()) return stack;
  std::vector<const Frame*> frames;
  for (uint32_t at = stacks_[static_cast<size_t>(node)]; at != 0; at = frames_[at].parent)
    frames.push_back(&frames_[at]);
  std::reverse(frames.begin(), frames.end());
  py::object line_of = py::module_::import("linecache").attr("getline");
  for (const Frame* f : frames) {
    py::object code = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(f->code));
    py::object file = code.attr("co_filename");
    if (py::cast<std::string>(file).starts_with("<signature of ")) continue;  // made by weir/_signatures.py
    const int line = PyCode_Addr2Line(f->code, f->instruction);
    stack.append(py::make_tuple(file, line, code.attr("co_name"), line_of(file, line).attr("strip")()));
  }
  return stack;
}

}  // namespace weir::python
