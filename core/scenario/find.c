/* SPDX-License-Identifier: GPL-2.0-only
 *
 * What several sections check: the name of a job, and lists of storage hosts.
 */
#include <string.h>

#include "base/text.h"
#include "scenario/number_list.h"
#include "scenario/scenario.h"

int asim_scenario_find_job(const struct asim_scenario *scenario, const char *name,
                           struct asim_where at, uint32_t *number, struct asim_err *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char safe[80], hint[160], known[400];
    size_t n = 0;

    *number = ASIM_SCENARIO_ALL_JOBS;
    for (size_t j = 0; name && j < scenario->jobs.n; j++) {
        const char *one = scenario->jobs.at[j].name;

        if (one && !strcmp(one, name)) {
            *number = (uint32_t)j;
            return 0;
        }
        if (one && n < MOST)
            names[n++] = one;
    }
    if (!name)
        return 0;
    return asim_err_at(err, ASIM_EINVAL, at, "the scenario has no job '%s'.%s Its jobs are: %s.",
                       asim_text_safe(safe, sizeof safe, name),
                       asim_text_hint(hint, sizeof hint, asim_text_nearest(name, names, n)),
                       asim_text_list(known, sizeof known, names, n));
}

int asim_scenario_check_list(const struct asim_scenario *scenario, unsigned line, const char *key,
                             const char *text, struct asim_err *err)
{
    uint32_t twice;
    int code = text ? asim_number_list_check(text, &twice) : 0;

    if (code == ASIM_ENOMEM)
        return asim_err_nomem(err, "reading a scenario");
    return code != 1 ? 0
                     : asim_err_at(err, ASIM_EINVAL, asim_scenario_at(scenario, line),
                                   "\"%s\" names %u twice; give each once.", key, twice);
}

int asim_scenario_check_storage(const struct asim_scenario *scenario,
                                struct asim_scenario_storage *at, size_t n, struct asim_err *err)
{
    for (size_t i = 0; i < n; i++) {
        struct asim_where where = asim_scenario_at(scenario, at[i].line);
        uint32_t twice;

        if (asim_scenario_check_list(scenario, at[i].line, "storage", at[i].hosts, err))
            return ASIM_EINVAL;
        if (asim_number_list_check(at[i].hosts, &twice))
            return asim_err_at(err, ASIM_EINVAL, where,
                               "'%.60s' is no list of storage hosts such as 60-63.", at[i].hosts);
        if (asim_scenario_find_job(scenario, at[i].job, where, &at[i].number, err))
            return ASIM_EINVAL;
    }
    return 0;
}
