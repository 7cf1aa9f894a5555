// Looks tensors up by address, then by storage. A tensor that neither finds was there before the step, or was
// made from numbers.
#include "capture/known_tensors.h"

#include "addon/capture_notes.h"
#include "vocabulary/tensor_description.h"

namespace mpslab::capture {
namespace {

/// The same tensor without its graph, which a program must not keep alive.
at::Tensor withoutGraph(const at::Tensor& tensor) {
  return tensor.is_leaf() ? tensor : tensor.variable_data();
}

}  // namespace

KnownTensors::KnownTensors(Environment& environment, Program& program)
    : environment_(environment), program_(program) {
  environment.pool.forEachLive([&](const Handle& handle) { noteThere(handle.tensor); });
}

void KnownTensors::noteThere(const at::Tensor& tensor) {
  there_.try_emplace(tensor.unsafeGetTensorImpl(), tensor.getIntrusivePtr());
}

void KnownTensors::noteGradient(const at::Tensor& gradient, const at::Tensor& leaf) {
  leavesByGradient_.emplace(gradient.unsafeGetTensorImpl(), leaf);
  noteThere(gradient);
}

Slot KnownTensors::find(const at::TensorImpl* tensor) const {
  const auto found = known_.find(tensor);
  return found == known_.end() ? kNothing : found->second.slot;
}

std::vector<Slot> KnownTensors::sharingStorage(Slot slot) const {
  const c10::StorageImpl* storage = storageOf_[static_cast<size_t>(slot)];
  return storage == nullptr ? std::vector<Slot>{slot} : storages_.at(storage).slots;
}

Slot KnownTensors::slotOf(const at::Tensor& tensor) {
  if (!tensor.defined()) return kNothing;
  const at::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  if (const auto found = known_.find(impl); found != known_.end()) {
    noteSharedGradients(tensor, found->second.slot);
    return found->second.slot;
  }
  if (const auto leaf = leavesByGradient_.find(impl); leaf != leavesByGradient_.end()) {
    const Slot slot = add(tensor, {.kind = Source::Kind::Gradient, .tensor = leaf->second});
    leavesByGradient_.erase(leaf);
    noteSharedGradients(tensor, slot);
    return slot;
  }
  if (tensor.is_leaf() && there_.contains(impl)) program_.leaves.push_back({.tensor = tensor});
  if (const Slot alias = aliasOf(tensor); alias != kNothing) {
    known_.emplace(impl, Known{c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()), alias});
    if (there_.contains(impl)) noteShared(tensor, alias);
    return alias;
  }
  if (isOfNativeCode(tensor))
    return add(tensor, {.kind = Source::Kind::Kept, .tensor = withoutGraph(tensor)});
  if (!there_.contains(impl)) {
    CaptureNotes& notes = *environment_.capture;
    if (tensor.dim() != 0 && !notes.fromNumbers.contains(impl) && notes.refusal.empty()) {
      notes.refusal =
          "the step uses a " + mpslab::describe(tensor) +
          " that it computed where no operator was seen, or in an earlier call: compute it in the step.";
    }
    return add(tensor, {.kind = Source::Kind::Constant, .tensor = withoutGraph(tensor)});
  }
  return add(tensor, {.kind = Source::Kind::Kept, .tensor = withoutGraph(tensor), .original = impl});
}

void KnownTensors::noteShared(const at::Tensor& tensor, Slot slot) {
  // A replay makes such a view of an argument or a gradient anew, so the slot to compare with is the base's.
  const Slot base = isKept(slot) ? slot : storages_.at(tensor.storage().unsafeGetStorageImpl()).slots.front();
  program_.shared.push_back({.tensor = withoutGraph(tensor), .slot = base, .geometry = Geometry::of(tensor)});
}

void KnownTensors::noteSharedGradients(const at::Tensor& gradient, Slot slot) {
  if (leavesByGradient_.empty()) return;
  const auto [first, last] = leavesByGradient_.equal_range(gradient.unsafeGetTensorImpl());
  for (auto leaf = first; leaf != last; ++leaf)
    program_.shared.push_back(
        {.tensor = leaf->second, .isGradient = true, .slot = slot, .geometry = Geometry::of(gradient)});
  leavesByGradient_.erase(first, last);
}

