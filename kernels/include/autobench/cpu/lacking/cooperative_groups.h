#error "autobench: the cpu device has no cooperative groups"
