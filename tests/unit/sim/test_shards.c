/* SPDX-License-Identifier: GPL-2.0-only
 *
 * One run in many variants: on 1 to 4 shards, which advance forwards, backwards or on threads of
 * their own, in windows of several lengths, and in 1 to 4 processes (worlds that exchange buffers).
 * Every variant has the same code, error, lines and report files: of a run that ends well, of
 * failures, of collectives that do not match, and of stalls.
 */
#include "run_variants.h"

static int is_in_group(uint32_t r)
{
    return r == 0 || r == 3 || r == 5 || r == 6;
}

/* Compute ops of different lengths, collectives of all ranks and of a group, a ring of messages,
 * and a last collective of all ranks. */
static uint32_t some_ops(uint32_t r, struct run_op *ops)
{
    uint32_t n = 0;

    ops[n++] = (struct run_op){.type = ASIM_OP_COMP, .id = 1, .micros = 1 + (r * 7) % 5};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMM_COLL,
                               .id = 2,
                               .comm_type = ASIM_ALL_REDUCE,
                               .bytes = 30000,
                               .after = 1};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMP, .id = 3, .micros = 2, .after = 2};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMM_SEND,
                               .id = 4,
                               .peer = (r + 1) % RANKS,
                               .tag = 7,
                               .bytes = 1000 + 100 * r,
                               .after = 1};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMM_RECV,
                               .id = 5,
                               .peer = (r + RANKS - 1) % RANKS,
                               .tag = 7,
                               .bytes = 1000 + 100 * ((r + RANKS - 1) % RANKS),
                               .after = 0};
    if (is_in_group(r))
        ops[n++] = (struct run_op){.type = ASIM_OP_COMM_COLL,
                                   .id = 6,
                                   .comm_type = ASIM_ALL_GATHER,
                                   .bytes = 4000,
                                   .after = 3,
                                   .group = "4"};
    ops[n++] = (struct run_op){.type = ASIM_OP_COMM_COLL,
                               .id = 7,
                               .comm_type = ASIM_ALL_TO_ALL,
                               .bytes = 8000,
                               .after = 3};
    return n;
}

static void write_text(const char *name, const char *text)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void write_inputs(void)
{
    struct run_op ops[OPS];

    write_text("system.json",
               "{\"preferred-dataset-splits\": 2, \"endpoint-delay\": 10, \"trace-enabled\": 1, "
               "\"track-local-mem\": 1, \"local-mem-trace-filename\": \"tensors\", "
               "\"all-reduce-implementation\": [\"ring\"], "
               "\"all-gather-implementation\": [\"ring\"], "
               "\"all-to-all-implementation\": [\"direct\"]}");
    write_text("groups.json", "{\"4\": [0, 3, 5, 6]}");
    for (uint32_t r = 0; r < RANKS; r++)
        run_trace(folder, r, ops, some_ops(r, ops));
}

/* Data that shards make on first use: NCCL graphs, and an algorithm that cannot be read, whose
 * error is that of the earliest rank. */
static void shared_algorithms(void)
{
    const struct outcome *first;
    char text[400];

    write_text("system.json", "{\"preferred-dataset-splits\": 2, \"endpoint-delay\": 10, "
                              "\"all-reduce-implementation\": [\"ncclRing\"], "
                              "\"all-gather-implementation\": [\"ncclRing4\"], "
                              "\"all-to-all-implementation\": [\"ncclDirect\"]}");
    first = all_variants();
    CHECK_STR(first->err.text, "");
    CHECK_U64(first->code, 0);
    CHECK(strstr(first->lines.at, "[job] finished: 8 of 8 ranks") != NULL);
    snprintf(text, sizeof text,
             "{\"all-to-all-implementation-custom\": [\"%s/none\"], "
             "\"all-reduce-implementation\": [\"ring\"], "
             "\"all-gather-implementation\": [\"ring\"]}",
             folder);
    write_text("system.json", text);
    first = all_variants();
    CHECK_U64(first->code, (uint64_t)ASIM_EINVAL);
    CHECK(strstr(first->err.text, "/none.") != NULL);
    write_inputs();
}

static void ends_well(void)
{
    const struct outcome *first = all_variants();

    CHECK_U64(first->code, 0);
    CHECK_STR(first->err.text, "");
    CHECK(strstr(first->lines.at, "track-local-mem: rank 0's op 1 ('op') has no") != NULL);
    CHECK(strstr(first->lines.at, "[job] finished: 8 of 8 ranks") != NULL);
    CHECK(strstr(first->files, "--- tensors.7.json") != NULL);
    CHECK(strstr(first->files, "7,7,\"op\",COMM_COLL_NODE,ALL_TO_ALL,,8,8000,") != NULL);
    CHECK(strstr(first->files, "callback,sys->id=6, tick=") != NULL);
    CHECK(strstr(first->files, "\"messages\": 368,") != NULL);
}

