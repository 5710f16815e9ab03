#error "autobench: the cpu device has no cuda_fp16.h (write ab::f16)"
