#include "bind/argument_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bind/errors.h"

namespace weir::python {
namespace {

namespace py = pybind11;

struct Parameter {
  std::string name;
  std::string type;
  bool has_default = false;
};

// A line of pybind11's text: "    1. (x: Tensor, axis: int = -1, *, name: Optional[str] = None) -> Tensor".
struct Signature {
  std::vector<Parameter> parameters;
  size_t num_positional = 0;
  bool takes_any_positional = false;  // *args
  bool takes_any_keyword = false;     // **kwargs
};

// The position of `wanted` outside of brackets and quotes.
size_t FindOutside(std::string_view text, std::string_view wanted) {
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (depth == 0 && quote == 0 && text.substr(i).starts_with(wanted)) return i;
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  return std::string_view::npos;
}

Signature ParseSignature(std::string_view line) {
  Signature signature;
  const size_t begin = line.find('(');
  if (begin == std::string_view::npos) return signature;
  std::string_view rest = line.substr(begin + 1);
  rest = rest.substr(0, FindOutside(rest, ")"));
  bool positional = true;
  while (!rest.empty()) {
    const size_t end = FindOutside(rest, ", ");
    std::string_view item = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 2);
    if (item.starts_with("*")) {
      signature.takes_any_keyword |= item.starts_with("**");
      signature.takes_any_positional |= item.size() > 1 && item[1] != '*';
      positional = false;
      continue;
    }
    const size_t equals = FindOutside(item, " = ");
    const size_t colon = item.find(": ");
    Parameter parameter{.name = std::string(item.substr(0, colon)), .type = "", .has_default = equals != item.npos};
    if (colon != item.npos) parameter.type = item.substr(colon + 2, equals == item.npos ? equals : equals - colon - 2);
    signature.parameters.push_back(std::move(parameter));
    if (positional) ++signature.num_positional;
  }
  return signature;
}

// "int" for "Optional[int]"; "Graph" for "weir._weir.Graph" and "weir::Graph".
std::string ShortType(std::string_view type) {
  if (type.starts_with("Optional[") && type.ends_with("]")) type = type.substr(9, type.size() - 10);
  if (type.find('[') != type.npos) return std::string(type);
  const size_t last = type.find_last_of(".:");
  return std::string(last == type.npos ? type : type.substr(last + 1));
}

bool IsOfClass(py::handle value, const std::string& name) {
  for (py::handle base : py::reinterpret_borrow<py::tuple>(Py_TYPE(value.ptr())->tp_mro)) {
    if (ShortType(reinterpret_cast<PyTypeObject*>(base.ptr())->tp_name) == name) return true;
  }
  return false;
}

// Returns nullopt for an integer that may be too large for the parameter.
std::optional<bool> IsInt(PyObject* object) {
  const PyNumberMethods* const number = Py_TYPE(object)->tp_as_number;
  if (PyFloat_Check(object) != 0) return false;
  if (PyLong_Check(object) == 0) return PyIndex_Check(object) != 0 || (number != nullptr && number->nb_int != nullptr);
  int overflow = 0;
  const int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow != 0) return false;
  return value == static_cast<int32_t>(value) ? std::optional<bool>(true) : std::nullopt;
}

// Whether a value can be converted to the type; nullopt if the name of the type does not tell.
std::optional<bool> Fits(std::string_view type, py::handle value) {
  PyObject* const object = value.ptr();
  const PyNumberMethods* const number = Py_TYPE(object)->tp_as_number;
  if (type.starts_with("Optional[") && value.is_none()) return true;
  const std::string wanted = ShortType(type);
  if (wanted == "str") return PyUnicode_Check(object) != 0 || PyBytes_Check(object) != 0;
  if (wanted == "bool") return value.is_none() || (number != nullptr && number->nb_bool != nullptr);
  if (wanted == "int") return IsInt(object);
  if (wanted == "float") return PyIndex_Check(object) != 0 || (number != nullptr && number->nb_float != nullptr);
  if (IsOfClass(value, wanted)) return true;
  const bool is_list = wanted.starts_with("List[");
  if (is_list && (PyUnicode_Check(object) != 0 || PySequence_Check(object) == 0)) return false;
  const std::string element = is_list ? wanted.substr(5, wanted.size() - 6) : "";
  if (element != "int" && element != "float" && element != "str" && element != "bool") return std::nullopt;
  if (PyList_Check(object) == 0 && PyTuple_Check(object) == 0) return std::nullopt;
  for (py::handle item : py::reinterpret_borrow<py::sequence>(value)) {
    if (Fits(element, item) == false) return false;
  }
  return std::nullopt;
}

