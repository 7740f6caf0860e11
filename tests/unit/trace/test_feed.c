/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The expected result of each trace in tests/fuzz/trace: the order in which ops start if each
 * finishes before the next starts (lowest id first over all units), or the error. The order must be
 * the same for every size of the record cache, and for a feed that shares the graph of another.
 */
#include "../../fuzz/replay.h"
#include "trace/feed/feed.h"

struct want {
    const char *file;
    int strict;        /* control parents must be there */
    const char *order; /* ids, each followed by a space; NULL = refused */
    const char *text;  /* of the refusal, part of */
};

static const struct want wanted[] = {
    {"chain", 0, "1 2 3 ", NULL},
    {"diamond", 0, "1 2 3 4 ", NULL},
    {"forward", 0, "3 1 2 ", NULL},
    {"unordered", 0, "3 5 9 7 ", NULL},
    {"gaps", 0, "10 20 40 9223372036854775808 ", NULL},
    {"ctrl_only", 0, "1 2 3 ", NULL},
    {"dup_dep", 0, "1 2 ", NULL},
    {"units", 0, "1 2 3 4 5 6 ", NULL},
    {"no_nodes", 0, "", NULL},
    {"empty_meta", 0, "1 ", NULL},
    {"empty_node", 0, "0 1 ", NULL},
    {"unpacked", 0, "1 2 3 ", NULL},
    {"unknown_fields", 0, "1 2 ", NULL},
    {"unknown_groups", 0, NULL, "is a group, which proto3 does not have"},
    {"bad_group_open", 0, NULL, "field 900 is a group, which proto3 does not have"},
    {"bad_group_other", 0, NULL, "field 900 is a group, which proto3 does not have"},
    {"bad_group_end", 0, NULL, "field 900 is a group, which proto3 does not have"},
    {"not_utf8", 0, "1 2 ", NULL},
    {"kinds", 0, "1 ", NULL},
    {"attrs_legacy", 0, "1 ", NULL},
    {"attrs_new", 0, "1 ", NULL},
    {"group_twice", 0, "1 ", NULL},
    {"bad_group_twice", 0, NULL, "attribute comm_group names another group than pg_name"},
    {"bad_attr_twice", 0, NULL, "node 1 'n1' (byte 8): attribute comm_size is there twice"},
    {"bad_group_attr_twice", 0, NULL, "attribute comm_group is there twice"},
    {"bad_nanos_twice", 0, NULL, "attribute duration_ns is there twice"},
    {"bad_lists_twice", 0, NULL, "attribute inputs is there twice"},
    {"bad_bool_size", 0, NULL, "attribute comm_size is bool_val 1, expected an integer from 0 to"},
    {"bad_bool_type", 0, NULL, "attribute comm_type is bool_val 0, expected an integer from 0 to"},
    {"bad_cpu_number", 0, NULL, "is_cpu_op is int32_val 2, expected a bool, or an integer 0 or 1"},
    {"bad_dims_sizes", 0, NULL, "involved_dim is int64_list, expected a list of bools, or of"},
    {"bad_size_beyond", 0, NULL, "comm_size is uint64_val 4611686018427387905, expected"},
    {"bad_tensor_beyond", 0, NULL, "tensor_size is uint64_val 18446744073709551608, expected"},
    {"bad_nanos_other", 0, NULL, "duration_ns is 7000, but duration_micros is 5; one of"},
    {"renamed_gzip", 0, "1 2 ", NULL},
    {"bad_missing_ctrl", 0, "1 2 ", NULL},
    {"bad_missing_ctrl", 1, NULL, "node 2 'n2' has a control dependency on node 99"},
    {"bad_missing_data", 0, NULL, "node 2 'n2' has a data dependency on node 99"},
    {"bad_dup_id", 0, NULL, "node 1 'n1' at byte 8 and node 1 'second' at byte 30"},
    {"bad_self_data", 0, NULL, "node 2 'n2' has a data dependency on itself"},
    {"bad_self_ctrl", 0, NULL, "node 2 'n2' has a control dependency on itself"},
    {"bad_cycle", 0, NULL, "2 'n2' needs (data) 4 'n4' needs (data) 3 'n3' needs (data) 2 'n2'."},
    {"bad_cycle_kinds", 0, NULL, "1 'n1' needs (control) 2 'n2' needs (data) 1 'n1'."},
    {"bad_cycle_long", 0, NULL, "of 20 nodes form a cycle"},
    {"bad_float_size", 0, NULL, "node 7 'n7' (byte 8): attribute comm_size is double_val"},
    {"bad_text_size", 0, NULL, "attribute comm_size is string_val"},
    {"bad_negative_size", 0, NULL, "attribute comm_size is int64_val -1, expected"},
    {"bad_wide_rank", 0, NULL, "attribute comm_dst is int64_val 4294967296, expected"},
    {"bad_no_value", 0, NULL, "attribute comm_type is no value"},
    {"longest", 0, "1 2 ", NULL},
    {"bad_micros", 0, NULL,
     "node 2 'n2' (byte 19): duration_micros is 18446744073709551615, expected 0 "
     "to"},
    {"bad_micros_long", 0, NULL, "duration_micros is 4611686018427388, expected"},
    {"bad_nanos_long", 0, NULL, "duration_ns is 4611686018427387905, expected"},
    {"bad_dims_kind", 0, NULL, "attribute involved_dim is bool_val 1, expected a list of bools"},
    {"bad_dims_many", 0, NULL, "at most 16 dimensions"},
    {"bad_type", 0, NULL, "has type 11; the Chakra schema knows 0 to 10"},
    {"bad_type_negative", 0, NULL, "has type -1"},
    {"bad_wire", 0, NULL, "record 3 at byte 19 is not a valid Node: field 7 (duration_micros)"},
    {"bad_group", 0, NULL, "field 1 (id) has wire type 3 (group), expected 0 (varint)"},
    {"bad_attr_overrun", 0, NULL, "field 29 (string_val) runs past the end"},
    {"bad_packed", 0, NULL, "a packed list in it is malformed"},
    {"bad_cut", 0, NULL, "record 3 at byte 19 is cut"},
    {"bad_cut_length", 0, NULL, "record 3 at byte 19 is cut within its length"},
    {"bad_long_varint", 0, NULL, "record 2 at byte 8 has no valid length"},
    {"bad_oversize", 0, NULL, "record 2 at byte 8 claims 67108865 bytes"},
    {"bad_node_first", 0, NULL, "schema before 0.0.4"},
    {"bad_old_metadata", 0, NULL, "schema before 0.0.4"},
    {"bad_json", 0, NULL, "looks like JSON"},
    {"bad_lfs", 0, NULL, "Git LFS pointer"},
    {"gzip_members", 0, "1 2 ", NULL},
    {"gzip_padded", 0, "1 ", NULL},
    {"bad_gzip_followed", 0, NULL,
     "bad_gzip_followed.et: something else stands behind the end of this gzip file"},
    {"bad_gzip_byte", 0, NULL, "behind the end of this gzip file, after 19 unpacked bytes"},
    {"bad_gzip_second", 0, NULL, "this gzip file is damaged or cut"},
    {"bad_gzip_cut", 0, NULL, "this gzip file is damaged or cut"},
    {"bad_empty", 0, NULL, "the file is empty"},
};

