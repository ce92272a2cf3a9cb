#include "bind/shape.h"

#include "bind/errors.h"
#include "bind/messages.h"
#include "graph/texts.h"
#include "proto/tensor_shape.pb.h"
#include "tensor/tensor_proto.h"

namespace weir::python {
namespace {

bool IsDimension(py::handle object) { return py::isinstance<DimensionObject>(object); }

py::object SizeObject(int64_t size) { return size < 0 ? py::object(py::none()) : py::object(py::int_(size)); }

// Converts an operand of Dimension arithmetic. nullopt: let Python try the reflected method.
std::optional<int64_t> Operand(py::handle object) {
  if (object.is_none()) return kUnknownDim;
  if (IsDimension(object)) return object.cast<const DimensionObject&>().size;
  if (PyFloat_Check(object.ptr()) || PyIndex_Check(object.ptr()) == 0) return std::nullopt;
  return SizeFrom(object);
}

template <class F>
py::object Arithmetic(py::handle a, py::handle b, F compute) {
  const auto x = Operand(a);
  const auto y = Operand(b);
  if (!x || !y) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  if (*x < 0 || *y < 0) return DimensionObjectOf(kUnknownDim);
  const int64_t size = compute(*x, *y);
  if (size < 0) RaiseValue(fmt::format("Dimension {} must be >= 0", size));
  return DimensionObjectOf(size);
}

template <class F>
py::object Compare(const DimensionObject& a, py::handle b, F compare) {
  const auto y = Operand(b);
  if (!y) return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  if (a.size < 0 || *y < 0) return py::none();
  return py::bool_(compare(a.size, *y));
}

int64_t FloorDiv(int64_t a, int64_t b) {
  if (b == 0) {
    PyErr_SetString(PyExc_ZeroDivisionError, "division of a Dimension by zero");
    throw py::error_already_set();
  }
  return a / b;
}

bool Compatible(int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; }

void BindDimension(py::module_& m) {
  using D = DimensionObject;
  py::class_<D> cls(m, "Dimension");
  cls.def(py::init([](py::handle value) { return new D{SizeFrom(value)}; }), py::arg("value"))
      .def_property_readonly("value", [](const D& d) { return SizeObject(d.size); })
      .def(
          "__repr__",
          [](const D& d) { return d.size < 0 ? std::string("Dimension(None)") : fmt::format("Dimension({})", d.size); })
      .def("__str__", [](const D& d) { return d.size < 0 ? std::string("?") : std::to_string(d.size); })
      .def("__int__", [](const D& d) { return SizeObject(d.size); })
      .def("__long__", [](const D& d) { return SizeObject(d.size); })
      .def("__index__",
           [](const D& d) {
             if (d.size < 0) RaiseType("a Dimension of unknown size cannot be used as an index");
             return d.size;
           })
      .def("__hash__", [](const D& d) { return d.size; })
      .def(
          "is_compatible_with", [](const D& d, py::handle o) { return Compatible(d.size, SizeFrom(o)); },
          py::arg("other"))
      .def(
          "assert_is_compatible_with",
          [](const D& d, py::handle o) {
            if (!Compatible(d.size, SizeFrom(o)))
              RaiseValue(fmt::format("Dimensions {} and {} are not compatible", d.size, SizeFrom(o)));
          },
          py::arg("other"))
      .def(
          "merge_with",
          [](const D& d, py::handle o) {
            const int64_t size = SizeFrom(o);
            if (!Compatible(d.size, size))
              RaiseValue(fmt::format("Dimensions {} and {} are not compatible", d.size, size));
            return D{d.size < 0 ? size : d.size};
          },
          py::arg("other"))
      .def("__reduce__", [](const D& d) {
        return py::make_tuple(py::module_::import("weir._weir").attr("Dimension"), py::make_tuple(SizeObject(d.size)));
      });
  auto both = [&cls](const char* name, const char* reflected, auto compute) {
    cls.def(name, [compute](py::handle a, py::handle b) { return Arithmetic(a, b, compute); });
    cls.def(reflected, [compute](py::handle a, py::handle b) { return Arithmetic(b, a, compute); });
  };
  both("__add__", "__radd__", [](int64_t a, int64_t b) { return a + b; });
  both("__sub__", "__rsub__", [](int64_t a, int64_t b) { return a - b; });
  both("__mul__", "__rmul__", [](int64_t a, int64_t b) { return a * b; });
  both("__floordiv__", "__rfloordiv__", FloorDiv);
  both("__mod__", "__rmod__", [](int64_t a, int64_t b) { return a - b * FloorDiv(a, b); });
  cls.def("__truediv__", [](const D&, py::handle other) -> py::object {
    RaiseType(
        fmt::format("unsupported operand type(s) for /: 'Dimension' and '{}', please use // instead", TypeName(other)));
  });
  auto compared = [&cls](const char* name, auto compare) {
    cls.def(name, [compare](const D& d, py::handle other) { return Compare(d, other, compare); });
  };
  compared("__eq__", [](int64_t a, int64_t b) { return a == b; });
  compared("__ne__", [](int64_t a, int64_t b) { return a != b; });
  compared("__lt__", [](int64_t a, int64_t b) { return a < b; });
  compared("__le__", [](int64_t a, int64_t b) { return a <= b; });
  compared("__gt__", [](int64_t a, int64_t b) { return a > b; });
  compared("__ge__", [](int64_t a, int64_t b) { return a >= b; });
}

py::object DimOrDims(const ShapeObject& s, py::handle key) {
  const PartialShape& shape = s.shape;
  if (PySlice_Check(key.ptr())) {
    if (!shape.known_rank()) {
      // A slice from the front has a known length even if the rank is unknown.
      py::object start = key.attr("start");
      py::object stop = key.attr("stop");
      const int64_t first = start.is_none() ? 0 : start.cast<int64_t>();
      if (stop.is_none() || first < 0 || stop.cast<int64_t>() < 0) return ShapeObjectOf(PartialShape());
      return ShapeObjectOf(PartialShape::OfRank(static_cast<int>(std::max<int64_t>(0, stop.cast<int64_t>() - first))));
    }
    Py_ssize_t start = 0, stop = 0, step = 0;
    if (PySlice_Unpack(key.ptr(), &start, &stop, &step) != 0) throw py::error_already_set();
    const Py_ssize_t count = PySlice_AdjustIndices(shape.rank(), &start, &stop, step);
    DimVector dims;
    for (Py_ssize_t i = 0; i < count; ++i) dims.push_back(shape.dim(static_cast<int>(start + i * step)));
    return ShapeObjectOf(PartialShape(std::move(dims)));
  }
  int64_t i = py::cast<int64_t>(key);
  if (!shape.known_rank()) return DimensionObjectOf(kUnknownDim);
  if (i < 0) i += shape.rank();
  if (i < 0 || i >= shape.rank()) throw py::index_error("index out of range of a TensorShape");
  return DimensionObjectOf(shape.dim(static_cast<int>(i)));
}

py::list AsList(const ShapeObject& s) {
  if (!s.shape.known_rank()) RaiseValue("as_list() is not defined on an unknown TensorShape.");
  py::list list;
  for (int64_t size : s.shape.dims()) list.append(SizeObject(size));
  return list;
}

py::object Dims(const ShapeObject& s) {
  if (!s.shape.known_rank()) return py::none();
  py::list list;
  for (int64_t size : s.shape.dims()) list.append(DimensionObjectOf(size));
  return list;
}

py::object Rank(const ShapeObject& s) {
  return s.shape.known_rank() ? py::object(py::int_(s.shape.rank())) : py::object(py::none());
}

PartialShape WithRank(const PartialShape& shape, int rank) {
  if (!shape.known_rank()) return PartialShape::OfRank(rank);
  if (shape.rank() != rank) RaiseValue(fmt::format("Shape {} must have rank {}", ShapeText(shape), rank));
  return shape;
}

PartialShape MergeShapes(const PartialShape& a, const PartialShape& b) {
  auto merged = a.Merge(b);
  if (!merged.ok()) RaiseValue(fmt::format("Shapes {} and {} are not compatible", ShapeText(a), ShapeText(b)));
  return *merged;
}

// For ==: an object that is not a shape is not equal to one.
std::optional<PartialShape> OtherShape(py::handle object) {
  try {
    return ShapeFrom(object);
  } catch (py::error_already_set&) {
    return std::nullopt;
  }
}

}  // namespace

py::object ShapeObjectOf(PartialShape shape) { return py::cast(ShapeObject{std::move(shape)}); }
py::object DimensionObjectOf(int64_t size) { return py::cast(DimensionObject{size}); }

std::optional<int64_t> SizeOfDimension(py::handle object) {
  if (!IsDimension(object)) return std::nullopt;
  return object.cast<const DimensionObject&>().size;
}

const PartialShape* ShapeOfObject(py::handle object) {
  return py::isinstance<ShapeObject>(object) ? &object.cast<const ShapeObject&>().shape : nullptr;
}

namespace {

[[noreturn]] void RaiseNotADimension(py::handle object) {
  RaiseType(
      fmt::format("Dimension value must be integer or None or have an __index__ method, got value '{}' with type '{}'",
                  Repr(object), Repr(py::type::handle_of(object))));
}

[[noreturn]] void RaiseNotAShape(py::handle object) {
  RaiseType(fmt::format(
      "Failed to convert '{0}' to a shape: '{0}'could not be converted to a dimension. A shape should either be single "
      "dimension (e.g. 10), or an iterable of dimensions (e.g. [1, 10, None]).",
      Repr(object)));
}

}  // namespace

int64_t SizeFrom(py::handle object) {
  if (object.is_none()) return kUnknownDim;
  if (IsDimension(object)) return object.cast<const DimensionObject&>().size;
  py::object index;
  if (PyFloat_Check(object.ptr()) &&
      PyFloat_AS_DOUBLE(object.ptr()) == static_cast<double>(static_cast<int64_t>(PyFloat_AS_DOUBLE(object.ptr())))) {
    RaiseNotADimension(object);
  }
  index = py::reinterpret_steal<py::object>(PyNumber_Index(object.ptr()));
  if (!index) {
    PyErr_Clear();
    RaiseNotADimension(object);
  }
  const int64_t size = PyLong_AsLongLong(index.ptr());
  if (size == -1 && PyErr_Occurred() != nullptr) throw py::error_already_set();
  if (size < 0) RaiseValue(fmt::format("Dimension {} must be >= 0", size));
  return size;
}

PartialShape ShapeFrom(py::handle object) {
  if (const PartialShape* shape = ShapeOfObject(object)) return *shape;
  if (object.is_none()) return PartialShape();
  if (py::hasattr(object, "unknown_rank") && py::hasattr(object, "SerializeToString"))
    return Take(FromProto(MessageFrom<tensorflow::TensorShapeProto>(object)));
  DimVector dims;
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) {
    for (py::handle item : py::reinterpret_borrow<py::sequence>(object)) dims.push_back(SizeFrom(item));
  } else if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr())) {
    RaiseNotAShape(object);
  } else if (PyIndex_Check(object.ptr()) != 0 || IsDimension(object)) {
    // A numpy vector also has __index__, but is a list of sizes.
    if (py::hasattr(object, "ndim") && object.attr("ndim").cast<int>() > 0) {
      for (py::handle item : py::iter(object)) dims.push_back(SizeFrom(item));
    } else {
      dims.push_back(SizeFrom(object));
    }
  } else {
    py::object iterator = py::reinterpret_steal<py::object>(PyObject_GetIter(object.ptr()));
    if (!iterator) {
      PyErr_Clear();
      RaiseNotAShape(object);
    }
    for (py::handle item : py::reinterpret_borrow<py::iterator>(iterator)) dims.push_back(SizeFrom(item));
  }
  return Take(PartialShape::Make(dims));
}

