// IDX files, the format of MNIST: one array of numbers per file.
//   0x00 0x00, type: byte, rank: byte, sizes: rank * big-endian uint32, elements: big-endian, the last index fastest
// A file may be compressed with gzip as a whole. What is damaged is an error that names the file and what is wrong.
#ifndef WEIR_IO_IDX_H_
#define WEIR_IO_IDX_H_

#include <string>

#include "base/env.h"
#include "tensor/tensor.h"

namespace weir::io {

// The array of an IDX file, gzipped or not, which its first bytes tell. uint8, int8, int16, int32, float32 and float64.
Result<Tensor> ReadIdx(Env& env, const std::string& path);
// The same of bytes at hand; `name` is for messages.
Result<Tensor> ParseIdx(std::string_view bytes, const std::string& name);
// The other way round, for such types. Not compressed.
Result<std::string> IdxBytes(const Tensor& values);

// MNIST's kinds of files. NotFound says which file to put where.
// uint8 [count, rows, columns].
Result<Tensor> ReadIdxImages(Env& env, const std::string& path);
// uint8 [count].
Result<Tensor> ReadIdxLabels(Env& env, const std::string& path);
// Where a file is: `path`, or the same with ".gz" added or taken away.
Result<std::string> FindIdxFile(Env& env, const std::string& path);

}  // namespace weir::io

#endif  // WEIR_IO_IDX_H_
