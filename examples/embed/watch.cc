/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * The packet network, stepped by the program and watched frame by frame. CMakeLists.txt here builds
 * it with find_package(asim).
 *
 *     ./watch ../workloads/all_reduce_2r_1MiB/all_reduce
 */
#include <asim/observe.h>
#include <asim/packet.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

namespace
{

struct Watch
{
    asim_world* world;
    std::map<int, uint64_t> sent; // frames by protocol, counted where their first hop begins
    uint64_t messages = 0;
    uint64_t slowest = 0; // ns a message took, at most
};

void
OnFrame(void* self, const asim_frame_seen* seen)
{
    auto watch = static_cast<Watch*>(self);
    asim_decoded_headers headers;

    asim_packet_decode(watch->world, seen, &headers);
    if (seen->event == ASIM_FRAME_TX && seen->node == headers.from)
    {
        watch->sent[headers.protocol]++;
    }
}

void
OnMessage(void* self, const asim_observed_message* message)
{
    auto watch = static_cast<Watch*>(self);
    const uint64_t took = message->time_ns - message->start_ns;

    watch->messages++;
    watch->slowest = took > watch->slowest ? took : watch->slowest;
}

int
Run(const char* workload, asim_err* err)
{
    asim_settings settings;
    asim_world* opened = nullptr;
    asim_observer observer{};
    int code = asim_settings_init(&settings, sizeof settings, err);

    code = code ? code : asim_settings_set(&settings, "workload", workload, err);
    code = code ? code : asim_world_open(&opened, &settings, nullptr, err);
    asim_settings_fini(&settings);
    std::unique_ptr<asim_world, void (*)(asim_world*)> world(opened, asim_world_close);
    Watch watch{opened, {}};
    observer.size = sizeof observer;
    observer.self = &watch;
    observer.message_done = OnMessage;
    code = code ? code : asim_world_observe(opened, &observer, err);
    code = code ? code : asim_packet_watch_frames(opened, OnFrame, &watch, err);
    code = code ? code : asim_world_start(opened, err);
    if (!opened)
    {
        return code;
    }
    while (!code && asim_packet_next(opened) != ASIM_NEVER && !asim_world_done(opened))
    {
        asim_packet_step(opened, err);
        code = err->code;
    }
    code = asim_world_finish(opened, code, err);
    asim_packet_counters counters;
    asim_packet_stats(opened, &counters);
    std::printf("rank 0 finished at %llu ns; %llu messages, the slowest took %llu ns; %llu data "
                "packets, %llu acknowledgments, %llu packet-hops\n",
                static_cast<unsigned long long>(asim_world_cycles(opened, 0)),
                static_cast<unsigned long long>(watch.messages),
                static_cast<unsigned long long>(watch.slowest),
                static_cast<unsigned long long>(watch.sent[ASIM_PROTOCOL_DATA]),
                static_cast<unsigned long long>(watch.sent[ASIM_PROTOCOL_ACK]),
                static_cast<unsigned long long>(counters.hops));
    return code;
}

} // namespace

int
main(int argc, char** argv)
{
    asim_err err{};
    const int code = Run(argc > 1 ? argv[1] : "", &err);

    if (code)
    {
        std::fprintf(stderr, "watch: %s\n", err.text);
    }
    return code != 0;
}
