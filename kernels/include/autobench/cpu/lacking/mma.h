#error "autobench: the cpu device has no tensor cores"
