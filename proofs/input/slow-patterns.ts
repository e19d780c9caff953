import { document } from '../../server/src/http/contract/contract.ts';
import { FORMATS } from '../../server/src/http/contract/formats.ts';
import { isWellFormed } from '../../server/src/shop/tokens.ts';
import { type Figures, type Proof, pick, Violations } from '../testing/proof.ts';

/** Runs every pattern and format of the contract on texts that could make it slow. */
export const I1: Proof = {
  id: 'I1',
  promise: 'No pattern or format of the contract takes more than 1 ms for 100 KB of any text.',
  async run({ size }) {
    const violations = new Violations();
    let tried = 0;
    let slowest = { ms: 0, what: '' };
    for (const [name, test] of checks()) {
      for (const text of pumped(name, pick(size, 24, 240))) {
        tried += 1;
        const ms = measured(test, text);
        if (ms > slowest.ms) slowest = { ms, what: name };
        if (ms > LIMIT_MS) {
          violations.add(
            `${name} takes ${ms.toFixed(2)} ms for ${JSON.stringify(text.slice(0, 20))}… (${text.length} characters)`,
          );
        }
      }
    }
    const note = `slowest ${slowest.ms.toFixed(3)} ms (${slowest.what.slice(0, 60)})`;
    return { tried, unit: 'pumped texts', note, violations: violations.list } satisfies Figures;
  },
};

const LENGTH = 100_000;
const LIMIT_MS = 1;

type Check = (text: string) => unknown;

function checks(): Map<string, Check> {
  const found = new Map<string, Check>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { pattern } = node as { pattern?: unknown };
    if (typeof pattern === 'string') {
      const expression = new RegExp(pattern, 'u');
      found.set(pattern, (text) => expression.test(text));
    }
    for (const child of Object.values(node)) visit(child);
  };
  visit(document);
  for (const [name, format] of Object.entries(FORMATS)) {
    found.set(format instanceof RegExp ? format.source : name, (text) =>
      format instanceof RegExp ? format.test(text) : format(text),
    );
  }
  found.set('a token', (text) => isWellFormed('api_key', text));
  return found;
}

/**
 * Returns the shortest time of several runs, because other load only adds time. The first runs compile the expression.
 */
function measured(test: Check, text: string): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < 7; run += 1) {
    const started = process.hrtime.bigint();
    test(text);
    best = Math.min(best, Number(process.hrtime.bigint() - started) / 1e6);
    if (run >= 2 && best < LIMIT_MS / 4) break;
  }
  return best;
}

const PIECES = '0|1|a|A|a-|-a|0.|1.|a.|a:|A0|.|-|:|/|+| |\n|é'.split('|');
const BEGINNINGS = '|https://|http://localhost|https://a.|a@|0|1|a|+|0.|1.|a:|key_|x|DE12'.split('|');
const ENDS = ['', '!', '\n', '-', 'x', ' ', '@', '\u0000'];

/**
 * Builds texts that repeat the expression's literals many times, with matching beginnings and endings that do not
 * match.
 */
function pumped(expression: string, count: number): string[] {
  const literals = [...new Set(expression.replaceAll(/\\[dDsSwW]|[\\^$()[\]{}?*+|]/g, ''))];
  const pieces = [...PIECES, ...literals, ...literals.map((one) => `a${one}`)];
  const texts = [...new Set(pieces)].flatMap((piece) =>
    BEGINNINGS.flatMap((beginning) =>
      ENDS.map((end) => beginning + piece.repeat(Math.ceil(LENGTH / piece.length)).slice(0, LENGTH) + end),
    ),
  );
  const step = Math.max(1, Math.floor(texts.length / count));
  return texts.filter((_, index) => index % step === 0);
}
