# SPDX-License-Identifier: GPL-2.0-only
#
# Published training jobs as one form. A job has: file, row (of the data lines, from 1), suite, model,
# kind (dense, moe, lora or hybrid), gpu, gpus, batch (sequences of a step), precision, tp, pp, cp, ep,
# vp, mbs, seq, layers (0: the model's), era, measured (seconds, or None) and note (what was assumed); with experts
# etp and what recipe() adds.
import csv
import os
import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
HARDWARE = Path(os.environ.get("ASIM_SHARED") or HERE.parents[3] / "shared") / "data" / "hardware"
DENSE, MOE, LORA, HYBRID = "dense", "moe", "lora", "hybrid"
OWN = {"grok1-314b": "grok-1", "GPT OSS 120B": "gpt-oss-120b", "Kimi_K2": "kimi-k2"}
MODELS = {
    "LLAMA3_70B": "llama-3-70b", "LLAMA3.1_405B": "llama-3-405b", "llama3.1-405b": "llama-3-405b",
    "llama3.1-70b": "llama-3-70b", "llama3.1-8b": "llama-3-8b", "DeepSeekV3": "deepseek-v3",
    "Qwen3_235B_a22B": "qwen3-235b-a22b", "Qwen3_30B_a3B": "qwen3-30b-a3b", "gpt3-175b": "gpt-3-175b",
    "nemotron4-340b": "nemotron-4-340b", "nemotron4-340b-strong": "nemotron-4-340b", "nemotron4-15b": "nemotron-4-15b",
}
# 1e9 operations a token forward and backward, of models with layers that `asim trace llm` lacks
# (Mamba), as the rows with a published rate have them; of DeepSeek-V4 Flash 6 a parameter in use, of which
# 13e9 are assumed.
HYBRIDS = {"Nemotron_3_Nano": 22.1, "Nemotron_3_5_Lightning": 28.1, "Nemotron_3_Super": 84.7, "Nemotron_3_Ultra": 361.0,
           "DeepSeekV4 Flash": 86.0}


def lines(path):
    with open(path, newline="", encoding="utf-8") as file:
        yield from csv.DictReader(line for line in file if not line.startswith("#"))


def recipe(model, gpu, container):
    """What the framework's preset of that container sets: recipes.csv, the newest row that is not newer."""
    found = [r for r in lines(HERE / "recipes.csv") if r["model"] == model and r["gpu"] in ("", gpu) and r["from"] <= container]
    last = max(found, key=lambda r: r["from"])
    # GPT OSS rotates queries and keys in PyTorch's own passes (YaRN's factor), and adds the biases of its experts in such;
    # where all is in a graph, Transformer Engine's operations take the biases along.
    own = {} if model != "GPT OSS 120B" else {"rope": 1} if last["graph"] == "full" else {"bias": 1, "rope": 1}
    return dict({k: last[k] for k in ("dispatch", "graph", "recompute")}, overlap=int(last["overlap"]), routing=int(last["routing"]), **own)


def number(text, default=1):
    text = (text or "").strip()
    return int(text) if text.isdigit() else default


def job(row, file, n, **more):
    name = more.pop("model")
    moe = name in OWN or name in ("DeepSeekV3", "Qwen3_235B_a22B", "Qwen3_30B_a3B")
    made = {
        "file": file, "row": n, "name": name, "model": f"{OWN[name]}.json" if name in OWN else MODELS.get(name, name),
        "kind": HYBRID if name in HYBRIDS else MOE if moe else DENSE, "gpus": int(row["gpus"]),
        "batch": int(row["global_batch"]), "seq": number(row["seq_len"], 8192), "tp": number(row.get("tp")),
        "pp": number(row.get("pp")), "cp": number(row.get("cp")), "ep": number(row.get("ep")), "vp": number(row.get("vp")),
        "mbs": number(row.get("micro_batch") or row.get("mbs")), "etp": 1, "layers": 0, "era": "", "note": "",
        "measured": float(row["step_s"]) if row.get("step_s") else None,
    }
    made.update(more)
    if moe:
        made.update(recipe(name, made["gpu"], row.get("container", "")))
    return made


