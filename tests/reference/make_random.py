"""Writes a small Clover checkpoint with random weights (matrices in BF16): make_random.py OUT [key=value ...] (dimensions of config.json).
With none given it is the model of tests/golden/transformers-qwen3_5_moe."""
import json
import os
import sys

import clover_ref as R

SMALL = dict(vocab_size=192, hidden_size=32, num_hidden_layers=4, num_attention_heads=2, num_key_value_heads=1, head_dim=32,
             linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=16, linear_value_head_dim=16, num_experts=8,
             num_experts_per_tok=2, moe_intermediate_size=12, shared_expert_intermediate_size=24, mask_token_id=191, eos_token_id=0,
             max_position_embeddings=512)

if __name__ == "__main__":
    out, changes = sys.argv[1], dict(a.split("=", 1) for a in sys.argv[2:])
    c = R.Config(**{**SMALL, **{k: json.loads(v) for k, v in changes.items()}})
    weights = {n: (t if n.endswith(R.FP32) else t.bfloat16()) for n, t in R.random_weights(c, 3, scale=1.5).items()}
    os.makedirs(out, exist_ok=True)
    R.save_safetensors(out + "/model.safetensors", weights, {"format": "pt"})
    json.dump({"architectures": ["CloverMoeModelLM"], "model_type": "clover_moe", **vars(c)}, open(out + "/config.json", "w"), indent=1)
