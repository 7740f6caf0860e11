/* SPDX-License-Identifier: GPL-2.0-only
 *
 * config.txt: built-in defaults against configs/ns3/config.txt field by field, units, repeated
 * keys, notes, refusals with their line, and the published files where they are at hand.
 */
#include "asim/netconf.h"
#include "conf/netconf.h"
#include "files.h"
#include "cc/cc.h"

#include <dirent.h>

static void check_map(const struct asim_rate_map *a, const struct asim_rate_map *b)
{
    CHECK_U64(a->n, b->n);
    for (size_t i = 0; i < a->n && i < b->n; i++) {
        CHECK_U64(a->at[i].rate_bps, b->at[i].rate_bps);
        CHECK(a->at[i].value == b->at[i].value);
    }
}

static uint64_t u64_of(const struct asim_netconf *net, const char *key)
{
    uint64_t value = 0;

    memcpy(&value, asim_netconf_field(net, asim_netconf_key(key)), sizeof value);
    return value;
}

/* Every congestion control that has RATE_AI got the value. */
static void shared_by_all(const struct asim_netconf *net)
{
    int n = 0;

    for (const struct asim_member *const *cc = asim_cc_table; *cc; cc++) {
        const struct asim_option *row = asim_option_find((*cc)->options, "RATE_AI");
        const char *options = asim_netconf_cc_options(net, (const struct asim_cc *)*cc);
        uint64_t value = 0;

        if (row) {
            memcpy(&value, options + row->offset, sizeof value);
            CHECK_U64(value, 60000000);
            n++;
        }
    }
    CHECK_U64(n, 4);
}

static void test_defaults(void)
{
    struct asim_netconf net, file;
    struct asim_err err = {0};
    char root[512], path[600];
    const struct asim_option *rows[200];
    size_t n;

    heard[0] = '\0';
    snprintf(path, sizeof path, "%sconfigs/ns3/config.txt", replay_root(root, sizeof root));
    CHECK(asim_netconf_defaults(&net, &err) == 0);
    CHECK(asim_netconf_read(&file, path, &listen, &err) == 0);
    CHECK_STR(err.text, "");
    CHECK_STR(heard, "");
    CHECK_U64(net.cc_mode, 12);
    CHECK_U64(net.payload_bytes, 1000);
    CHECK_U64(net.buffer_bytes, 32u << 20);
    CHECK_U64(net.pause_time_fs, 5000000000u);
    CHECK_U64(u64_of(&net, "RP_TIMER"), 900000000000u);
    CHECK_U64(net.min_rate_bps, 100000000);
    CHECK_U64(net.global_t, 0);
    CHECK(net.fct_output == NULL);
    CHECK_STR(file.fct_output, "fct.txt");
    n = asim_netconf_keys(rows, 200);
    CHECK(n > 60 && n < 200);
    for (size_t i = 0; i < n; i++) {
        const struct asim_option *row = rows[i];
        size_t bytes = row->type == ASIM_T_BOOL || row->type == ASIM_T_U32 ? 4 : 8;

        if (row->type == ASIM_T_STRING || strcmp(row->key, "ENABLE_TRACE") == 0)
            continue;
        CHECK(memcmp(asim_netconf_field(&net, row), asim_netconf_field(&file, row), bytes) == 0);
    }
    check_map(&net.kmax, &file.kmax);
    check_map(&net.kmin, &file.kmin);
    check_map(&net.pmax, &file.pmax);
    CHECK(net.kmin.at[3].rate_bps == 200000000000u && net.kmin.at[3].value == 600e3);
    asim_netconf_fini(&net);
    asim_netconf_fini(&file);
}

