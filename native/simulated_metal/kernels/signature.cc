// Computes the signatures of calls, and stores the shapes known for them.
#include "simulated_metal/kernels/signature.h"

namespace mpslab::metal {
namespace {

/// A program that makes ever new shapes would fill memory with signatures.
constexpr size_t kMostSignatures = 1024;

class Writer {
 public:
  explicit Writer(std::string& text) : text_(text) { text_.clear(); }

  void number(int64_t value) { text_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void tag(char value) { text_.push_back(value); }

  void tensor(const at::Tensor& tensor) {
    if (!tensor.defined()) return tag('u');
    tag('t');
    tag(static_cast<char>(tensor.scalar_type()));
    tag(static_cast<char>((tensor.is_cpu() ? 1 : 0) +
                          (tensor.unsafeGetTensorImpl()->is_wrapped_number() ? 2 : 0) +
                          (tensor.is_conj() ? 4 : 0) + (tensor.is_neg() ? 8 : 0)));
    tag(static_cast<char>(tensor.dim()));
    for (const int64_t size : tensor.sizes()) number(size);
    for (const int64_t stride : tensor.strides()) number(stride);
  }

  void value(const c10::IValue& value, const ArgumentPlan& plan, bool floatsShape) {
    if (value.isTensor()) return tensor(value.toTensor());
    if (value.isNone()) return tag('n');
    if (value.isInt() || value.isBool()) {
      tag(value.isInt() ? 'i' : 'b');
      if (plan.kind != ArgumentPlan::Kind::Scalar || floatsShape)
        number(value.isInt() ? value.toInt() : value.toBool());
      return;
    }
    if (value.isDouble()) {
      tag('d');
      if (floatsShape) number(static_cast<int64_t>(std::bit_cast<uint64_t>(value.toDouble())));
      return;
    }
    if (value.isString()) {
      tag('s');
      text_ += value.toStringRef();
      return;
    }
    if (value.isList()) {
      const auto list = value.toListRef();
      tag('l');
      number(static_cast<int64_t>(list.size()));
      for (const c10::IValue& element : list) this->value(element, plan, floatsShape);
      return;
    }
    // Generators, devices and complex numbers: their values do not matter for the shapes.
    tag('o');
  }

 private:
  std::string& text_;
};

}  // namespace

Shape Shape::of(const at::Tensor& tensor) {
  if (!tensor.defined()) return {};
  return {true, tensor.sizes().vec(), tensor.strides().vec(), tensor.scalar_type()};
}

std::string_view Signatures::write(const OperatorPlan& plan, c10::ArrayRef<c10::IValue> arguments) {
  static thread_local std::string text;
  Writer writer(text);
  for (size_t i = 0; i < arguments.size(); ++i)
    writer.value(arguments[i], plan.arguments[i], plan.floatsShape);
  return text;
}

const Shapes* Signatures::find(std::string_view signature) const {
  const auto found = shapes_.find(signature);
  return found == shapes_.end() ? nullptr : &found->second;
}

const Shapes* Signatures::keep(std::string_view signature, Shapes shapes) {
  if (shapes_.size() >= kMostSignatures) shapes_.clear();
  return &shapes_.insert_or_assign(std::string(signature), std::move(shapes)).first->second;
}

}  // namespace mpslab::metal
