// Internal version of the public header: adds the messages that it writes.
#ifndef WEIR_TRAIN_FILE_WRITER_MESSAGES_H_
#define WEIR_TRAIN_FILE_WRITER_MESSAGES_H_

#include "io/event_file.h"
#include "proto/config.pb.h"
#include "proto/event.pb.h"
#include "proto/meta_graph.pb.h"
#include "proto/summary.pb.h"
#include "train/meta_graph.h"
#include "weir/train/file_writer.h"

#endif  // WEIR_TRAIN_FILE_WRITER_MESSAGES_H_
