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

/// While it lives, allocations of this thread for the CPU that ask for exactly the bytes of a free place get
/// it. A guess: who placed must look whether a result lies there, and copy it where it does not.
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