/// Returns the slot of another tensor over the same storage from which a replay can make this one; adds a
/// view if need be.
Slot KnownTensors::aliasOf(const at::Tensor& tensor) {
  if (!tensor.has_storage()) return kNothing;
  const auto found = storages_.find(tensor.storage().unsafeGetStorageImpl());
  if (found == storages_.end()) return kNothing;
  const std::vector<Slot> slots = found->second.slots;
  const Geometry geometry = Geometry::of(tensor);
  for (const Slot slot : slots) {
    if (program_.sources[static_cast<size_t>(slot)].geometry == geometry) return slot;
  }
  if (isKept(slots.front())) return kNothing;
  addView(slots.front(), tensor);
  return known_.at(tensor.unsafeGetTensorImpl()).slot;
}

bool KnownTensors::takeMemory(const at::Tensor& tensor) {
  const at::TensorImpl* impl = tensor.unsafeGetTensorImpl();
  const Slot before = find(impl);
  if (before == kNothing || program_.sources[static_cast<size_t>(before)].kind != Source::Kind::Made)
    return false;
  known_.erase(impl);
  if (const Slot alias = aliasOf(tensor); alias != kNothing) {
    known_.emplace(impl, Known{c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()), alias});
    return true;
  }
  if (!wasThere(tensor.storage())) return false;
  add(tensor, {.kind = Source::Kind::Kept, .tensor = tensor});
  return true;
}

bool KnownTensors::wasThere(const c10::Storage& storage) const {
  return std::any_of(there_.begin(), there_.end(), [&](const auto& entry) {
    const auto tensor = entry.second.lock();
    return tensor && tensor->has_storage() && tensor->storage().is_alias_of(storage);
  });
}

bool KnownTensors::isOfNativeCode(const at::Tensor& tensor) const {
  const auto& kept = environment_.capture->ofNativeCode;
  return tensor.has_storage() && std::any_of(kept.begin(), kept.end(), [&](const at::Tensor& one) {
           return one.storage().is_alias_of(tensor.storage());
         });
}

bool KnownTensors::isKept(Slot slot) const {
  const Source::Kind kind = program_.sources[static_cast<size_t>(slot)].kind;
  return kind == Source::Kind::Kept || kind == Source::Kind::Constant;
}

Slot KnownTensors::add(const at::Tensor& tensor, Source source) {
  const auto slot = static_cast<Slot>(program_.sources.size());
  source.geometry = Geometry::of(tensor);
  source.device = tensor.device();
  program_.sources.push_back(std::move(source));
  known_.emplace(tensor.unsafeGetTensorImpl(),
                 Known{c10::weak_intrusive_ptr<c10::TensorImpl>(tensor.getIntrusivePtr()), slot});
  storageOf_.push_back(nullptr);
  if (tensor.has_storage()) {
    const c10::StorageImpl* storage = tensor.storage().unsafeGetStorageImpl();
    storageOf_.back() = storage;
    auto [place, isNew] = storages_.try_emplace(
        storage,
        KnownStorage{c10::weak_intrusive_ptr<c10::StorageImpl>(tensor.storage().getWeakStorageImpl()), {}});
    place->second.slots.push_back(slot);
  }
  return slot;
}

void KnownTensors::addView(Slot base, const at::Tensor& view) {
  if (isKept(base)) {
    // The view stays valid as long as its base, so it is kept too, and no replay makes it again.
    add(view, {.kind = program_.sources[static_cast<size_t>(base)].kind, .tensor = view.variable_data()});
    return;
  }
  Instruction instruction;
  instruction.arguments.push_back({Argument::Kind::Tensor, {}, {base}});
  instruction.results.push_back(add(view, {}));
  program_.instructions.push_back(std::move(instruction));
}

}  // namespace mpslab::capture
