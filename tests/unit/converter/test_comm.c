/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Names of collectives in every style seen, sizes of types, process-group numbers, tensor sizes.
 */
#include "convert/comm.h"
#include "repair/graph.h"
#include "check.h"
#include "convert/pgroups.h"

static void test_kinds(void)
{
    static const struct {
        const char *name;
        int kind;
    } cases[] = {{"allreduce", ASIM_ALL_REDUCE},
                 {"c10d::allreduce_", ASIM_ALL_REDUCE},
                 {"allreduce_coalesced", ASIM_ALL_REDUCE},
                 {"nccl:all_reduce", ASIM_ALL_REDUCE},
                 {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*)", ASIM_ALL_REDUCE},
                 {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)", ASIM_ALL_REDUCE},
                 {"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", ASIM_ALL_REDUCE},
                 {"_allgather_base", ASIM_ALL_GATHER},
                 {"allgather_into_tensor_coalesced", ASIM_ALL_GATHER},
                 {"ncclDevKernel_AllGather_RING_LL(…)", ASIM_ALL_GATHER},
                 {"_reduce_scatter_base", ASIM_REDUCE_SCATTER},
                 {"reduce_scatter_tensor_coalesced", ASIM_REDUCE_SCATTER},
                 {"ncclDevKernel_ReduceScatter_Sum_bf16", ASIM_REDUCE_SCATTER},
                 {"_broadcast_oop", ASIM_BROADCAST},
                 {"_reduce_oop", ASIM_REDUCE},
                 {"ncclDevKernel_Reduce_Sum_f32_RING", ASIM_REDUCE},
                 {"gather", ASIM_GATHER},
                 {"scatter", ASIM_SCATTER},
                 {"all_to_allv", ASIM_ALL_TO_ALL},
                 {"c10d::alltoall_base_", ASIM_ALL_TO_ALL},
                 {"barrier", ASIM_BARRIER},
                 {"nccl:send 0->1", ASIM_COMM_SEND},
                 {"nccl:recv 0<-1", ASIM_COMM_RECV},
                 {"wait", ASIM_COMM_WAIT},
                 {"ncclDevKernel_SendRecv(ncclDevKernelArgs)", ASIM_COMM_UNKNOWN},
                 {"ncclDevKernel_Generic", ASIM_COMM_UNKNOWN},
                 {"ncclDevKernel_Generic_4(ncclDevKernelArgsStorage<4096ul>)", ASIM_COMM_UNKNOWN},
                 {"nccl:coalesced", ASIM_COMM_UNKNOWN}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (asim_comm_kind(cases[i].name) != cases[i].kind) {
            CHECK(0);
            fprintf(stderr, "  %s gives %d, want %d\n", cases[i].name,
                    asim_comm_kind(cases[i].name), cases[i].kind);
        }
}

static void test_compat_kinds(void)
{
    CHECK(asim_comm_kind_compat("ncclDevKernel_SendRecv(…)") == ASIM_ALL_TO_ALL);
    CHECK(asim_comm_kind_compat("ncclKernel_SendRecv_RING(…)") == ASIM_COMM_UNKNOWN);
    CHECK(asim_comm_kind_compat("ncclDevKernel_Generic_4(…)") == ASIM_COMM_UNKNOWN);
    CHECK(asim_comm_kind_compat("ncclDevKernel_Reduce_Sum(…)") == ASIM_COMM_UNKNOWN);
    CHECK(asim_comm_kind_compat("ncclKernel_AllGather(…)") == ASIM_ALL_GATHER);
}

static void test_kernels(void)
{
    static const char *const yes[] = {"ncclKernel_AllReduce_RING_LL", "ncclDevKernel_Generic_2",
                                      "ncclDevKernelDebug_Generic", "mscclKernel_Sum_half",
                                      "ncclBroadcastRingLLKernel_copy_i8(ncclColl)"};
    static const char *const no[] = {"volta_sgemm_64x64_tn", "Memcpy DtoD", "elementwise_kernel"};

    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        CHECK(asim_comm_is_kernel(yes[i], 0));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        CHECK(!asim_comm_is_kernel(no[i], 0));
    CHECK(!asim_comm_is_kernel("mscclKernel_Sum_half", 1));
}

static void test_bytes(void)
{
    CHECK_U64(asim_comm_type_bytes("Float"), 4);
    CHECK_U64(asim_comm_type_bytes("c10::BFloat16"), 2);
    CHECK_U64(asim_comm_type_bytes("Long"), 8);
    CHECK_U64(asim_comm_type_bytes("Float8_e4m3fn"), 1);
    CHECK_U64(asim_comm_type_bytes("nonsense"), 0);
    CHECK_U64(asim_repair_tensor_bytes("[[718, 715, 0, 6144, 4, 'cuda:0']]"), 24576);
    CHECK_U64(asim_repair_tensor_bytes("[[[1, 1, 0, 10, 4, 'cuda:0'], [2, 2, 0, 5, 8, 'c']], 3]"),
              80);
    CHECK_U64(asim_repair_tensor_bytes("[1, 2, 'x']"), 0);
    CHECK_U64(asim_repair_tensor_bytes(""), 0);
}

static void test_groups(void)
{
    int64_t hashed = asim_pgroup_number("mesh_dp_0a1b");

    CHECK(asim_pgroup_number("0") == 0 && asim_pgroup_number("17") == 17);
    CHECK(hashed >= 1 << 20 && hashed <= INT32_MAX);
    CHECK(hashed == asim_pgroup_number("mesh_dp_0a1b"));
    CHECK(hashed != asim_pgroup_number("mesh_dp_0a1c"));
    CHECK(asim_pgroup_number("99999999999") >= 1 << 20);
}

int main(void)
{
    test_kinds();
    test_compat_kinds();
    test_kernels();
    test_bytes();
    test_groups();
    return CHECK_DONE();
}
