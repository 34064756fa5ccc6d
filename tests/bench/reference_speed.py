"""How fast the PyTorch reference runs the demo model: the yardstick for trefoil-bench-kernels. reference_speed.py [MODEL] [THREADS]

Needs torch with OpenBLAS (Debian: python3-torch and libopenblas0-pthread; with the reference BLAS it is many times slower).
"""
import os
import sys
import time

THREADS = int(sys.argv[2]) if len(sys.argv) > 2 else 1
os.environ.setdefault("OPENBLAS_NUM_THREADS", str(THREADS))
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "reference"))

import torch  # noqa: E402

import clover_ref as R  # noqa: E402

BLOCK, PROMPT = 32, 2048


def shortest(repeats, run):
    """The shortest of some runs, in milliseconds: what the code needs when nothing else runs."""
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "..", "..", "resources", "demo-model")
    torch.set_num_threads(THREADS)
    config = R.Config.load(os.path.join(folder, "config.json"))
    model = R.Model(config, R.load_checkpoint(folder))
    ids = [(7919 * i + 300) % (config.vocab_size - 300) + 300 for i in range(PROMPT)]
    block = [config.mask_token_id if i % 2 == 0 else t for i, t in enumerate(ids[:BLOCK])]
    with torch.no_grad():
        cache = R.Cache()
        model.forward(ids[:64], cache)
        noisy = shortest(30, lambda: model.forward(block, cache, noisy=True))
        coreset = shortest(30, lambda: model.forward(block, cache, noisy=True, coreset_top_p=0.9))
        token = shortest(30, lambda: model.forward(ids[:1], cache, commit=False))
        prefill = shortest(2, lambda: model.forward(ids, R.Cache()))
    print(f"reference, {THREADS} thread(s), torch {torch.__version__}")
    print(f"noisy pass, 32 rows         {noisy:.2f} ms, with the coreset {coreset:.2f} ms")
    print(f"one token                   {token:.2f} ms")
    print(f"prefill of {PROMPT} tokens      {prefill:.0f} ms")


if __name__ == "__main__":
    main()
