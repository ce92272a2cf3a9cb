// A folder of images with one folder per class, and what a training record holds of an image.
#ifndef WEIR_IO_IMAGE_FOLDER_H_
#define WEIR_IO_IMAGE_FOLDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "base/env.h"
#include "proto/example.pb.h"

namespace weir::io {

struct ImageFile {
  std::string path;
  int64_t label = 0;  // which of the classes
};

struct ImageFolder {
  std::vector<std::string> classes;  // the names of the folders, sorted, or those that were given
  std::vector<ImageFile> files;      // by class, sorted; what does not end as an image does is passed over
};
// NotFound, InvalidArgument: no such folder, or none with an image in it. `classes`, where given, are those that labels
// number, whether or not the folder has images of them; then a folder of another name that has some is an error.
Result<ImageFolder> ListImages(Env& env, const std::string& folder, const std::vector<std::string>& classes = {});

struct ImageRecordOptions {
  bool raw = false;      // pixels instead of the file's own bytes
  int64_t channels = 0;  // of the pixels: 1, 3; 0: as in the file
};
// The example of one image, which is decoded in any case, so that no damaged one gets into a record. Features:
//   image/encoded, image/format, image/height, image/width, image/channels, image/class/label, image/class/text,
// or with `raw`: image_raw (uint8, rows from the top, the channels of a pixel together), height, width, depth, label.
// InvalidArgument names the file.
Result<tensorflow::Example> ImageExample(Env& env, const ImageFile& file, const std::string& class_name,
                                         const ImageRecordOptions& options);

}  // namespace weir::io

#endif  // WEIR_IO_IMAGE_FOLDER_H_
