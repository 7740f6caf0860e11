/*
 * Copyright (c) 2026 the asim authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * @ingroup asim-tests
 * The workload of the test suites, written by the tests themselves.
 */

#ifndef ASIM_TEST_TRACE_H
#define ASIM_TEST_TRACE_H

#include "asim/trace.h"

#include "ns3/abort.h"

#include <string>

/**
 * Writes one all-reduce of 1 MiB for a rank, as `asim trace generate` does.
 * @param prefix of the traces
 * @param rank the rank
 */
inline void
WriteTrace(const std::string& prefix, uint32_t rank)
{
    asim_err err{};
    asim_chakra_writer* writer = nullptr;
    const std::string path = prefix + "." + std::to_string(rank) + ".et";
    asim_chakra_attr attrs[3]{};
    asim_chakra_node node{};

    attrs[0].name = "is_cpu_op";
    attrs[0].type = ASIM_CHAKRA_BOOL;
    attrs[1].name = "comm_type";
    attrs[1].type = ASIM_CHAKRA_INT64;
    attrs[1].value.i = ASIM_ALL_REDUCE;
    attrs[2].name = "comm_size";
    attrs[2].type = ASIM_CHAKRA_INT64;
    attrs[2].value.i = 1 << 20;
    node.id = rank;
    node.name = "all_reduce";
    node.type = ASIM_OP_COMM_COLL;
    node.attrs = attrs;
    node.attr_n = 3;
    NS_ABORT_MSG_IF(asim_chakra_writer_open(&writer, path.c_str(), &err), err.text);
    NS_ABORT_MSG_IF(asim_chakra_writer_metadata(writer, "0.0.4", nullptr, 0, &err), err.text);
    NS_ABORT_MSG_IF(asim_chakra_writer_node(writer, &node, &err), err.text);
    NS_ABORT_MSG_IF(asim_chakra_writer_commit(writer, &err), err.text);
}

#endif
