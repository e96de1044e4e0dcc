#include "capture/device_resources.h"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "fake_driver.h"

namespace gwatch::capture {

namespace {

/// Notes copies instead of making them, for memory larger than a test can hold.
class NotedCopies : public FakeDriver {
  public:
    CUresult copy_to_host(void* to, CUdeviceptr from, std::size_t bytes, CUstream) override {
        copies.push_back({from, bytes});
        std::memset(to, static_cast<int>(copies.size()), bytes);
        return CUDA_SUCCESS;
    }

    std::vector<std::pair<CUdeviceptr, std::size_t>> copies;
};

class MemoryReaderTest : public ::testing::Test {
  protected:
    MemoryReaderTest() {
        driver.memory_allocate(&memory, 1024);
        std::iota(driver.at(memory, 1024), driver.at(memory, 1024) + 1024, std::uint8_t{0});
    }

    FakeDriver driver;
    CUdeviceptr memory = 0;
};

TEST_F(MemoryReaderTest, ReadsRowsWithoutTheirGaps) {
    std::vector<std::uint8_t> to(6);
    DeviceMemoryReader reader(driver, memory, nullptr);
    ASSERT_TRUE(reader.read(10, 100, 2, 3, to.data()).ok());
    EXPECT_EQ(to, (std::vector<std::uint8_t>{10, 11, 110, 111, 210, 211}));
    EXPECT_EQ(driver.stream_operations(nullptr).back(), "copy rows");
}

TEST_F(MemoryReaderTest, ReadsRowsWithoutGapsAsOne) {
    std::vector<std::uint8_t> to(6);
    DeviceMemoryReader reader(driver, memory, nullptr);
    ASSERT_TRUE(reader.read(10, 2, 2, 3, to.data()).ok());
    EXPECT_EQ(to, (std::vector<std::uint8_t>{10, 11, 12, 13, 14, 15}));
    EXPECT_EQ(driver.stream_operations(nullptr).back(), "copy to host");
}

TEST_F(MemoryReaderTest, ReadsNothing) {
    DeviceMemoryReader reader(driver, memory, nullptr);
    EXPECT_TRUE(reader.read(0, 8, 0, 3, nullptr).ok());
    EXPECT_TRUE(reader.read(0, 8, 8, 0, nullptr).ok());
    EXPECT_TRUE(driver.stream_operations(nullptr).empty());
}

TEST_F(MemoryReaderTest, RowsFartherApartThanTheDriverAllowsAreReadOneByOne) {
    NotedCopies noted;
    std::vector<std::uint8_t> to(6);
    constexpr std::uint64_t kPitch = std::uint64_t{3} << 30;
    DeviceMemoryReader reader(noted, 0x1000, nullptr);
    ASSERT_TRUE(reader.read(8, kPitch, 2, 3, to.data()).ok());
    EXPECT_EQ(noted.copies, (std::vector<std::pair<CUdeviceptr, std::size_t>>{
                                {0x1008, 2}, {0x1008 + kPitch, 2}, {0x1008 + 2 * kPitch, 2}}));
    EXPECT_EQ(to, (std::vector<std::uint8_t>{1, 1, 2, 2, 3, 3}));
}

TEST_F(MemoryReaderTest, AFailedCopySaysWhatWasRead) {
    FailingDriver failing(driver);
    failing.fail_all("cuMemcpyDtoHAsync_v2", CUDA_ERROR_ILLEGAL_ADDRESS);
    std::uint64_t to = 0;
    DeviceMemoryReader reader(failing, memory, nullptr);
    const Result<void> read = reader.read(0, 8, 8, 1, &to);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().message,
              "cuMemcpyDtoHAsync_v2 failed to read 1 x 8 bytes of records: "
              "CUDA_ERROR_ILLEGAL_ADDRESS (700, some text)");
}

TEST(DeviceResourcesTest, WhatIsAbandonedIsNotFreed) {
    FakeDriver driver;
    {
        DeviceResources resources(driver, nullptr);
        driver.memory_allocate(&resources.memory, 64);
        driver.stream_create(&resources.stream, 0);
        resources.abandon();
    }
    EXPECT_EQ(driver.live_objects(), 2u);
}

}  // namespace

}  // namespace gwatch::capture
