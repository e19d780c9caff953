import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../server/src/db/free-port.ts';
import type { CountOrder, Failpoint, FailpointNews } from '../testing/failpoints.ts';
import { COMPILED, ServerProcess } from '../testing/server-process.ts';
import type { JobOrder } from './payment-jobs.ts';

/** A process with failpoints, which can be restarted after it has ended. */
export interface FailingProcess {
  arm(failpoint: Failpoint): Promise<void>;
  /** The number of database responses since the process was last armed. */
  answers(): Promise<number>;
  kill(): void;
  /** Ends the fault, and restarts the process if it has ended. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

const NEVER: Failpoint = { after: 0, fault: 'throw' };

export class FailingServer implements FailingProcess {
  readonly #env: Record<string, string>;
  #server: ServerProcess;

  private constructor(env: Record<string, string>, server: ServerProcess) {
    this.#env = env;
    this.#server = server;
  }

  static async start(env: Record<string, string>): Promise<FailingServer> {
    return new FailingServer(env, await serve(env, await freePort()));
  }

  get baseUrl(): string {
    return this.#server.baseUrl;
  }

  arm(failpoint: Failpoint): Promise<void> {
    return new Promise((armed) => {
      this.#server.order<FailpointNews>(failpoint, (news) => news === 'armed' && armed());
    });
  }

  answers(): Promise<number> {
    return new Promise((counted) => {
      this.#server.order<unknown>(COUNT, (news) => typeof news === 'number' && counted(news));
    });
  }

  kill(): void {
    void this.#server.end('SIGKILL');
  }

  async restore(): Promise<void> {
    const exit = await Promise.race([this.#server.exited, this.arm(NEVER)]);
    // Keeps the port, so that webhooks reach the restarted server at the same URL.
    if (exit) this.#server = await serve(this.#env, this.#server.port);
  }

  async close(): Promise<void> {
    await this.#server.end('SIGKILL');
  }
}

function serve(env: Record<string, string>, port: number): Promise<ServerProcess> {
  return new ServerProcess(port, env, 'failpoints.ts').readyAtLast();
}

const COUNT: CountOrder = { count: 'answers' };
const FAILPOINTS = fileURLToPath(new URL('../testing/failpoints.ts', import.meta.url));
const JOBS = fileURLToPath(new URL('./payment-jobs.ts', import.meta.url));

export class FailingJobs implements FailingProcess {
  readonly #env: Record<string, string>;
  #child: ChildProcess;
  #exited: Promise<true>;

  private constructor(env: Record<string, string>) {
    this.#env = env;
    this.#child = jobs(env);
    this.#exited = endOf(this.#child);
  }

  static async start(env: Record<string, string>): Promise<FailingJobs> {
    const started = new FailingJobs(env);
    await started.#hear((news) => news === 'ready');
    return started;
  }

  /** Resolves when the job is done or the process has ended. */
  async run(order: JobOrder): Promise<void> {
    await Promise.race([this.#ask(order, (news) => news === 'done'), this.#exited]);
  }

  async arm(failpoint: Failpoint): Promise<void> {
    await this.#ask(failpoint, (news) => news === 'armed');
  }

  async answers(): Promise<number> {
    return Number(await this.#ask(COUNT, (news) => typeof news === 'number'));
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  async restore(): Promise<void> {
    const ended = await Promise.race([this.#exited, this.arm(NEVER).then(() => false)]);
    if (!ended) return;
    this.#child = jobs(this.#env);
    this.#exited = endOf(this.#child);
    await this.#hear((news) => news === 'ready');
  }

  async close(): Promise<void> {
    this.kill();
    await this.#exited;
  }

  #ask(order: object, isAnswer: (news: unknown) => boolean): Promise<unknown> {
    const answer = this.#hear(isAnswer);
    if (this.#child.connected) this.#child.send(order, () => undefined);
    return answer;
  }

  #hear(isAnswer: (news: unknown) => boolean): Promise<unknown> {
    const child = this.#child;
    return new Promise((answered) => {
      const hear = (news: unknown) => {
        if (!isAnswer(news)) return;
        child.off('message', hear);
        answered(news);
      };
      child.on('message', hear);
    });
  }
}

function jobs(env: Record<string, string>): ChildProcess {
  const { PATH, HOME } = process.env;
  const own = { PATH, HOME, NODE_COMPILE_CACHE: COMPILED, ...env };
  return fork(JOBS, { execArgv: ['--import', FAILPOINTS], env: own, stdio: 'ignore' });
}

function endOf(child: ChildProcess): Promise<true> {
  return new Promise((ended) => child.once('exit', () => ended(true)));
}
