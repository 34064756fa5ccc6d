"""The calls of calls.mjs, with the official Python client. usage: calls.py BASE_URL KEY MODEL"""
import sys

import openai

base_url, key, model = sys.argv[1:4]
client = openai.OpenAI(base_url=base_url, api_key=key, max_retries=0)
SUM = [{"role": "user", "content": "What is 347 + 586?"}]


def chat(**more):
    return client.chat.completions.create(**{"model": model, "messages": SUM, **more})


def refused(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


# Models.
assert [m.id for m in client.models.list().data] == [model]
assert client.models.retrieve(model).owned_by == "trefoil"

# An answer with its thinking and usage.
whole = chat()
message = whole.choices[0].message
assert "933" in message.content
assert message.reasoning_content
assert whole.choices[0].finish_reason == "stop"
assert whole.usage.total_tokens == whole.usage.prompt_tokens + whole.usage.completion_tokens
assert whole.usage.completion_tokens_details.reasoning_tokens > 0

# The same as a stream.
content = thinking = ""
usage = None
for chunk in chat(stream=True, stream_options={"include_usage": True}):
    usage = chunk.usage or usage
    for choice in chunk.choices:
        content += choice.delta.content or ""
        thinking += getattr(choice.delta, "reasoning_content", None) or ""
assert content == message.content
assert thinking == message.reasoning_content
assert usage.completion_tokens == whole.usage.completion_tokens

# Without thinking; cut by length and by a stop string; the developer's role; text parts.
brief = {"extra_body": {"chat_template_kwargs": {"enable_thinking": False}}}
quick = chat(**brief)
assert getattr(quick.choices[0].message, "reasoning_content", None) is None
cut = chat(**brief, max_completion_tokens=3)
assert cut.choices[0].finish_reason == "length"
assert cut.usage.completion_tokens == 3
stopped = chat(**brief, stop=["="])
assert stopped.choices[0].message.content == quick.choices[0].message.content.split("=")[0]
parts = client.chat.completions.create(
    model=model,
    messages=[
        {"role": "developer", "content": "You are brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is 347 + 586?"}]},
    ],
)
assert parts.choices[0].finish_reason == "stop"

# One seed, one answer.
sampled = {**brief, "temperature": 1.2, "top_p": 0.95, "seed": 42, "presence_penalty": 0.5, "frequency_penalty": 0.1}
assert chat(**sampled).choices[0].message.content == chat(**sampled).choices[0].message.content

# Passes, which the client hands on although it does not know them.
passes = sum(1 for chunk in chat(stream=True, extra_body={"trefoil_passes": True}) if getattr(chunk, "trefoil_pass", None))
assert passes > 0

# A stream that is left; the next request is answered.
with chat(stream=True) as stream:
    next(iter(stream))
assert "933" in chat().choices[0].message.content

# Refusals as the client's own errors.
refused(openai.NotFoundError, lambda: chat(model="gpt-4"))
refused(openai.BadRequestError, lambda: chat(n=2))
refused(openai.BadRequestError, lambda: chat(tools=[{"type": "function", "function": {"name": "f"}}]))
assert refused(openai.BadRequestError, lambda: chat(max_tokens=8192)).code == "context_length_exceeded"
stranger = openai.OpenAI(base_url=base_url, api_key="wrong", max_retries=0)
refused(openai.AuthenticationError, stranger.models.list)
print("openai for Python: all calls passed")
