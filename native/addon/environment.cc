// Implements an environment: interruption, when to collect garbage, and its end.
#include "addon/environment.h"

#include <algorithm>
#include <unordered_set>

#include "addon/device_session.h"
#include "addon/errors.h"
#include "addon/near_limit.h"
#include "memory/allocator.h"
#include "memory/device_statistics.h"

namespace mpslab {
namespace {

constexpr int32_t kNeverStop = 0;

thread_local Environment* environmentOfThread = nullptr;

// Bytes that a wrapper holds beside its tensor's: TensorImpl, StorageImpl, handle, weak reference.
constexpr int64_t kWrapperBytes = 512;

}  // namespace

void DeadReferences::releaseAll(napi_env env) {
  std::vector<napi_ref> references;
  {
    std::lock_guard lock(mutex_);
    references.swap(references_);
    waiting_.store(false, std::memory_order_release);
  }
  for (napi_ref reference : references) napi_delete_reference(env, reference);
}

Environment::Environment(napi_env env) : env(env), stop(&kNeverStop) {}

Environment::~Environment() = default;

void Environment::collectGarbage() { collect(collector); }

void Environment::collect(napi_ref which) {
  if (which == nullptr) return;
  Napi::HandleScope scope(env);
  napi_value function;
  napi_get_reference_value(env, which, &function);
  Napi::Function(env, function).Call({});
  dead->release(env);
}

std::vector<const Handle*> Environment::largestHolders(std::optional<at::DeviceType> device) {
  constexpr size_t kShown = 3;
  std::vector<const Handle*> holders;
  std::unordered_set<const void*> storages;
  const auto bytes = [](const Handle* handle) { return handle->tensor.storage().nbytes(); };
  pool.forEachLive([&](Handle& handle) {
    if (handle.tensor.has_storage() && (!device || handle.tensor.device().type() == *device) &&
        storages.insert(handle.tensor.storage().unsafeGetStorageImpl()).second) {
      holders.push_back(&handle);
    }
  });
  const size_t shown = std::min(kShown, holders.size());
  std::partial_sort(holders.begin(), holders.begin() + static_cast<std::ptrdiff_t>(shown), holders.end(),
                    [&](const Handle* a, const Handle* b) { return bytes(a) > bytes(b); });
  holders.resize(shown);
  return holders;
}

int64_t Environment::allocatedBytes() const { return hostAllocator().allocatedBytes() + deviceBytes_; }

int64_t Environment::heldBytes() const { return allocatedBytes() + pool.live() * kWrapperBytes; }

/// CUDA's allocator copies all of its statistics to return one number, which takes longer than queueing an
/// operator. So it is asked only once in `kCalls` calls, or once the tensors made since the last read are
/// many beside what is held.
bool Environment::mustReadDevice() {
  constexpr uint32_t kCalls = 1024;
  constexpr int64_t kBytes = 64 * 1024 * 1024;
  return ++callsSinceRead_ >= kCalls || unreadBytes_ >= std::max(kBytes, deviceBytes_ / 8) ||
         mayComeNearLimit(deviceBytes_ + unreadBytes_);
}

void Environment::readDevice() {
  callsSinceRead_ = 0;
  unreadBytes_ = 0;
  deviceBytes_ = deviceAllocatedBytes(device_);
  if (comesNearLimit(deviceBytes_)) tellNearLimit(env);
}

void Environment::collectInTime() {
  if (usesDevice() && mustReadDevice()) readDevice();
  if (!pace_.due(pool.live(), allocatedBytes())) return;
  collect(youngCollector);
  if (usesDevice()) readDevice();
  if (pace_.fullDue(heldBytes())) {
    collect(collector);
    if (usesDevice()) readDevice();
    pace_.collectedFully(heldBytes());
  }
  pace_.collected(pool.live(), allocatedBytes());
}

void Environment::throwInterruption() {
  Napi::HandleScope scope(env);
  napi_value callback;
  napi_get_reference_value(env, interrupted, &callback);
  Napi::Function(env, callback).Call({});
  // The callback clears the flag and throws. If it returns instead, the operator runs.
}

void Environment::throwCaptureRefusal() { throwTypeError(*this, "torch.capture: " + capture->refusal); }

/// Once, so that what cleans up after the step can call operators. `lab.shadow` reads the finding itself.
void Environment::throwShadowFinding() {
  if (shadow->failure) std::rethrow_exception(std::exchange(shadow->failure, nullptr));
  if (std::exchange(shadow->found, false))
    throw Napi::Error::New(env, "lab.shadow: this operator's result on the device is wrong.");
}

void Environment::useDevice(at::Device used) {
  claimDevices(*this);
  device_ = used;
  watchLimit(used);
}

void Environment::close() {
  closed_ = true;
  if (environmentOfThread == this) environmentOfThread = nullptr;
  giveDevicesBack(*this);
  inference.reset();
  threadGenerator.reset();
  for (const uint32_t number : disposedNumbers) {
    if (number != 0) pool.release(pool.at(number));
  }
  if (pool.live() == 0) delete this;
}

void Environment::handleReleased(Handle* handle) {
  handle->unlink();
  pool.release(handle);
  if (closed_ && pool.live() == 0) {
    delete this;
    return;
  }
  if (!closed_) pace_.freed(pool.live(), allocatedBytes());
}

void setEnvironmentOfThread(Environment& environment) { environmentOfThread = &environment; }

void collectGarbageOfThread() {
  if (environmentOfThread != nullptr) environmentOfThread->collectGarbage();
}

void checkStopOfThread() {
  if (environmentOfThread != nullptr) environmentOfThread->checkStop();
}

}  // namespace mpslab
