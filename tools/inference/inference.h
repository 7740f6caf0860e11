/* SPDX-License-Identifier: GPL-2.0-only
 *
 * `asim inference`: serving a language model on a simulated network. Instances (servers of TP
 * GPUs, a host each) take requests from a stream, run iterations of continuous batching, and send
 * KV caches from prefill to decode instances as messages of the packet network.
 *
 * Everything about an instance happens on its first host, so that no host needs to know what
 * another one does before a message tells it (asim/messages.h).
 */
#ifndef ASIM_TOOLS_INFERENCE_H
#define ASIM_TOOLS_INFERENCE_H

#include <stdint.h>
#include "asim/asim.h"
#include "base/diagnostics.h"
#include "base/mem.h"
#include "catalogue/kernels.h"
#include "catalogue/model.h"

/* A request, and what became of it. Times in ns since the start; 0 = not yet. */
struct asim_request {
    uint64_t arrival_ns;
    uint32_t prompt, output;      /* tokens; output counts the first one */
    uint32_t prefix, group;       /* tokens that the prompts of a group begin with */
    uint32_t number;              /* its place in the stream */
    uint32_t prefill, decode;     /* instances */
    uint64_t begun_ns;            /* its first iteration begins */
    uint64_t first_ns;            /* its first token is there: the end of its prefill */
    uint64_t pulled_ns;           /* the decode instance asks for its KV cache */
    uint64_t kv_ns;               /* its KV cache is at the decode instance */
    uint64_t finish_ns;           /* its last token is there */
    uint64_t comm_ns;             /* communication inside the iterations it took part in */
    uint64_t computed;            /* tokens whose KV cache is there */
    uint32_t made;                /* tokens of its output */
    uint32_t cached;              /* tokens of its prompt that were found in the prefix cache */
    uint32_t preemptions;         /* times that it lost its KV cache */
    uint32_t shards;              /* of its KV cache that have come */
    ASIM_VEC(uint32_t) blocks[2]; /* of KV cache where it prefills, and where it decodes */
    int is_under_way;             /* it takes part in an iteration */
};

struct asim_requests {
    struct asim_request *at;
    size_t n, cap;
};

/* --- stream.c: when requests come ------------------------------------------------------------- */

enum asim_arrivals { ASIM_ARRIVE_POISSON, ASIM_ARRIVE_BURSTS, ASIM_ARRIVE_EVENLY };
struct asim_stream {
    const char *file; /* a CSV with arrival_s, prompt_tokens, output_tokens; NULL: made */
    int arrivals;     /* enum asim_arrivals */
    double per_second;
    uint32_t requests, burst; /* burst: requests that come at once */
    int exponential;          /* lengths: 0 = fixed, 1 = exponential with these means */
    uint32_t prompt, output;
    uint64_t seed;
    uint32_t prefix, groups; /* tokens that prompts of a group have in common; groups */
};
/* Fills *requests by ascending arrival; asim_stream_free frees what they hold. */
int asim_stream_make(struct asim_requests *requests, const struct asim_stream *stream,
                     struct asim_err *err);
void asim_stream_free(struct asim_requests *requests);

/* --- experts.c: which experts tokens go to -------------------------------------------------------
 */

/* Popularities of the experts of a layer, and how much more than its share the GPU gets that most
 * tokens go to: in the mean over layers, each with its own order of experts. */
struct asim_experts {
    double exponent; /* popularity of the i-th is i^-exponent; 0: all alike */
    double sum;      /* of the popularities */
    double busiest;  /* 1: as much as the others */
};
/* From uniform or zipf:EXPONENT, for a model whose experts are spread over so many GPUs. */
int asim_experts_read(struct asim_experts *experts, const char *word,
                      const struct asim_model *model, uint32_t gpus, struct asim_err *err);
/* Experts of a layer that some of the tokens go to, in the mean. */
double asim_experts_named(const struct asim_experts *experts, const struct asim_model *model,
                          double tokens);

/* --- model.c: how long an iteration computes -------------------------------------------------- */

/* The tokens of one iteration. */
struct asim_batch {
    uint64_t prefill_tokens, decode_tokens;
    double attention; /* sum over tokens of the tokens they attend to */
    uint64_t kv_read; /* tokens whose KV cache is read */
};

struct asim_times {
    struct asim_model model;
    struct asim_gpu_kernels gpu; /* with the efficiency */
    uint32_t gpus;               /* which share the work */
    struct asim_experts experts;
    uint64_t overhead_ns;           /* of each iteration */
    struct asim_times_table *table; /* or NULL: the roofline */
    int has_idle_gpus;              /* a file of GPUs, of which none is used */
};
struct asim_times_options {
    const char *model, *gpu, *gpus, *table, *experts;
    double efficiency, overhead_us;
    uint32_t tp;
};
int asim_times_open(struct asim_times *times, const struct asim_times_options *opt,
                    struct asim_err *err);
