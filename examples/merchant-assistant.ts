import { parseArgs } from 'node:util';
import { type CallToolResult, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { generateText, isStepCount, type JSONSchema7, jsonSchema, tool } from 'ai';
import { readDemo, say, until } from './demo-shop.ts';
import { connectHosted, newClient } from './mcp-host.ts';
import { scriptedMerchant } from './scripted-merchant.ts';

/**
 * An assistant of a staff member, over the merchant MCP. Run `npx node examples/merchant-assistant.ts` while the demo
 * shop is running, connect it in the panel, and confirm its changes there. A scripted model replaces the language
 * model; use `openai('…')` or another one instead. With a token in COMMERCE_ASSISTANT_TOKEN, it skips the connection.
 * Each argument is a task.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { demo: { type: 'string', default: '.data/demo.json' } },
});
const TASKS = [
  'Which orders must ship today?',
  'Refund 2.00 of the first order that must ship.',
  'Ship the first order that must ship.',
];
const CHARACTERS_PER_TOKEN = 3;

const address = `${readDemo(options.demo).base_url}/mcp/merchant`;
const client = await connect(process.env.COMMERCE_ASSISTANT_TOKEN);
/** The number of calls of the current task, and of the characters in their arguments and results. */
let used = { calls: 0, characters: 0 };

async function connect(token: string | undefined) {
  if (!token) return connectHosted(address, (url) => say(`Open ${url} and connect the assistant. Waiting …`));
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  const connected = newClient();
  await connected.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
  return connected;
}

async function call(name: string, given: Record<string, unknown>) {
  const { structuredContent = {} } = (await client.callTool({ name, arguments: given })) as CallToolResult;
  used.calls += 1;
  used.characters += JSON.stringify(given).length + JSON.stringify(structuredContent).length;
  return structuredContent;
}

const { tools: offered } = await client.listTools();
const tools = Object.fromEntries(
  offered.map(({ name, description, inputSchema }) => [
    name,
    tool({
      description,
      inputSchema: jsonSchema<Record<string, unknown>>(inputSchema as JSONSchema7),
      execute: (given) => call(name, given),
    }),
  ]),
);
say(`The assistant has ${offered.length} tools, about ${tokensOf(JSON.stringify(offered).length)} tokens.`);

function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

interface Action {
  action_id: string;
  status: string;
  result?: { message: string | null } | null;
}

/**
 * Waits at most ten minutes until the staff member confirms or declines the change. Returns the result as a sentence.
 */
async function decision({ action_id }: Action): Promise<string> {
  const decided = await until(async () => {
    const action = (await call('get_assistant_action', { action_id })) as unknown as Action;
    return ['pending', 'running'].includes(action.status) ? undefined : action;
  });
  return [decided?.status ?? 'still pending', decided?.result?.message].filter(Boolean).join(': ');
}

async function run(prompt: string): Promise<void> {
  used = { calls: 0, characters: 0 };
  say(`\n> ${prompt}`);
  const model = scriptedMerchant();
  const system = client.getInstructions();
  const { text, steps } = await generateText({ model, tools, system, prompt, stopWhen: isStepCount(8) });
  say(text);
  const results = steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output as Action));
  const waiting = results.find(({ status }) => status === 'requires_confirmation');
  if (waiting) {
    say('Waiting for the member …');
    say(`The change is ${await decision(waiting)}.`);
  }
  say(`(${used.calls} ${used.calls === 1 ? 'call' : 'calls'}, about ${tokensOf(used.characters)} tokens)`);
}

for (const task of positionals.length > 0 ? positionals : TASKS) await run(task);
await client.close();
