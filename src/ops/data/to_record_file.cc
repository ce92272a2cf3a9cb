// DatasetToTFRecord: writes the elements of a dataset of scalar strings to a record file.
#include "io/record_file.h"
#include "op/shape_context.h"
#include "ops/data/cancellation.h"
#include "ops/data/dataset.h"

namespace weir::ops {
namespace {

Status WriteElements(KernelContext& ctx) {
  WEIR_ASSIGN(const DatasetPtr dataset, InputDataset(ctx));
  WEIR_ASSIGN(const std::string filename, ScalarText(ctx, 1, "filename"));
  WEIR_ASSIGN(const std::string compression_name, ScalarText(ctx, 2, "compression_type"));
  WEIR_ASSIGN(const io::Compression compression, io::ParseCompression(compression_name));
  WEIR_ASSIGN(const auto writer, io::RecordWriter::Open(ctx.env(), filename, compression));
  PassContext pass = MakePassContext(ctx.step());
  WEIR_ASSIGN(const IteratorPtr elements, dataset->Iterate(pass));
  while (true) {
    WEIR_TRY(CheckNotCancelled(ctx.step()));
    WEIR_ASSIGN(const std::optional<Element> element, elements->GetNext(pass));
    if (!element.has_value()) break;
    const bool is_record = element->size() == 1 && element->front().dtype() == kString && element->front().rank() == 0;
    if (!is_record)
      return InvalidArgument("the elements of a dataset that is written to records must be scalar strings");
    WEIR_TRY(writer->Write(element->front().scalar<std::string>()));
  }
  return writer->Close();
}

}  // namespace

void RegisterToRecordFile(OpRegistry& registry) {
  for (const char* name : {"DatasetToTFRecord", "ExperimentalDatasetToTFRecord"}) {
    registry.Add({
        .name = name,
        .signature = "input_dataset: variant, filename: string, compression_type: string ->",
        .attrs = {},
        .shape =
            [](ShapeContext& ctx) {
              for (const int i : {0, 1, 2}) WEIR_TRY(ctx.WithRank(i, 0).status());
              return OkStatus();
            },
        .kernels = CpuKernel([](KernelSetup&) -> Result<Kernel> { return Kernel::Sync(WriteElements).Blocking(); }),
        .traits = {.may_block = true, .keeps_inputs = false},
        .stateful = true,
    });
  }
}

}  // namespace weir::ops
