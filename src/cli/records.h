// `weir records`: makes record files (TFRecord) out of folders of images, and prints, checks and counts records.
// Invariant: a record file that was made is whole; one that could not be made is not there.
#ifndef WEIR_CLI_RECORDS_H_
#define WEIR_CLI_RECORDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/env.h"
#include "io/image_folder.h"

namespace weir::cli {

struct MakeRecordsOptions {
  std::string folder;
  std::string file;
  io::ImageRecordOptions image;
  std::string compression;  // "", "ZLIB", "GZIP"
  uint64_t seed = 0;        // of the order of the records
  std::string labels;       // a file that names the classes, a line each, as another call wrote it; "": the folders do
  bool skip_damaged = false;
};
// Writes `file`, in an order that mixes the classes, and `file`.labels with the names of the classes, a line each.
// Progress goes to the terminal, and a line with what was written to standard output. Every damaged image is told; if
// there are any, the status is DataLoss, or with `skip_damaged` the file is written without them.
Status MakeRecords(const MakeRecordsOptions& options, Env& env);

struct ShowRecordsOptions {
  std::string file;
  int64_t limit = 10;
};
// The first records: as examples where they are such, else as bytes.
Status ShowRecords(const ShowRecordsOptions& options, Env& env);

// A line for each file, "123 FILE" with the number of its records; all of them are read and their checksums tested.
// What is wrong with a file is told, and the others are still read; then the status is DataLoss.
Status CountRecords(const std::vector<std::string>& files, Env& env);

}  // namespace weir::cli

#endif  // WEIR_CLI_RECORDS_H_
