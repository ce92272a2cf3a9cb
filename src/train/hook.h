// Internal version of the public header: adds the messages that they see.
#ifndef WEIR_TRAIN_HOOK_MESSAGES_H_
#define WEIR_TRAIN_HOOK_MESSAGES_H_

#include "train/session_manager.h"
#include "weir/train/hook.h"

#endif  // WEIR_TRAIN_HOOK_MESSAGES_H_
