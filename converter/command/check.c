/* SPDX-License-Identifier: GPL-2.0-only
 *
 * asim trace check: checks a set of traces before a simulation, and lists the settings that the
 * simulation needs. Prints problems on stdout, one sentence each, then a summary. Exit code 1 if
 * there is an error.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include "asim/ext/command.h"
#include "base/text.h"
#include "check/check.h"
#include "cli/args.h"

struct options {
    char *prefix, *groups;
    uint32_t ranks;
    uint64_t limit;
    int strict, ctrl, allow_missing;
};

#define AT(field) offsetof(struct options, field)
static const struct asim_option options[] = {
    {"workload-configuration", "input", "workload prefix: rank r's trace is <prefix>.<r>.et", NULL,
     ASIM_T_STRING, AT(prefix), 0, 0, NULL, ASIM_F_READS | ASIM_F_SET},
    {"comm-group-configuration", "groups", "communicator groups (JSON)", NULL, ASIM_T_STRING,
     AT(groups), 0, 0, NULL, ASIM_F_READS},
    {"ranks", "n", "how many ranks; 0 = as many as there are files", "0", ASIM_T_U32, AT(ranks), 0,
     1048576},
    {"strict-ctrl", NULL, "control dependencies on nodes that are not there are errors", "0",
     ASIM_T_BOOL, AT(ctrl)},
    {"allow-missing-ranks", NULL, "process groups may list ranks without a trace", "0", ASIM_T_BOOL,
     AT(allow_missing)},
    {"strict", NULL, "warnings are errors", "0", ASIM_T_BOOL, AT(strict)},
    {"limit", NULL, "most problems shown", "50", ASIM_T_U64, AT(limit), 0, 1e9},
    {0}};

struct shown {
    uint64_t n, limit;
};

static void say(void *self, int is_error, const char *sentence)
{
    struct shown *shown = self;
    if (shown->n++ < shown->limit)
        printf("%s: %s\n", is_error ? "error" : "warning", sentence);
}

static void show_ops(const struct asim_check *check)
{
    const struct asim_trace_stats *t = &check->total;
    printf("%s: %" PRIu32 " rank%s, %" PRIu64 " node%s", check->prefix, check->ranks,
           asim_text_s(check->ranks), t->ops, asim_text_s(t->ops));
    if (check->ranks > 1)
        printf(" (%" PRIu64 " to %" PRIu64 " a rank)", check->fewest, check->most);
    printf(", %" PRIu64 " on the CPU; dependencies: %" PRIu64 " data, %" PRIu64 " control\n",
           t->cpu_ops, t->data_deps, t->ctrl_deps);
    for (int type = 0; type < ASIM_OP_TYPES; type++)
        if (t->by_type[type])
            printf("  %-15s %10" PRIu64 "  %" PRIu64 " us recorded\n", asim_op_type_name(type),
                   t->by_type[type], t->micros_by_type[type]);
    for (uint32_t c = 0; c < ASIM_COLL_TYPES; c++)
        if (t->colls[c])
            printf("  %-15s %10" PRIu64 "  %" PRIu64 " bytes\n", asim_coll_type_name(c),
                   t->colls[c], t->coll_bytes[c]);
    if (t->by_type[ASIM_OP_COMM_SEND])
        printf("  %-15s %10" PRIu64 "  %" PRIu64 " bytes\n", "sends", t->by_type[ASIM_OP_COMM_SEND],
               t->sent_bytes);
}

static void show_groups(const struct asim_check *check)
{
    for (size_t i = 0; i < check->groups.n; i++) {
        const struct asim_check_group *group = &check->groups.at[i];
        char safe[80];

        if (*group->name && i < 32)
            printf("  group %s: %zu rank%s from %" PRIu32 ", %zu collective%s each\n",
                   asim_text_safe(safe, sizeof safe, group->name), group->users.n,
                   asim_text_s(group->users.n), group->first_rank, group->kept.n,
                   asim_text_s(group->kept.n));
    }
    if (check->groups.n > 32)
        printf("  and %zu more group%s\n", check->groups.n - 32, asim_text_s(check->groups.n - 32));
}

static void show_needs(const struct asim_check *check)
{
    const struct asim_check_needs *needs = &check->needs;
    int uses_coll = check->total.by_type[ASIM_OP_COMM_COLL] > 0;
    printf("a simulation needs: a network of %" PRIu32 " NPU%s", check->ranks,
           asim_text_s(check->ranks));
    if (needs->dims)
        printf(" in %" PRIu32 " dimension%s (involved_dim)", needs->dims, asim_text_s(needs->dims));
    if (uses_coll)
        printf("; algorithms in the system file for the collectives above");
    if (needs->group_ops && !needs->metadata_groups)
        printf("; --comm-group-configuration with the groups above%s",
               check->has_file ? " (given)" : "");
    if (needs->memory_ops)
        printf("; --remote-memory-configuration (%" PRIu64 " memory node%s)", needs->memory_ops,
               asim_text_s(needs->memory_ops));
    if (needs->comps_with_ops)
        printf("; for roofline-enabled peak-perf and local-mem-bw (%" PRIu64
               " computation%s num_ops)",
               needs->comps_with_ops, needs->comps_with_ops == 1 ? " has" : "s have");
    printf("\n");
    if (needs->timeless_comps)
        printf("note: %" PRIu64 " computation%s on the GPU %s no duration and %s.\n",
               needs->timeless_comps, asim_text_s(needs->timeless_comps),
               needs->timeless_comps == 1 ? "has" : "have",
               needs->timeless_comps == 1 ? "takes 1 ns" : "take 1 ns each");
    if (needs->timeless_work)
        printf("note: %" PRIu64 " computation%s on the GPU %s num_ops and no duration and %s "
               "without roofline-enabled.\n",
               needs->timeless_work, asim_text_s(needs->timeless_work),
               needs->timeless_work == 1 ? "has" : "have",
               needs->timeless_work == 1 ? "takes 1 ns" : "take 1 ns each");
    if (check->unfollowed)
        printf("note: the set has too many nodes to find out whether ranks wait for each other in "
               "a circle.\n");
}

static int find_ranks(struct asim_check *check, const struct options *o, struct asim_err *err)
{
    if (o->ranks) {
        check->ranks = o->ranks;
        return 0;
    }
    return asim_trace_ranks(check->prefix, &check->ranks, err);
}

static int finish(struct asim_check *check, const struct options *o, const struct shown *shown)
{
    int is_bad = check->errors || (o->strict && check->warnings);
    if (shown->n > shown->limit)
        printf("... and %" PRIu64 " more\n", shown->n - shown->limit);
    show_ops(check);
    show_groups(check);
    show_needs(check);
    printf("%s: %" PRIu64 " error%s, %" PRIu64 " warning%s\n", is_bad ? "not good" : "good",
           check->errors, asim_text_s(check->errors), check->warnings,
           asim_text_s(check->warnings));
    return is_bad;
}

/* Returns 1 if the set has errors. */
static int check_set(const struct asim_args *args, struct asim_err *err)
{
    const struct options *o = args->tables[0].base;
    struct shown shown = {0, o->limit};
    struct asim_check check = {.prefix = o->prefix ? o->prefix : args->words[0],
                               .lenient = !o->ctrl,
                               .allow_missing = o->allow_missing,
                               .say = say,
                               .self = &shown};
    int rc;
    if (!check.prefix)
        return asim_err_set(err, ASIM_EUSAGE,
                            "no traces; give the prefix of FOLDER/NAME.0.et ..., FOLDER/NAME.");
    rc = find_ranks(&check, o, err);
    check.has_file = o->groups != NULL;
    if (!rc && o->groups)
        rc = asim_groups_read(&check.file, o->groups, check.ranks, 0, err);
    if (!rc)
        rc = asim_check_run(&check, err);
    if (!rc)
        rc = finish(&check, o, &shown);
    asim_check_fini(&check);
    return rc;
}

static const struct asim_args_job job = {
    "trace check",
    "usage: asim trace check PREFIX [--option=value ...]\n\nChecks the traces of all ranks, alone "
    "and against each other, and says what a simulation of them needs.\n\n"
    "Options:",
    options,
    1,
    check_set,
    ASIM_F_READS | ASIM_F_SET,
    1};

const struct asim_command asim_trace_command_check = {
    .member = {.name = "check",
               .about = "check the traces of all ranks and say what a simulation of them needs",
               .options = options,
               .options_size = sizeof(struct options)},
    .job = &job,
};
