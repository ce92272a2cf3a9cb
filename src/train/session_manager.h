// SessionManager for Weir's own code: the public header, and the messages that it names.
#ifndef WEIR_TRAIN_SESSION_MANAGER_MESSAGES_H_
#define WEIR_TRAIN_SESSION_MANAGER_MESSAGES_H_

#include "train/saver.h"
#include "weir/train/session_manager.h"

#endif  // WEIR_TRAIN_SESSION_MANAGER_MESSAGES_H_
