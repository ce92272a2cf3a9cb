// Internal version of the public header: adds the messages that it names.
#ifndef WEIR_TRAIN_SESSION_MANAGER_MESSAGES_H_
#define WEIR_TRAIN_SESSION_MANAGER_MESSAGES_H_

#include "train/saver.h"
#include "weir/train/session_manager.h"

#endif  // WEIR_TRAIN_SESSION_MANAGER_MESSAGES_H_