# Grouped products and kernels without the host came with the containers from 26.06 on: MoE rows of the
# same model and machine lost a third of their time then.
def mbridge(name):
    precision = {"BF16": "16bit", "NVFP4": "fp4"}
    for n, r in enumerate(lines(HARDWARE / name), 1):
        yield job(r, name, n, model=r["model"], suite="mbridge", gpu=r["system"].split("-")[1],
                  precision=precision.get(r["precision"], "fp8"), era="new" if r["container"] >= "26.06" else "old")


def dgxc(name):
    for n, r in enumerate(lines(HARDWARE / name), 1):
        own = {"grok1-314b": 64, "llama3.1-405b": 126}.get(r["model"])
        layers = number(r["layers"], 0)
        tensor = {"etp": number(r["tp"])} if r["model"] in OWN else {}  # its Megatron Core splits experts as all else
        yield job(r, name, n, model=r["model"], suite="dgxc", gpu=r["gpu"].upper(), era="old",
                  precision={"bf16": "16bit", "fp8": "fp8"}[r["dtype"]], layers=layers if own and layers != own else 0, **tensor)


CHIPS = (("Ultra GPU (B300", "B300"), ("GB300", "GB300"), ("GB200", "GB200"), ("B200", "B200"), ("H200", "H200"), ("H100", "H100"))


def mlperf(name, model, kind):
    for n, r in enumerate(lines(HARDWARE / name), 1):
        config = r.get("config_file") or ""
        gpu = next(g for word, g in CHIPS if word in r.get("accelerator", "H100")) if r.get("accelerator") else "H100"
        note = "" if config or r.get("tp") else "parallelism and precision not published; the most likely taken"
        blackwell = gpu not in ("H100", "H200")
        fp4 = "_fp4" in config or (not config and blackwell and r.get("round") == "v5.1")
        gpus, batch = int(r["gpus"]), int(r["global_batch"])
        cp = number(r.get("cp"))
        if model != "gpt-3-175b" and gpus > batch * number(r.get("tp")) * number(r.get("pp")) * cp:
            cp = gpus // batch  # a sequence for each data-parallel rank
        yield job(r, name, n, model=model, suite="mlperf", gpu=gpu, precision="fp4" if fp4 else "fp8", kind=kind,
                  era="old", note=note, cp=cp)


def nemotron():
    """Rows of ../steps that the same suite published on DGX H100 in 16 bits."""
    for n, r in enumerate(lines(HERE.parent / "steps" / "measured.csv"), 1):
        size = re.match(r"nemotron-(15|340)B-(\d+)", r["id"])
        if not size:
            continue
        big, gpus = size[1] == "340", int(size[2])
        yield job({"gpus": gpus, "global_batch": gpus // 4 if big else 4 * gpus, "seq_len": "4096", "step_s": r["value"]},
                  "steps/measured.csv", n, model=f"nemotron4-{size[1]}b", suite="dgxc", gpu="H100", precision="16bit", era="old",
                  tp=8 if big else 4, pp=8 if big else 1, vp=12 if big else 1, mbs=1 if big else 4)


def blind():
    yield from mbridge("blind/mbridge_training.csv")
    for name in ("gb200", "grok1_moe_h100", "llama31_h100"):
        yield from dgxc(f"blind/dgxc_{name}_steps.csv")
    yield from mlperf("blind/mlperf_gpt3_v4.0_steps.csv", "gpt-3-175b", DENSE)
    yield from mlperf("blind/mlperf_llama2_70b_lora_steps.csv", "llama-2-70b", LORA)
    yield from mlperf("blind/mlperf_llama31_405b_steps.csv", "llama-3-405b", DENSE)
    yield from mlperf("blind/mlperf_llama31_8b_steps.csv", "llama-3-8b", DENSE)


def measured():
    yield from mbridge("mbridge_training_part.csv")
    yield from dgxc("dgxc_grok1_moe_h100_steps_part.csv")
    yield from nemotron()
