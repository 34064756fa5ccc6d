# TREFOIL_CUDA_SEAM: a checksum of every header whose types cross between the program and the GPU plugin, and of the build type's
# assertions. A plugin of another build has another one, and is refused before anything of it runs.
set(seam_headers
  engine/base/result.h engine/base/types.h engine/checkpoint/checkpoint.h engine/checkpoint/model_config.h
  engine/decode/generation_config.h engine/decode/trace.h engine/runtime/executor.h kernels/cuda/plugin_interface.h)
set(TREFOIL_CUDA_SEAM "${PROJECT_VERSION}")
foreach(header ${seam_headers})
  file(SHA256 ${PROJECT_SOURCE_DIR}/${header} sum)
  string(APPEND TREFOIL_CUDA_SEAM ${sum})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${header})
endforeach()
string(SHA256 TREFOIL_CUDA_SEAM "${TREFOIL_CUDA_SEAM}")
string(SUBSTRING ${TREFOIL_CUDA_SEAM} 0 16 TREFOIL_CUDA_SEAM)