std::string ShapeText(const PartialShape& shape) { return PythonText(shape); }

void BindShape(py::module_& m) {
  BindDimension(m);
  using S = ShapeObject;
  py::class_<S> cls(m, "TensorShape");
  cls.def(py::init([](py::handle dims) { return new S{ShapeFrom(dims)}; }), py::arg("dims"))
      .def_property_readonly("rank", Rank)
      .def_property_readonly("ndims", Rank)
      .def_property_readonly("dims", Dims)
      .def("as_list", AsList)
      .def("as_proto",
           [](const S& s) {
             tensorflow::TensorShapeProto proto;
             ToProto(s.shape, &proto);
             return MessageToPython("TensorShapeProto", proto);
           })
      .def("num_elements",
           [](const S& s) -> py::object {
             return s.shape.fully_defined() ? py::object(py::int_(s.shape.num_elements())) : py::object(py::none());
           })
      .def("is_fully_defined", [](const S& s) { return s.shape.fully_defined(); })
      .def("assert_is_fully_defined",
           [](const S& s) {
             if (!s.shape.fully_defined()) RaiseValue(fmt::format("Shape {} is not fully defined", ShapeText(s.shape)));
           })
      .def(
          "is_compatible_with", [](const S& s, py::handle o) { return s.shape.CompatibleWith(ShapeFrom(o)); },
          py::arg("other"))
      .def(
          "assert_is_compatible_with",
          [](const S& s, py::handle o) {
            const PartialShape other = ShapeFrom(o);
            if (!s.shape.CompatibleWith(other))
              RaiseValue(fmt::format("Shapes {} and {} are incompatible", ShapeText(s.shape), ShapeText(other)));
          },
          py::arg("other"))
      .def(
          "merge_with", [](const S& s, py::handle o) { return S{MergeShapes(s.shape, ShapeFrom(o))}; },
          py::arg("other"))
      .def(
          "concatenate", [](const S& s, py::handle o) { return S{s.shape.Concat(ShapeFrom(o))}; }, py::arg("other"))
      .def("__add__", [](const S& s, py::handle o) { return S{s.shape.Concat(ShapeFrom(o))}; })
      .def("__radd__", [](const S& s, py::handle o) { return S{ShapeFrom(o).Concat(s.shape)}; })
      .def(
          "with_rank", [](const S& s, int rank) { return S{WithRank(s.shape, rank)}; }, py::arg("rank"))
      .def(
          "assert_has_rank", [](const S& s, int rank) { WithRank(s.shape, rank); }, py::arg("rank"))
      .def(
          "with_rank_at_least",
          [](const S& s, int rank) {
            if (s.shape.known_rank() && s.shape.rank() < rank)
              RaiseValue(fmt::format("Shape {} must have rank at least {}", ShapeText(s.shape), rank));
            return s;
          },
          py::arg("rank"))
      .def(
          "with_rank_at_most",
          [](const S& s, int rank) {
            if (s.shape.known_rank() && s.shape.rank() > rank)
              RaiseValue(fmt::format("Shape {} must have rank at most {}", ShapeText(s.shape), rank));
            return s;
          },
          py::arg("rank"))
      .def(
          "assert_same_rank",
          [](const S& s, py::handle o) {
            const PartialShape other = ShapeFrom(o);
            if (s.shape.known_rank() && other.known_rank() && s.shape.rank() != other.rank())
              RaiseValue(fmt::format("Shapes {} and {} must have the same rank", ShapeText(s.shape), ShapeText(other)));
          },
          py::arg("other"))
      .def("__len__",
           [](const S& s) {
             if (!s.shape.known_rank()) RaiseValue("Cannot take the length of shape with unknown rank.");
             return s.shape.rank();
           })
      .def("__bool__", [](const S& s) { return s.shape.known_rank(); })
      .def("__iter__",
           [](const S& s) {
             if (!s.shape.known_rank()) RaiseValue("Cannot iterate over a shape with unknown rank.");
             return py::iter(Dims(s));
           })
      .def("__getitem__", DimOrDims)
      .def("__eq__",
           [](const S& s, py::handle o) {
             auto other = OtherShape(o);
             return other.has_value() && *other == s.shape;
           })
      .def("__ne__",
           [](const S& s, py::handle o) {
             auto other = OtherShape(o);
             if (!other.has_value()) return true;
             if (!s.shape.known_rank() || !other->known_rank())
               RaiseValue("The inequality of unknown TensorShapes is undefined.");
             return !(*other == s.shape);
           })
      .def("__hash__", [](const S& s) { return py::hash(py::str(s.shape.ToString())); })
      .def("__str__", [](const S& s) { return ShapeText(s.shape); })
      .def("__repr__",
           [](const S& s) {
             return s.shape.known_rank() ? fmt::format("TensorShape({})", Repr(Dims(s)))
                                         : std::string("TensorShape(None)");
           })
      .def("__reduce__", [](const S& s) {
        py::object dims = s.shape.known_rank() ? py::object(AsList(s)) : py::object(py::none());
        return py::make_tuple(py::module_::import("weir._weir").attr("TensorShape"), py::make_tuple(dims));
      });
  m.def("as_shape", [](py::handle shape) { return S{ShapeFrom(shape)}; });
  m.def("as_dimension", [](py::handle value) { return DimensionObject{SizeFrom(value)}; });
}

}  // namespace weir::python
