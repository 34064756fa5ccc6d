"""Records what another implementation computes for a model, for `trefoil-cli verify`: dump_reference.py MODEL OUT [options]

Made for a machine that has Python, transformers and the real weights; docs/verify-a-checkpoint.md says how to use it. It loads the model with
its own code (--trust-remote-code), with transformers' classes (--as-qwen3_5_moe: the causal half, for weights whose own code cannot be had),
or with a loader of yours (--loader FILE.py, a function load(folder, dtype, device) that returns a torch module). Then it

1. runs the prompt causally and keeps every layer's output and the logits,
2. lets the model generate with its own code, keeps the response, and, when a pass over a block with masks is seen meanwhile, that
   block, every layer's output and the logits,
3. writes OUT/golden.safetensors and OUT/traces.json.

Only torch and numpy are needed besides what loads the model. Passes are seen by hooks on the input embedding, the layers and the LM head.
"""
import argparse
import contextlib
import importlib.util
import json
import os
import struct
import sys

import torch

LONGEST_PROMPT = 256                # verify runs the prompt in one pass
NEUTRAL = dict(repetition_penalty=1.0, presence_penalty=0.0, frequency_penalty=0.0, dllm_length_penalty=0.0, dllm_think_end_bias=0.0)
CONTROLS = ("block_size", "threshold", "do_sample", "temperature", "top_p", "top_k", "repetition_penalty", "presence_penalty",
            "frequency_penalty", "dllm_length_penalty", "dllm_length_penalty_start", "dllm_length_penalty_window", "dllm_think_end_bias",
            "dllm_think_end_start", "dllm_think_end_window", "moe_block_coreset_enabled", "moe_block_coreset_top_p")
# A greedy choice closer than this in a 16-bit run proves nothing, so that the run is not kept.
SMALLEST_MARGIN = {torch.float32: 1e-3, torch.bfloat16: 0.25, torch.float16: 0.05}


