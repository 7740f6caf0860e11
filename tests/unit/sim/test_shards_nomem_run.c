/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Every allocation fails once in a run on two shards in each of two processes: recording, packing
 * and merging must end in the error, never in a crash or a half file. The run stalls, since the end
 * of a stalled run packs the most.
 */
#include "../nomem_malloc.h"
#include "run_variants.h"

static void write_inputs(void)
{
    static const struct run_op ops[] = {
        {.type = ASIM_OP_COMP, .id = 1, .micros = 1},
        {.type = ASIM_OP_COMM_COLL, .id = 2, .bytes = 2000, .after = 1},
        {.type = ASIM_OP_COMM_RECV, .id = 3, .peer = 0, .tag = 1, .bytes = 100, .after = 2},
        {.type = ASIM_OP_COMM_COLL, .id = 4, .bytes = 100, .after = 2, .group = "4"}};
    struct run_op send = ops[2];
    char path[200];
    FILE *file;

    send.type = ASIM_OP_COMM_SEND;
    send.peer = 3;
    for (uint32_t r = 0; r < 4; r++)
        run_trace(folder, r, (const struct run_op[]){ops[0], ops[1], r ? ops[3] : send}, 3);
    run_trace(folder, 2, ops, 2);
    run_trace(folder, 3, ops, 4);
    snprintf(path, sizeof path, "%s/system.json", folder);
    file = fopen(path, "w");
    CHECK(file &&
          fputs("{\"all-reduce-implementation\": [\"ring\"], \"trace-enabled\": 1, "
                "\"track-local-mem\": 1, \"local-mem-trace-filename\": \"tensors\"}",
                file) >= 0 &&
          fclose(file) == 0);
    snprintf(path, sizeof path, "%s/groups.json", folder);
    file = fopen(path, "w");
    CHECK(file && fputs("{\"4\": [1, 2, 3]}", file) >= 0 && fclose(file) == 0);
}

/* The run either does without that memory, or its error says that it was out of memory. */
static void refuse_each(const struct variant *variant)
{
    static struct outcome good, other;
    long n = 0;

    run(variant, &good);
    CHECK_U64(good.code, (uint64_t)ASIM_ESTALL);
    CHECK(strstr(good.err.text, "which these ranks never joined: 2") != NULL);
    do {
        refused = 0;
        left = n++;
        run(variant, &other);
        left = -1;
        if (other.code == good.code) {
            CHECK_STR(other.err.text, good.err.text);
            CHECK_STR(other.lines.at, good.lines.at);
            CHECK_STR(other.files, good.files);
        } else {
            CHECK_U64(other.err.code, (uint64_t)ASIM_ENOMEM);
            CHECK(strstr(other.err.text, "memory") != NULL);
        }
        if (check_failures) {
            fprintf(stderr, "  at allocation %ld, code %d: %s\n", n, other.code, other.err.text);
            break;
        }
    } while (refused && n < 100000);
    fprintf(stderr, "%ld allocations\n", n);
    CHECK(n > 300);
}

int main(void)
{
    run_folder(folder, sizeof folder);
    write_inputs();
    refuse_each(&(struct variant){1, 2, 0, 0, 2000});
    refuse_each(&(struct variant){2, 2, 0, 0, 2000});
    remove_inputs(4);
    return CHECK_DONE();
}
