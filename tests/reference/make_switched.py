"""Writes golden files of a model whose open points (docs/model-contract.md, section 9) are decided the other way, so that the engine's
switches can be held to the reference: make_switched.py MODEL OUT SWITCH [SWITCH ...]

tests/golden/switched holds what this made of tests/golden/tiny, one folder a line of `all` below: make_switched.py ../golden/tiny
../golden/switched all. golden.safetensors has prompt, block, logits, and some layers of the causal, the noisy and the noisy_coreset pass.
`norm_weights` keeps the weights: read as plain ones they make another model, which is what the switch is to show.
"""
import os
import sys

import torch

import clover_ref as R

SWITCHES = ("history_read", "noisy_value", "norm_weights", "noisy_rows_predict", "coreset_mass")
FOLDERS = [(s,) for s in SWITCHES] + [("history_read", "coreset_mass")]
KEPT_LAYERS = (0, 3, 7)


class Switched(R.Model):
    """The reference with some switches at their alternative."""

    def __init__(self, config, weights, switches):
        super().__init__(config, weights)
        self.on, self.beta, self.last = set(switches), None, None

    def gdn(self, x, i, cache, noisy, commit):
        self.beta = (x @ self.w[f"model.layers.{i}.linear_attn.in_proj_b.weight"].T).float().sigmoid()
        return super().gdn(x, i, cache, noisy, commit)

    def mix(self, q, k, v, S, *controls):
        """block_mix with the history's value scaled, or with v weighted by beta."""
        if "noisy_value" in self.on:
            v = v * self.beta[..., None]
        # S enters the mixer only as the history's value, so that scaling it scales exactly that.
        return PLAIN_MIX(q, k, v, S * q.shape[-1] ** -0.5 if "history_read" in self.on else S, *controls)

    def norm(self, x, w, eps):
        return PLAIN_NORM(x, w.float() - 1.0 if "norm_weights" in self.on else w, eps)

    def route(self, x, i, coreset_top_p):
        if "coreset_mass" not in self.on or coreset_top_p is None or coreset_top_p >= 1.0:
            return super().route(x, i, coreset_top_p)
        c, k = self.c, self.c.num_experts_per_tok
        probs = (x @ self.w[f"model.layers.{i}.mlp.gate.weight"].T).float().softmax(-1)
        top, ids = probs.topk(k, -1)
        mass = torch.zeros(c.num_experts).index_add_(0, ids.reshape(-1), (top / top.sum(-1, keepdim=True)).reshape(-1))
        order = torch.argsort(mass, descending=True, stable=True)
        coreset = order[:max(int((mass[order].cumsum(0) < coreset_top_p * mass.sum()).sum()) + 1, k)]
        inside = torch.zeros(c.num_experts, dtype=torch.bool)
        inside[coreset] = True
        top, ids = probs.masked_fill(~inside, 0.0).topk(k, -1)
        return ids, top / top.sum(-1, keepdim=True), coreset

    def forward(self, ids, cache, noisy=False, commit=True, coreset_top_p=None):
        R.block_mix, R.rms_norm = self.mix, self.norm
        out = super().forward(ids, cache, noisy, commit, coreset_top_p)
        R.block_mix, R.rms_norm = PLAIN_MIX, PLAIN_NORM
        if noisy and "noisy_rows_predict" in self.on:
            return torch.cat([self.last, out[:-1]])     # row t's choice stands in the row before it; before the first, the clean text's
        if not noisy:
            self.last = out[-1:]
        return out


PLAIN_MIX, PLAIN_NORM = R.block_mix, R.rms_norm


def write(folder, out, switches):
    c = R.Config.load(folder + "/config.json")
    model = Switched(c, {n: t.float() for n, t in R.load_checkpoint(folder).items()}, switches)
    g = torch.Generator().manual_seed(11)
    usable = [t for t in range(c.vocab_size) if t != c.mask_token_id and t not in c.eos_ids]
    ids = [usable[i] for i in torch.randint(0, len(usable), (28,), generator=g).tolist()]
    prompt, block = ids[:12], [t if j % 3 == 0 else c.mask_token_id for j, t in enumerate(ids[12:])]
    data = {"prompt": torch.tensor(prompt, dtype=torch.int32), "block": torch.tensor(block, dtype=torch.int32)}
    cache = R.Cache()
    for name, tokens, options in (("causal", prompt, {}), ("noisy", block, dict(noisy=True)),
                                  ("noisy_coreset", block, dict(noisy=True, coreset_top_p=0.6))):
        model.capture = {}
        data[name + ".logits"] = model.forward(tokens, cache, **options)
        data.update({f"{name}.layer.{i}": model.capture[f"layer.{i}"] for i in KEPT_LAYERS if i < c.num_hidden_layers})
    os.makedirs(out, exist_ok=True)
    R.save_safetensors(out + "/golden.safetensors", data, {"coreset_top_p": "0.6", "switches": " ".join(switches)})


if __name__ == "__main__":
    source, target, names = sys.argv[1], sys.argv[2], sys.argv[3:]
    with torch.no_grad():
        for switches in FOLDERS if names == ["all"] else [tuple(names)]:
            unknown = set(switches) - set(SWITCHES)
            if unknown:
                sys.exit(f"unknown switches: {', '.join(sorted(unknown))}; known: {', '.join(SWITCHES)}")
            write(source, os.path.join(target, "+".join(switches)) if names == ["all"] else target, switches)
