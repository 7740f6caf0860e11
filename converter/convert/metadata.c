/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The first record of the Chakra file: five top-level members of the input as attributes. An
 * invalid one (a time below 0, a number instead of a text) is left out and reported, because no
 * simulation uses it; chakra_converter stops there, and so does --compat.
 */
#include "convert/convert.h"

#include <inttypes.h>
#include <string.h>
#include "asim/trace.h"
#include "json/access.h"

struct metadata {
    struct asim_convert *cv;
    struct asim_jdoc doc;
    struct asim_jbuf text[5];
    struct asim_chakra_attr attr[5];
    size_t n;
    struct asim_err *err;
};

static int useless(struct metadata *md, const char *name, const char *want)
{
    const struct asim_convert_options *opt = md->cv->opt;
    const struct asim_jv *v = &md->doc.at[0];
    char found[ASIM_JV_SHOWN];

    if (opt->compat || opt->strict)
        return asim_err_set(md->err, ASIM_EINVAL,
                            "%s: \"%s\" must be %s, found %s; correct it, or leave out %s.",
                            opt->input, name, want, asim_jv_show(&md->doc, v, found),
                            opt->compat ? "--compat" : "--strict");
    asim_diagnose(&opt->notes, "\"%s\" should be %s, found %s; it is left out.", name, want,
                  asim_jv_show(&md->doc, v, found));
    return 0;
}

static int add(struct metadata *md, const char *name, int is_text)
{
    const struct asim_host_trace *host = &md->cv->host;
    struct asim_chakra_attr *attr = &md->attr[md->n];
    struct asim_jbuf *text = &md->text[md->n];
    const struct asim_jv *v;
    const char *json, *why;
    int64_t value;
    size_t used, m = 0;

    while (m < host->member.n && strcmp(host->member.at[m].key, name))
        m++;
    if (m == host->member.n)
        return 0;
    json = host->member.at[m].text;
    if (asim_jdoc_parse(&md->doc, json, strlen(json) + 1, &used, &why) != ASIM_J_OK)
        return asim_err_nomem(md->err, "writing the metadata"); /* it was parsed before */
    v = &md->doc.at[0];
    if (is_text && v->kind != ASIM_J_STRING)
        return useless(md, name, "a text");
    if (!is_text && (asim_jv_i64(&md->doc, v, &value) || value < 0))
        return useless(md, name, "a whole number of at least 0");
    *attr = (struct asim_chakra_attr){.name = name,
                                      .type = is_text ? ASIM_CHAKRA_STRING : ASIM_CHAKRA_UINT64};
    if (is_text)
        attr->value.s = asim_jv_string(&md->doc, v, text);
    else
        attr->value.u = (uint64_t)value;
    md->n++;
    return text->failed ? asim_err_nomem(md->err, "writing the metadata") : 0;
}

int asim_convert_metadata(struct asim_convert *cv, struct asim_chakra_writer *out,
                          struct asim_err *err)
{
    static const struct {
        const char *name;
        int is_text;
    } rows[] = {{"schema", 1}, {"pid", 0}, {"time", 1}, {"start_ts", 0}, {"finish_ts", 0}};
    struct metadata md = {.cv = cv, .err = err};
    int code = 0;

    for (int i = 0; i < 5 && !code; i++)
        code = add(&md, rows[i].name, rows[i].is_text);
    if (!code)
        code = asim_chakra_writer_metadata(out, NULL, md.attr, md.n, err);
    for (int i = 0; i < 5; i++)
        asim_jbuf_fini(&md.text[i]);
    asim_jdoc_fini(&md.doc);
    return code;
}
