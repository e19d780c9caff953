import { type ChildProcess, fork } from 'node:child_process';
import type { Answer, Rendered, Task } from './rendering.ts';

/**
 * Decodes images in a child process, so that an attack on a decoder cannot reach the server. The child exits after a
 * while without work, which releases its memory.
 */
export interface Renderer {
  /** Throws if the child process died, timed out or reported an internal error. The caller may retry. */
  render(task: Omit<Task, 'id'>): Promise<Rendered>;
  close(): void;
}

const TASK_WITHIN_MS = 90_000;
/** Number of images after which a child process is replaced, because libvips fragments its memory. */
const MOST_PICTURES = 25;
const IDLE_MS = 10_000;

interface Waiting {
  resolve(rendered: Rendered): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

export function openRenderer(): Renderer {
  const waiting = new Map<number, Waiting>();
  let child: ChildProcess | undefined;
  let idle: NodeJS.Timeout | undefined;
  let last = 0;
  let taken = 0;

  function take(id: number): Waiting | undefined {
    const found = waiting.get(id);
    waiting.delete(id);
    clearTimeout(found?.timer);
    if (found) taken += 1;
    if (waiting.size === 0 && taken >= MOST_PICTURES) end();
    if (waiting.size === 0) {
      child?.unref();
      child?.channel?.unref();
      idle = setTimeout(end, IDLE_MS).unref();
    }
    return found;
  }

  function end(): void {
    child?.kill('SIGKILL');
    child = undefined;
    taken = 0;
  }

  function begin(): ChildProcess {
    // The child does not inherit environment variables, because they contain secrets.
    const started = fork(new URL('./render-process.ts', import.meta.url), {
      execArgv: ['--max-semi-space-size=1', '--max-old-space-size=64'],
      env: { PATH: process.env.PATH, MALLOC_ARENA_MAX: '2' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    started.on('message', (answer: Answer) => {
      const task = take(answer.id);
      if ('broken' in answer) task?.reject(new Error(answer.broken));
      else task?.resolve(answer);
    });
    started.once('error', () => lose(started));
    started.once('exit', () => lose(started));
    return started;
  }

  function lose(ended: ChildProcess): void {
    if (child !== ended) return;
    child = undefined;
    for (const id of [...waiting.keys()]) take(id)?.reject(new Error('The process that reads images has ended.'));
  }

  return {
    render(task) {
      clearTimeout(idle);
      child ??= begin();
      child.ref();
      child.channel?.ref();
      last += 1;
      const id = last;
      const rendered = new Promise<Rendered>((resolve, reject) => {
        const timer = setTimeout(() => child?.kill('SIGKILL'), TASK_WITHIN_MS);
        waiting.set(id, { resolve, reject, timer });
      });
      child.send({ ...task, id });
      return rendered;
    },
    close() {
      clearTimeout(idle);
      end();
    },
  };
}
