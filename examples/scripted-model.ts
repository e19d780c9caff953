import type { LanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

type Turn = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;

/** The latest result of a tool call. */
interface Last {
  tool: string;
  answer: unknown;
}

/** Replaces a language model. Like a real model, `decide` sees only the prompt and the latest tool result. */
export function scriptedModel(decide: (wish: string, last: Last | undefined) => Turn): LanguageModel {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const answers = prompt.flatMap((message) => (message.role === 'tool' ? message.content : []));
      const last = answers.findLast(({ type }) => type === 'tool-result');
      if (last?.type !== 'tool-result') return decide(wishIn(prompt), undefined);
      const answer = 'value' in last.output ? last.output.value : {};
      return decide(wishIn(prompt), { tool: last.toolName, answer });
    },
  });
}

function wishIn(prompt: { role: string; content: unknown }[]): string {
  const asked = prompt.find(({ role }) => role === 'user')?.content as { text?: string }[] | undefined;
  return asked?.[0]?.text ?? '';
}

const COMMON = {
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
  warnings: [],
};

export function callTool(toolName: string, input: object): Turn {
  const content = [
    { type: 'tool-call' as const, toolCallId: crypto.randomUUID(), toolName, input: JSON.stringify(input) },
  ];
  return { content, finishReason: { unified: 'tool-calls', raw: undefined }, ...COMMON };
}

export function reply(text: string): Turn {
  return { content: [{ type: 'text', text }], finishReason: { unified: 'stop', raw: undefined }, ...COMMON };
}
