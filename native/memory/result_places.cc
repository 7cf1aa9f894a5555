// Keeps the places that a thread offers to its own allocations.
#include "memory/result_places.h"

namespace mpslab {
namespace {

thread_local Place* offered = nullptr;
thread_local size_t offers = 0;

void keep(void*) {}

}  // namespace

constinit thread_local bool placing = false;

PlaceResults::PlaceResults(Place* places, size_t count) {
  offered = places;
  offers = count;
  placing = count != 0;
}

PlaceResults::~PlaceResults() {
  offers = 0;
  placing = false;
}

c10::DataPtr takePlace(size_t bytes) {
  for (size_t i = 0; i < offers; ++i) {
    Place& place = offered[i];
    if (place.taken || place.bytes != bytes) continue;
    place.taken = true;
    return {place.data, place.data, &keep, c10::Device(c10::kCPU)};
  }
  return {nullptr, c10::Device(c10::kCPU)};
}

bool isPlace(const void* data) {
  for (size_t i = 0; i < offers; ++i) {
    if (offered[i].data == data) return true;
  }
  return false;
}

}  // namespace mpslab
