/* SPDX-License-Identifier: GPL-2.0-only
 *
 * A host trace and a device trace of one rank, with a bit of everything a link looks at.
 */
#ifndef ASIM_TESTS_SMALL_TRACES_H
#define ASIM_TESTS_SMALL_TRACES_H

static const char host_text[] =
    "{\"schema\": \"1.1.0-chakra.0.0.4\", \"pid\": 1, \"nodes\": ["
    "{\"id\": 1, \"name\": \"[pytorch|profiler|execution_trace|process]\", \"ctrl_deps\": 1,"
    " \"attrs\": []},"
    "{\"id\": 2, \"name\": \"[pytorch|profiler|execution_trace|thread]\", \"ctrl_deps\": 1,"
    " \"attrs\": [{\"name\": \"tid\", \"value\": 1}]},"
    "{\"id\": 3, \"name\": \"aten::add\", \"ctrl_deps\": 2,"
    " \"attrs\": [{\"name\": \"rf_id\", \"value\": 5}, {\"name\": \"tid\", \"value\": 1}]},"
    "{\"id\": 4, \"name\": \"aten::\\u00e9\", \"ctrl_deps\": 99,"
    " \"attrs\": [{\"name\": \"rf_id\", \"value\": 6}, {\"name\": \"tid\", \"value\": 1}]}],"
    " \"finish_ts\": 3}";

static const char device_text[] =
    "{\"distributedInfo\": {\"pg_config\": [{\"pg_name\": \"0\", \"ranks\": []}]},"
    " \"traceEvents\": ["
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", \"pid\": 1, \"tid\": 1,"
    " \"ts\": 10, \"dur\": 20.5, \"args\": {\"External id\": 1, \"Record function id\": 5}},"
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipLaunchKernel\", \"pid\": 1,"
    " \"tid\": 1, \"ts\": 12, \"dur\": 1, \"args\": {\"correlation\": 7, \"stream\": \"0x0\"}},"
    "{\"ph\": \"X\", \"cat\": \"kernel\", \"name\": \"ncclDevKernel_Generic_4\", \"pid\": 0,"
    " \"tid\": 0, \"ts\": 15, \"dur\": 10, \"args\": {\"correlation\": 7, \"stream\": 0, "
    "\"device\":"
    " 0, \"Collective name\": \"allreduce\", \"Process Group Name\": \"0\"}},"
    "{\"ph\": \"X\", \"cat\": \"cuda_runtime\", \"name\": \"hipDeviceSynchronize\", \"pid\": 1,"
    " \"tid\": 1, \"ts\": 31, \"dur\": 5, \"args\": {\"correlation\": 8}},"
    "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::mul\", \"pid\": 1, \"tid\": 1,"
    " \"ts\": 40, \"dur\": 2, \"args\": {\"External id\": 2, \"Record function id\": 6}}]}";

#endif
