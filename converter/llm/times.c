/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compute times of a micro-batch: from a file of AIOB ("Name:" and indented "time_gpu_avg: us"
 * lines), from a database of measured times (database.c), or from the roofline model of a named GPU
 * (Williams et al., CACM 2009: the larger of flops / peak and bytes / bandwidth), so that no GPU is
 * needed. AICB decides which sections make an attention or MLP block (simai.md#compute-times).
 */
#include "llm/llm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "catalogue/gpu.h"

/* Linear: a file has tens of sections. */
static struct asim_llm_section *section_of(struct asim_llm_times *times, const char *name)
{
    for (size_t i = 0; i < times->sections.n; i++)
        if (!strcmp(times->sections.at[i].name, name))
            return &times->sections.at[i];
    return NULL;
}

/* --- the roofline ----------------------------------------------------------------------------- */

struct work {
    const char *name;
    double flops, bytes;
};

static int add_work(struct asim_llm_times *times, const struct asim_gpu_kernels *gpu,
                    const struct work *work)
{
    struct asim_llm_section *section = asim_llm_sections_add(times, work->name);
    if (!section)
        return ASIM_ENOMEM;
    section->avg_us = asim_gpu_work_us(
        gpu, &(struct asim_gpu_work){.ops = work->flops, .bytes = work->bytes, .count = 1});
    section->min_us = section->max_us = section->avg_us;
    return 0;
}

/* Names a part without a measured time. */
static void add_miss(struct asim_llm_times *times, const char *name)
{
    size_t n = strlen(times->misses);

    snprintf(times->misses + n, sizeof times->misses - n, "%s%s", n ? ", " : "", name);
}

/* Whether a measured section is (a piece of) that part. Attention has its matrix products
 * ("atten_qkv", "atten_linear") and its scores ("atten_flash", "atten_core…"); the MLP has several
 * sections under "mlp". */
static int covers(const char *section, const char *part)
{
    int is_scores = strstr(section, "flash") || strstr(section, "core");

    if (!strcmp(part, "atten_linear"))
        return strstr(section, "atten") && !is_scores;
    if (!strcmp(part, "atten_flash"))
        return strstr(section, "atten") && is_scores;
    if (!strcmp(part, "mlp_linear"))
        return strstr(section, "mlp") != NULL;
    return !strcmp(section, part);
}

/* One of the first n sections does. */
static int has_part(const struct asim_llm_times *times, size_t n, const char *part)
{
    for (size_t i = 0; i < n; i++)
        if (covers(times->sections.at[i].name, part))
            return 1;
    return 0;
}

/* Flops and bytes of one micro-batch's forward pass on one GPU, 2 bytes an element. Attention
 * scores are causal: half of s x s. Gradients: param_time reads and writes what an Adam step of the
 * GPU's share of 16 bytes a parameter moves. */
static int model_times(struct asim_llm_times *times, const struct asim_llm *llm,
                       const struct asim_gpu_kernels *gpu, struct asim_err *err)
{
    size_t known = times->sections.n;
    const struct asim_llm_options *o = llm->opt;
    double tokens = (double)o->micro_batch * (double)o->seq, h = (double)o->hidden;
    double t = o->tp, f = (double)llm->ffn, s = (double)o->seq;
    double ups = o->swiglu ? 2 : 1, active = o->moe ? o->topk : 1;
    double attention = (double)llm->p_attention, act = 2 * tokens * h;
    double step = asim_llm_shard(llm) * 16;
    const struct work works[] = {
        {"Emb", 0, 2 * act},
        {"layernorm", 0, 2 * act},
        {"atten_linear", 2 * tokens * attention, 2 * attention + 5 * act / t},
        {"atten_flash", 2 * tokens * s * h / t, 4 * act / t},
        {"layernorm2", 0, 2 * act},
        {"mlp_linear", 2 * tokens * active * (ups + 1) * h * f / t,
         2 * (ups + 1) * h * f / t + act + 2 * tokens * active * (ups + 1) * f / t},
        {"param_time", 0, step},
    };
    for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
        if (known && has_part(times, known, works[i].name))
            continue;
        if (add_work(times, gpu, &works[i]))
            return asim_err_nomem(err, "computing the roofline");
        if (o->database)
            add_miss(times, works[i].name);
    }
    return 0;
}

/* --- what rows ask for ------------------------------------------------------------------------ */

static uint64_t to_ns(double us)
{
    return (uint64_t)(us * 1000 + 0.5);
}

/* Sum of the sections that hold `part` in their name, plus the one called `norm`. */
static double sum_of(const struct asim_llm_times *times, const char *part, const char *norm)
{
    double us = 0;
    for (size_t i = 0; i < times->sections.n; i++) {
        const struct asim_llm_section *s = &times->sections.at[i];
        if (strstr(s->name, part) || !strcmp(s->name, norm))
            us += s->avg_us;
    }
    return us;
}

/* "atten" and "mlp" match anywhere in a section's name, norms match the whole name: "layernorm" is
 * not "layernorm2". */
