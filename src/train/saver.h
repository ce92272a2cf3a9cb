// Internal version of the public header: adds the messages.
#ifndef WEIR_TRAIN_SAVER_MESSAGES_H_
#define WEIR_TRAIN_SAVER_MESSAGES_H_

#include "session/session.h"
#include "train/meta_graph.h"
#include "train/saver_graph.h"
#include "weir/train/saver.h"

#endif  // WEIR_TRAIN_SAVER_MESSAGES_H_
