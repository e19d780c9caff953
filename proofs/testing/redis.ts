import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/src/db/free-port.ts';

export const REDIS = { names: ['redis-server'], debianPackage: 'redis-server' };

/** A new Redis for a proof. */
export class Redis {
  readonly url: string;
  readonly #program: string;
  readonly #port: number;
  readonly #directory: string;
  #child: ChildProcess;

  private constructor(program: string, port: number, directory: string) {
    this.url = `redis://127.0.0.1:${port}`;
    this.#program = program;
    this.#port = port;
    this.#directory = directory;
    this.#child = this.#spawn();
  }

  static async start(program: string, directory: string): Promise<Redis> {
    const redis = new Redis(program, await freePort(), directory);
    await redis.#answers();
    return redis;
  }

  #spawn(): ChildProcess {
    const options = ['--port', String(this.#port), '--bind', '127.0.0.1', '--save', '', '--dir', this.#directory];
    return spawn(this.#program, options, { stdio: 'ignore' });
  }

  async #answers(): Promise<void> {
    for (let tries = 0; tries < 500; tries += 1) {
      if ((await this.command('PING').catch(() => '')).includes('PONG')) return;
      await sleep(20);
    }
    throw new Error('Redis did not start.');
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Sends a command and returns the first part of the response. */
  async command(text: string): Promise<string> {
    const socket = connect(this.#port, '127.0.0.1');
    socket.write(`${text}\r\n`);
    try {
      const [reply] = await once(socket, 'data');
      return String(reply);
    } finally {
      socket.destroy();
    }
  }

  /** Repairs Redis after any fault; its data may be lost. */
  async heal(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) this.#child = this.#spawn();
    this.signal('SIGCONT');
    await this.#answers();
    await this.command('CONFIG SET maxmemory 0');
  }

  async end(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) await this.kill();
  }
}
