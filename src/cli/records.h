// `weir records`: writes TFRecord files from folders of images, and prints, checks and counts records.
// Invariant: MakeRecords writes a complete record file or none.
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
  uint64_t seed = 0;        // shuffles the records
  std::string labels;       // file of class names, one per line, written by another call; "": the folder names
  bool skip_damaged = false;
};
// Writes `file`, shuffled, and `file`.labels with the class names, one per line. Shows progress on the terminal and
// prints a summary on standard output. Reports every damaged image. If there are any, fails with DataLoss; with
// `skip_damaged` it writes the others instead.
Status MakeRecords(const MakeRecordsOptions& options, Env& env);

struct ShowRecordsOptions {
  std::string file;
  int64_t limit = 10;
};
// Prints the first records: parsed if they are Examples, else as bytes.
Status ShowRecords(const ShowRecordsOptions& options, Env& env);

// Reads each file completely, verifies its checksums, and prints "123 FILE" with the number of records. Reports a
// damaged file, continues with the others, and then returns DataLoss.
Status CountRecords(const std::vector<std::string>& files, Env& env);

}  // namespace weir::cli

#endif  // WEIR_CLI_RECORDS_H_
