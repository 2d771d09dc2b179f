// The functions of the CUDA driver that launch kernels and copy, and those of cuBLAS that
// multiply matrices, without a device: they count.

#include <stddef.h>
#include <stdint.h>

extern "C" {

typedef int CUresult;
typedef struct CUctx_st *CUcontext;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;

static long long launches = 0;

CUresult cuLaunchKernel(
    CUfunction, unsigned int, unsigned int, unsigned int, unsigned int, unsigned int,
    unsigned int, unsigned int, CUstream, void **, void **) {
  ++launches;
  return 0;
}

CUresult cuMemcpyDtoDAsync_v2(
    unsigned long long, unsigned long long, size_t, CUstream) {
  ++launches;
  return 0;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = reinterpret_cast<CUcontext>(0x1000);
  return 0;
}

int cublasGemmEx(
    void *, int, int, int, int, int, const void *, const void *, int, int, const void *,
    int, int, const void *, void *, int, int, int, int) {
  ++launches;
  return 0;
}

int cublasGemmStridedBatchedEx(
    void *, int, int, int, int, int, const void *, const void *, int, int, long long,
    const void *, int, int, long long, const void *, void *, int, int, long long, int, int,
    int) {
  ++launches;
  return 0;
}

int cublasSetStream_v2(void *, CUstream) { return 0; }

int cublasSetWorkspace_v2(void *, void *, unsigned long) { return 0; }

// The address of the current stream.
intptr_t null_stream() { return 0; }

// Returns how many launches there were since the last call.
long long null_launches() {
  const long long seen = launches;
  launches = 0;
  return seen;
}

}
