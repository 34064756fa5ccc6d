"""The reference as a torch module, so that dump_reference.py can be tried without transformers: --loader oracle_loader.py. An example
of a loader, too: what dump_reference.py needs is a list named `layers`, the embedding, the LM head, a forward and a generate."""
import torch

import clover_ref as R


class Layer(torch.nn.Module):
    def forward(self, x):
        return x


class Embedding(torch.nn.Module):
    def forward(self, ids):
        return ids


class Oracle(torch.nn.Module):
    """Runs clover_ref and passes what it computed through modules that do nothing, for the hooks to see."""

    def __init__(self, folder):
        super().__init__()
        self.ref = R.Model(R.Config.load(folder + "/config.json"), {n: t.float() for n, t in R.load_checkpoint(folder).items()})
        self.layers = torch.nn.ModuleList(Layer() for _ in range(self.ref.c.num_hidden_layers))
        self.embedding, self.head, self.nothing = Embedding(), Layer(), torch.nn.Parameter(torch.zeros(1))
        self.plain, self.ref.forward = self.ref.forward, self.seen
        self.generation_config = dict(threshold=0.06, moe_block_coreset_top_p=0.7)

    def get_input_embeddings(self):
        return self.embedding

    def get_output_embeddings(self):
        return self.head

    def seen(self, ids, cache, **options):
        self.embedding(torch.tensor([ids]))
        self.ref.capture = {}
        logits = self.plain(ids, cache, **options)
        for i, layer in enumerate(self.layers):
            layer(self.ref.capture[f"layer.{i}"][None])
        return self.head(logits[None])[0]

    def forward(self, input_ids):
        return self.seen(input_ids[0].tolist(), R.Cache())[None]

    def generate(self, input_ids, max_new_tokens, do_sample, **controls):
        g = R.GenerationConfig(**(self.generation_config | controls), max_new_tokens=max_new_tokens, do_sample=do_sample)
        prompt = input_ids[0].tolist()
        return prompt + R.generate(self.ref, prompt, g)


def load(folder, dtype, device):
    return Oracle(folder)
