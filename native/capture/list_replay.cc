// Each slot holds its tensor until the last instruction that uses it, so a replay takes no more memory than
// the step.
#include "capture/list_replay.h"

#include <ATen/DeviceAccelerator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

#include "addon/errors.h"
#include "capture/operators.h"
#include "distributed/operation.h"
#include "memory/allocation_history.h"
#include "random/generator_lock.h"
#include "simulated_metal/simulated_metal.h"

namespace mpslab::capture {
ListReplay::ListReplay(Environment& environment, Program program) : Step(environment, std::move(program)) {
  values_.resize(program_.sources.size());
  for (size_t i = 0; i < program_.sources.size(); ++i) {
    if (isFixed(static_cast<Slot>(i))) values_[i] = program_.sources[i].tensor;
  }
  prepareArguments();
}

/// Arguments whose tensors are the same each time become values, so that a replay does not build their lists.
void ListReplay::prepareArguments() {
  for (Instruction& instruction : program_.instructions) {
    if (!instruction.op) continue;
    for (Argument& argument : instruction.arguments) {
      if (argument.kind == Argument::Kind::Value) continue;
      if (std::all_of(argument.slots.begin(), argument.slots.end(),
                      [&](Slot slot) { return isFixed(slot); })) {
        argument.value = valueOf(argument);
      }
    }
  }
}

void ListReplay::bind(const std::vector<at::Tensor>& inputs) {
  for (size_t i = 0; i < program_.sources.size(); ++i) {
    const Source& source = program_.sources[i];
    if (source.kind == Source::Kind::Input) values_[i] = inputs[source.input];
    if (source.kind == Source::Kind::Gradient) values_[i] = source.tensor.grad();
  }
}

c10::IValue ListReplay::valueOf(const Argument& argument) const {
  const auto at = [&](Slot slot) {
    return slot == kNothing ? at::Tensor() : values_[static_cast<size_t>(slot)];
  };
  if (argument.hasValue()) return argument.value;
  switch (argument.kind) {
    case Argument::Kind::Tensor:
      return argument.slots[0] == kNothing ? c10::IValue() : c10::IValue(at(argument.slots[0]));
    case Argument::Kind::Tensors: {
      c10::List<at::Tensor> list;
      list.reserve(argument.slots.size());
      for (const Slot slot : argument.slots) list.push_back(at(slot));
      return list;
    }
    case Argument::Kind::OptionalTensors: {
      c10::List<std::optional<at::Tensor>> list;
      list.reserve(argument.slots.size());
      for (const Slot slot : argument.slots)
        list.push_back(slot == kNothing ? std::nullopt : std::optional<at::Tensor>(at(slot)));
      return list;
    }
    default:
      return argument.value;
  }
}

/// Makes a tensor over its base's memory, with the geometry that it had in the capture.
void ListReplay::view(const Instruction& instruction) {
  const at::Tensor& base = values_[static_cast<size_t>(instruction.arguments[0].slots[0])];
  const Slot slot = instruction.results[0];
  const Geometry& geometry = program_.sources[static_cast<size_t>(slot)].geometry;
  auto impl =
      base.unsafeGetTensorImpl()->shallow_copy_and_detach(base.unsafeGetTensorImpl()->version_counter(),
                                                          /*allow_tensor_metadata_change=*/true);
  impl->set_sizes_and_strides(geometry.sizes, geometry.strides, geometry.offset);
  values_[static_cast<size_t>(slot)] = at::Tensor(std::move(impl));
}

void ListReplay::take(const Instruction& instruction) {
  size_t next = 0;
  const auto takeTensor = [&](at::Tensor&& tensor) {
    const Slot slot = instruction.results[next++];
    if (slot != kNothing) values_[static_cast<size_t>(slot)] = std::move(tensor);
  };
  for (c10::IValue& result : stack_) {
    if (result.isTensor()) {
      takeTensor(std::move(result).toTensor());
    } else if (result.isTensorList()) {
      for (at::Tensor& tensor : result.toTensorVector()) takeTensor(std::move(tensor));
    }
  }
}

void ListReplay::call(const Instruction& instruction) {
  const RunningPart running(instruction.op->operator_name().name);
  stack_.clear();
  for (const Argument& argument : instruction.arguments) stack_.push_back(valueOf(argument));
  instruction.op->callBoxed(stack_);
}

void ListReplay::execute(Environment& environment, const Instruction& instruction) {
  if (!instruction.op) return view(instruction);
  try {
    call(instruction);
    if (isCollective(*instruction.op)) return waitForWork(environment, stack_.back());
  } catch (const std::exception& error) {
    if (!isDeviceOutOfMemory(error) || metalIsSimulated() || writesAny(*instruction.op)) throw;
    environment.collectGarbage();
    at::accelerator::emptyCache();
    call(instruction);
  }
  take(instruction);
}

/// Lets go of what the replay made, which belongs to its caller, and of the arguments.
void ListReplay::forget() {
  for (size_t i = 0; i < program_.sources.size(); ++i) {
    if (!isFixed(static_cast<Slot>(i))) values_[i].reset();
  }
}

std::vector<at::Tensor> ListReplay::run(Environment& environment, const std::vector<at::Tensor>& inputs) {
  const at::AutoDispatchBelowADInplaceOrView below;
  const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
  const GeneratorLock lockGenerator(program_.draws ? environment.threadGenerator.get() : nullptr);
  bind(inputs);
  // Lets go of the tensors also after an error or an interrupt.
  const Forgetting forgetting(*this);
  for (const Instruction& instruction : program_.instructions) {
    environment.checkStop();
    try {
      execute(environment, instruction);
    } catch (...) {
      rethrowAsJavaScript(environment, instruction.op ? nameOf(*instruction.op) : "view", {});
    }
    for (const Slot slot : instruction.lastUses) values_[static_cast<size_t>(slot)].reset();
  }
  for (const Slot slot : program_.written)
    values_[static_cast<size_t>(slot)].unsafeGetTensorImpl()->bump_version();
  for (const LeafGradient& gradient : program_.gradients)
    gradient.leaf.mutable_grad() =
        gradient.result == kNothing ? at::Tensor() : values_[static_cast<size_t>(gradient.result)];
  std::vector<at::Tensor> results;
  for (const Slot slot : program_.results) {
    const at::Tensor& result = values_[static_cast<size_t>(slot)];
    // Detached, so that the caller cannot change the program's own tensor object.
    results.push_back(isFixed(slot) ? result.detach() : result);
  }
  return results;
}

}  // namespace mpslab::capture
