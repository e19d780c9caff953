import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';

/** Asks a person at a terminal for input. */
export interface Prompt {
  /** Reads a line and trims it. An empty line means `preset`. */
  ask(question: string, preset?: string): Promise<string>;
  /** Reads a line without echo. */
  secret(question: string): Promise<string>;
  print(text: string): void;
  close(): void;
}

export interface Terminal {
  stdin: Readable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
}

/** Whether input and questions both use a terminal. */
export function canAsk({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Opens a prompt. Questions go to stderr, so that stdout contains only results. Ctrl-C and the end of the input throw
 * an error.
 */
export function openPrompt({ stdin, stderr }: Terminal): Prompt {
  let hidden = false;
  const output = new Writable({
    write(chunk, _encoding, done) {
      if (!hidden) stderr.write(chunk);
      done();
    },
  });
  const lines = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  let ended = false;
  lines.once('close', () => {
    ended = true;
  });
  lines.on('SIGINT', () => lines.close());
  const read = (question: string) =>
    new Promise<string>((resolve, reject) => {
      const cancelled = () => {
        stderr.write('\n');
        reject(new Error('Cancelled. Nothing was created.'));
      };
      if (ended) return cancelled();
      lines.once('close', cancelled);
      lines.question(question, (line) => {
        lines.removeListener('close', cancelled);
        resolve(line);
      });
    });
  return {
    async ask(question, preset) {
      const line = (await read(preset ? `${question} [${preset}]: ` : `${question}: `)).trim();
      return line === '' ? (preset ?? '') : line;
    },
    async secret(question) {
      stderr.write(`${question}: `);
      hidden = true;
      try {
        return await read('');
      } finally {
        hidden = false;
        stderr.write('\n');
      }
    },
    print: (text) => void stderr.write(`${text}\n`),
    close: () => lines.close(),
  };
}
