/* SPDX-License-Identifier: GPL-2.0-only
 *
 * Compute times of a micro-batch: from a file of AIOB ("Name:" and indented "time_gpu_avg: us"
 * lines), or from the roofline model of a named GPU (Williams et al., CACM 2009: the larger of
 * flops / peak and bytes / bandwidth), so that no GPU is needed. AICB decides which sections make
 * an attention or MLP block (simai.md#compute-times).
 */
#include "llm/llm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/io/src.h"
#include "base/text.h"
#include "gpu/gpu.h"
#include "llm/times.h"
#include "llm/work.h"

/* Linear: a file has tens of sections. */
static struct asim_llm_section *section_of(struct asim_llm_times *times, const char *name)
{
    for (size_t i = 0; i < times->sections.n; i++)
        if (!strcmp(times->sections.at[i].name, name))
            return &times->sections.at[i];
    return NULL;
}

/* Cuts names to 47 letters; the limit keeps a broken file small. */
static struct asim_llm_section *add_section(struct asim_llm_times *times, const char *name)
{
    struct asim_llm_section section = {.name = ""};
    snprintf(section.name, sizeof section.name, "%s", name);
    if (times->sections.n >= 4096 || ASIM_VEC_PUSH(times->sections, section))
        return NULL;
    return &times->sections.at[times->sections.n - 1];
}

/* --- AIOB's file --------------------------------------------------------------------------------
 */

/* One line "key: value" or "Name:". */
static int read_line(struct asim_llm_times *times, struct asim_src *src, char *word,
                     struct asim_err *err)
{
    char safe[64];
    char *colon = strchr(word, ':');
    if (!colon)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found '%s' where 'Name:' or 'time_gpu_avg: 12.5' is expected.",
                           asim_text_safe(safe, sizeof safe, word));
    *colon = '\0';
    const char *value = colon[1] ? colon + 1 : asim_src_word_in_line(src);
    if (!value && !strncmp(word, "time_gpu_", 9))
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found no number behind '%s:'; microseconds are expected.",
                           asim_text_safe(safe, sizeof safe, word));
    if (!value)
        return add_section(times, word) ? 0 : asim_err_nomem(err, "reading compute times");
    if (strncmp(word, "time_gpu_", 9))
        return 0; /* train_iter: and the like */
    struct asim_llm_section *section =
        times->sections.n ? &times->sections.at[times->sections.n - 1] : NULL;
    const char *more = asim_src_word_in_line(src);
    double us;
    if (more)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found '%s' behind the number; one number a line is expected.",
                           asim_text_safe(safe, sizeof safe, more));
    if (!section || asim_text_double(value, &us) || us < 0 || us > 1e12)
        return asim_err_at(err, ASIM_EINVAL, asim_src_where(src),
                           "found '%s' where a number of microseconds below a 'Name:' line is "
                           "expected.",
                           asim_text_safe(safe, sizeof safe, value));
    double *at = !strcmp(word, "time_gpu_min")   ? &section->min_us
                 : !strcmp(word, "time_gpu_max") ? &section->max_us
                                                 : &section->avg_us;
    *at = us;
    return 0;
}

/* Indentation has no meaning: a line with a value belongs to the last line without one. */
static int read_file(struct asim_llm_times *times, const char *path, struct asim_err *err)
{
    struct asim_src src;
    char *word;
    int rc = asim_src_open(&src, path, err);
    if (rc)
        return rc;
    while (!rc && asim_src_next_line(&src) && (word = asim_src_word_in_line(&src)))
        rc = read_line(times, &src, word, err);
    if (!rc && !times->sections.n)
        rc = asim_err_at(err, ASIM_EINVAL, (struct asim_where){path, 0, 0},
                         "there are no compute times in this file; AIOB writes 'Name:' lines "
                         "followed by 'time_gpu_avg: microseconds'.");
    asim_src_close(&src);
    return rc;
}

/* --- the roofline -------------------------------------------------------------------------------
 */

struct work {
    const char *name;
    double flops, bytes;
};

/* The time is the slower of computing and moving, at the given share of the peak. */
static int add_work(struct asim_llm_times *times, const struct asim_gpu *gpu, double efficiency,
                    const struct work *work)
{
    struct asim_llm_section *section = add_section(times, work->name);
    double compute_us = work->flops / (gpu->tflops_16bit * 1e12 * efficiency) * 1e6;
    double memory_us = work->bytes / (gpu->memory_gbps * 1e9 * efficiency) * 1e6;
    if (!section)
        return ASIM_ENOMEM;
    section->avg_us = compute_us > memory_us ? compute_us : memory_us;
    section->min_us = section->max_us = section->avg_us;
    return 0;
}

/* Flops and bytes of one micro-batch's forward pass on one GPU, 2 bytes an element. Attention
 * scores are causal: half of s x s. Gradients: param_time reads and writes what an Adam step of the
 * GPU's share of 16 bytes a parameter moves. */
static int model_times(struct asim_llm_times *times, const struct asim_llm *llm,
                       const struct asim_gpu *gpu, struct asim_err *err)
{
    const struct asim_llm_options *o = llm->opt;
    double tokens = (double)o->micro_batch * (double)o->seq, h = (double)o->hidden;
    double t = o->tp, f = (double)llm->ffn, s = (double)o->seq;
    double ups = o->swiglu ? 2 : 1, active = o->moe ? o->topk : 1;
    double attention = (double)llm->p_attention, act = 2 * tokens * h;
    double step = (double)llm->params_total / (double)llm->dp * 16;
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
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (add_work(times, gpu, o->efficiency, &works[i]))
            return asim_err_nomem(err, "computing the roofline");
    return 0;
}

/* --- what rows ask for
 * ---------------------------------------------------------------------------- */

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
    int rc = asim_gpu_find(&gpu, llm->opt->compute_model, NULL, err);
    if (!rc)
        rc = asim_gpu_kernels_find(&kernels, &gpu, llm->opt->kernels, err);
    if (rc)
        return rc;
    asim_llm_work_times(times, llm, &kernels);
    times->is_assumed = kernels.is_assumed;
    return 0;
}

/* Without a file AICB measures the model on a GPU; here a roofline takes its place. */
int asim_llm_times_open(struct asim_llm_times *times, const struct asim_llm *llm,
                        struct asim_err *err)
{
    const struct asim_llm_options *o = llm->opt;
    struct asim_gpu gpu;
    int rc = 0;
    memset(times, 0, sizeof *times);
    if (!!o->comp_file + !!o->roofline + !!o->compute_model > 1)
        return asim_err_set(err, ASIM_EUSAGE,
                            "comp_filepath, roofline and compute_model all give compute times: "
                            "choose one.");
    if (o->compute_model)
        return compute_model(times, llm, err);
    if (o->aiob && !o->comp_file && !o->roofline)
        return asim_err_set(err, ASIM_EUSAGE,
                            "aiob_enable without comp_filepath would measure on a GPU, which is "
                            "not done here: give --comp_filepath=FILE or --roofline=H100.");
    if (!o->comp_file && !o->roofline)
        return 0;
    if (o->comp_file)
        rc = read_file(times, o->comp_file, err);
    else if (!(rc = asim_gpu_find(&gpu, o->roofline, NULL, err)))
        rc = model_times(times, llm, &gpu, err);
    if (!rc)
        derive(times, llm);
    else
        asim_llm_times_close(times);
    return rc;
}

/* Also takes an all-zero struct and one whose open failed. */
void asim_llm_times_close(struct asim_llm_times *times)
{
    free(times->sections.at);
    memset(times, 0, sizeof *times);
}
