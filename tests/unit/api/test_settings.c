/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Settings of a program that was compiled with an older or a newer header, and what a world says
 * of a network backend that it cannot use.
 */
#include "sim/runs.h"

static char folder[128];

static void test_init(void)
{
    struct asim_settings settings;
    struct asim_err err = {0};

    CHECK(asim_settings_init(&settings, 1, &err) == ASIM_EINVAL);
    err.code = 0;
    CHECK(asim_settings_init(&settings, sizeof settings, &err) == 0);
    CHECK_U64(settings.size, sizeof settings);
    CHECK_U64(settings.queues_per_dim, 1);
    CHECK(settings.fast_forward == 1);
    CHECK(asim_settings_set(&settings, "workload-configuration", "w", &err) == 0);
    CHECK(asim_settings_set(&settings, "workload", "v", &err) == 0);
    CHECK_STR(settings.workload, "v");
    CHECK(asim_settings_set(&settings, "threads", "0", &err) == ASIM_EINVAL);
    err = (struct asim_err){0};
    CHECK(asim_settings_set(&settings, "thread", "2", &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "Did you mean 'threads'?") != NULL);
    asim_settings_fini(&settings);
    CHECK(settings.workload == NULL);
}

/* Says how opening a world fails. */
static void refused(const struct asim_settings *settings, const char *text)
{
    struct asim_world *world = NULL;
    struct asim_err err = {0};

    CHECK(asim_world_open(&world, settings, NULL, &err) != 0);
    CHECK(world == NULL);
    if (!strstr(err.text, text))
        CHECK_STR(err.text, text);
}

static void test_sizes(void)
{
    struct {
        struct asim_settings known;
        uint64_t later[2];
    } newer;
    struct asim_settings older, none = {0};
    struct asim_err err = {0};

    refused(&none, "begin with asim_settings_init");
    CHECK(asim_settings_init(&newer.known, sizeof newer, &err) == 0);
    CHECK_U64(newer.later[1], 0);
    refused(&newer.known, "no workload given");
    newer.later[1] = 1;
    refused(&newer.known, "compiled with a newer one");
    /* A struct that ends before the last fields: what lies behind it is not looked at. */
    memset(&older, 0xff, sizeof older);
    CHECK(asim_settings_init(&older, offsetof(struct asim_settings, backend), &err) == 0);
    refused(&older, "no workload given");
    CHECK(asim_settings_set(&older, "without", "memo", &err) == ASIM_EINVAL);
    CHECK(strstr(err.text, "has no option 'without'") != NULL);
    asim_settings_fini(&older);
    asim_settings_fini(&newer.known);
}

static void test_backends(void)
{
    struct asim_net_backend backend = {.member = {.name = "none"}};
    struct asim_settings settings;
    struct asim_err err = {0};
    char prefix[256];

    CHECK(asim_settings_init(&settings, sizeof settings, &err) == 0);
    snprintf(prefix, sizeof prefix, "%s/w", folder);
    settings.workload = prefix;
    settings.backend = &backend;
    refused(&settings, "settings.backend->size is 0");
    backend.size = sizeof backend;
    refused(&settings, "settings.backend lacks a function");
    settings.processes = 2;
    refused(&settings, "runs in one process");
    settings.processes = 0;
    settings.mode = prefix;
    settings.backend = NULL;
    refused(&settings, "unknown analytical network");
}

int main(void)
{
    const struct run_op op = {.type = ASIM_OP_COMP, .id = 1, .micros = 1};

    run_folder(folder, sizeof folder);
    run_trace(folder, 0, &op, 1);
    test_init();
    test_sizes();
    test_backends();
    run_remove(folder, 1);
    return CHECK_DONE();
}
