/* SPDX-License-Identifier: GPL-2.0-only
 *
 * The phases of linking in their order. Peak memory is the device trace's tables (about 40 bytes a
 * CPU op or GPU operation) plus the host trace's index (32 bytes a node), for any size of the
 * files.
 */
#include "link/link.h"
#include "link/kineto.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int read_device(struct asim_linking *link, struct asim_err *err)
{
    struct asim_kineto *kin = &link->kin;
    const struct asim_link_options *opt = link->opt;
    int code = asim_kineto_read(kin, opt->device,
                                opt->alone    ? ASIM_KINETO_ALONE
                                : opt->compat ? ASIM_KINETO_COMPAT
                                              : ASIM_KINETO_PLAIN,
                                err);

    if (!code && !opt->compat && !kin->cpu.n && !kin->gpu.n)
        code = asim_err_set(err, ASIM_EINVAL,
                            "%s: none of the %llu events is an op or a GPU operation, so nothing "
                            "can be linked; is it the right file?",
                            opt->device, (unsigned long long)kin->events);
    if (!code)
        code = asim_nest_order(kin, err);
    if (!code)
        code = asim_nest_exclusive(kin, opt->compat, opt->device, err);
    if (!code)
        code = asim_nest_threads(kin, err);
    if (!code)
        code = asim_nest_launches(kin, opt->compat, &link->counts.launches, err);
    return code;
}

/* What --strict makes an error of. */
static int check_strictly(const struct asim_linking *link, struct asim_err *err)
{
    const struct asim_link_options *opt = link->opt;
    const uint64_t unlinked = link->kin.gpu.n - link->counts.gpu_linked,
                   repeats = link->host.repeats + link->kin.repeats,
                   no_utf8 = link->host.no_utf8 + link->kin.no_utf8;

    if (unlinked)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s: %" PRIu64 " of %zu GPU operations could not be linked to a host "
                            "op, and --strict was given.",
                            opt->device, unlinked, link->kin.gpu.n);
    if (repeats)
        return asim_err_set(err, ASIM_EINVAL,
                            "%s and %s: %" PRIu64 " keys stand twice in one object, with two "
                            "values, and --strict was given.",
                            opt->host, opt->device, repeats);
    return no_utf8 ? asim_err_set(err, ASIM_EINVAL,
                                  "%s and %s: %" PRIu64 " strings have bytes that are not UTF-8, "
                                  "and --strict was given.",
                                  opt->host, opt->device, no_utf8)
                   : 0;
}

static int run(struct asim_linking *link, struct asim_err *err)
{
    const struct asim_link_options *opt = link->opt;
    int code = read_device(link, err);

    if (!code && opt->alone)
        code = asim_link_make_host(link, err);
    if (!code)
        code = asim_link_match(link, err);
    if (!code)
        code = asim_link_number(link, err);
    if (!code && !opt->compat)
        code = asim_link_sync(link, err);
    if (!code && opt->alone && link->kin.gpu.n && !link->counts.gpu_linked)
        code = asim_err_set(err, ASIM_EINVAL,
                            "%s: no launch of its %zu GPU operations is in the trace, and there is "
                            "no execution trace (host); profile with the activities CPU and CUDA.",
                            opt->device, link->kin.gpu.n);
    if (!code && opt->strict)
        code = check_strictly(link, err);
    ASIM_FREE(link->kin.by_thread, link->kin.enclosing);
    link->kin.by_thread = link->kin.enclosing = NULL;
    return code ? code : asim_link_write(link, err);
}

int asim_link_run(struct asim_linking *link, const struct asim_link_options *opt,
                  struct asim_err *err)
{
    int code;

    memset(link, 0, sizeof *link);
    link->opt = opt;
    code = run(link, err);
    /* Inner functions report failure only; err has the code. */
    return code && err && err->code ? err->code : code;
}

void asim_link_fini(struct asim_linking *link)
{
    asim_kineto_fini(&link->kin);
    asim_host_fini(&link->host);
    asim_index_fini(&link->by_rf);
    ASIM_FREE(link->host_of, link->gpu_order, link->gpu_id, link->sync.at);
}
