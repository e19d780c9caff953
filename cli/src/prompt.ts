import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { usageError } from './errors.ts';
import { canAsk, type Terminal } from './terminal.ts';

/** Asks for a line of text, and trims it. Empty input means `preset`, or asks again if there is none. */
export async function ask(terminal: Terminal, question: string, preset?: string): Promise<string> {
  const shown = preset ? `${question} [${preset}]: ` : `${question}: `;
  for (;;) {
    const line = (await readLine(terminal, shown, false)).trim() || preset;
    if (line) return line;
  }
}

/**
 * Reads a secret: typed without echo, or the first line of standard input if that is not a terminal. Secrets are never
 * command-line arguments, because other users of the machine can see those and shells store them. Throws a usage error
 * if no secret is given.
 */
export async function askSecret(terminal: Terminal, question: string): Promise<string> {
  const secret = canAsk(terminal)
    ? await readLine(terminal, `${question}: `, true)
    : await firstLine(terminal.stdin as AsyncIterable<Buffer>);
  if (secret === '') throw usageError(`No ${question.toLowerCase()} was given.`, 'Type it, or write it to the input.');
  return secret;
}

/** Reads several secrets. On standard input there is one per line. */
export async function askSecrets(terminal: Terminal, questions: string[]): Promise<string[]> {
  const given: string[] = [];
  if (canAsk(terminal)) {
    for (const question of questions) given.push(await askSecret(terminal, question));
    return given;
  }
  const lines = await firstLines(terminal.stdin as AsyncIterable<Buffer>, questions.length);
  const missing = questions.find((_question, index) => !lines[index]);
  if (missing) throw usageError(`No ${missing.toLowerCase()} was given.`, 'Write each on a line of the input.');
  return lines;
}

/**
 * Asks for confirmation. Any other answer than yes ends the command as cancelled. Without a terminal, throws a usage
 * error that names --yes.
 */
export async function confirm(terminal: Terminal, question: string): Promise<void> {
  if (!(await agrees(terminal, question))) throw usageError('Cancelled. Nothing was changed.');
}

/** Asks like `confirm`, but returns false for any other answer than yes. */
export async function agrees(terminal: Terminal, question: string): Promise<boolean> {
  if (!canAsk(terminal)) {
    throw usageError(`This needs a confirmation, and there is nobody to ask: ${question}`, 'Add --yes.');
  }
  const answer = await readLine(terminal, `${question} [y/N] `, false);
  return /^\s*y(?:es)?\s*$/i.test(answer);
}

const LONGEST_SECRET = 4096;

async function firstLine(stdin: AsyncIterable<Buffer>): Promise<string> {
  return (await firstLines(stdin, 1))[0] ?? '';
}

async function firstLines(stdin: AsyncIterable<Buffer>, count: number): Promise<string[]> {
  let text = '';
  for await (const chunk of stdin) {
    text += chunk.toString();
    if (text.split('\n').length > count || text.length > LONGEST_SECRET * count) break;
  }
  const lines = text.split('\n', count);
  return lines.map((line) => line.replace(/\r$/, ''));
}

/** Reads a line from the terminal. The question is printed to stderr, because stdout contains only results. */
function readLine({ stdin, stderr }: Terminal, question: string, hidden: boolean): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (hidden) stderr.write(question);
  const lines = createInterface({ input: stdin, output: hidden ? silent : stderr, terminal: true, historySize: 0 });
  return new Promise((resolve, reject) => {
    const cancelled = () => {
      stderr.write('\n');
      reject(usageError('Cancelled.'));
    };
    lines.once('SIGINT', () => lines.close());
    lines.once('close', cancelled);
    lines.question(hidden ? '' : question, (answer) => {
      lines.removeListener('close', cancelled);
      lines.close();
      if (hidden) stderr.write('\n');
      resolve(answer);
    });
  });
}
