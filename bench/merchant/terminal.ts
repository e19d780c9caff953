import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from './person.ts';

/** A terminal of 80 columns, made by `script` of util-linux, so that programs prompt as they do for people. */
export class Terminal {
  readonly #person: Person;
  readonly #env: NodeJS.ProcessEnv;
  /** The number of commands that were typed. */
  commands = 0;

  constructor(person: Person, env: NodeJS.ProcessEnv) {
    this.#person = person;
    this.#env = { ...process.env, COLUMNS: '80', LINES: '24', ...env };
  }

  /** Types a command and then the answers to its questions. `typed` is the text that a person types for the command. */
  async run(typed: string, command: string, answers: [question: string, answer: string][] = []): Promise<string> {
    this.commands += 1;
    await this.#person.key(`${typed}\n`);
    const child = this.#spawn(command);
    const said = listenTo(child);
    for (const [question, answer] of answers) {
      await said.until(question);
      await this.#person.read(said.text());
      await this.#person.key(`${answer}\n`);
      said.forget(question);
      child.stdin?.write(`${answer}\r`);
    }
    const [code] = await once(child, 'close');
    await this.#person.read(said.text());
    if (code !== 0) throw new Error(`${typed} ended with ${code}:\n${said.text()}`);
    return said.text();
  }

  /** Starts a command that keeps running, and waits until it prints that it is ready. */
  async start(typed: string, command: string, ready: string): Promise<ChildProcess> {
    this.commands += 1;
    await this.#person.key(`${typed}\n`);
    const child = this.#spawn(command);
    const said = listenTo(child);
    await said.until(ready);
    await this.#person.read(said.text());
    return child;
  }

  #spawn(command: string): ChildProcess {
    return spawn('script', ['-qfec', `stty cols 80; ${command}`, '/dev/null'], { env: this.#env, detached: true });
  }
}

function listenTo({ stdout }: ChildProcess) {
  let heard = '';
  let forgotten = 0;
  stdout?.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
  });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes for colours and the cursor
  const text = () => heard.replaceAll(/\u001b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
  return {
    text,
    forget: (question: string) => {
      forgotten = text().indexOf(question, forgotten) + question.length;
    },
    until: async (words: string) => {
      for (const end = Date.now() + 60_000; Date.now() < end; await sleep(20)) {
        if (text().indexOf(words, forgotten) >= 0) return;
      }
      throw new Error(`The terminal did not say “${words}”:\n${text()}`);
    },
  };
}
