// Places the results of a host kernel into memory that the simulated device allocated at launch. A kernel
// usually asks the CPU allocator for that memory first of all; the request is recognized by its size.
#pragma once
#include <c10/core/Allocator.h>

#include <cstddef>

namespace mpslab {

struct Place {
  void* data;
  size_t bytes;
  bool taken = false;
};

/// While it lives, an allocation on this thread for the CPU gets a free place if it asks for exactly that
/// place's bytes. This is a guess: afterwards the caller must check whether a result lies in its place, and
/// copy it there otherwise.
class PlaceResults {
 public:
  PlaceResults(Place* places, size_t count);
  ~PlaceResults();
  PlaceResults(const PlaceResults&) = delete;
  PlaceResults& operator=(const PlaceResults&) = delete;
};

/// Gives the host's allocator a place of this many bytes. Returns an empty pointer if none is offered.
c10::DataPtr takePlace(size_t bytes);

/// Whether this is memory of a place that this thread offers, which must not be freed.
bool isPlace(const void* data);

/// Whether this thread offers places at all.
extern constinit thread_local bool placing;

}  // namespace mpslab
