#include "remote/messages.h"

#include <gtest/gtest.h>

namespace gwatch::remote {
namespace {

capture::LaunchInfo some_launch() {
    capture::LaunchInfo launch;
    launch.kernel = "_Z2mmv";
    launch.kernel_demangled = "mm()";
    launch.function = 1;
    launch.resolved_function = 2;
    launch.context = 3;
    launch.device = 4;
    launch.device_name = "a device";
    launch.sm_count = 132;
    launch.compute_capability = 90;
    launch.grid = {5, 6, 7};
    launch.block = {8, 9, 10};
    launch.cluster = {2, 1, 1};
    launch.dynamic_shared_bytes = 11;
    launch.stream = 12;
    launch.in_stream_capture = true;
    launch.image = std::string(
        "\x7f"
        "ELF\0image",
        10);
    return launch;
}

void expect_same(const capture::LaunchInfo& left, const capture::LaunchInfo& right) {
    EXPECT_EQ(left.kernel, right.kernel);
    EXPECT_EQ(left.kernel_demangled, right.kernel_demangled);
    EXPECT_EQ(left.function, right.function);
    EXPECT_EQ(left.resolved_function, right.resolved_function);
    EXPECT_EQ(left.context, right.context);
    EXPECT_EQ(left.device, right.device);
    EXPECT_EQ(left.device_name, right.device_name);
    EXPECT_EQ(left.sm_count, right.sm_count);
    EXPECT_EQ(left.compute_capability, right.compute_capability);
    EXPECT_EQ(left.grid, right.grid);
    EXPECT_EQ(left.block, right.block);
    EXPECT_EQ(left.cluster, right.cluster);
    EXPECT_EQ(left.dynamic_shared_bytes, right.dynamic_shared_bytes);
    EXPECT_EQ(left.stream, right.stream);
    EXPECT_EQ(left.in_stream_capture, right.in_stream_capture);
    EXPECT_EQ(left.image, right.image);
}

void expect_same(const Error& left, const Error& right) {
    EXPECT_EQ(left.kind, right.kind);
    EXPECT_EQ(left.message, right.message);
    EXPECT_EQ(left.detail, right.detail);
    EXPECT_EQ(left.hint, right.hint);
}

const Error kError{ErrorKind::kSource, "message", "detail", "hint"};

capture::CaptureResult some_result() {
    capture::TracedLaunch launch;
    launch.info = some_launch();
    launch.token = 3;
    launch.records.plan.total_bytes = 4096;
    launch.records.plan.constants.region_slots = 17;
    launch.records.grid = {1, 2, 3};
    launch.records.block = {4, 5, 6};
    launch.records.control.dropped_records = 9;
    launch.records.region_slots = {2, 0, 1};
    launch.records.slots = {1, 2, 3};
    launch.records.pool.resize(2);
    launch.original.registers = 64;
    launch.traced.local_bytes = 8;
    launch.stage_seconds = {{"load", 0.5}, {"prepare", 0.25}};
    capture::CaptureResult result;
    result.launches.push_back(std::move(launch));
    result.failures.push_back({"other", kError});
    result.seen_kernels = {{"_Z2mmv", 3}};
    result.matching_launches = 4;
    result.skipped_launches = 5;
    result.graph_launches = 6;
    return result;
}

TEST(Messages, WhatAProgramSays) {
    const auto hello = std::get<Hello>(message_from(to_bytes(Message(Hello{12, "/a/b"}))).value());
    EXPECT_EQ(hello.process_id, 12);
    EXPECT_EQ(hello.program, "/a/b");

    const Message launch = message_from(to_bytes(Message(some_launch()))).value();
    expect_same(std::get<capture::LaunchInfo>(launch), some_launch());

    expect_same(std::get<Error>(message_from(to_bytes(Message(kError))).value()), kError);
}

TEST(Messages, WhatWasCaptured) {
    const capture::CaptureResult sent = some_result();

    const Message message = message_from(to_bytes(Message(sent))).value();

    const auto& result = std::get<capture::CaptureResult>(message);
    ASSERT_EQ(result.launches.size(), 1u);
    const capture::TracedLaunch& launch = result.launches[0];
    expect_same(launch.info, some_launch());
    EXPECT_EQ(launch.token, 3u);
    EXPECT_EQ(launch.records.plan.total_bytes, 4096u);
    EXPECT_EQ(launch.records.plan.constants.region_slots, 17u);
    EXPECT_EQ(launch.records.grid, (record::Dim3{1, 2, 3}));
    EXPECT_EQ(launch.records.block, (record::Dim3{4, 5, 6}));
    EXPECT_EQ(launch.records.control.dropped_records, 9u);
    EXPECT_EQ(launch.records.region_slots, sent.launches[0].records.region_slots);
    EXPECT_EQ(launch.records.slots, sent.launches[0].records.slots);
    EXPECT_EQ(launch.records.pool.size(), 2u);
    EXPECT_EQ(launch.original.registers, 64);
    EXPECT_EQ(launch.traced.local_bytes, 8);
    EXPECT_EQ(launch.stage_seconds, sent.launches[0].stage_seconds);
    ASSERT_EQ(result.failures.size(), 1u);
    EXPECT_EQ(result.failures[0].kernel, "other");
    expect_same(result.failures[0].error, kError);
    EXPECT_EQ(result.seen_kernels, sent.seen_kernels);
    EXPECT_EQ(result.matching_launches, 4u);
    EXPECT_EQ(result.skipped_launches, 5u);
    EXPECT_EQ(result.graph_launches, 6u);
}

TEST(Messages, WhatItGets) {
    Orders given;
    given.options = {"mm", 2, 3, 4};
    given.cupti_paths = {"a", "b"};
    const Orders orders = orders_from(to_bytes(given)).value();
    EXPECT_EQ(orders.options.kernel_pattern, "mm");
    EXPECT_EQ(orders.options.max_launches, 2u);
    EXPECT_EQ(orders.options.buffer_bytes, 3u);
    EXPECT_EQ(orders.options.warp_mask, 4u);
    EXPECT_EQ(orders.cupti_paths, (std::vector<std::string>{"a", "b"}));

    const capture::PreparedKernel sent{"image",    true, 9,
                                       {"x", "y"}, true, record::ParameterPlace{3, 24}};
    const Answer answer = answer_from(to_bytes(Answer(sent))).value();
    const auto& prepared = std::get<capture::PreparedKernel>(answer);
    EXPECT_EQ(prepared.image, "image");
    EXPECT_TRUE(prepared.uses_lane_cursors);
    EXPECT_EQ(prepared.token, 9u);
    EXPECT_EQ(prepared.module_variables, (std::vector<std::string>{"x", "y"}));
    EXPECT_TRUE(prepared.grid_counts_clusters);
    EXPECT_EQ(prepared.parameter, (record::ParameterPlace{3, 24}));
}

TEST(Messages, EveryCutIsFound) {
    const std::string bytes = to_bytes(Message(some_result()));

    for (std::size_t kept = 0; kept < bytes.size(); ++kept) {
        EXPECT_FALSE(message_from(std::string_view(bytes).substr(0, kept)).ok()) << kept;
    }
    EXPECT_FALSE(message_from(bytes + "x").ok());
}

TEST(Messages, AnotherBuildIsRefused) {
    std::string bytes = to_bytes(Message(Hello{1, "x"}));
    bytes[0] = static_cast<char>(bytes[0] + 1);
    EXPECT_EQ(message_from(bytes).error().kind, ErrorKind::kCapture);

    bytes = to_bytes(Message(Hello{1, "x"}));
    bytes[8] = 77;  // there is no such kind of message
    EXPECT_FALSE(message_from(bytes).ok());
}

TEST(Messages, WrongBytesDoNoHarm) {
    const std::string good = to_bytes(Message(some_result()));

    for (std::size_t at = 16; at < good.size(); ++at) {
        for (const char wrong : {'\0', '\x7f', '\xff'}) {
            std::string bytes = good;
            bytes[at] = wrong;
            static_cast<void>(message_from(bytes));
        }
    }
}

}  // namespace
}  // namespace gwatch::remote
