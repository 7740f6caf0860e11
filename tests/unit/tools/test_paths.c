/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Every text option of every command says whether it names a file that is read or written
 * (ASIM_F_READS, ASIM_F_WRITES), or stands below as one that names none. So a new option is decided
 * upon: cli/files.h and the identity of a run take the files from these flags.
 */
#include "check.h"
#include "asim/asim.h"
#include "asim/ext/command.h"
#include "cli/args.h"
#include "every_command.h"

#define BOTH (ASIM_F_READS | ASIM_F_WRITES)

static const char *const no_paths[] = {
    "fit --op",
    "fit --fit",
    "fit --from",
    "inference --gpu",
    "inference --cc",
    "inference --reports",
    "inference --scheduler",
    "inference --experts",
    "machine --set",
    "machine --name",
    "nccl-tests --op",
    "nccl-tests --b",
    "nccl-tests --e",
    "nccl-tests --i",
    "nccl-tests --sizes",
    "nccl-tests --set",
    "run --name",
    "report --sizes",
    "report --fail-if",
    "run --fail-if",
    "settings --network-keys",
    "run --unless",
    "run --bandwidth",
    "run --latency",
    "simai-analytical --nic_t",
    "simai-analytical --g_type",
    "simai-analytical --l",
    "sweep --vary",
    "sweep --set",
    "what-if --vary",
    "what-if --set",
    "trace buckets --group",
    "trace calibrate --from",
    "trace calibrate --to",
    "trace generate --sizes",
    "trace link --log-level",
    "trace llm --frame",
    "trace llm --compute_model",
    "trace llm --roofline",
    "trace llm --gpu_type",
    "trace llm --model_name",
    "trace llm --test_comm",
    "trace llm --dtype",
    "trace llm --recompute_modules",
    "trace llm --activation_func",
    "trace pytorch --model-tag",
    "trace pytorch --host", /* patterns of names below FOLDER */
    "trace pytorch --device",
    "trace pytorch --ranks",
    "trace repair --group",
    "trace scale --grow",
    "trace text --dims",
    "trace timeline --npu-frequency",
    "trace timeline --log-filename",
    "topo convert --to",
    "topo convert --gt",
    "topo make --topo",
    "topo make --format",
    "settings --model",
    "settings --flow-without",
    "settings --verify",
    "settings --algorithm",
    "settings --cc",
    "settings --qps-per-connection",
    "settings --bandwidth",
    "settings --latency",
    "settings --reports",
    "settings --timeline-ranks",
    "settings --without",
    "settings --no-progress-limit",
    "settings --logging-configuration",
};

static int lists(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(list[i], name))
            return 1;
    return 0;
}

static void look(const char *command, const struct asim_option *row)
{
    for (; row && row->key; row++) {
        char name[128];

        if (row->type != ASIM_T_STRING)
            continue;
        snprintf(name, sizeof name, "%s --%s", command, row->key);
        int is_listed = lists(no_paths, sizeof no_paths / sizeof *no_paths, name);
        if (is_listed != !(row->flags & BOTH))
            fprintf(stderr, "%s: give it ASIM_F_READS or ASIM_F_WRITES, or list it here\n", name);
        CHECK(is_listed == !(row->flags & BOTH));
    }
}

/* Words of a command are files, too. */
static void look_words(const char *command, const struct asim_args_job *job)
{
    int is_said = !job || !job->max_words || job->words_are & BOTH;

    if (!is_said)
        fprintf(stderr, "%s: give its words_are ASIM_F_READS or ASIM_F_WRITES\n", command);
    CHECK(is_said);
}

static void see(const char *name, const struct asim_command *command)
{
    look(name, command->member.options);
    look_words(name, command->job);
}

int main(void)
{
    every_command(see);
    look("settings", asim_settings_options);
    return CHECK_DONE();
}
