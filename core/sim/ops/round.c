/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Repeats the trace of a rank and moves its data to and from storage hosts. At the end of a
 * round a rank writes its checkpoint and asks for the data of the next round; it goes on when
 * all that it waits for has ended. A write ends when its message is acknowledged. A read is a
 * request of REQUEST_BYTES; the storage host answers at once with the data: disks take no time
 * (system-layer.md#storage-of-scenarios).
 *
 * Tags of these messages: bit 60, and in a request below it the bytes to send. Collectives have bit
 * 63, requests of a rendezvous bit 62, sends and receives at most 32 bits.
 */
#include "sim/ops/round.h"
#include "scenario/number_list.h"
#include "scenario/scenario.h"
#include "sim/collective/match.h"
#include "sim/collective/send.h"
#include "sim/rank/rank_shard.h"
#include "sim/world.h"

enum { REQUEST_BYTES = 256 };
#define STORAGE_TAG (1ull << 60)
#define REQUEST_TAG (STORAGE_TAG | 1ull << 59)
#define BYTES_MASK  (ASIM_PACKET_BYTES_MAX)

/* --- set-up ------------------------------------------------------------------------------------
 */
static int open_storage(struct asim_world *world, const struct asim_scenario_storage *from,
                        struct asim_storage *into, struct asim_err *err)
{
    struct asim_number_list ranges = {from->hosts}, count = ranges;
    uint32_t host, n = 0;

    while (asim_number_list_next(&count, &host) > 0)
        n++;
    into->hosts = asim_arena_array(&world->arena, n, sizeof *into->hosts);
    if (!into->hosts)
        return asim_err_nomem(err, "finding storage hosts");
    while (asim_number_list_next(&ranges, &host) > 0)
        into->hosts[into->n++] = asim_topo_internal_id(&world->set.topo, host);
    into->from = from;
    return 0;
}

static int open_list(struct asim_world *world, const struct asim_scenario_storage *at, size_t n,
                     struct asim_storage **list, struct asim_err *err)
{
    int code = 0;

    *list = asim_arena_array(&world->arena, n, sizeof **list);
    if (!*list)
        return asim_err_nomem(err, "finding storage hosts");
    for (size_t i = 0; i < n && !code; i++)
        code = open_storage(world, &at[i], &(*list)[i], err);
    return code;
}

int asim_round_open(struct asim_world *world, struct asim_err *err)
{
    const struct asim_scenario *scenario = world->set.scenario;
    uint32_t hosts = world->set.topo.hosts;

    if (!scenario || !(scenario->checkpoints.n + scenario->loading.n))
        return 0;
    world->run.storage_sent =
        asim_arena_array(&world->arena, hosts, sizeof *world->run.storage_sent);
    if (!world->run.storage_sent)
        return asim_err_nomem(err, "finding storage hosts");
    if (open_list(world, scenario->checkpoints.at, scenario->checkpoints.n, &world->set.checkpoints,
                  err) ||
        open_list(world, scenario->loading.at, scenario->loading.n, &world->set.loading, err))
        return ASIM_ENOMEM;
    return asim_topo_check_connected(&world->set.topo, hosts - world->set.topo.endpoints, err);
}

/* --- messages ----------------------------------------------------------------------------------
 */
static uint32_t host_of(const struct asim_rank *rank, const struct asim_storage *storage)
{
    return storage->hosts[asim_rank_in_job(rank) % storage->n];
}

static int concerns(const struct asim_rank *rank, const struct asim_storage *storage)
{
    return storage->from->number == ASIM_SCENARIO_ALL_JOBS ||
           storage->from->number == rank->job->number;
}

/* What ends the wait of the rank; NULL after failing it. */
static struct asim_deferred_action *make_action(struct asim_rank *rank)
{
    return asim_deferred_action_keep(
        rank, &(struct asim_deferred_action){.kind = ASIM_DEFERRED_ROUND}, "writing to storage");
}

static void send(struct asim_rank *rank, const struct asim_storage *storage, uint64_t bytes,
                 uint64_t tag, uint64_t cookie)
{
    asim_send(rank,
              &(struct asim_msg){.src = rank->id,
                                 .dst = host_of(rank, storage),
                                 .bytes = bytes,
                                 .tag = tag,
                                 .cookie = cookie},
              0);
}

static void write_checkpoint(struct asim_rank *rank, const struct asim_storage *storage)
{
    struct asim_deferred_action *action = storage->from->waits ? make_action(rank) : NULL;

    if (rank->failed)
        return;
    rank->storage_waits += action != NULL;
    send(rank, storage, storage->from->bytes, STORAGE_TAG,
         action ? asim_deferred_action_cookie(action) : ASIM_NEVER);
}

/* The receive is posted before the request leaves, and so is never complete here. A read that
 * nobody waits for has no receive: its bytes are dropped (ASIM_STORAGE_DROP). */
static void read_data(struct asim_rank *rank, const struct asim_storage *storage)
{
    struct asim_deferred_action *action = storage->from->waits ? make_action(rank) : NULL;
    uint64_t kind = action ? REQUEST_TAG : REQUEST_TAG | 1ull << 58;

    if (rank->failed)
        return;
    if (action) {
        rank->storage_waits++;
        asim_match_post(rank, &(struct asim_recv){.bytes = storage->from->bytes,
                                                  .action = action,
                                                  .src = host_of(rank, storage),
                                                  .tag = STORAGE_TAG});
    }
    send(rank, storage, REQUEST_BYTES, kind | storage->from->bytes, ASIM_NEVER);
}

/* number: of the round that begins, from 0. */
static void read_all(struct asim_rank *rank, uint32_t number)
{
    const struct asim_scenario *scenario = rank->world->set.scenario;

    for (size_t i = 0; scenario && i < scenario->loading.n && !rank->failed; i++)
        if (concerns(rank, &rank->world->set.loading[i]) &&
            number % scenario->loading.at[i].every == 0)
            read_data(rank, &rank->world->set.loading[i]);
}

/* number: of the round that has ended, from 1. */
static void write_all(struct asim_rank *rank, uint32_t number)
{
    const struct asim_scenario *scenario = rank->world->set.scenario;

    for (size_t i = 0; scenario && i < scenario->checkpoints.n && !rank->failed; i++)
        if (concerns(rank, &rank->world->set.checkpoints[i]) &&
            number % scenario->checkpoints.at[i].every == 0)
            write_checkpoint(rank, &rank->world->set.checkpoints[i]);
}

void asim_storage_arrived(struct asim_world *world, const struct asim_msg *msg)
{
    uint32_t host = msg->dst;
    struct asim_msg data = {.src = host,
                            .dst = msg->src,
                            .bytes = msg->tag & BYTES_MASK,
                            .tag = msg->tag & 1ull << 58 ? ASIM_STORAGE_DROP : STORAGE_TAG,
                            .cookie = ASIM_NEVER};
    int failed = 0;

    if ((msg->tag & REQUEST_TAG) != REQUEST_TAG)
        return; /* a checkpoint */
    data.id = (uint64_t)host << 32 | world->run.storage_sent[host]++;
    if (!world->via.backend->send(world->via.carrier, &data))
        return;
    asim_err_nomem(&asim_rank_shard_of(world, host)->scratch_err, "sending a message");
    asim_node_record_failure(world, host, &failed);
}

/* --- rounds ------------------------------------------------------------------------------------
 */
static void record_round(const struct asim_rank *rank)
{
    struct asim_event event = {
        .t = asim_rank_now(rank), .kind = ASIM_EV_ROUND_DONE, .rank = rank->id};

    event.of.round.number = rank->rounds;
    asim_event_bus_record(&rank->world->run.event_bus, rank->shard->events, &event);
}

int asim_round_first(struct asim_rank *rank)
{
    rank->round_ns = asim_rank_now(rank);
    if (rank->round_ns < rank->world->set.end_ns)
        read_all(rank, 0);
    return !rank->storage_waits && !rank->failed;
}

/* Where a round takes no time, the others take none either and are left out. */
int asim_round_ended(struct asim_rank *rank)
{
    uint64_t now = asim_rank_now(rank);

    rank->rounds++;
    write_all(rank, rank->rounds);
    if (!rank->storage_waits && rank->rounds < rank->job->repeat && now == rank->round_ns)
        rank->rounds = rank->job->repeat;
    if (asim_event_bus_wants(&rank->world->run.event_bus, ASIM_EV_ROUND_DONE))
        record_round(rank);
    if (rank->failed)
        return 0;
    if (rank->rounds < rank->job->repeat) {
        asim_feed_rewind(rank->feed);
        if (now < rank->world->set.end_ns)
            read_all(rank, rank->rounds);
    }
    rank->round_ns = now;
    return !rank->storage_waits && rank->rounds < rank->job->repeat;
}

int asim_round_go(struct asim_rank *rank)
{
    rank->storage_waits--;
    return !rank->storage_waits && !rank->issuing;
}
