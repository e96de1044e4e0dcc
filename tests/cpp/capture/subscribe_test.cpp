#include <gtest/gtest.h>

#include "capture/hooks.h"
#include "fake_cupti.h"

namespace gwatch::capture {

namespace {

void CUPTIAPI ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

class SubscribeTest : public ::testing::Test {
  protected:
    static constexpr CUptiResult kTaken = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;

    Result<Subscription> subscribe_to(std::vector<std::string> paths = {"libcupti.so.13"}) {
        return subscribe(paths, opens(cupti), ignore, nullptr);
    }

    FakeCuptiState cupti;
};

TEST_F(SubscribeTest, TriesTheNewCallAlone) {
    ASSERT_TRUE(subscribe_to().ok());
    EXPECT_EQ(cupti.calls, std::vector<std::string>{"v2"});
}

TEST_F(SubscribeTest, FallsBackToTheOldCall) {
    cupti.has_v2 = false;
    ASSERT_TRUE(subscribe_to().ok());
    EXPECT_EQ(cupti.calls, std::vector<std::string>{"v1"});
}

TEST_F(SubscribeTest, FallsBackWhenTheNewCallIsRefused) {
    cupti.v2_alone = CUPTI_ERROR_INVALID_PARAMETER;
    ASSERT_TRUE(subscribe_to().ok());
    EXPECT_EQ(cupti.calls, (std::vector<std::string>{"v2", "v1"}));
}

TEST_F(SubscribeTest, SharesCuptiWhenThatIsAllowed) {
    cupti.v2_alone = kTaken;
    cupti.v2_shared = CUPTI_SUCCESS;
    ASSERT_TRUE(subscribe_to().ok());
    EXPECT_EQ(cupti.calls, (std::vector<std::string>{"v2", "v2 shared"}));
}

TEST_F(SubscribeTest, AConflictNamesTheHolder) {
    cupti.v2_alone = kTaken;
    cupti.holder = "Nsight Systems";
    const Result<Subscription> subscription = subscribe_to({"libcupti.so.13", "never tried"});
    ASSERT_FALSE(subscription.ok());
    const Error& error = subscription.error();
    EXPECT_EQ(error.kind, ErrorKind::kCapture);
    EXPECT_EQ(error.message,
              "CUPTI is taken: another profiler (Nsight Systems) is subscribed to it");
    EXPECT_NE(error.hint.find("torch.profiler"), std::string::npos);
    EXPECT_EQ(cupti.calls, (std::vector<std::string>{"v2", "v2 shared"}));
}

TEST_F(SubscribeTest, AConflictWithoutANameIsStillOne) {
    cupti.has_v2 = false;
    cupti.v1 = kTaken;
    const Result<Subscription> subscription = subscribe_to();
    ASSERT_FALSE(subscription.ok());
    EXPECT_EQ(subscription.error().message, "CUPTI is taken: another profiler is subscribed to it");
}

TEST_F(SubscribeTest, AllThatWasTriedIsListed) {
    const OpenCupti open = [this](const std::string& path) -> Result<std::unique_ptr<Cupti>> {
        if (path == "missing")
            return Error{ErrorKind::kCapture, "missing cannot be opened", "no file"};
        return opens(cupti)(path);
    };
    cupti.has_v2 = false;
    cupti.v1 = CUPTI_ERROR_NOT_INITIALIZED;
    const Result<Subscription> subscription =
        subscribe({"missing", "broken"}, open, ignore, nullptr);
    ASSERT_FALSE(subscription.ok());
    const std::string& detail = subscription.error().detail;
    EXPECT_NE(detail.find("missing cannot be opened\nno file"), std::string::npos) << detail;
    EXPECT_NE(detail.find("broken: cuptiSubscribe failed with CUPTI_ERROR (15)"),
              std::string::npos);
    EXPECT_FALSE(subscription.error().hint.empty());
}

TEST_F(SubscribeTest, ALoadedCuptiIsTheOnlyCandidate) {
    EXPECT_EQ(cupti_candidates("/lib/libcupti.so.13", {"a"}),
              std::vector<std::string>{"/lib/libcupti.so.13"});
    const std::vector<std::string> others = cupti_candidates("", {"a", "b"});
    EXPECT_EQ(others.at(0), "a");
    EXPECT_EQ(others.at(1), "b");
    EXPECT_EQ(others.at(2), "libcupti.so.13");
}

TEST_F(SubscribeTest, ALibraryThatIsMissingIsSaidToBe) {
    const Result<std::unique_ptr<Cupti>> opened = open_cupti("/nowhere/libcupti.so");
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().message, "/nowhere/libcupti.so cannot be opened");
    EXPECT_FALSE(opened.error().detail.empty());
}

TEST_F(SubscribeTest, ALibraryThatIsNoCuptiIsRefused) {
    const Result<std::unique_ptr<Cupti>> opened = open_cupti("libc.so.6");
    ASSERT_FALSE(opened.ok());
    EXPECT_NE(opened.error().message.find("cuptiSubscribe"), std::string::npos);
}

}  // namespace

}  // namespace gwatch::capture
