#include "remote/channel.h"

#include "listener.h"

namespace gwatch::remote {
namespace {

TEST(Channel, MessagesBothWays) {
    const std::string large(5 << 20, 'x');
    Listener listener({"one", large, ""});
    {
        Channel channel = Channel::connect(listener.path()).value();
        EXPECT_TRUE(channel.send("first"));
        EXPECT_EQ(channel.receive(), "one");
        EXPECT_TRUE(channel.send(large));
        EXPECT_EQ(channel.receive(), large);
        EXPECT_TRUE(channel.send(""));
        EXPECT_EQ(channel.receive(), "");
    }
    EXPECT_EQ(listener.messages(), (std::vector<std::string>{"first", large, ""}));
}

TEST(Channel, TheOtherEndGoes) {
    Listener listener({});
    Channel channel = Channel::connect(listener.path()).value();
    channel.send("the last one");
    listener.messages();
    EXPECT_EQ(channel.receive(), std::nullopt);
    channel.send("into the void");
    EXPECT_FALSE(channel.send("into the void"));
}

TEST(Channel, NobodyListens) {
    EXPECT_EQ(Channel::connect("/no/such/socket").error().kind, ErrorKind::kIo);
    EXPECT_FALSE(Channel::connect(std::string(200, 'x')).ok());
}

}  // namespace
}  // namespace gwatch::remote
