import type { Schemas } from '@commerce-backend/sdk';
import type { LanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

type Turn = Awaited<ReturnType<MockLanguageModelV4['doGenerate']>>;

/**
 * Replaces a language model: searches for the customer's request, with its limits as filters, chooses the first result, and
 * prints its page, its picture and the URL where the customer confirms. Like a real model, it sees only the prompt and the tool results.
 */
export function scriptedShopper(): LanguageModel {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const answers = prompt.flatMap((message) => (message.role === 'tool' ? message.content : []));
      const last = answers.findLast(({ type }) => type === 'tool-result');
      if (last?.type !== 'tool-result') return call('find_products', { ...searchFor(wishIn(prompt)), limit: 3 });
      const value = 'value' in last.output ? (last.output.value as Answer) : {};
      const [best] = value.candidates ?? [];
      if (value.checkout_url) {
        const name = best?.content.name ?? 'It';
        return say(`${name} is ready. Please confirm it at ${value.checkout_url}${linksOf(best)}`);
      }
      if (last.toolName === 'find_products' && best)
        return call('find_and_buy', { variant_id: best.variant_id, quantity: 1 });
      return say(value.next ?? 'The shop has nothing like it.');
    },
  });
}

type Candidate = Pick<Schemas['AgentCandidate'], 'variant_id' | 'image_url' | 'url' | 'content'>;

interface Answer {
  candidates?: Candidate[];
  checkout_url?: string | null;
  /** The next step that an error advises. */
  next?: string;
}

const linksOf = (best: Candidate | undefined) =>
  best ? `\n  page: ${best.url}\n  picture: ${best.image_url ?? 'none'}` : '';

/** Takes limits and exclusions out of a sentence: "a mug under 30 euros without plastic". */
function searchFor(wish: string) {
  const [, price_max] = / under (\d+)(?: euros?)?/.exec(wish) ?? [];
  const [, excluded] = / without (\w+)/.exec(wish) ?? [];
  const query = wish.replace(/ under \d+(?: euros?)?/, '').replace(/ without \w+/, '');
  return { query, ...(price_max && { price_max }), ...(excluded && { exclude_text: [excluded] }) };
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

function call(toolName: string, input: object): Turn {
  const content = [
    { type: 'tool-call' as const, toolCallId: crypto.randomUUID(), toolName, input: JSON.stringify(input) },
  ];
  return { content, finishReason: { unified: 'tool-calls', raw: undefined }, ...COMMON };
}

function say(text: string): Turn {
  return { content: [{ type: 'text', text }], finishReason: { unified: 'stop', raw: undefined }, ...COMMON };
}
