// Numbers are compared by value, tensors by where they come from, and constants by their elements.
#include "capture/comparison.h"

#include <ATen/core/Formatting.h>

#include <cstring>
#include <sstream>
#include <torch/csrc/distributed/c10d/Types.hpp>

#include "addon/call_site.h"
#include "capture/operators.h"
#include "distributed/unwrapped.h"
#include "vocabulary/first_line.h"
#include "vocabulary/tensor_description.h"

namespace mpslab::capture {
namespace {

std::string textOf(const c10::IValue& value) {
  if (value.isNone()) return "null";
  if (value.isBool()) return value.toBool() ? "true" : "false";
  std::ostringstream text;
  text << value;
  return text.str();
}

/// Compares the objects that collectives take: a group, and a reduction, which is a new object in each call.
bool sameObjects(const c10::IValue& a, const c10::IValue& b) {
  const auto nameOf = [](const c10::IValue& value) { return value.toObjectRef().name(); };
  if (nameOf(a) != nameOf(b)) return false;
  if (nameOf(a).ends_with(".ReduceOp"))
    return unwrapped<c10d::ReduceOp>(a)->op_ == unwrapped<c10d::ReduceOp>(b)->op_;
  return a.toObjectRef().getSlot(0).toCapsule() == b.toObjectRef().getSlot(0).toCapsule();
}

bool sameNumbers(const c10::IValue& a, const c10::IValue& b) {
  if (a.isDouble() && b.isDouble()) {
    const double x = a.toDouble(), y = b.toDouble();
    return std::memcmp(&x, &y, sizeof x) == 0 || x == y;
  }
  if (a.isGenerator() || b.isGenerator()) return true;
  if (a.isObject() && b.isObject()) return sameObjects(a, b);
  return a.tagKind() == b.tagKind() && textOf(a) == textOf(b);
}

bool sameElements(const at::Tensor& a, const at::Tensor& b) {
  if (a.is_same(b)) return true;
  if (!a.is_cpu() || !b.is_cpu() || a.layout() != at::kStrided || b.layout() != at::kStrided)
    return a.device() == b.device();
  if (a.scalar_type() != b.scalar_type() || !a.sizes().equals(b.sizes())) return false;
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  return std::memcmp(x.data_ptr(), y.data_ptr(), x.nbytes()) == 0;
}

std::string describeConstant(const at::Tensor& constant) {
  if (constant.numel() == 1 && constant.is_cpu()) {
    std::ostringstream text;
    text << constant.item();
    return text.str();
  }
  return "other numbers in a " + mpslab::describe(constant);
}

/// Whether two tensors that the step made have the same geometry. The state of attention's random numbers may
/// differ: it is on the host, but on the device while a graph is captured.
bool makesAlike(const Source& was, const Source& is) {
  if (was.geometry == is.geometry) return true;
  const auto isState = [](const Source& source) {
    const Geometry& geometry = source.geometry;
    return source.kind == Source::Kind::Made && geometry.dtype == at::kLong && geometry.sizes.empty();
  };
  return isState(was) && isState(is);
}

/// `mul`, or `a view`.
std::string nameOfCall(const Instruction& instruction) {
  return instruction.op ? nameOf(*instruction.op) : "a view";
}

/// The end of a sentence that begins with "the step", empty where both agree.
std::string sourceDifference(const Program& captured, const Program& now, Slot slot) {
  const auto index = static_cast<size_t>(slot);
  // A slot that the captured program lacks also has an instruction that it lacks, and that difference says
  // more.
  if (index >= captured.sources.size()) return {};
  const Source& was = captured.sources[index];
  const Source& is = now.sources[index];
  if (was.kind != is.kind) return "uses a tensor of " + describe(is.geometry) + " that comes from elsewhere";
  if (is.kind == Source::Kind::Constant) {
    if (sameElements(was.tensor, is.tensor)) return {};
    const bool isNumber = is.tensor.numel() == 1 && was.tensor.numel() == 1;
    return "uses " + describeConstant(is.tensor) +
           (isNumber ? ", and used " + describeConstant(was.tensor) : "");
  }
  if (!makesAlike(was, is)) {
    const auto text = [](const Geometry& made) { return describe(made) + " on " + made.device.str(); };
    return "makes a tensor of " + text(is.geometry) + ", and made one of " + text(was.geometry);
  }
  switch (is.kind) {
    case Source::Kind::Kept:
      if (!was.tensor.storage().is_alias_of(is.tensor.storage()))
        return "uses another " + describe(is.geometry);
      return {};
    case Source::Kind::Gradient:
      return was.tensor.is_same(is.tensor) ? "" : "uses the gradient of another tensor";
    default:
      return {};
  }
}

std::string instructionDifference(const Program& captured, const Program& now, size_t index) {
  const Instruction& is = now.instructions[index];
  if (index >= captured.instructions.size()) return "goes on with " + nameOfCall(is);
  const Instruction& was = captured.instructions[index];
  if (was.op.has_value() != is.op.has_value() || (is.op && !(*was.op == *is.op)))
    return "calls " + nameOfCall(is) + ", and called " + nameOfCall(was);
  for (size_t i = 0; i < is.arguments.size(); ++i) {
    const Argument& before = was.arguments[i];
    const Argument& after = is.arguments[i];
    const std::string name = is.op ? is.op->schema().arguments()[i].name() : "tensor";
    if (before.slots != after.slots || before.kind != after.kind)
      return "calls " + nameOfCall(is) + " with another tensor as " + name;
    if (after.kind == Argument::Kind::Value && !sameNumbers(before.value, after.value)) {
      return "calls " + nameOfCall(is) + " with " + name + " = " + textOf(after.value) +
             ", and called it with " + name + " = " + textOf(before.value);
    }
  }
  return {};
}

}  // namespace

void Comparison::goOn(const Program& now) {
  if (captured_ == nullptr) return;
  for (; sources_ < now.sources.size() && !difference_; ++sources_)
    note(sourceDifference(*captured_, now, static_cast<Slot>(sources_)));
  for (; instructions_ < now.instructions.size() && !difference_; ++instructions_)
    note(instructionDifference(*captured_, now, instructions_));
}

void Comparison::end(const Program& now) {
  goOn(now);
  if (captured_ == nullptr || difference_ || captured_->instructions.size() <= now.instructions.size())
    return;
  note("ends before it calls " + nameOfCall(captured_->instructions[now.instructions.size()]));
}

void Comparison::note(const std::string& text) {
  if (text.empty()) return;
  difference_ = Difference{text, firstLine(callSite())};
}

}  // namespace mpslab::capture
