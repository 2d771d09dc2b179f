// The functions of the CUDA driver that launch kernels, without a device: they count.

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

CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = reinterpret_cast<CUcontext>(0x1000);
  return 0;
}

// Returns how many launches there were since the last call.
long long null_launches() {
  const long long seen = launches;
  launches = 0;
  return seen;
}

}
