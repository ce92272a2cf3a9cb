// Internal version of the public header: adds the messages that it names.
#ifndef WEIR_TRAIN_SUPERVISOR_MESSAGES_H_
#define WEIR_TRAIN_SUPERVISOR_MESSAGES_H_

#include "train/file_writer.h"
#include "train/progress.h"
#include "train/queue_runner.h"
#include "train/session_manager.h"
#include "weir/train/supervisor.h"

#endif  // WEIR_TRAIN_SUPERVISOR_MESSAGES_H_
