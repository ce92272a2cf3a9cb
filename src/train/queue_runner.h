// Internal version of the public header: adds the message.
#ifndef WEIR_TRAIN_QUEUE_RUNNER_MESSAGES_H_
#define WEIR_TRAIN_QUEUE_RUNNER_MESSAGES_H_

#include "proto/collections.pb.h"
#include "session/session.h"
#include "weir/train/queue_runner.h"

#endif  // WEIR_TRAIN_QUEUE_RUNNER_MESSAGES_H_
