import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { HttpResponse, http } from 'msw';
import { expect, test } from 'vitest';
import { baseUrl, openNetwork } from '../test/backend.ts';
import { createAgentClient } from './agent.ts';
import { createAgentTools } from './tools.ts';

const network = openNetwork();
const agent = createAgentClient({ baseUrl, agentToken: `agt_${'a'.repeat(38)}`, maxAttempts: 1 });
const CART = '0192f3a2-0000-7000-8000-000000000001';
const VARIANT = '0192f3a0-5555-7000-8000-000000000001';

test('a model of the AI SDK can find and add products, and read errors, with the agent tools', async () => {
  const seen: unknown[] = [];
  const note = async ({ request }: { request: Request }) =>
    seen.push([new URL(request.url).pathname, await request.json(), request.headers.has('Idempotency-Key')]);
  const refusal = {
    error: 'budget_exceeded',
    message: 'Too much.',
    request_id: 'r',
    retryable: false,
    next: 'Buy less.',
  };
  network.use(
    http.post(`${baseUrl}/api/agent/intent/find`, async (call) => {
      await note(call);
      return HttpResponse.json({ status: 'found', candidates: [] });
    }),
    http.post(`${baseUrl}/api/agent/carts/:cart_id/items`, async (call) => {
      await note(call);
      return HttpResponse.json(refusal, { status: 402 });
    }),
  );
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const calls = (toolName: string, input: object) => ({
    content: [{ type: 'tool-call' as const, toolCallId: toolName, toolName, input: JSON.stringify(input) }],
    finishReason: { unified: 'tool-calls' as const, raw: undefined },
    usage,
    warnings: [],
  });
  const model = new MockLanguageModelV4({
    doGenerate: [
      calls('find_products', { query: 'a mug' }),
      calls('add_cart_item', { cart_id: CART, variant_id: VARIANT, quantity: 3 }),
      {
        content: [{ type: 'text', text: 'That is too much.' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  });
  const tools = createAgentTools(agent, { scopes: ['catalog:read', 'cart:write'] }).aiSdk({ jsonSchema, tool });

  const { text, steps } = await generateText({ model, tools, stopWhen: isStepCount(5), prompt: 'Three mugs, please.' });

  expect(text).toBe('That is too much.');
  expect(seen).toEqual([
    ['/api/agent/intent/find', { query: 'a mug' }, true],
    [`/api/agent/carts/${CART}/items`, { variant_id: VARIANT, quantity: 3 }, true],
  ]);
  expect(steps[1]?.toolResults[0]?.output).toEqual(refusal);
  const offered = model.doGenerateCalls[0]?.tools ?? [];
  expect(offered.map(({ name }) => name)).toContain('apply_discount');
  expect(offered.map(({ name }) => name)).not.toContain('create_checkout');
});

test('converts the agent tools to each format within the limits of the model APIs', () => {
  const tools = createAgentTools(agent);
  const names = tools.list.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['find_and_buy', 'list_cart_shipping_options', 'get_shop', 'revoke_token']),
  );
  for (const name of names) expect(name).toMatch(/^[a-z][a-z_]{2,63}$/);
  for (const { description } of tools.list) expect(description.length).toBeLessThanOrEqual(1_024);
  expect(tools.openAIChat().map((one) => one.function.name)).toEqual(names);
  expect(tools.openAIResponses().map(({ name }) => name)).toEqual(names);
  expect(tools.anthropic().every(({ input_schema }) => input_schema.type === 'object')).toBe(true);
  const [{ functionDeclarations } = { functionDeclarations: [] }] = tools.gemini();
  const create = functionDeclarations.find(({ name }) => name === 'create_checkout');
  expect(create?.parameters).toMatchObject({
    properties: { shipping_address: { type: 'object', nullable: true }, note: { type: 'string', nullable: true } },
    required: ['cart_id'],
  });
  expect(JSON.stringify(functionDeclarations)).not.toMatch(/additionalProperties|"null"|oneOf|\$ref|"format"/);
  expect(JSON.stringify(tools.openAIChat())).not.toContain('$ref');
});

test('returns an error result for an invalid tool call, and sends no request', async () => {
  const tools = createAgentTools(agent, { only: ['get_cart', 'list_carts'] });
  const answers = [
    await tools.call('get_cart', '{}'),
    await tools.call('get_cart', 'not json'),
    await tools.call('buy', {}),
  ];
  expect(answers).toMatchObject([
    { ok: false, content: { message: 'Missing: cart_id.', next: expect.any(String) } },
    { ok: false, content: { error: 'invalid_tool_call' } },
    { ok: false, content: { next: 'Use one of: list_carts, get_cart.' } },
  ]);
});