/* The unit whose lowest ready op has the lowest id of all, or ASIM_UNITS. */
static enum asim_unit lowest(const struct asim_feed *feed, uint32_t *index, uint64_t *id)
{
    enum asim_unit best = ASIM_UNITS;
    for (int unit = 0; unit < ASIM_UNITS; unit++) {
        uint32_t i;
        uint64_t other;
        if (!asim_feed_peek(feed, (enum asim_unit)unit, &i, &other) ||
            (best != ASIM_UNITS && other > *id))
            continue;
        best = (enum asim_unit)unit;
        *index = i;
        *id = other;
    }
    return best;
}

static void order_of(struct asim_feed *feed, char *order, size_t size)
{
    size_t used = 0;
    uint32_t index;
    uint64_t id, waiting;
    enum asim_unit unit;
    order[0] = '\0';
    while ((unit = lowest(feed, &index, &id)) != ASIM_UNITS) {
        struct asim_op op;
        CHECK_U64(asim_feed_record(feed, index, &op, NULL), 0);
        CHECK_U64(op.id, id);
        CHECK(asim_feed_finish(feed, index) == ASIM_EBUG); /* not taken yet */
        asim_feed_take(feed, unit);
        used += (size_t)snprintf(order + used, size - used, "%" PRIu64 " ", id);
        CHECK_U64(asim_feed_finish(feed, index), 0);
    }
    CHECK_U64(asim_feed_finished(feed), asim_feed_total(feed));
    CHECK(!asim_feed_first_waiting(feed, &waiting));
}

static void check_one(const struct want *want, size_t window)
{
    char root[512], path[700], order[256];
    snprintf(path, sizeof path, "%stests/fuzz/trace/%s.et", replay_root(root, sizeof root),
             want->file);
    struct asim_feed_options opt = {
        .path = path, .cached_records = window, .lenient = !want->strict};
    struct asim_err err = {0};
    struct asim_feed *feed, *alike;
    int rc = asim_feed_open(&feed, &opt, &err);
    CHECK((rc == 0) == (want->order != NULL));
    if (rc) {
        CHECK(want->text && strstr(err.text, want->text));
        if (!want->text || !strstr(err.text, want->text))
            fprintf(stderr, "  %s: %s\n", want->file, err.text);
        return;
    }
    order_of(feed, order, sizeof order);
    CHECK_STR(order, want->order ? want->order : "refused");
    CHECK_U64(asim_feed_unresolved(feed), !strcmp(want->file, "bad_missing_ctrl"));
    opt.like = feed; /* whose run is over, and which goes first */
    CHECK_U64(asim_feed_open(&alike, &opt, &err), 0);
    asim_feed_close(feed);
    order_of(alike, order, sizeof order);
    CHECK_STR(order, want->order ? want->order : "refused");
    asim_feed_close(alike);
}

int main(void)
{
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        check_one(&wanted[i], 0);
        check_one(&wanted[i], 1);
        check_one(&wanted[i], 2);
    }
    return CHECK_DONE();
}
