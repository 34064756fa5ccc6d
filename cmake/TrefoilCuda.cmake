# Decides whether the GPU plugin is built and says so in one line. Sets TREFOIL_BUILD_CUDA; the caller enables the language,
# since that has to happen in the top folder.

set(TREFOIL_BUILD_CUDA OFF)
if(TREFOIL_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: left out (TREFOIL_CUDA=OFF)")
  return()
endif()

# Toolkits are often installed without being on the PATH.
find_program(TREFOIL_NVCC nvcc HINTS ENV CUDACXX ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda/bin /opt/cuda/bin PATH_SUFFIXES bin)
mark_as_advanced(TREFOIL_NVCC)
if(TREFOIL_NVCC)
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${TREFOIL_NVCC})
  endif()
  execute_process(COMMAND ${TREFOIL_NVCC} --version OUTPUT_VARIABLE nvcc_version ERROR_QUIET)
  string(REGEX MATCH "release [0-9.]+" nvcc_version "${nvcc_version}")
  set(TREFOIL_BUILD_CUDA ON)
  message(STATUS "CUDA: GPU plugin is built with ${TREFOIL_NVCC} (${nvcc_version})")
elseif(TREFOIL_CUDA STREQUAL "ON")
  message(FATAL_ERROR "CUDA: TREFOIL_CUDA=ON, but no nvcc was found; install NVIDIA's toolkit or point CUDACXX to its nvcc")
else()
  message(STATUS "CUDA: no nvcc found, so the GPU plugin is left out; Trefoil runs on the CPU")
endif()