static void derive(struct asim_llm_times *times, const struct asim_llm *llm)
{
    const struct asim_llm_section *param = section_of(times, "param_time");
    const struct asim_llm_section *flash = section_of(times, "atten_flash");
    double attention = sum_of(times, "atten", "layernorm");
    if (llm->opt->recompute && flash)
        attention += flash->avg_us;
    times->known = 1;
    times->attention = to_ns(attention);
    times->mlp = to_ns(sum_of(times, "mlp", "layernorm2"));
    times->embedding = asim_llm_time_of(times, "Emb");
    times->grad_forward = param ? to_ns(param->min_us) : 1;
    times->grad_backward = param ? to_ns(param->avg_us) : 1;
    times->missing += !param + !times->attention + !times->mlp;
}

/* A part that AICB does not know takes 1 ns, with a warning. */
uint64_t asim_llm_time_of(struct asim_llm_times *times, const char *name)
{
    const struct asim_llm_section *section = section_of(times, name);
    if (section)
        return to_ns(section->avg_us);
    times->missing++;
    return 1;
}

/* Kernel by kernel (work.c). */
static int compute_model(struct asim_llm_times *times, const struct asim_llm *llm,
                         struct asim_err *err)
{
    struct asim_gpu gpu;
    struct asim_gpu_kernels kernels;
    int rc = asim_gpu_find(&gpu, llm->opt->compute_model, llm->opt->gpus_file, err);
    if (!rc)
        rc = asim_gpu_kernels_find(&kernels, &gpu, llm->opt->kernels, err);
    if (rc)
        return rc;
    asim_llm_work_times(times, llm, &kernels);
    times->is_assumed = kernels.is_assumed;
    return 0;
}

/* What the database lacks comes from the roofline, if a GPU is named for it; else it is an error:
 * 1 ns in its place would look like a result. */
static int find_all(struct asim_llm_times *times, const struct asim_llm *llm,
                    const struct asim_gpu_kernels *gpu, struct asim_err *err)
{
    static const char *const needed[] = {"Emb",        "layernorm",  "atten_linear", "atten_flash",
                                         "layernorm2", "mlp_linear", "param_time"};
    const struct asim_llm_options *o = llm->opt;
    int rc = asim_llm_database_find(times, llm, err);

    if (rc || gpu)
        return rc ? rc : model_times(times, llm, gpu, err);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!has_part(times, times->sections.n, needed[i]))
            add_miss(times, needed[i]);
    if (!*times->misses)
        return 0;
    return asim_err_set(err, ASIM_EINVAL,
                        "%s has no time of %s for gpu=%s, model=%s, tp=%u, ep=%u, mbs=%u: add "
                        "rows, or name a GPU with --roofline for what is missing.",
                        o->database, times->misses, asim_llm_database_gpu(o), o->model_name, o->tp,
                        o->ep, o->micro_batch);
}

/* A roofline may stand in for what a database lacks; other sources exclude each other. */
static int check_sources(const struct asim_llm_options *o, struct asim_err *err)
{
    if (o->comp_file && o->database)
        return asim_err_set(err, ASIM_EUSAGE,
                            "comp_filepath and comp_database both give compute times: choose one.");
    if (!!o->comp_file + (o->roofline || o->database) + !!o->compute_model > 1)
        return asim_err_set(
            err, ASIM_EUSAGE,
            "comp_filepath, roofline and compute_model all give compute times: choose one.");
    if (o->aiob && !o->comp_file && !o->roofline && !o->database && !o->compute_model)
        return asim_err_set(err, ASIM_EUSAGE,
                            "aiob_enable without comp_filepath would measure on a GPU, which is "
                            "not done here: give --comp_filepath=FILE or --roofline=H100.");
    return 0;
}

/* Without a file AICB measures the model on a GPU; here a roofline takes its place. */
int asim_llm_times_open(struct asim_llm_times *times, const struct asim_llm *llm,
                        struct asim_err *err)
{
    const struct asim_llm_options *o = llm->opt;
    struct asim_gpu peak;
    struct asim_gpu_kernels gpu;
    int rc = check_sources(o, err);
    memset(times, 0, sizeof *times);
    if (!rc && o->compute_model)
        return compute_model(times, llm, err);
    if (rc || (!o->comp_file && !o->roofline && !o->database))
        return rc;
    if (o->roofline)
        rc = asim_gpu_find(&peak, o->roofline, o->gpus_file, err);
    if (!rc && o->roofline)
        asim_gpu_kernels_even(&gpu, &peak, o->efficiency);
    if (!rc && o->database)
        rc = find_all(times, llm, o->roofline ? &gpu : NULL, err);
    else if (!rc && o->comp_file)
        rc = asim_llm_sections_read(times, o->comp_file, err);
    else if (!rc)
        rc = model_times(times, llm, &gpu, err);
    if (!rc)
        derive(times, llm);
    else
        asim_llm_times_close(times);
    return rc;
}

int asim_llm_times_measured(struct asim_llm_times *times, const struct asim_llm *llm,
                            struct asim_err *err)
{
    memset(times, 0, sizeof *times);
    if (llm->opt->database)
        return asim_llm_database_find(times, llm, err);
    return llm->opt->comp_file ? asim_llm_sections_read(times, llm->opt->comp_file, err) : 0;
}

/* Also takes an all-zero struct and one whose open failed. */
void asim_llm_times_close(struct asim_llm_times *times)
{
    free(times->sections.at);
    memset(times, 0, sizeof *times);
}
