/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "asim-messages.h"

#include "asim/trace.h"

#include "ns3/abort.h"
#include "ns3/asim-compat.h"
#include "ns3/log.h"

#include <algorithm>
#include <filesystem>
#include <stdlib.h>

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("AsimMessages");

namespace
{

/**
 * Makes an attribute of a node.
 * @param name its name
 * @param value its value
 * @return the attribute
 */
asim_chakra_attr
Number(const char* name, uint64_t value)
{
    asim_chakra_attr attr{};
    attr.name = name;
    attr.type = ASIM_CHAKRA_INT64;
    attr.value.i = static_cast<int64_t>(value);
    return attr;
}

/**
 * Writes one node of a trace.
 * @param writer the trace
 * @param node the node: its id, type and dependencies
 * @param attrs its attributes
 * @param err set on failure
 * @return 0, or the failure
 */
int
WriteNode(asim_chakra_writer* writer,
          asim_chakra_node node,
          std::vector<asim_chakra_attr> attrs,
          asim_err* err)
{
    asim_chakra_attr gpu{};

    gpu.name = "is_cpu_op";
    gpu.type = ASIM_CHAKRA_BOOL;
    attrs.push_back(gpu);
    node.name = asim_op_type_name(node.type);
    node.attrs = attrs.data();
    node.attr_n = attrs.size();
    return asim_chakra_writer_node(writer, &node, err);
}

} // namespace

AsimMessages::AsimMessages() = default;

AsimMessages::~AsimMessages()
{
    std::error_code ignored;

    NS_LOG_FUNCTION(this);
    if (!m_folder.empty())
    {
        std::filesystem::remove_all(m_folder, ignored);
    }
}

void
AsimMessages::Add(uint32_t src, uint32_t dst, uint64_t bytes, Time start)
{
    NS_LOG_FUNCTION(this << src << dst << bytes << start);
    NS_ABORT_MSG_IF(src == dst, "host " << src << " cannot send to itself");
    NS_ABORT_MSG_IF(!bytes, "a message from host " << src << " has no bytes");
    NS_ABORT_MSG_IF(start.IsStrictlyNegative(), "a message cannot start at " << start);
    NS_ABORT_MSG_IF(NanoSeconds(start.GetNanoSeconds()) != start,
                    "a message starts at a whole number of ns, not at " << start);
    m_messages.push_back({src, dst, bytes, static_cast<uint64_t>(start.GetNanoSeconds())});
}

bool
AsimMessages::IsEmpty() const
{
    return m_messages.empty();
}

std::string
AsimMessages::GetSystem() const
{
    const std::string n = std::to_string(m_messages.size());

    return R"({"preferred-dataset-splits": 1, "concurrent-collectives": )" + n +
           R"(, "concurrent-computes": )" + n + "}";
}

bool
AsimMessages::Write(std::string* prefix, std::string* error)
{
    NS_LOG_FUNCTION(this);
    std::string folder = (std::filesystem::temp_directory_path() / "asim-XXXXXX").string();
    uint32_t last = 0;

    if (!mkdtemp(folder.data()))
    {
        *error = "cannot make a folder like " + folder + " for the messages";
        return false;
    }
    m_folder = folder;
    *prefix = folder + "/messages";
    for (const Message& message : m_messages)
    {
        last = std::max({last, message.src, message.dst});
    }
    for (uint32_t host = 0; host <= last; host++)
    {
        if (!WriteHost(*prefix + "." + std::to_string(host) + ".et", host, error))
        {
            return false;
        }
    }
    return true;
}

/* Message m has the ids 3 m (its delay), 3 m + 1 (the send) and 3 m + 2 (the receive); m is its
 * tag. */
bool
AsimMessages::WriteHost(const std::string& path, uint32_t host, std::string* error) const
{
    asim_err err{};
    asim_chakra_writer* writer = nullptr;
    int code = asim_chakra_writer_open(&writer, path.c_str(), &err);

    if (code)
    {
        *error = err.text;
        return false;
    }
    code = asim_chakra_writer_metadata(writer, "0.0.4", nullptr, 0, &err);
    for (std::size_t m = 0; m < m_messages.size() && !code; m++)
    {
        const Message& message = m_messages[m];
        const uint64_t delay = 3 * m;
        const bool isSender = message.src == host;
        const bool waits = isSender && message.start;
        asim_chakra_node node{};

        if (waits)
        {
            node.id = delay;
            node.type = ASIM_OP_COMP;
            code = WriteNode(writer, node, {Number("duration_ns", message.start)}, &err);
        }
        if (!code && (isSender || message.dst == host))
        {
            node.id = delay + (isSender ? 1 : 2);
            node.type = isSender ? ASIM_OP_COMM_SEND : ASIM_OP_COMM_RECV;
            node.data_deps = waits ? &delay : nullptr;
            node.data_dep_n = waits;
            code = WriteNode(writer,
                             node,
                             {Number("comm_src", message.src),
                              Number("comm_dst", message.dst),
                              Number("comm_size", message.bytes),
                              Number("comm_tag", m)},
                             &err);
        }
    }
    if (code)
    {
        asim_chakra_writer_discard(writer);
    }
    else
    {
        code = asim_chakra_writer_commit(writer, &err);
    }
    *error = code ? err.text : "";
    return !code;
}

} // namespace ns3
