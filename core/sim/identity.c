/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Makes the identity of a run: a digest of the version, the options as understood and the bytes of
 * the files that it reads.
 */
#include "sim/world.h"
#include "asim/asim.h"
#include "asim/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "base/io/digest.h"
#include "base/io/file_id.h"
#include "base/io/rank_path.h"

/* Files count with their bytes, so their names do not; a text that names no file is the value. */
static void add_text(struct asim_digest *digest, const struct asim_option *row, const char *text)
{
    struct asim_file_id id;

    if (text && row->flags & ASIM_F_READS) {
        id = asim_file_id_of(text);
        if (row->flags & ASIM_F_SET || (!*id.name && id.is_regular))
            text = "";
    }
    asim_digest_add_text(digest, text ? text : "");
}

static void add_option(struct asim_digest *digest, const struct asim_option *row, const void *field)
{
    char *text;

    if (row->flags & (ASIM_F_NOOP | ASIM_F_WRITES | ASIM_F_NO_RESULT))
        return;
    asim_digest_add_text(digest, row->key);
    if (row->type == ASIM_T_STRING) {
        memcpy(&text, field, sizeof text);
        add_text(digest, row, text);
    } else {
        asim_digest_add(digest, field, asim_option_bytes(row->type));
    }
}

static void add_shape(struct asim_digest *digest, const struct asim_netshape *shape)
{
    char text[160];

    for (size_t d = 0; d < shape->n; d++) {
        const struct asim_netdim *dim = &shape->at[d];

        snprintf(text, sizeof text, "%d %" PRIu32 " %.17g %.17g", (int)dim->topology, dim->npus,
                 dim->bandwidth_gbps, dim->latency_ns);
        asim_digest_add_text(digest, text);
    }
}

/* "-" stands for the environment. */
static void add_environment(struct asim_digest *digest, const char *variables)
{
    char text[4096] = "";

    if (variables && !strcmp(variables, "-"))
        asim_nccl_env_text(text, sizeof text);
    asim_digest_add_text(digest, text);
}

/* Strings of the settings are there during asim_world_open only. */
void asim_identity_begin(struct asim_world *world, const struct asim_settings *set)
{
    struct asim_digest own = {.word = {0}}, *digest = &own;
    const char *const *extra = set->net_overrides;

    asim_digest_add_text(digest, asim_version());
    asim_digest_add_text(digest, asim_commit());
    for (const struct asim_option *row = asim_settings_options; row->key; row++)
        if (row->offset != offsetof(struct asim_settings, like)) /* as understood, below */
            add_option(digest, row, (const char *)set + row->offset);
    asim_digest_add_text(digest, set->mode ? set->mode : "");
    asim_digest_add_text(digest, set->only_job ? set->only_job : "");
    add_environment(digest, set->nccl_env);
    asim_digest_add(digest, &set->first_events, sizeof set->first_events);
    for (; extra && *extra; extra++)
        asim_digest_add_text(digest, *extra);
    if (set->shape)
        add_shape(digest, set->shape);
    memcpy(world->set.options_digest, own.word, sizeof own.word);
}

/* The traces of a prefix. The sum does not depend on the order of the folder. */
struct traces {
    const struct asim_world *world;
    struct asim_digest sum;
};

static int add_file(struct asim_digest *digest, const struct asim_world *world, const char *path,
                    struct asim_err *err)
{
    const struct asim_hooks *hooks = &world->hooks;
    struct asim_file_id id = asim_file_id_of(path);

    if (hooks->stop && hooks->stop(hooks->self))
        return asim_err_set(err, ASIM_EINTR, "interrupted while the inputs were read.");
    return *id.name || !id.is_regular ? 0 : asim_digest_add_file(digest, path, err);
}

static int add_trace(void *self, const char *path, uint32_t rank, struct asim_err *err)
{
    struct traces *traces = self;
    struct asim_digest one = {.word = {rank}};
    int code = add_file(&one, traces->world, path, err);

    traces->sum.word[0] += one.word[0];
    traces->sum.word[1] += one.word[1];
    return code;
}

static int add_input(struct asim_digest *digest, const struct asim_world *world,
                     const struct asim_input *input, struct asim_err *err)
{
    struct traces traces = {.world = world};
    int code = add_file(digest, world, input->name, err);

    if (code || !input->is_prefix)
        return code;
    code = asim_rank_path_each(input->name, add_trace, &traces, err);
    asim_digest_add(digest, traces.sum.word, sizeof traces.sum.word);
    return code;
}

void asim_identity_options(struct asim_world *world, const struct asim_option *table,
                           const void *values)
{
    struct asim_digest digest;

    memcpy(digest.word, world->set.options_digest, sizeof digest.word);
    for (const struct asim_option *row = table; row->key; row++)
        add_option(&digest, row, (const char *)values + row->offset);
    memcpy(world->set.options_digest, digest.word, sizeof digest.word);
}

int asim_world_identity(struct asim_world *world, char text[ASIM_IDENTITY_BYTES],
                        struct asim_err *err)
{
    struct asim_world_setup *set = &world->set;
    struct asim_digest digest;
    int code = 0, is_nccl = set->settings.like == ASIM_LIKE_NCCL;

    memcpy(digest.word, set->options_digest, sizeof digest.word);
    asim_digest_add(&digest, &is_nccl, sizeof is_nccl);
    for (size_t i = 0; i < set->input_names.n && !*set->identity && !code; i++)
        code = add_input(&digest, world, &set->input_names.at[i], err);
    if (!code && !*set->identity)
        asim_digest_show(&digest, set->identity);
    memcpy(text, set->identity, ASIM_IDENTITY_BYTES);
    return code;
}