/* Of two ranks that fail in one window the earlier failure counts, not the lower rank. The lines of
 * ranks that ended before it appear, later ones do not, and no file is left. */
static void failures(void)
{
    const struct run_op early[] = {
        {.type = ASIM_OP_COMP, .id = 1, .micros = 5},
        {.type = ASIM_OP_COMM_SEND, .id = 2, .peer = 77, .bytes = 10, .after = 1}};
    const struct run_op late[] = {
        {.type = ASIM_OP_COMP, .id = 1, .micros = 6},
        {.type = ASIM_OP_COMM_SEND, .id = 2, .peer = 78, .bytes = 10, .after = 1}};
    struct run_op compute = {.type = ASIM_OP_COMP, .id = 1, .micros = 4};
    const struct outcome *first;

    for (uint32_t r = 0; r < RANKS; r++) {
        compute.micros = 4 + r % 4;
        run_trace(folder, r, &compute, 1);
    }
    run_trace(folder, 1, late, 2);
    run_trace(folder, 6, early, 2);
    first = all_variants();
    CHECK_U64(first->code, (uint64_t)ASIM_EINVAL);
    CHECK(strstr(first->err.text, "rank 6: send op 2 ('op') has comm_dst 77") == first->err.text);
    CHECK(strstr(first->lines.at, "sys[4] finished, 4000") != NULL);
    CHECK(strstr(first->lines.at, "sys[5] finished, 5000") != NULL); /* before rank 6 */
    CHECK(strstr(first->lines.at, "sys[2] finished") == NULL);       /* at 6000 */
    CHECK_STR(first->files, "");
}

/* Rank 5 issues another collective than the others, and joins last. */
static void no_match(void)
{
    struct run_op ops[OPS];
    const struct outcome *first;
    const char *want = "rank 5's collective 1 of all ranks, group 0 is ALL_TO_ALL, but another "
                       "member's is ALL_REDUCE; all members must issue their collectives in the "
                       "same order";

    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t n = some_ops(r, ops);

        if (r == 5) {
            ops[0].micros = 9;
            ops[1].comm_type = ASIM_ALL_TO_ALL;
        }
        run_trace(folder, r, ops, n);
    }
    first = all_variants();
    CHECK_U64(first->code, (uint64_t)ASIM_EINVAL);
    CHECK_STR(first->err.text, want);
    CHECK_STR(first->files, "");
}

/* Ranks 2 and 7 lack the last collective, 3 and 5 that of the group, and rank 4 gets too few bytes.
 */
static void stalls(void)
{
    struct run_op ops[OPS];
    const struct outcome *first;

    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t n = some_ops(r, ops);

        if (r == 2 || r == 7)
            n--;
        if (r == 3 || r == 5) {
            ops[n - 2] = ops[n - 1];
            n--;
        }
        if (r == 3) /* rank 4 wants more bytes */
            ops[3].bytes = 10;
        if (r == 6)
            ops[3].tag = 9;
        run_trace(folder, r, ops, n);
    }
    first = all_variants();
    CHECK_U64(first->code, (uint64_t)ASIM_ESTALL);
    CHECK(strstr(first->err.text, "7 of 8 ranks have not finished") != NULL);
    CHECK(strstr(first->err.text, "collective 1 of group 4 (ALL_GATHER, 4000 bytes), which these "
                                  "ranks never joined: 3, 5") != NULL);
    CHECK(strstr(first->err.text, "which these ranks never joined: 0, 2, 6, 7") != NULL);
    CHECK(strstr(first->err.text, "with tag 7, of which 10 came") != NULL);
    CHECK(strstr(first->err.text, "rank 7 got 1600 bytes from rank 6 with tag 9") != NULL);
    CHECK(strstr(first->lines.at, "[job] stalled: 1 of 8 ranks") != NULL);
    CHECK(strstr(first->files, "--- tensors.4.json") != NULL);
}

int main(void)
{
    run_folder(folder, sizeof folder);
    write_inputs();
    ends_well();
    shared_algorithms();
    failures();
    no_match();
    stalls();
    remove_inputs(RANKS);
    return CHECK_DONE();
}
