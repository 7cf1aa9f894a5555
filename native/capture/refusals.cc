// Finds by libtorch's tags the operators whose results a replay could not have: those that read elements on
// the host, and those that choose a size by them.
#include "capture/refusals.h"

#include <ATen/Context.h>
#include <ATen/core/enum_tag.h>

#include "capture/operators.h"

namespace mpslab::capture {
namespace {

bool isMask(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() &&
         (value.toTensor().scalar_type() == at::kBool || value.toTensor().scalar_type() == at::kByte);
}

/// The mask in `x.index([mask])` decides the size of the result; a list of integers does not.
bool indexesByMask(c10::ArrayRef<const c10::IValue> arguments) {
  if (arguments.size() < 2 || !arguments[1].isList()) return false;
  for (const c10::IValue& index : arguments[1].toListRef()) {
    if (isMask(index)) return true;
  }
  return false;
}

bool drawsFromAnother(const c10::IValue& value) {
  if (!value.isGenerator()) return false;
  const at::Generator& generator = value.toGenerator();
  return generator.defined() && generator != at::globalContext().defaultGenerator(generator.device());
}

}  // namespace

std::string otherMemoryRefusal(const c10::OperatorHandle& op) {
  return nameOf(op) + " gives a tensor another memory: do this outside of the step.";
}

std::string refusalOf(const c10::OperatorHandle& op, c10::ArrayRef<const c10::IValue> arguments) {
  const std::string_view full = op.operator_name().name;
  const bool isIndex = full == "aten::index";
  if (isIndex ? indexesByMask(arguments) : op.hasTag(at::Tag::dynamic_output_shape)) {
    return (isIndex ? "indexing with a mask" : nameOf(op)) +
           " gives a tensor whose size depends on the elements, and a replay keeps the sizes of the capture: "
           "keep the size with torch.where(mask, x, 0), or do this outside of the step.";
  }
  if (op.hasTag(at::Tag::data_dependent_output)) {
    return (full == "aten::_local_scalar_dense" ? "item" : nameOf(op)) +
           " reads elements on the host, and a replay does not come back to JavaScript: return the tensor "
           "from "
           "the step and read it outside.";
  }
  if (full == "aten::resize_" || full == "aten::resize_as_") return otherMemoryRefusal(op);
  for (const c10::IValue& argument : arguments) {
    if (drawsFromAnother(argument)) {
      return nameOf(op) +
             " draws from a generator of its own, which a replay does not advance: draw with the default "
             "generator, which torch.manualSeed seeds.";
    }
  }
  return {};
}

std::string hostWorkOf(const Program& program) {
  if (!program.device.is_cuda()) return {};
  for (const Instruction& instruction : program.instructions) {
    if (!instruction.op) continue;
    for (const Argument& argument : instruction.arguments) {
      for (const Slot slot : argument.slots) {
        if (slot == kNothing) continue;
        const Source& source = program.sources[static_cast<size_t>(slot)];
        const bool isFrozen = source.kind == Source::Kind::Made || source.kind == Source::Kind::Constant;
        if (!source.device.is_cpu() || isFrozen) continue;
        return nameOf(*instruction.op) + " reads a " + describe(source.geometry) +
               " on the host, which no graph of the device does: move it to the device with "
               "to(\"cuda\").";
      }
    }
    // Attention returns the seed of its dropout on the host, but on the device while a graph is captured.
    const Slot first = instruction.results.empty() ? kNothing : instruction.results[0];
    const bool isOnHost = first != kNothing && program.sources[static_cast<size_t>(first)].device.is_cpu();
    if (isOnHost && instruction.op->hasTag(at::Tag::nondeterministic_seeded)) {
      return nameOf(*instruction.op) +
             " draws on the host, which no graph of the device does: draw with { device: \"cuda\" }.";
    }
  }
  return {};
}

}  // namespace mpslab::capture
