import { parseArgs } from 'node:util';
import { createAgentClient, requestConsent, unwrap } from '@commerce-backend/sdk';
import { createAgentTools } from '@commerce-backend/sdk/tools';
import { generateText, isStepCount, jsonSchema, tool } from 'ai';
import { approveAsCustomer, confirmAsCustomer, readDemo } from './demo-shop.ts';
import { scriptedShopper } from './scripted-shopper.ts';

/**
 * An agent on the Vercel AI SDK: a model shops with the tools of `@commerce-backend/sdk/tools`, and a person confirms
 * the purchase. Run `node examples/ai-sdk-agent.ts "a stoneware mug under 30 euros"` while the demo shop is running.
 * The model is scripted, so that no API key is needed; replace it with a provider's model, such as `openai('…')`. With
 * `--auto-approve`, the example also acts as the customer.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    demo: { type: 'string', default: '.data/demo.json' },
    'auto-approve': { type: 'boolean', default: false },
  },
});
const demo = readDemo(options.demo);
const baseUrl = demo.base_url;
const prompt = positionals[0] ?? 'a stoneware mug under 30 euros';

const scopes = ['catalog:read', 'cart:write', 'checkout:create'] as const;
const pending = await requestConsent(
  { baseUrl, siteId: demo.site_id },
  { agent_name: 'AI SDK shopper', scopes: [...scopes], budget_cents: 6_000 },
);
console.log(`Open ${pending.verification_uri_complete} and compare the code: ${pending.user_code}`);
if (options['auto-approve']) await approveAsCustomer(demo, pending.user_code);
const { access_token } = await pending.token();

const agent = createAgentClient({ baseUrl, agentToken: access_token });
const tools = createAgentTools(agent, { scopes });
const { text, steps } = await generateText({
  model: scriptedShopper(),
  tools: tools.aiSdk({ jsonSchema, tool }),
  stopWhen: isStepCount(8),
  system:
    'You shop for a customer. Find what they ask for, with limits and exclusions as filters, prepare its purchase, and give them its page, its picture, and the address to confirm it at.',
  prompt,
});
for (const { toolCalls } of steps)
  for (const { toolName, input } of toolCalls) console.log(`> ${toolName} ${JSON.stringify(input)}`);
console.log(text);

// The language model's text is for people. The tool results contain the prepared checkout.
type Answer = { checkout?: { id: string } | null };
const answers = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as Answer));
const prepared = answers.find(({ checkout }) => checkout)?.checkout;
if (prepared) {
  if (options['auto-approve']) await confirmAsCustomer(demo, prepared.id);
  console.log('Waiting for the customer to confirm …');
  console.log(await confirmation(prepared.id));
}

async function confirmation(checkout_id: string): Promise<string> {
  const params = { path: { checkout_id } };
  for (;;) {
    const { status, order_number } = await unwrap(agent.GET('/api/agent/checkouts/{checkout_id}', { params }));
    if (status === 'completed') return `Confirmed: order ${order_number}.`;
    if (status !== 'requires_escalation') return `The checkout is ${status}.`;
    await new Promise((done) => setTimeout(done, 2_000));
  }
}
