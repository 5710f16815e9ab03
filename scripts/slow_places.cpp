// Sums many buffers one after the other, repeatedly. See slow-places.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <sys/mman.h>
#include <vector>

constexpr size_t HUGE_PAGE = 2 << 20;

static double median(std::vector<double> of) {
    std::sort(of.begin(), of.end());
    return of[of.size() / 2];
}

static float sum(const float *at, size_t count) {
    float sums[16] = {};
    for (size_t i = 0; i + 16 <= count; i += 16)
        for (size_t lane = 0; lane < 16; ++lane) sums[lane] += at[i + lane];
    return std::accumulate(sums, sums + 16, 0.0f);
}

int main(int, char **arguments) {
    const size_t bytes = std::strtoull(arguments[1], nullptr, 10) << 20;
    const int buffers = std::atoi(arguments[2]), passes = std::atoi(arguments[3]);
    if (bytes == 0 || buffers < 3 || passes < 2) return std::puts("give 1 MiB, three buffers and two passes at least"), 2;
    std::vector<const float *> starts;
    for (int at = 0; at < buffers; ++at) {
        auto *mapped = static_cast<char *>(mmap(nullptr, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
        if (mapped == MAP_FAILED) return std::perror("mmap"), 1;
        char *start = mapped + (HUGE_PAGE - reinterpret_cast<size_t>(mapped) % HUGE_PAGE) % HUGE_PAGE;
        if (madvise(start, bytes, MADV_HUGEPAGE) != 0) return std::perror("no huge pages"), 1;
        std::memset(start, 0, bytes);
        starts.push_back(reinterpret_cast<const float *>(start));
    }
    std::mt19937 random(1);
    std::vector<int> order(buffers);
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::vector<double>> rates[2];
    for (auto &half : rates) half.resize(buffers);
    float kept = 0;
    for (int pass = 0; pass < passes; ++pass) {
        std::shuffle(order.begin(), order.end(), random);
        for (int at : order) {
            const auto begin = std::chrono::steady_clock::now();
            kept += sum(starts[at], bytes / sizeof(float));
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
            rates[pass * 2 / passes][at].push_back(double(bytes) / took.count() / 1e9);
        }
    }
    double usual[2];
    for (int half = 0; half < 2; ++half) {
        std::vector<double> all;
        for (const auto &of : rates[half]) all.push_back(median(of));
        usual[half] = median(all);
    }
    std::printf("%.2f and %.2f GB/s in the first and second half of the passes; buffers 5 %% slower in both:\n", usual[0], usual[1]);
    int slow = 0;
    for (int at = 0; at < buffers; ++at) {
        const double first = median(rates[0][at]) / usual[0], second = median(rates[1][at]) / usual[1];
        if (first > 0.95 || second > 0.95) continue;
        std::printf("  buffer %d: %.3f and %.3f of it\n", at, first, second);
        ++slow;
    }
    std::printf("%d of %d\n", slow, buffers);
    return kept != 0;
}
