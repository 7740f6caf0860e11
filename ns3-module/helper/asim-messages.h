/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef ASIM_MESSAGES_NS3_H
#define ASIM_MESSAGES_NS3_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

/**
 * @file
 * @ingroup asim
 * ns3::AsimMessages declaration.
 */

namespace ns3
{

/**
 * @ingroup asim
 * Messages that a program sends by itself, as a workload: AsimHelper::Send collects them here.
 */
class AsimMessages
{
  public:
    AsimMessages();
    /** Removes what Write has written. */
    ~AsimMessages();
    AsimMessages(const AsimMessages&) = delete;
    AsimMessages& operator=(const AsimMessages&) = delete;

    /**
     * Adds a message.
     * @param src the host that sends
     * @param dst the host that receives
     * @param bytes size of the message, at least 1
     * @param start when it is posted, a whole number of ns
     */
    void Add(uint32_t src, uint32_t dst, uint64_t bytes, Time start);
    /**
     * Tells whether there are no messages.
     * @return true if there are none
     */
    bool IsEmpty() const;
    /**
     * Writes the messages as Chakra traces to a temporary folder.
     * @param prefix set to the prefix of the traces
     * @param error set to the reason on failure
     * @return true on success
     */
    bool Write(std::string* prefix, std::string* error);
    /**
     * Gets a system configuration under which no message waits for another one of its host.
     * @return the configuration as JSON
     */
    std::string GetSystem() const;

  private:
    /** A message. */
    struct Message
    {
        uint32_t src;   //!< the host that sends
        uint32_t dst;   //!< the host that receives
        uint64_t bytes; //!< its size
        uint64_t start; //!< ns, when it is posted
    };

    /**
     * Writes the trace of a host.
     * @param path of the file
     * @param host the host
     * @param error set to the reason on failure
     * @return true on success
     */
    bool WriteHost(const std::string& path, uint32_t host, std::string* error) const;

    std::vector<Message> m_messages; //!< in the order of Add
    std::string m_folder;            //!< where the traces are; empty before Write
};

} // namespace ns3

#endif /* ASIM_MESSAGES_NS3_H */