uint64_t asim_times_of(const struct asim_times *times, const struct asim_batch *batch);
/* Says where the run went beyond the rows of a table. */
void asim_times_notes(const struct asim_times *times, const struct asim_diagnostics *notes);
void asim_times_close(struct asim_times *times);

/* --- comm.c: communication inside an instance ------------------------------------------------- */

/* Some layers' messages of a stage, at the flow level (together.c). */
struct asim_slice_pair {
    uint32_t src, dst; /* GPUs of the stage; dst from tp on: of the next stage */
    uint64_t bytes;
};
struct asim_slice {
    uint64_t tokens; /* of the iteration */
    int passes;      /* with what goes to the next stage */
    ASIM_VEC(struct asim_slice_pair) pairs;
    uint32_t of_stage; /* slices of a stage */
    uint64_t alone_ns; /* until the last message has come, in a network without others */
    struct asim_world *world;
};

/* Simulates each collective, and the way from stage to stage, alone, once for each power of two of
 * tokens, and interpolates. */
struct asim_instance_comm {
    const struct asim_settings *settings; /* borrowed: network, topology, congestion control */
    const struct asim_model *model;
    const char *folder;         /* for traces */
    uint32_t tp, stages, hosts; /* hosts: of all instances */
    double busiest;             /* as in asim_experts */
    double graph_saves_ns;      /* of a collective that a CUDA graph launches; 0 = no graphs */
    int has_kernels;            /* times of collectives have launches in them: of a machine */
    uint64_t known[3][40];  /* ns of an all-reduce, an all-to-all, a pass to the next stage of 2^i
                             * tokens; 0 = not yet */
    int is_together;        /* instances send slices in one network */
    uint64_t *bytes[2][40]; /* of an all-reduce, an all-to-all, [tp * tp], from GPU to GPU; with
                             * is_together */
    ASIM_VEC(struct asim_slice *) slices;
};
/* ns of all communication of an iteration of so many tokens; 0 with one GPU. */
int asim_comm_of(struct asim_instance_comm *comm, uint64_t tokens, uint64_t *ns,
                 struct asim_err *err);

/* A slice of an iteration of so many tokens, of the last stage (passes 0) or another one. It lives
 * until asim_comm_free. */
int asim_comm_slice(struct asim_instance_comm *comm, uint64_t tokens, int passes,
                    const struct asim_slice **slice, struct asim_err *err);
void asim_comm_free(struct asim_instance_comm *comm);

/* Writes empty traces of ranks 0 … ranks - 1, as <folder>/<name>.<rank>.et. */
int asim_comm_empty_traces(const char *folder, const char *name, uint32_t ranks,
                           struct asim_err *err);

/* --- engine.c: instances ---------------------------------------------------------------------- */

struct asim_scheduler;
struct asim_engine_options {
    uint32_t prefill, decode, mixed; /* instances of each role */
    uint32_t gpus, stages;           /* of an instance: its hosts; stages of its pipeline */
    const struct asim_scheduler *scheduler;
    int in_pieces; /* it may cut prompts (chunked prefill) */
    int caches_prefixes;
    uint32_t max_batch;  /* requests that run */
    uint64_t max_tokens; /* of an iteration */
    uint64_t kv_tokens;  /* of all requests of an instance; 0 = no limit */
    uint64_t kv_bytes;   /* of one token, of the layers of all stages on a GPU */
};
struct asim_engine;
/* The scheduler of that name, for instances of split or mixed roles. */
int asim_scheduler_find(const struct asim_scheduler **scheduler, const char *name, int is_split,
                        struct asim_err *err);
/* times, comm, requests and world are borrowed. Hooks the world, which must have as many ranks as
 * all instances have hosts, and asks for the first arrivals. */
int asim_engine_open(struct asim_engine **engine, const struct asim_engine_options *opt,
                     struct asim_requests *requests, struct asim_world *world,
                     struct asim_err *err);
void asim_engine_use(struct asim_engine *engine, const struct asim_times *times,
                     struct asim_instance_comm *comm);
/* The failure inside a callback, or of requests that did not finish. */
int asim_engine_verdict(const struct asim_engine *engine, struct asim_err *err);
/* Requests that have their last token. */
uint64_t asim_engine_finished(const struct asim_engine *engine);
void asim_engine_close(struct asim_engine *engine);

/* --- results.c -------------------------------------------------------------------------------- */

struct asim_results_about {
    const char *out; /* folder or NULL */
    uint32_t gpus;
    int json; /* the figures of inference.json on stdout in place of the table */
};
/* Prints the table on stdout, and writes requests.csv and inference.json into the folder. */
int asim_results_write(const struct asim_requests *requests, const struct asim_results_about *about,
                       struct asim_err *err);

#endif