static void test_units(void)
{
    struct asim_netconf net;
    struct asim_err err = {0};
    const char *text = "PAUSE_TIME 2.5us # comment\n\nBUFFER_SIZE 48\nKMAX_MAP 1 100Gbps 1600\n"
                       "KMIN_MAP 1 100000000000 400\nRATE_AI 0.06Gbps\nMIN_RATE 1000\n"
                       "PACKET_PAYLOAD_SIZE 4KiB\nQLEN_MON_START 3us\nMON_END 2ms\n"
                       "LINK_DOWN 0 0 0\nLINK_DOWN 10 8 9\nLINK_DOWN 1ms 8 10\nLINK_UP 2ms 8 10\n"
                       "CC_MODE 1\nCC_MODE 3\n";

    CHECK(asim_netconf_read(&net, file_of(text), &listen, &err) == 0);
    CHECK_STR(err.text, "");
    CHECK_U64(net.pause_time_fs, 2500000000u);
    CHECK_U64(net.buffer_bytes, 48u << 20);
    CHECK_U64(net.kmax.n, 1);
    CHECK_U64(net.kmax.at[0].rate_bps, 100000000000u);
    CHECK(net.kmax.at[0].value == 1600000);
    CHECK_U64(u64_of(&net, "RATE_AI"), 60000000);
    shared_by_all(&net);
    CHECK_U64(net.min_rate_bps, 1000);
    CHECK_U64(net.payload_bytes, 4096);
    CHECK_U64(net.qlen_start_ns, 3000);
    CHECK_U64(net.mon_end_us, 2000);
    CHECK_U64(net.link_downs, 3);
    CHECK_U64(net.link_down[0].at_ns, 2000010000u); /* bare: us after 2 s */
    CHECK_U64(net.link_down[1].at_ns, 1000000);     /* with a unit: a time of the run */
    CHECK_U64(net.link_down[1].b, 10);
    CHECK(!net.link_down[1].up && net.link_down[2].up);
    CHECK_U64(net.cc_mode, 3);
    CHECK(strstr(heard, ":16: CC_MODE was set on line 15 already") != NULL);
    /* Of the absent keys only those HPCC looks at. */
    CHECK(strstr(heard, "MI_THRESH 5") != NULL);
    CHECK(strstr(heard, "FAST_RECOVERY_TIMES") == NULL);
    asim_netconf_fini(&net);
}

static int read_netconf(const char *path, struct asim_err *err)
{
    struct asim_netconf net;
    int rc = asim_netconf_read(&net, path, &listen, err);

    if (!rc)
        asim_netconf_fini(&net);
    return rc;
}

static void test_refusals(void)
{
    static const struct refusal rows[] = {
        {"CC_MODE 1\nCC_MOD 1\n", 2, "Did you mean 'CC_MODE'"},
        {"KMAXMAP 0\n", 1, "Did you mean 'KMAX_MAP'"},
        {"CC_MODE\nHAS_WIN 1\n", 1, "CC_MODE ends too early"},
        {"CC_MODE 1 2\n", 1, "the end of the line"},
        {"HAS_WIN 2\n", 1, "HAS_WIN"},
        {"\nBUFFER_SIZE big\n", 2, "BUFFER_SIZE"},
        {"BUFFER_SIZE -1\n", 1, "BUFFER_SIZE"},
        {"RATE_AI 50Mbx\n", 1, "RATE_AI"},
        {"PACKET_PAYLOAD_SIZE 0\n", 1, "PACKET_PAYLOAD_SIZE"},
        {"KMAX_MAP 2 25Gbps 400\n", 1, "KMAX_MAP ends too early"},
        {"KMAX_MAP 1 25Gbps 400 40Gbps 800\n", 1, "the end of the line"},
        {"KMAX_MAP 99999999\n", 1, "the number of entries"},
        {"PMAX_MAP 1 25Gbps 1.5\n", 1, "a probability"},
        {"KMAX_MAP 2 25Gbps 4 25000000000 5\n", 1, "two entries"},
        {"KMAX_MAP 1 25Gbps 400\nKMIN_MAP 1 25Gbps 500\n", 0, "more than the 400 KB"},
        {"LINK_DOWN 1 2\n", 1, "a time in us and two node ids"},
        {"ERROR_RATE_PER_LINK nan\n", 1, "ERROR_RATE_PER_LINK"},
        {"U_TARGET 1e999\n", 1, "U_TARGET"},
    };

    check_refusals(rows, sizeof rows / sizeof *rows, read_netconf);
}

static void test_published(void)
{
    char root[512], path[1400];
    const char *shared = getenv("ASIM_SHARED");
    struct dirent *entry;
    int n = 0;
    DIR *dir;

    if (!shared) {
        snprintf(path, sizeof path, "%s../shared", replay_root(root, sizeof root));
        shared = path;
    }
    snprintf(root, sizeof root, "%.400s/reference/ns3/cases", shared);
    dir = opendir(root);
    if (!dir) {
        printf("skipped: published config.txt files are not at hand\n");
        return;
    }
    while ((entry = readdir(dir))) {
        struct asim_err err = {0};

        if (entry->d_name[0] == '.')
            continue;
        heard[0] = '\0';
        snprintf(path, sizeof path, "%s/%s/config.txt", root, entry->d_name);
        CHECK(read_netconf(path, &err) == 0);
        CHECK_STR(err.text, "");
        /* At most one line of noise. */
        CHECK(strchr(heard, '\n') == NULL || strchr(heard, '\n')[1] == '\0');
        n++;
    }
    closedir(dir);
    CHECK(n > 0);
}

int main(void)
{
    struct asim_err err = {0};

    CHECK(asim_netconf_check(&err) == 0);
    CHECK_STR(err.text, "");
    test_defaults();
    test_units();
    test_refusals();
    test_published();
    remove(replay_work);
    return CHECK_DONE();
}
