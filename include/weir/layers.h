// Layers (layers::Dense, layers::Conv2D, ...), and initializers and regularizers for their variables.
#pragma once

#include "weir/graph/compose/layers.h"
#include "weir/graph/compose/weights.h"
