// Finds the tensors of each operator among those that were seen before, and gives each its slot in the
// program.
#pragma once
#include <unordered_map>
#include <vector>

#include "addon/environment.h"
#include "capture/program.h"

namespace mpslab::capture {

/// A tensor is known by its address, which a weak reference keeps from being used again, or by its place in a
/// storage: autograd makes new tensors over known storages without an operator, for example when it unpacks
/// what it saved.
class KnownTensors {
 public:
  /// Notes the tensors that JavaScript has, and adds slots and views to `program`.
  KnownTensors(Environment& environment, Program& program);

  /// Notes a tensor that existed before the step and has no JavaScript object, such as a gradient.
  void noteThere(const at::Tensor& tensor);
  /// `gradient` is what `leaf` had when the step began.
  void noteGradient(const at::Tensor& gradient, const at::Tensor& leaf);

  /// The slot of an argument. A tensor that no operator made is Kept, or a Constant.
  Slot slotOf(const at::Tensor& tensor);
  /// The slot of a tensor that was seen before, else kNothing.
  Slot find(const at::TensorImpl* tensor) const;
  Slot add(const at::Tensor& tensor, Source source);
  void addView(Slot base, const at::Tensor& view);
  /// Called when `set_` has replaced the memory of a tensor of the step, as recurrent layers do to lay out
  /// all their weights as one. Returns false if the step did not make the tensor, or if no known tensor has
  /// the memory.
  bool takeMemory(const at::Tensor& tensor);
  /// The slots of the tensors in this slot's storage, itself included.
  std::vector<Slot> sharingStorage(Slot slot) const;

 private:
  struct Known {
    c10::weak_intrusive_ptr<c10::TensorImpl> tensor;
    Slot slot;
  };
  struct KnownStorage {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    std::vector<Slot> slots;
  };

  Slot aliasOf(const at::Tensor& tensor);
  /// Notes that a tensor that was there before the step has the slot of another.
  void noteShared(const at::Tensor& tensor, Slot slot);
  /// The same for a gradient that is an argument too, or that several leaves have.
  void noteSharedGradients(const at::Tensor& gradient, Slot slot);
  bool wasThere(const c10::Storage& storage) const;
  /// Whether it lies in memory that native code keeps from call to call.
  bool isOfNativeCode(const at::Tensor& tensor) const;
  bool isKept(Slot slot) const;

  Environment& environment_;
  Program& program_;
  std::unordered_map<const at::TensorImpl*, Known> known_;
  std::unordered_map<const c10::StorageImpl*, KnownStorage> storages_;
  /// The storage of each slot, nullptr for a tensor without one.
  std::vector<const c10::StorageImpl*> storageOf_;
  /// The tensors that JavaScript had when the step began. The weak references keep their addresses from being
  /// reused.
  std::unordered_map<const at::TensorImpl*, c10::weak_intrusive_ptr<c10::TensorImpl>> there_;
  /// By gradient, the leaves that had one when the step began.
  std::unordered_multimap<const at::TensorImpl*, at::Tensor> leavesByGradient_;
};

}  // namespace mpslab::capture
