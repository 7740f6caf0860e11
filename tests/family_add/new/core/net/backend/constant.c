/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Throwaway analytical network with a knob: every message takes `ns`.
 */
#include <stdlib.h>
#include "net/analytical.h"

struct constant_options {
    uint64_t ns;
};

static const struct asim_option options[] = {
    {.key = "ns",
     .type = ASIM_T_U64,
     .offset = offsetof(struct constant_options, ns),
     .def = "1000",
     .help = "time of a message, ns"},
    {.key = NULL},
};

struct constant {
    struct asim_analytical base; /* first */
    uint64_t ns;
};

static void step(struct asim_analytical *base, struct asim_due *due)
{
    asim_analytical_deliver(base, (struct asim_flight *)(void *)due);
}

static int carry(struct asim_net *net, const struct asim_msg *msg)
{
    struct constant *constant = (struct constant *)(void *)net;
    struct asim_flight *flight = asim_analytical_flight(&constant->base, msg);

    if (!flight)
        return ASIM_ENOMEM;
    asim_analytical_after(&constant->base, constant->ns, &flight->due);
    return 0;
}

static int open_constant(struct asim_net **net, const struct asim_net_config *config,
                         struct asim_err *err)
{
    const struct constant_options *opt = config->data;
    struct constant *constant = calloc(1, sizeof *constant);

    if (!constant)
        return asim_err_nomem(err, "opening the analytical network");
    asim_analytical_init(&constant->base, config);
    constant->base.step = step;
    constant->base.send = carry;
    constant->ns = opt->ns;
    *net = (struct asim_net *)(void *)constant;
    return 0;
}

static void close_constant(struct asim_net *net)
{
    asim_analytical_fini((struct asim_analytical *)(void *)net);
    free(net);
}

const struct asim_net_backend asim_net_backend_constant = {
    .member = {.name = "constant",
               .about = "the same time for every message",
               .options = options,
               .options_size = sizeof(struct constant_options)},
    .open = open_constant,
    .now = asim_analytical_now,
    .wake_after = asim_analytical_wake_after,
    .traits = ASIM_NET_MEET_BY_SIZE,
    .defer_receive = asim_analytical_defer_receive,
    .send = carry,
    .run = asim_analytical_run,
    .close = close_constant,
    .extras = &asim_analytical_extras,
};
