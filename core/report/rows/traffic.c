/* SPDX-License-Identifier: GPL-2.0-only
 *
 * traffic.csv: which rank has sent how many messages and bytes to which, a row for each source,
 * destination and type of collective with any. Bytes are those of messages that have arrived: what
 * the algorithms send, requests of a rendezvous among them, without headers and without what was
 * sent again. Written with --out and --reports=traffic.
 *
 * The table is bounded: where it would have more than ROWS rows, ranks count in blocks of 2, 4, 8 …
 * neighbours, as the bins of queues.csv double. The final blocks follow from the pairs alone, not
 * from the order in which they come. All NVSwitches together are one peer, and so
 * are all storage hosts of a scenario.
 */
#include "base/map.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>

/* Stand for ranks. */
#define NVSWITCH UINT32_MAX
#define STORAGE  (UINT32_MAX - 1)

struct traffic_options {
    uint64_t rows;
};

#define ROW(...) ASIM_OPTION(struct traffic_options, __VA_ARGS__)
static const struct asim_option options[] = {
    ROW("rows", U64, rows, "rows at most; ranks count in blocks where there would be more",
        .def = "500000", .min = 100, .max = 1e8),
    {0}};

struct cell {
    uint32_t src, dst; /* lowest rank of the block */
    int32_t type;      /* enum asim_coll_type; -1 = of SEND ops */
    uint64_t messages, bytes;
};

struct traffic {
    struct asim_report_file own;
    uint32_t n_ranks, hosts; /* hosts: without end points of NVSwitches */
    uint32_t block;          /* ranks in a block, a power of two */
    size_t most;
    struct asim_map at; /* (src << 32 | dst, type + 1) -> 1 + index of its cell */
    ASIM_VEC(struct cell) cells;
    int failed; /* out of memory */
};

static uint32_t block_of(const struct traffic *traffic, uint32_t node)
{
    if (node < traffic->n_ranks)
        return node & ~(traffic->block - 1);
    return node < traffic->hosts ? STORAGE : NVSWITCH;
}

/* Appends a cell, or adds to the one with its key. */
static void add(struct traffic *traffic, const struct cell *more)
{
    uint64_t *slot = asim_map_put(&traffic->at, (uint64_t)more->src << 32 | more->dst,
                                  (uint64_t)(more->type + 1));

    if (!slot || (!*slot && ASIM_VEC_PUSH(traffic->cells, *more))) {
        traffic->failed = 1;
        return;
    }
    if (*slot) {
        traffic->cells.at[*slot - 1].messages += more->messages;
        traffic->cells.at[*slot - 1].bytes += more->bytes;
    }
    *slot = *slot ? *slot : traffic->cells.n;
}

/* Doubles the blocks. With one block, at most 11 rows for each pair of ranks and NVSwitches are
 * left, fewer than the least limit. */
static void widen(struct traffic *traffic)
{
    size_t n = traffic->cells.n;

    traffic->block *= 2;
    asim_map_fini(&traffic->at);
    asim_map_init(&traffic->at);
    traffic->cells.n = 0;
    for (size_t i = 0; i < n && !traffic->failed; i++) {
        struct cell cell = traffic->cells.at[i];

        cell.src = block_of(traffic, cell.src);
        cell.dst = block_of(traffic, cell.dst);
        add(traffic, &cell);
    }
}

static void see(void *self, const struct asim_world *world, const struct asim_event *event)
{
    struct traffic *traffic = self;

    (void)world;
    if (traffic->failed)
        return;
    add(traffic, &(struct cell){.src = block_of(traffic, event->of.arrival.src),
                                .dst = block_of(traffic, event->rank),
                                .type = event->of.arrival.coll_type,
                                .messages = 1,
                                .bytes = event->of.arrival.bytes});
    while (traffic->cells.n > traffic->most && !traffic->failed)
        widen(traffic);
}

ASIM_ORDER(compare, struct cell, ->src, ->dst, ->type)

static void put_rank(struct asim_out *file, uint32_t rank)
{
    if (rank == NVSWITCH)
        asim_out_printf(file, "nvswitch,");
    else if (rank == STORAGE)
        asim_out_printf(file, "storage,");
    else
        asim_out_printf(file, "%u,", rank);
}

static void write_rows(struct traffic *traffic)
{
    if (traffic->cells.n)
        qsort(traffic->cells.at, traffic->cells.n, sizeof *traffic->cells.at, compare);
    for (size_t i = 0; i < traffic->cells.n; i++) {
        const struct cell *cell = &traffic->cells.at[i];

        put_rank(traffic->own.out, cell->src);
        put_rank(traffic->own.out, cell->dst);
        asim_out_printf(traffic->own.out, "%s,%" PRIu64 ",%" PRIu64 ",%u\n",
                        cell->type < 0 ? "SEND" : asim_coll_type_name(cell->type), cell->messages,
                        cell->bytes, traffic->block);
    }
}

static int begin(void *self, struct asim_world *world, struct asim_err *err)
{
    struct traffic *traffic = self;
    void *opt;

    if (asim_report_options(&opt, world, traffic->own.report, err))
        return ASIM_EUSAGE;
    traffic->most = (size_t)((struct traffic_options *)opt)->rows;
    asim_family_options_free(opt, &traffic->own.report->member);
    traffic->n_ranks = world->set.n_ranks;
    traffic->hosts = world->set.topo.hosts - world->set.topo.endpoints;
    traffic->block = 1;
    asim_map_init(&traffic->at);
    return 0;
}

static int end(void *self, const struct asim_world *world, struct asim_err *err)
{
    struct traffic *traffic = self;

    (void)world;
    if (traffic->failed)
        return asim_err_nomem(err, "keeping the bytes of pairs for traffic.csv");
    write_rows(traffic);
    return 0;
}

static void drop(void *self)
{
    struct traffic *traffic = self;

    asim_map_fini(&traffic->at);
    free(traffic->cells.at);
}

const struct asim_report asim_report_traffic = {
    .member = {.name = "traffic",
               .about = "traffic.csv: bytes from rank to rank for each type of collective",
               .options = options,
               .options_size = sizeof(struct traffic_options)},
    .in_out = ASIM_OUT_NAMED,
    .needs = ASIM_NET_FRAMES,
    .file = "traffic.csv",
    .head = "src_rank,dst_rank,collective,messages,bytes,block_ranks",
    .wants = 1u << ASIM_EV_ARRIVAL,
    .see = see,
    .size = sizeof(struct traffic),
    .begin = begin,
    .end = end,
    .drop = drop,
};
