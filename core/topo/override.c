/* SPDX-License-Identifier: GPL-2.0-only
 *
 * --bandwidth and --latency: links of a finished topology with another rate or delay. Without a
 * class NVLink keeps its own: whoever doubles the network does not change the servers.
 */
#include "base/override.h"
#include "topo/topo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "topo/tier.h"

enum { CLASS = 28, CLASSES = 32 };

/* The part "CLASS:VALUE" of an option; class "": all links but NVLink. */
struct part {
    const char *option;
    char class[CLASS], value[64];
};

static int is_meant(const struct asim_topo *topo, const uint8_t *tier, const struct part *part,
                    const struct asim_link *link)
{
    char class[CLASS];

    asim_topo_link_class(class, sizeof class, topo, tier, link);
    return *part->class ? !strcmp(part->class, class) || !strcmp(part->class, "all")
                        : strcmp(class, "nvlink") != 0;
}

/* One value for links of several values would flatten the network without a word. */
static int refuse_several(const struct asim_topo *topo, const char *option, uint64_t low,
                          uint64_t high, struct asim_err *err)
{
    int is_rate = option[0] == 'b';
    double unit = is_rate ? 1e9 : 1e6;

    return asim_err_set(err, ASIM_EINVAL,
                        "--%s gives one value, but the links of %s have several, from %g%s to "
                        "%g%s; give a factor such as --%s=2x, or change the topology.",
                        option, topo->source, (double)low / unit, is_rate ? "Gbps" : "ns",
                        (double)high / unit, is_rate ? "Gbps" : "ns", option);
}

static int refuse_class(const struct asim_topo *topo, const uint8_t *tier, const struct part *part,
                        struct asim_err *err)
{
    char names[CLASSES][CLASS], hint[CLASS + 20], list[CLASSES * CLASS], safe[CLASS];
    const char *known[CLASSES];
    size_t n = 0;

    for (size_t l = 0; l < topo->n_links && n < CLASSES; l++) {
        size_t i = 0;

        known[n] = asim_topo_link_class(names[n], CLASS, topo, tier, &topo->links[l]);
        while (strcmp(known[i], known[n]) != 0)
            i++;
        n += i == n;
    }
    return asim_err_set(err, ASIM_EINVAL,
                        "--%s: %s has no links of the class '%s'.%s The classes are: %s, and all.",
                        part->option, topo->source, asim_text_safe(safe, sizeof safe, part->class),
                        asim_text_hint(hint, sizeof hint, asim_text_nearest(part->class, known, n)),
                        asim_text_list(list, sizeof list, known, n));
}

static int change_links(struct asim_topo *topo, const uint8_t *tier, const struct part *part,
                        struct asim_err *err)
{
    int is_rate = part->option[0] == 'b';
    uint64_t low = UINT64_MAX, high = 0;
    struct asim_override override;

    if (asim_override_parse(&override, part->option, is_rate ? ASIM_T_RATE : ASIM_T_TIME,
                            part->value, err))
        return ASIM_EINVAL;
    for (size_t l = 0; l < topo->n_links; l++) {
        struct asim_link *link = &topo->links[l];
        uint64_t *value = is_rate ? &link->rate_bps : &link->delay_fs;

        if (!is_meant(topo, tier, part, link))
            continue;
        low = *value < low ? *value : low;
        high = *value > high ? *value : high;
        *value = asim_override_apply(&override, *value);
        if (!*value && is_rate)
            return asim_err_set(err, ASIM_EINVAL, "--bandwidth=%s leaves links without a rate.",
                                part->value);
    }
    if (*part->class && low > high)
        return refuse_class(topo, tier, part, err);
    return override.factor <= 0 && low < high ? refuse_several(topo, part->option, low, high, err)
                                              : 0;
}

int asim_topo_override(struct asim_topo *topo, const char *option, const char *text,
                       struct asim_err *err)
{
    uint8_t *tier;
    int code = asim_topo_tiers(&tier, topo, err);

    for (size_t n; !code && *text; text += n + (text[n] == ',')) {
        struct part part = {.option = option};
        size_t class;

        n = strcspn(text, ",");
        class = strcspn(text, ":");
        class = class < n ? class + 1 : 0;
        snprintf(part.class, sizeof part.class, "%.*s", class ? (int)class - 1 : 0, text);
        snprintf(part.value, sizeof part.value, "%.*s", (int)(n - class), text + class);
        code = change_links(topo, tier, &part, err);
    }
    free(tier);
    return code;
}
