import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MARKS = ['keeps-running', 'no-test', 'own-test'] as const;

/** A command or program in the documents that readers can paste. */
export interface Block {
  file: string;
  line: number;
  /**
   * `pasted` ends on its own. `keeps-running` runs until Ctrl-C. `no-test` cannot run in a test. `own-test` needs its
   * own setup, so another test runs it. `program` is saved to a file and run.
   */
  kind: 'pasted' | (typeof MARKS)[number] | 'program';
  text: string;
  /** The file name of a program. */
  name: string;
}

const ROOT = join(import.meta.dirname, '../../..');

/** The documents in the order in which a newcomer reads them. */
export const DOCUMENTS = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
    .map((name) => `docs/${name}`)
    .sort(),
  'examples/README.md',
  'cli/README.md',
  'server/README.md',
  'sdk/README.md',
];

const FENCE = /^( *)```(\w+)(?: (.+))?\n([\s\S]*?)^\1```$/gm;
const IN_A_FILE = /in a file `([\w.-]+)`[^\n]*(?:\n[^\n]+)*\n\n$/;

/** A fenced block of a document, in any language. */
export interface Snippet {
  file: string;
  line: number;
  language: string;
  /** The mark after the language, such as `keeps-running`. */
  mark: string | undefined;
  text: string;
  /** The text of the document before the block. */
  before: string;
}

export function snippetsOf(file: string): Snippet[] {
  const document = readFileSync(join(ROOT, file), 'utf8');
  return [...document.matchAll(FENCE)].map(({ 1: indent, 2: language = '', 3: mark, 4: indented = '', index }) => {
    const before = document.slice(0, index);
    const text = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return { file, line: before.split('\n').length, language, mark, text, before };
  });
}

/** The file name for a program, if the text before it contains one. */
export function fileNameOf({ before }: Pick<Snippet, 'before'>): string | undefined {
  return IN_A_FILE.exec(before)?.[1];
}

/** The blocks of a document that are pasted or run. Throws for an unknown mark. */
export function blocksOf(document: string): Block[] {
  return snippetsOf(document).flatMap(({ file, line, language, mark, text, before }): Block[] => {
    const place = { file, line, text, name: '' };
    if (language === 'sh') return [{ ...place, kind: kindOf(mark, `${file}:${line}`) }];
    const name = fileNameOf({ before });
    return name ? [{ ...place, kind: 'program', name }] : [];
  });
}

function kindOf(mark: string | undefined, place: string): Block['kind'] {
  if (mark === undefined) return 'pasted';
  const known = MARKS.find((one) => one === mark);
  if (!known) throw new Error(`${place}: a block is marked ${mark}; there are ${MARKS.join(', ')}.`);
  return known;
}
