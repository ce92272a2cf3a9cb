#include "io/slice_table_writer.h"

#include <complex>
#include <limits>

#include "io/table.h"
#include "io/temporary_files.h"
#include "tensor/tensor_proto.h"

namespace weir::io {
namespace {

constexpr int kFormatVersion = 1;

template <class T, class Field>
void AddAll(const Tensor& value, Field* field) {
  for (const T& x : value.flat<T>()) field->Add(x);
}
template <class T, class Field>
void AddComplex(const Tensor& value, Field* field) {
  for (const std::complex<T>& x : value.flat<std::complex<T>>()) {
    field->Add(x.real());
    field->Add(x.imag());
  }
}

// Writes one value per element to the field of the type. Readers of the format accept no other form.
Status AddValues(const Tensor& value, tensorflow::TensorProto* proto) {
  switch (value.dtype()) {
    case kFloat:
      AddAll<float>(value, proto->mutable_float_val());
      return OkStatus();
    case kDouble:
      AddAll<double>(value, proto->mutable_double_val());
      return OkStatus();
    case kInt32:
      AddAll<int32_t>(value, proto->mutable_int_val());
      return OkStatus();
    case kUint8:
      AddAll<uint8_t>(value, proto->mutable_int_val());
      return OkStatus();
    case kUint16:
      AddAll<uint16_t>(value, proto->mutable_int_val());
      return OkStatus();
    case kInt16:
      AddAll<int16_t>(value, proto->mutable_int_val());
      return OkStatus();
    case kInt8:
      AddAll<int8_t>(value, proto->mutable_int_val());
      return OkStatus();
    case kInt64:
      AddAll<int64_t>(value, proto->mutable_int64_val());
      return OkStatus();
    case kBool:
      AddAll<bool>(value, proto->mutable_bool_val());
      return OkStatus();
    case kComplex64:
      AddComplex<float>(value, proto->mutable_scomplex_val());
      return OkStatus();
    case kComplex128:
      AddComplex<double>(value, proto->mutable_dcomplex_val());
      return OkStatus();
    case kHalf:
      for (const half x : value.flat<half>()) proto->add_half_val(x.bits);
      return OkStatus();
    case kString:
      for (const std::string& x : value.flat<std::string>()) proto->add_string_val(x);
      return OkStatus();
    default:
      return Unimplemented("values of type {} cannot be saved in checkpoint format V1: use V2", value.dtype());
  }
}

Status WriteTable(Env& env, const std::string& path, const std::string& list,
                  const std::map<std::string, std::string>& parts) {
  WEIR_ASSIGN(const std::unique_ptr<WritableFile> file, env.OpenWrite(path));
  TableWriter table(*file);
  WEIR_TRY(table.Add("", list));
  for (const auto& [key, part] : parts) WEIR_TRY(table.Add(key, part));
  WEIR_TRY(table.Finish());
  WEIR_TRY(file->Sync());
  return file->Close();
}

}  // namespace

Status SliceTableWriter::Add(const std::string& name, const Tensor& value) {
  return Add(name, value.shape(), TensorSlice::Full(value.rank()), value);
}

Status SliceTableWriter::Add(const std::string& name, const Shape& full_shape, const TensorSlice& slice,
                             const Tensor& value) {
  if (name.empty()) return InvalidArgument("a tensor in a checkpoint needs a name");
  WEIR_ASSIGN(const TensorSlice within, slice.WithinForValue(full_shape, value.shape()));
  // A serialized message is limited to 2 GB.
  if (value.num_bytes() > static_cast<size_t>(std::numeric_limits<int32_t>::max()) / 2)
    return InvalidArgument("tensor {} of {} bytes is too large for a checkpoint of format V1: write V2, or parts of it",
                           name, value.num_bytes());
  tensorflow::SavedSliceMeta meta;
  meta.set_name(name);
  meta.set_type(static_cast<tensorflow::DataType>(value.dtype()));
  weir::ToProto(full_shape, meta.mutable_shape());
  const auto [at, added] = tensors_.emplace(name, meta);
  if (!added &&
      (at->second.type() != meta.type() || at->second.shape().SerializeAsString() != meta.shape().SerializeAsString()))
    return InvalidArgument("the parts of tensor {} differ in type or shape", name);
  tensorflow::SavedTensorSlices part;
  part.mutable_data()->set_name(name);
  slice.ToProto(part.mutable_data()->mutable_slice());
  WEIR_TRY(AddValues(value, part.mutable_data()->mutable_data()));
  if (!parts_.emplace(slice.Key(name), part.SerializeAsString()).second)
    return InvalidArgument("Adding duplicate key: {}", name);
  slice.ToProto(at->second.add_slice());
  return OkStatus();
}

Status SliceTableWriter::Finish() {
  tensorflow::SavedTensorSlices list;
  list.mutable_meta()->mutable_versions()->set_producer(kFormatVersion);
  for (const auto& [name, tensor] : tensors_) *list.mutable_meta()->add_tensor() = tensor;
  RemoveStaleTemporaries(env_, path_);
  const std::string aside = path_ + TemporarySuffix();
  const std::unique_ptr<FileLock> held = env_.Lock(aside);
  Status status = WriteTable(env_, aside, list.SerializeAsString(), parts_);
  if (status.ok()) status = env_.Rename(aside, path_);
  if (!status.ok()) {
    env_.DeleteFile(aside).IgnoreError();
    return status;
  }
  return env_.SyncDirectory(std::string(DirectoryOf(path_)));
}

}  // namespace weir::io
