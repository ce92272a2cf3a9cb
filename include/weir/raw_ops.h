// One function per op, in namespace weir::raw_ops, by the group of the op. Namespace weir has them too, unless a
// function made of several ops has the same name.
#pragma once

#include "weir/graph/build/array_ops.h"
#include "weir/graph/build/data_ops.h"
#include "weir/graph/build/flow_ops.h"
#include "weir/graph/build/image_ops.h"
#include "weir/graph/build/io_ops.h"
#include "weir/graph/build/math_ops.h"
#include "weir/graph/build/nn_ops.h"
#include "weir/graph/build/queue_ops.h"
#include "weir/graph/build/ragged_ops.h"
#include "weir/graph/build/signal_ops.h"
#include "weir/graph/build/state_ops.h"
#include "weir/graph/build/string_ops.h"
