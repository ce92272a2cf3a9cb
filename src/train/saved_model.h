// Internal version of the public header: adds the messages.
#ifndef WEIR_TRAIN_SAVED_MODEL_MESSAGES_H_
#define WEIR_TRAIN_SAVED_MODEL_MESSAGES_H_

#include "train/saver.h"
#include "weir/train/saved_model.h"

#endif  // WEIR_TRAIN_SAVED_MODEL_MESSAGES_H_
