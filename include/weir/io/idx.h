// IDX files, the format of MNIST: one array of numbers per file.
//   0x00 0x00, type: byte, rank: byte, sizes: rank * big-endian uint32, elements: big-endian, the last index fastest
// The whole file may be compressed with gzip. Errors name the file and what is wrong with it.
#ifndef WEIR_IO_IDX_H_
#define WEIR_IO_IDX_H_

#include <string>

#include "weir/base/env.h"
#include "weir/tensor/tensor.h"

namespace weir::io {

// Reads the array of an IDX file; detects gzip. Types: uint8, int8, int16, int32, float32 and float64.
Result<Tensor> ReadIdx(Env& env, const std::string& path);
// The same for bytes in memory; `name` is for error messages.
Result<Tensor> ParseIdx(std::string_view bytes, const std::string& name);
// The content of an uncompressed IDX file with these values, for the same types.
Result<std::string> IdxBytes(const Tensor& values);

// The files of MNIST. A NotFound error says which file to put where.
// Returns uint8 [count, rows, columns].
Result<Tensor> ReadIdxImages(Env& env, const std::string& path);
// Returns uint8 [count].
Result<Tensor> ReadIdxLabels(Env& env, const std::string& path);
// Returns `path` if the file exists, else the existing path with ".gz" added or removed.
Result<std::string> FindIdxFile(Env& env, const std::string& path);

}  // namespace weir::io

#endif  // WEIR_IO_IDX_H_