def save_safetensors(path, tensors, metadata):
    """F32 and I32 only; without a dependency, so that the oracle's tests need none."""
    header, offset, blobs = {"__metadata__": metadata}, 0, []
    for name, t in tensors.items():
        blob = t.detach().cpu().contiguous().numpy().tobytes()
        header[name] = dict(dtype={torch.float32: "F32", torch.int32: "I32"}[t.dtype], shape=list(t.shape), data_offsets=[offset, offset + len(blob)])
        offset += len(blob)
        blobs.append(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        f.writelines(blobs)


# ----------------------------------------------------------------------------- loading
def need_transformers(what):
    try:
        import transformers
    except ImportError:
        sys.exit(f"{what} needs transformers 5, which this Python does not have: pip install 'transformers>=5', or use --loader FILE.py together with "
                 "--ids FILE or --random-prompt N, which need only torch and numpy")
    return transformers


def config_of(folder):
    path = os.path.join(folder, "config.json")
    if not os.path.isfile(path):
        sys.exit(f"there is no {path}: MODEL is the folder of the checkpoint")
    raw = json.load(open(path))
    raw.update(raw.pop("text_config", None) or {})
    rope = raw.pop("rope_parameters", None) or {}
    raw.update({k: rope[k] for k in ("rope_theta", "partial_rotary_factor") if k in rope})
    return raw


def as_qwen(folder, dtype, device):
    """The causal half of a Clover checkpoint in transformers' qwen3_5_moe: the same tensors, without those of the block extension."""
    transformers = need_transformers("--as-qwen3_5_moe")
    if not hasattr(transformers, "Qwen3_5MoeTextConfig"):
        sys.exit(f"transformers {transformers.__version__} has no qwen3_5_moe: pip install 'transformers>=5'")
    from transformers import Qwen3_5MoeTextConfig
    from transformers.models.qwen3_5_moe.modeling_qwen3_5_moe import Qwen3_5MoeForCausalLM
    raw = config_of(folder)
    names = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "linear_num_key_heads",
             "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim", "linear_conv_kernel_dim", "num_experts",
             "num_experts_per_tok", "moe_intermediate_size", "shared_expert_intermediate_size", "rms_norm_eps", "tie_word_embeddings",
             "max_position_embeddings", "layer_types", "full_attention_interval")
    share = raw.get("partial_rotary_factor", 0.25)
    half = int(raw["head_dim"] * share) // 2
    section = [half - 2 * (half // 4), half // 4, half // 4]   # any split will do: text has one position, not three
    config = Qwen3_5MoeTextConfig(**{k: raw[k] for k in names if raw.get(k) is not None}, eos_token_id=raw["eos_token_id"],
                                  rope_parameters=dict(rope_type="default", rope_theta=raw.get("rope_theta", 1e7),
                                                       partial_rotary_factor=share, mrope_section=section))
    model, info = Qwen3_5MoeForCausalLM.from_pretrained(folder, config=config, dtype=dtype, attn_implementation="eager", output_loading_info=True,
                                                        device_map=device, key_mapping={r"^model\.language_model\.": "model."})
    if info["missing_keys"] or info.get("mismatched_keys"):
        sys.exit(f"transformers found no tensor for {sorted(info['missing_keys'])[:10]} {info.get('mismatched_keys')}: this is no checkpoint of the family")
    return model


def own_code(folder, dtype, device, trust):
    transformers = need_transformers("the model's own code")
    for name in ("AutoModelForCausalLM", "AutoModel"):
        try:
            return getattr(transformers, name).from_pretrained(folder, dtype=dtype, device_map=device, trust_remote_code=trust)
        except ValueError as error:         # "Unrecognized configuration class …": perhaps the other one
            reason = error
    sys.exit(f"transformers cannot load {folder}: {reason}\nIf the folder brings its own code, add --trust-remote-code (it runs that code); otherwise "
             "use --as-qwen3_5_moe for the causal half, or --loader FILE.py")


def by_loader(path, folder, dtype, device):
    if not os.path.isfile(path):
        sys.exit(f"there is no loader {path}")
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))  # a loader may import what lies beside it
    spec = importlib.util.spec_from_file_location("loader", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.load(folder, dtype, device)


# ----------------------------------------------------------------------------- recording
def layers_of(model, count):
    for name, module in model.named_modules():
        if isinstance(module, torch.nn.ModuleList) and len(module) == count and name.rsplit(".", 1)[-1] in ("layers", "h", "blocks"):
            return module
    sys.exit(f"found no list of {count} layers in {type(model).__name__}: name it `layers` in a loader of yours (--loader)")


class Recorder:
    """Every forward pass while active: ids [T], layers [T, D] each, logits [T or less, V], all on the CPU, float32."""

    def __init__(self, model, layers, most=200):
        self.model, self.layers, self.most, self.passes, self.now = model, layers, most, [], None

    @contextlib.contextmanager
    def active(self):
        flat = lambda x: x.detach().float().reshape(-1, x.shape[-1]).cpu()

        def begin(module, args, kwargs):
            ids = args[0] if args else kwargs["input"]
            self.now = dict(ids=ids.detach().reshape(-1).tolist(), layers=[], logits=None)

        def layer(module, args, output):
            self.now["layers"].append(flat(output[0] if isinstance(output, (tuple, list)) else output))

        def end(module, args, output):
            self.now["logits"] = flat(output)
            if len(self.passes) < self.most:
                self.passes.append(self.now)

        hooks = [self.model.get_input_embeddings().register_forward_pre_hook(begin, with_kwargs=True) if HAS_KWARGS
                 else self.model.get_input_embeddings().register_forward_pre_hook(lambda m, a: begin(m, a, {}))]
        hooks += [l.register_forward_hook(layer) for l in self.layers]
        hooks.append(self.model.get_output_embeddings().register_forward_hook(end))
        try:
            yield self
        finally:
            for h in hooks:
                h.remove()


HAS_KWARGS = "with_kwargs" in torch.nn.Module.register_forward_pre_hook.__code__.co_varnames


def relative(a, b):
    return ((a - b).norm() / b.norm()).item()


def causal_pass(model, layers, ids, extra, dtype):
    """The prompt in one pass; refuses a model whose rows see the tokens after them."""
    def run(tokens):
        with Recorder(model, layers).active() as recorder:
            model(input_ids=torch.tensor([tokens], device=next(model.parameters()).device), **extra)
        return recorder.passes[-1]
    whole, shorter = run(ids), run(ids[:-1])
    if len(whole["logits"]) != len(ids):
        sys.exit(f"the causal pass gave {len(whole['logits'])} rows of logits for {len(ids)} tokens: ask for all with --forward-args")
    seen = relative(whole["logits"][:-1], shorter["logits"])
    if seen > (1e-3 if dtype == torch.float32 else 0.1):
        sys.exit(f"this model's plain forward is not causal: without the last token the rows before it change by {seen:.1e}. Tell it to be, with "
                 "--forward-args '{\"…\": …}' (what its code calls a causal or a clean pass)")
    return whole


def find_block(passes, prompt, mask, size):
    """The first block's pass that is nearest to half resolved: (block ids, layers, logits, prompt rows that lead the block)."""
    first = []
    for p in passes:
        if mask in p["ids"] and len(p["ids"]) > 1:
            first.append(p)
        elif first:
            break                   # the block is full: later ones have another prefix
    if not first:
        return None
    p = min(first, key=lambda p: abs(p["ids"].count(mask) - size // 2))
    ids = p["ids"]
    if len(ids) > size and ids[:len(prompt)] == prompt:         # no cache: the whole text in each pass
        start = len(prompt) if len(ids) - len(prompt) == size else len(prompt) // size * size
    elif len(ids) == size:
        start = 0
    else:
        print(f"a pass with masks has {len(ids)} rows, neither a block of {size} nor the prompt and a block: not kept (--block-size?)")
        return None
    block, rows = ids[start:], len(ids) - start
    head = len(prompt) % size
    leads = head if head and block[:head] == prompt[-head:] else 0
    return block, [l[-rows:] for l in p["layers"]], p["logits"][-rows:], leads


# ----------------------------------------------------------------------------- decoding
def known_controls(model):
    config = getattr(model, "generation_config", None)
    raw = config.to_dict() if hasattr(config, "to_dict") else dict(config or {})
    return {k: raw[k] for k in CONTROLS if raw.get(k) is not None}


def generate(model, ids, new, extra):
    given = torch.tensor([ids], device=next(model.parameters()).device)
    out = model.generate(given, max_new_tokens=new, do_sample=False, **extra)
    out = getattr(out, "sequences", out)
    out = out[0].tolist() if torch.is_tensor(out) else list(out)
    return out[len(ids):] if out[:len(ids)] == ids else out


def smallest_margin(model, layers, ids, response, never, extra):
    """How far the greedy choices of an autoregressive response were from the next best, in logits."""
    with Recorder(model, layers).active() as recorder:
        model(input_ids=torch.tensor([ids + response], device=next(model.parameters()).device), **extra)
    logits = recorder.passes[-1]["logits"][len(ids) - 1:-1].clone()
    logits[:, never] = float("-inf")
    top = logits.topk(2, -1)
    if top.indices[:, 0].tolist() != response:
        return 0.0
    return (top.values[:, 0] - top.values[:, 1]).min().item()


def prompt_of(args, folder):
    """(ids, whether the prompt leaves thinking open, id of </think>)"""
    if args.ids:
        return json.load(open(args.ids)), False, None
    if args.random_prompt:
        raw, g = config_of(folder), torch.Generator().manual_seed(5)
        eos = raw["eos_token_id"] if isinstance(raw["eos_token_id"], list) else [raw["eos_token_id"]]
        usable = [t for t in range(raw["vocab_size"]) if t != raw.get("mask_token_id") and t not in eos]
        return [usable[i] for i in torch.randint(0, len(usable), (args.random_prompt,), generator=g).tolist()], False, None
    tokenizer = need_transformers("the chat template").AutoTokenizer.from_pretrained(folder, trust_remote_code=args.trust_remote_code)
    text = tokenizer.apply_chat_template([dict(role="user", content=args.prompt)], tokenize=False, add_generation_prompt=True)
    end = tokenizer.convert_tokens_to_ids("</think>")
    known = end is not None and end != tokenizer.unk_token_id
    return tokenizer(text, add_special_tokens=False)["input_ids"], text.rstrip().endswith("<think>"), end if known else None


def main():
    parser = argparse.ArgumentParser(description="Records a model's passes for trefoil-cli verify.")
    parser.add_argument("model", help="checkpoint folder")
    parser.add_argument("out", help="folder to write golden.safetensors and traces.json to")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--trust-remote-code", action="store_true", help="run the code that the checkpoint brings")
    how.add_argument("--as-qwen3_5_moe", action="store_true", help="transformers' own class: the causal half only")
    how.add_argument("--loader", help="a Python file with load(folder, dtype, device)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--prompt", default="What is 347 + 586?", help="a question, put into the chat template")
    what.add_argument("--ids", help="a JSON file with a list of token ids")
    what.add_argument("--random-prompt", type=int, metavar="N", help="N random ids, for models with random weights")
    parser.add_argument("--dtype", default="bfloat16", choices=("float32", "bfloat16", "float16"), help="of the weights and activations (bfloat16)")
    parser.add_argument("--device", default="auto", help="cpu, cuda, or auto: spread over what there is (auto)")
    parser.add_argument("--new-tokens", type=int, default=64, help="length of the decoding run (64)")
    parser.add_argument("--block-size", type=int, help="instead of config.json's")
    parser.add_argument("--coreset", choices=("auto", "on", "off"), default="auto", help="whether the model's own block passes restrict experts")
    parser.add_argument("--forward-args", type=json.loads, default={}, help="JSON object: more arguments of the causal pass")
    parser.add_argument("--generate-args", type=json.loads, default={}, help="JSON object: more arguments of generate")
    args = parser.parse_args()

    dtype, raw = getattr(torch, args.dtype), config_of(args.model)
    model = (by_loader(args.loader, args.model, dtype, args.device) if args.loader else as_qwen(args.model, dtype, args.device) if args.as_qwen3_5_moe
             else own_code(args.model, dtype, args.device, args.trust_remote_code)).eval()
    layers = layers_of(model, raw["num_hidden_layers"])
    prompt, thinking, think_end = prompt_of(args, args.model)
    if not 2 <= len(prompt) <= LONGEST_PROMPT:
        sys.exit(f"the prompt has {len(prompt)} tokens; 2 to {LONGEST_PROMPT} can be compared")
    controls = known_controls(model)
    size = args.block_size or controls.get("block_size") or raw.get("block_size", 32)
    controls["block_size"] = size
    versions = f"torch {torch.__version__}"
    if "transformers" in sys.modules:
        versions = f"transformers {sys.modules['transformers'].__version__}, " + versions
    mask = raw.get("mask_token_id")
    if args.as_qwen3_5_moe and mask is not None:
        args.generate_args.setdefault("suppress_tokens", [mask])    # transformers does not know that the mask is no answer
    metadata = dict(dtype=args.dtype, source=f"{type(model).__name__}, {versions}")

    with torch.no_grad():
        causal = causal_pass(model, layers, prompt, args.forward_args, dtype)
        with Recorder(model, layers).active() as recorder:
            response = generate(model, prompt, args.new_tokens, args.generate_args)
        eos = raw["eos_token_id"] if isinstance(raw["eos_token_id"], list) else [raw["eos_token_id"]]
        response = response[:next((i for i, t in enumerate(response) if t in eos), len(response))]
        block = find_block(recorder.passes, prompt, mask, size) if mask is not None else None
        never = [] if mask is None else [mask]
        margin = None if block or not response else smallest_margin(model, layers, prompt, response, never, args.forward_args)

    kept = len(prompt) - (block[3] if block else 0)
    tensors = {"prompt": torch.tensor(prompt[:kept], dtype=torch.int32), "causal.logits": causal["logits"][:kept]}
    tensors.update({f"causal.layer.{i}": x[:kept] for i, x in enumerate(causal["layers"])})
    if block:
        coreset = args.coreset == "on" or (args.coreset == "auto" and controls.get("moe_block_coreset_enabled", True))
        name = "noisy_coreset" if coreset else "noisy"
        metadata["coreset_top_p"] = str(controls.get("moe_block_coreset_top_p", 0.9))
        tensors.update({"block": torch.tensor(block[0], dtype=torch.int32), name + ".logits": block[2]})
        tensors.update({f"{name}.layer.{i}": x for i, x in enumerate(block[1])})
        print(f"a block of {len(block[0])} rows, {block[0].count(raw['mask_token_id'])} masked, {'with' if coreset else 'without'} the coreset" +
              (f"; it begins with the prompt's last {block[3]} tokens: block_start is aligned" if block[3] else ""))
    else:
        print("no pass over a block with masks was seen: the causal half only")

    os.makedirs(args.out, exist_ok=True)
    save_safetensors(os.path.join(args.out, "golden.safetensors"), tensors, metadata)
    case = dict(prompt=prompt, thinking=thinking, think_end_id=think_end, response=response, passes=None)
    case["controls"] = (controls | dict(decoding="low_confidence", do_sample=False) if block else NEUTRAL | dict(decoding="autoregressive", do_sample=False))
    case["controls"] |= dict(max_new_tokens=args.new_tokens)
    worth = bool(response) and (margin is None or margin >= SMALLEST_MARGIN[dtype])
    if not worth:
        print(f"the decoding run is not kept: its closest choice ({margin}) is within this precision's noise; try another prompt or float32")
    json.dump([case] if worth else [], open(os.path.join(args.out, "traces.json"), "w"))
    print(f"{args.out}: {len(prompt)} prompt tokens, {len(causal['layers'])} layers, response of {len(response)} tokens, margin {margin}, from {metadata['source']}")


if __name__ == "__main__":
    main()
