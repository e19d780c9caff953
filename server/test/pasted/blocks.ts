import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MARKS = ['keeps-running', 'no-test', 'own-test'] as const;

/** A command or program that the documents offer for pasting. */
export interface Block {
  file: string;
  line: number;
  /**
   * `pasted` ends by itself; `keeps-running` goes on until Ctrl-C, in a terminal of its own; `no-test` needs what no test has;
   * `own-test` needs a place of its own, where another test pastes it; `program` is to be put in a file, and run.
   */
  kind: 'pasted' | (typeof MARKS)[number] | 'program';
  text: string;
  /** Of a program. */
  name: string;
}

const ROOT = join(import.meta.dirname, '../../..');

/** In the order in which a newcomer comes to them. */
export const DOCUMENTS = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'cli/README.md',
  'server/README.md',
  'sdk/README.md',
];

const FENCE = /^```(\w+)(?: (.+))?\n([\s\S]*?)^```$/gm;
const IN_A_FILE = /in a file `([\w.-]+)`[^\n]*(?:\n[^\n]+)*\n\n$/;

/** The blocks of a document. Throws for an unknown mark. */
export function blocksOf(file: string): Block[] {
  const document = readFileSync(join(ROOT, file), 'utf8');
  return [...document.matchAll(FENCE)].flatMap(({ 1: language = '', 2: mark, 3: text = '', index }): Block[] => {
    const line = document.slice(0, index).split('\n').length;
    const place = { file, line, text, name: '' };
    if (language === 'sh') return [{ ...place, kind: kindOf(mark, `${file}:${line}`) }];
    const name = IN_A_FILE.exec(document.slice(0, index))?.[1];
    return name ? [{ ...place, kind: 'program', name }] : [];
  });
}

function kindOf(mark: string | undefined, place: string): Block['kind'] {
  if (mark === undefined) return 'pasted';
  const known = MARKS.find((one) => one === mark);
  if (!known) throw new Error(`${place}: a block is marked ${mark}; there are ${MARKS.join(', ')}.`);
  return known;
}
