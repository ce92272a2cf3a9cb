// Record files (tf.python_io.TFRecordWriter and tf_record_iterator) and IDX files.
#include "bind/files.h"
#include "bind/numpy.h"
#include "bind/process.h"
#include "io/idx.h"
#include "io/record_file.h"

namespace weir::python {
namespace {

io::Compression CompressionFrom(const std::string& type) {
  if (type.empty()) return io::Compression::kNone;
  if (type == "ZLIB") return io::Compression::kZlib;
  if (type == "GZIP") return io::Compression::kGzip;
  RaiseValue(fmt::format("Not a valid compression_type: {}", type));
}

// Raises ValueError for a malformed file, and tf.errors.* for other failures.
py::object IdxArray(const Result<Tensor>& values) {
  if (values.status().code() == StatusCode::kInvalidArgument) RaiseValue(std::string(values.status().message()));
  return ArrayFromTensor(TakeFile(values));
}

}  // namespace

void BindRecords(py::module_& m) {
  py::class_<io::RecordWriter>(m, "RecordWriter")
      .def(py::init([](py::handle path, const std::string& compression, int level) {
             return TakeFile(
                 io::RecordWriter::Open(Process::Get().env(), PathFrom(path), CompressionFrom(compression), level));
           }),
           py::arg("path"), py::arg("compression_type") = "", py::arg("compression_level") = -1)
      .def(
          "write",
          [](io::RecordWriter& writer, py::handle record) {
            std::string bytes;
            if (!BytesOf(record, &bytes)) RaiseType(fmt::format("bytes are expected, not {}", Repr(record)));
            CheckFile(writer.Write(bytes));
          },
          py::arg("record"))
      .def("flush", [](io::RecordWriter& writer) { CheckFile(writer.Flush()); })
      .def("close", [](io::RecordWriter& writer) { CheckFile(writer.Close()); });
  py::class_<io::RecordReader>(m, "RecordReader")
      .def(
          py::init([](py::handle path, const std::string& compression) {
            return TakeFile(io::RecordReader::Open(Process::Get().env(), PathFrom(path), CompressionFrom(compression)));
          }),
          py::arg("path"), py::arg("compression_type") = "")
      .def("__iter__", [](py::object self) { return self; })
      .def("__next__", [](io::RecordReader& reader) {
        const std::optional<std::string> record = TakeFile(reader.Next());
        if (!record.has_value()) throw py::stop_iteration();
        return py::bytes(*record);
      });
  m.def(
      "read_idx_images",
      [](py::handle path) { return IdxArray(io::ReadIdxImages(Process::Get().env(), PathFrom(path))); },
      py::arg("path"));
  m.def(
      "read_idx_labels",
      [](py::handle path) { return IdxArray(io::ReadIdxLabels(Process::Get().env(), PathFrom(path))); },
      py::arg("path"));
  m.def(
      "parse_idx",
      [](py::bytes bytes, const std::string& name) { return IdxArray(io::ParseIdx(std::string_view(bytes), name)); },
      py::arg("bytes"), py::arg("name"));
}

}  // namespace weir::python
