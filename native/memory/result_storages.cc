// Wraps a storage's data in a block that reports the release. Storages that an outermost operator takes in
// were allocated before the observer saw them, so only their release is recorded. Arguments of inner
// operators are not wrapped, because they may be new: `addmm` copies the bias into its new result.
#include "memory/result_storages.h"

#include <ATen/core/Tensor.h>
#include <c10/core/impl/COW.h>

#include <atomic>
#include <memory>

#include "memory/allocation_history.h"

namespace mpslab {
namespace {

std::atomic<c10::DeviceType> observed{c10::DeviceType::CPU};

struct Block {
  c10::DataPtr data;
  size_t bytes;
};

void release(void* context) {
  const std::unique_ptr<Block> block(static_cast<Block*>(context));
  noteRelease(block->data.get(), block->bytes, block->data.device());
}

/// Whether it is new: never seen as an operator's argument or result.
bool watch(c10::StorageImpl& storage) {
  const c10::DataPtr& data = storage.data_ptr();
  // A copy-on-write storage shares its data with others until it is written.
  if (data.get() == nullptr || data.get_deleter() == &release || c10::impl::cow::is_cow_data_ptr(data))
    return false;
  auto block = std::make_unique<Block>(Block{{}, storage.nbytes()});
  Block* const watched = block.get();
  c10::DataPtr wrapped(data.get(), block.release(), &release, data.device());
  watched->data = storage.set_data_ptr(std::move(wrapped));
  return true;
}

/// Calls it for each storage on the observed device.
template <typename Values, typename See>
void eachStorage(const Values& values, const See& see) {
  for (const c10::IValue& value : values) {
    if (value.isTensor()) {
      const at::Tensor& tensor = value.toTensor();
      if (tensor.defined() && tensor.device().type() == observed.load(std::memory_order_relaxed) &&
          tensor.has_storage())
        see(*tensor.storage().unsafeGetStorageImpl());
    } else if (value.isList()) {
      eachStorage(value.toListRef(), see);
    } else if (value.isTuple()) {
      eachStorage(value.toTupleRef().elements(), see);
    }
  }
}

/// How many nested operators this thread is in.
thread_local int depth = 0;

std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
  if (depth++ == 0) eachStorage(function.inputs(), [](c10::StorageImpl& storage) { watch(storage); });
  return nullptr;
}

void end(const at::RecordFunction& function, at::ObserverContext* /*context*/) {
  --depth;
  eachStorage(function.outputs(), [](c10::StorageImpl& storage) {
    if (watch(storage)) noteAllocation(storage.data(), storage.nbytes(), storage.device());
  });
}

}  // namespace

ResultStorages::ResultStorages(c10::DeviceType device) {
  observed = device;
  callback_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&begin, &end)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}));
}

ResultStorages::~ResultStorages() { at::removeCallback(callback_); }

}  // namespace mpslab
