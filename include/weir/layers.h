// Layers and what their variables are made with: layers::Dense, layers::Conv2D, ..., initializers, regularizers.
#pragma once

#include "graph/compose/layers.h"
#include "graph/compose/weights.h"
