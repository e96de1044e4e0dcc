#include "remote/remote_preparer.h"

#include "listener.h"
#include "remote/messages.h"

namespace gwatch::remote {
namespace {

capture::LaunchInfo launch_of(const std::string& kernel) {
    capture::LaunchInfo launch;
    launch.kernel = kernel;
    return launch;
}

TEST(RemotePreparer, AsksAndGivesTheAnswer) {
    Listener listener({to_bytes(Answer(capture::PreparedKernel{"cubin", true, 5})),
                       to_bytes(Answer(Error{ErrorKind::kNoMarkers, "no marker"})), "what?"});
    {
        Channel channel = Channel::connect(listener.path()).value();
        RemotePreparer preparer(channel);
        const capture::PreparedKernel prepared = preparer.prepare(launch_of("mm")).value();
        EXPECT_EQ(prepared.image, "cubin");
        EXPECT_EQ(prepared.token, 5u);
        const Error error = preparer.prepare(launch_of("other")).error();
        EXPECT_EQ(error.kind, ErrorKind::kNoMarkers);
        EXPECT_EQ(error.message, "no marker");
        EXPECT_EQ(preparer.prepare(launch_of("mm")).error().kind, ErrorKind::kCapture);
    }
    const Message asked = message_from(listener.messages()[1]).value();
    EXPECT_EQ(std::get<capture::LaunchInfo>(asked).kernel, "other");
}

TEST(RemotePreparer, NobodyAnswers) {
    Listener listener({});
    Channel channel = Channel::connect(listener.path()).value();
    RemotePreparer preparer(channel);
    EXPECT_EQ(preparer.prepare(launch_of("mm")).error().message,
              "kernel mm is not traced: gwatch run has ended");
}

}  // namespace
}  // namespace gwatch::remote
