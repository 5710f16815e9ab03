#error "autobench: the cpu device has no cuda_bf16.h (write ab::bf16)"
