// Holds the subset of the Metal Shading Language that simulated Metal takes, for the C++ compiler. It is put
// before a translated source (lib/torch/devices/mps/shading/translate.ts). Source: Apple's Metal Shading
// Language Specification, version 3.1.
#pragma once
#include "atomics.h"
#include "mathematics.h"
#include "pointers.h"
#include "scalars.h"
#include "threads.h"
#include "vectors.h"
