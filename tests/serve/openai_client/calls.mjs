// The calls of calls.py, with the official JavaScript client. usage: node calls.mjs BASE_URL KEY MODEL
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const [baseURL, apiKey, model] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const sum = { model, messages: [{ role: 'user', content: 'What is 347 + 586?' }] };
const chat = (more) => client.chat.completions.create({ ...sum, ...more });

// Models.
const models = await client.models.list();
assert.deepEqual(models.data.map((m) => m.id), [model]);
assert.equal((await client.models.retrieve(model)).owned_by, 'trefoil');

// An answer with its thinking and usage.
const whole = await chat({});
const message = whole.choices[0].message;
assert.match(message.content, /933/);
assert.ok(message.reasoning_content.length > 0);
assert.equal(whole.choices[0].finish_reason, 'stop');
assert.equal(whole.usage.total_tokens, whole.usage.prompt_tokens + whole.usage.completion_tokens);
assert.ok(whole.usage.completion_tokens_details.reasoning_tokens > 0);

// The same as a stream.
let content = '';
let thinking = '';
let usage = null;
for await (const chunk of await chat({ stream: true, stream_options: { include_usage: true } })) {
  if (chunk.usage) usage = chunk.usage;
  for (const choice of chunk.choices) {
    content += choice.delta.content ?? '';
    thinking += choice.delta.reasoning_content ?? '';
  }
}
assert.equal(content, message.content);
assert.equal(thinking, message.reasoning_content);
assert.equal(usage.completion_tokens, whole.usage.completion_tokens);

// Without thinking; cut by length and by a stop string; the developer's role; text parts.
const brief = { chat_template_kwargs: { enable_thinking: false } };
const quick = await chat(brief);
assert.equal(quick.choices[0].message.reasoning_content, undefined);
const cut = await chat({ ...brief, max_completion_tokens: 3 });
assert.equal(cut.choices[0].finish_reason, 'length');
assert.equal(cut.usage.completion_tokens, 3);
const stopped = await chat({ ...brief, stop: ['='] });
assert.equal(stopped.choices[0].message.content, quick.choices[0].message.content.split('=')[0]);
const parts = await client.chat.completions.create({
  model,
  messages: [
    { role: 'developer', content: 'You are brief.' },
    { role: 'user', content: [{ type: 'text', text: 'What is 347 + 586?' }] },
  ],
});
assert.equal(parts.choices[0].finish_reason, 'stop');

// One seed, one answer.
const sampled = { ...brief, temperature: 1.2, top_p: 0.95, seed: 42, presence_penalty: 0.5, frequency_penalty: 0.1 };
assert.equal((await chat(sampled)).choices[0].message.content, (await chat(sampled)).choices[0].message.content);

// Passes, which the client hands on although it does not know them.
let passes = 0;
for await (const chunk of await chat({ stream: true, trefoil_passes: true })) if (chunk.trefoil_pass) ++passes;
assert.ok(passes > 0);

// A stream that is left; the next request is answered.
for await (const chunk of await chat({ stream: true })) if (chunk) break;
assert.match((await chat({})).choices[0].message.content, /933/);

// Refusals as the client's own errors.
await assert.rejects(chat({ model: 'gpt-4' }), OpenAI.NotFoundError);
await assert.rejects(chat({ n: 2 }), OpenAI.BadRequestError);
await assert.rejects(chat({ tools: [{ type: 'function', function: { name: 'f' } }] }), OpenAI.BadRequestError);
await assert.rejects(chat({ max_tokens: 8192 }), (e) => e instanceof OpenAI.BadRequestError && e.code === 'context_length_exceeded');
const stranger = new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: 0 });
await assert.rejects(stranger.models.list(), OpenAI.AuthenticationError);
console.log('openai for JavaScript: all calls passed');
