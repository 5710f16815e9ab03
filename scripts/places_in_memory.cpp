// c = a + b by two threads, over rings of 36 copies of 236 196 floats at many places. See places-in-memory.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sched.h>
#include <sys/mman.h>
#include <thread>
#include <vector>

constexpr size_t HUGE_PAGE = 2 << 20, COUNT = 236196, STRIDE = 950272 / sizeof(float), COPIES = 36;
constexpr size_t PAGES = STRIDE * COPIES * sizeof(float) / HUGE_PAGE + 2;

struct Places {
    float *a, *b, *c;
};

static void add(Places at, size_t half) {
    const size_t middle = COUNT / 2, from = half ? middle : 0, to = half ? COUNT : middle;
    for (size_t copy = COPIES; copy-- > 0;) {
        const float *a = at.a + copy * STRIDE, *b = at.b + copy * STRIDE;
        float *__restrict c = at.c + copy * STRIDE;
        for (size_t i = from; i < to; ++i) c[i] = a[i] + b[i];
    }
}

static void run_on(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) std::perror("sched_setaffinity"), std::exit(1);
}

int main(int, char **arguments) {
    const size_t bytes = std::strtoull(arguments[1], nullptr, 10) << 20, pages = bytes / HUGE_PAGE;
    const int places = std::atoi(arguments[2]), passes = std::atoi(arguments[3]);
    if (pages < 12 * PAGES || places < 10 || passes < 1) return std::puts("give 448 MiB, 10 places and a pass at least"), 2;
    auto *mapped = static_cast<char *>(mmap(nullptr, bytes + HUGE_PAGE, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    if (mapped == MAP_FAILED) return std::perror("mmap"), 1;
    char *memory = mapped + (HUGE_PAGE - reinterpret_cast<size_t>(mapped) % HUGE_PAGE) % HUGE_PAGE;
    if (madvise(memory, bytes, MADV_HUGEPAGE) != 0) return std::perror("no huge pages"), 1;
    for (size_t at = 0; at < bytes; at += 4096) memory[at] = 1;

    std::mt19937 random(1);
    std::vector<std::vector<size_t>> starts;
    while (starts.size() < size_t(places)) {
        std::vector<size_t> three;
        while (three.size() < 3) {
            const size_t start = random() % (pages - PAGES);
            const auto meets = [&](size_t other) { return start < other + PAGES && other < start + PAGES; };
            if (std::none_of(three.begin(), three.end(), meets)) three.push_back(start);
        }
        starts.push_back(three);
    }

    static std::atomic<int> begun{0}, done{0};
    static Places at{};
    std::thread other([] {
        run_on(1);
        for (int seen = 0;; ++seen) {
            while (begun == seen) {}
            if (!at.a) return;
            add(at, 1);
            ++done;
        }
    });
    run_on(0);
    std::vector<std::vector<double>> rates[2];
    for (auto &rate : rates) rate.resize(places);
    for (int pass = 0; pass < passes; ++pass)
        for (int place = 0; place < places; ++place)
            for (size_t turn = 0; turn < 2; ++turn) {
                // The order alternates: the second layout profits from caches that the first filled.
                const size_t apart = (turn + size_t(pass)) % 2;
                const auto start = [&](size_t ring) {
                    return reinterpret_cast<float *>(memory + starts[place][ring] * HUGE_PAGE + ring * apart * (68 << 10));
                };
                at = {start(0), start(1), start(2)};
                const auto before = std::chrono::steady_clock::now();
                const int so_far = done;
                ++begun;
                add(at, 0);
                while (done == so_far) {}
                const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
                rates[apart][place].push_back(12.0 * COUNT * COPIES / taken.count() / 1e9);
            }
    at.a = nullptr;
    ++begun;
    other.join();
    for (int apart = 0; apart < 2; ++apart) {
        std::vector<double> upper;
        for (auto &of_place : rates[apart]) {
            std::sort(of_place.begin(), of_place.end());
            upper.push_back(of_place[of_place.size() * 3 / 4]);
        }
        std::sort(upper.begin(), upper.end());
        const double middle = upper[upper.size() / 2];
        const auto slow = std::count_if(upper.begin(), upper.end(), [&](double rate) { return rate < 0.8 * middle; });
        std::printf("%s: middle %.1f GB/s, slowest places %.1f %.1f %.1f, %td of %d below 0.8 of the middle\n",
                    apart ? "68 KiB apart" : "alike       ", middle, upper[0], upper[1], upper[2], slow, places);
    }
}
