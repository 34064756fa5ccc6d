"""Asks the demo model one question with the reference: ask.py [QUESTION]. Needs python3-torch and python3-sentencepiece."""
import os
import sys

import sentencepiece

import clover_ref as R

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "resources", "demo-model")
config = R.Config.load(folder + "/config.json")
pieces = sentencepiece.SentencePieceProcessor(model_file=folder + "/tokenizer.model")


def prompt_of(question):
    """The chat format of one question with thinking off (contract, section 8): control pieces as ids, all else as plain text."""
    control, plain = pieces.piece_to_id, pieces.encode
    return [control("<|im_start|>"), *plain("user\n" + question), control("<|im_end|>"), *plain("\n"),
            control("<|im_start|>"), *plain("assistant\n"), control("<think>"), *plain("\n\n"), control("</think>"), *plain("\n\n")]


model = R.Model(config, R.load_checkpoint(folder))
passes = []
ids = R.generate(model, prompt_of(" ".join(sys.argv[1:]) or "What is 347 + 586?"), R.GenerationConfig(max_new_tokens=256),
                 think_end_id=pieces.piece_to_id("</think>"), trace=passes)
print(pieces.decode(ids).strip())
print(f"{len(ids)} tokens in {len(passes)} passes")
