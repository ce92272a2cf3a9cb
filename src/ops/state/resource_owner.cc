#include "ops/state/resource_owner.h"

#include "base/rng.h"

namespace weir::ops {

Result<std::shared_ptr<ResourceOwner>> ResourceOwner::Make(const KernelSetup& setup, HandleKind handle_kind,
                                                           const std::string& type_name, Unnamed unnamed) {
  std::shared_ptr<ResourceOwner> handle(new ResourceOwner());
  WEIR_ASSIGN(handle->container_, setup.Attr<std::string>("container"));
  WEIR_ASSIGN(handle->name_, setup.Attr<std::string>("shared_name"));
  if (handle->name_.empty() && unnamed == Unnamed::kOfNode) handle->name_ = setup.node().name;
  handle->is_private_ = handle->name_.empty();
  handle->title_ = handle->is_private_ ? setup.node().name : handle->name_;
  if (handle->is_private_) handle->name_ = fmt::format("_{:016x}_{}", RealRng().Next64(), setup.node().name);
  if (handle->container_.empty() && setup.resources() != nullptr)
    handle->container_ = setup.resources()->default_container();
  if (handle_kind == HandleKind::kResource) {
    ResourceHandle h;
    h.device = setup.node().device;
    h.container = handle->container_;
    h.name = handle->name_;
    h.type_name = type_name;
    handle->resource_ = Tensor::Scalar(std::move(h));
  } else {
    handle->ref_ = MakeIntrusive<VariableState>(kString);
    handle->ref_->Write(Tensor::Vector<std::string>({handle->container_, handle->name_}));
  }
  return handle;
}

ResourceOwner::~ResourceOwner() {
  ResourceManager* manager = manager_.load();
  // Deletion fails if the container was cleared; that is fine.
  if (is_private_ && manager != nullptr) (void)manager->Delete(container_, name_);
}

void ResourceOwner::SetOutput(KernelContext& ctx) const {
  if (ref_) {
    ctx.set_ref_output(0, ref_);
  } else {
    ctx.set_output(0, resource_);
  }
}

}  // namespace weir::ops
