// Layers (layers::Dense, layers::Conv2D, ...), and initializers and regularizers for their variables.
#pragma once

#include "graph/compose/layers.h"
#include "graph/compose/weights.h"