std::string Quoted(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(fmt::format("'{}'", name));
  if (quoted.size() < 2) return quoted.empty() ? "" : quoted[0];
  const std::string last = quoted.back();
  quoted.pop_back();
  return fmt::format("{}{} and {}", fmt::join(quoted, ", "), quoted.size() > 1 ? "," : "", last);
}

std::string Shown(py::handle value) {
  constexpr size_t kMost = 100;
  std::string text = Repr(value);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

struct Binding {
  std::string error;               // the call does not fit the number or the names of the parameters
  std::vector<py::handle> values;  // by parameter; null if not given
};

Binding Bind(const std::string& name, const Signature& signature, const py::tuple& arguments,
             const py::dict& keywords) {
  Binding binding;
  binding.values.resize(signature.parameters.size());
  if (arguments.size() > signature.num_positional && !signature.takes_any_positional) {
    binding.error = fmt::format("{}() takes {} positional argument{} but {} were given", name, signature.num_positional,
                                signature.num_positional == 1 ? "" : "s", arguments.size());
    return binding;
  }
  for (size_t i = 0; i < arguments.size() && i < signature.num_positional; ++i) binding.values[i] = arguments[i];
  for (const auto& [key, value] : keywords) {
    const std::string word = py::str(key);
    const auto found = std::find_if(signature.parameters.begin(), signature.parameters.end(),
                                    [&](const Parameter& p) { return p.name == word; });
    if (found == signature.parameters.end()) {
      if (signature.takes_any_keyword) continue;
      binding.error = fmt::format("{}() got an unexpected keyword argument '{}'", name, word);
      return binding;
    }
    py::handle& taken = binding.values[found - signature.parameters.begin()];
    if (taken.ptr() != nullptr) {
      binding.error = fmt::format("{}() got multiple values for argument '{}'", name, word);
      return binding;
    }
    taken = value;
  }
  std::vector<std::string> missing;
  for (size_t i = 0; i < binding.values.size(); ++i) {
    const Parameter& parameter = signature.parameters[i];
    if (binding.values[i].ptr() == nullptr && !parameter.has_default) missing.push_back(parameter.name);
  }
  if (!missing.empty())
    binding.error = fmt::format("{}() missing {} required positional argument{}: {}", name, missing.size(),
                                missing.size() == 1 ? "" : "s", Quoted(missing));
  return binding;
}

std::string Explanation(const std::string& name, const std::vector<Signature>& signatures, const py::tuple& arguments,
                        const py::dict& keywords) {
  std::string wrong_name, wrong_value, misfit;
  std::vector<std::string> wanted;  // the types that the overloads take for the wrong argument
  for (const Signature& signature : signatures) {
    const Binding binding = Bind(name, signature, arguments, keywords);
    if (!binding.error.empty()) {
      misfit = binding.error;
      continue;
    }
    std::optional<size_t> wrong;
    // Arguments for which Fits has no answer. Most values can be converted to tensors, so an argument of another type
    // is the likelier culprit.
    std::vector<size_t> tensors, others;
    for (size_t i = 0; i < binding.values.size() && !wrong.has_value(); ++i) {
      if (binding.values[i].ptr() == nullptr) continue;
      const std::string& type = signature.parameters[i].type;
      const std::optional<bool> fits = Fits(type, binding.values[i]);
      if (fits == false) wrong = i;
      if (!fits.has_value()) (ShortType(type) == "Tensor" ? tensors : others).push_back(i);
    }
    if (const std::vector<size_t>& unknown = others.empty() ? tensors : others; !wrong && unknown.size() == 1)
      wrong = unknown[0];
    if (!wrong.has_value()) continue;
    const Parameter& parameter = signature.parameters[*wrong];
    if (!wrong_name.empty() && parameter.name != wrong_name) continue;
    wrong_name = parameter.name;
    wrong_value = Shown(binding.values[*wrong]);
    const std::string type = ShortType(parameter.type);
    if (std::find(wanted.begin(), wanted.end(), type) == wanted.end()) wanted.push_back(type);
  }
  if (!wanted.empty())
    return fmt::format("Expected {} for argument '{}' not {}.", fmt::join(wanted, " or "), wrong_name, wrong_value);
  if (!misfit.empty()) return misfit;
  std::vector<std::string> types;
  for (py::handle value : arguments) types.push_back(Py_TYPE(value.ptr())->tp_name);
  for (const auto& [key, value] : keywords)
    types.push_back(fmt::format("{}={}", std::string(py::str(key)), Py_TYPE(value.ptr())->tp_name));
  return fmt::format("{}() does not take these values: ({})", name, fmt::join(types, ", "));
}

std::optional<std::string> Explain(const std::string& text, PyObject* arguments, PyObject* keywords) {
  const size_t marker = text.find("(): incompatible ");
  const size_t list = text.find(" arguments. The following argument types are supported:\n");
  const size_t end = text.find("\n\nInvoked with:");
  if (marker == text.npos || list == text.npos || end == text.npos || end < list) return std::nullopt;
  std::string name = text.substr(0, marker);
  auto given = py::reinterpret_borrow<py::tuple>(arguments);
  if (name == "__init__" && !given.empty()) {  // shown as a call of the class, without self
    name = ShortType(Py_TYPE(given[0].ptr())->tp_name);
    given = given[py::slice(1, static_cast<py::ssize_t>(given.size()), 1)];
  }
  std::vector<Signature> signatures;
  for (size_t line = text.find('\n', list); line < end;) {
    const size_t next = text.find('\n', line + 1);
    signatures.push_back(ParseSignature(std::string_view(text).substr(line, next - line)));
    line = next;
  }
  const auto words = keywords == nullptr ? py::dict() : py::reinterpret_borrow<py::dict>(keywords);
  return Explanation(name, signatures, given, words);
}

// For a value that was converted inside of the function: "Unable to cast Python instance of type <class 'str'> to C++
// type 'int'". Names the argument if only one is of that class.
std::optional<std::string> ExplainCast(const std::string& text, PyObject* arguments, PyObject* keywords) {
  constexpr std::string_view kBegin = "Unable to cast Python instance of type <class '", kMiddle = "'> to C++ type '";
  const size_t middle = text.find(kMiddle);
  if (!text.starts_with(kBegin) || middle == text.npos || text.back() != '\'') return std::nullopt;
  const std::string given = text.substr(kBegin.size(), middle - kBegin.size());
  std::string wanted = text.substr(middle + kMiddle.size());
  wanted.pop_back();
  if (wanted.find("basic_string") != wanted.npos) wanted = "str";
  if (wanted == "long") wanted = "int";
  if (wanted == "double") wanted = "float";
  std::vector<std::string> found;
  const auto look = [&](py::handle value, const std::string& where) {
    if (Py_TYPE(value.ptr())->tp_name == given) found.push_back(fmt::format("{} not {}", where, Shown(value)));
  };
  for (py::handle value : py::reinterpret_borrow<py::tuple>(arguments)) look(value, "");
  if (keywords != nullptr) {
    for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(keywords))
      look(value, fmt::format(" for argument '{}'", std::string(py::str(key))));
  }
  return fmt::format("Expected {}{}.", ShortType(wanted),
                     found.size() == 1 ? found[0] : " not a value of type " + given);
}

}  // namespace

void ExplainArguments(PyObject* arguments, PyObject* keywords) {
  const bool is_cast = PyErr_ExceptionMatches(PyExc_RuntimeError) != 0;
  if (!is_cast && PyErr_ExceptionMatches(PyExc_TypeError) == 0) return;
  py::error_already_set error;
  try {
    const std::string text = py::str(error.value());
    const std::optional<std::string> better =
        is_cast ? ExplainCast(text, arguments, keywords) : Explain(text, arguments, keywords);
    if (better.has_value()) {
      PyErr_SetString(PyExc_TypeError, better->c_str());
      return;
    }
  } catch (const py::error_already_set&) {
    // Keep the original error.
  }
  error.restore();
}

}  // namespace weir::python
