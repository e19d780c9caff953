import { type ChildProcess, fork } from 'node:child_process';
import type { Answer, Rendered, Task } from './rendering.ts';

/**
 * Reads pictures in a process of its own: what hostile files do to a decoder ends there, and the memory that they take is given
 * back when that process ends, which it does when there has been nothing to do for a while.
 */
export interface Renderer {
  /** Throws when the process died or took too long; the picture may be tried again. */
  render(task: Omit<Task, 'id'>): Promise<Rendered>;
  close(): void;
}

const TASK_WITHIN_MS = 90_000;
/** Then another process begins, since the memory that libvips has freed stays with the old one in pieces. */
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
    // It is given none of the secrets in the environment.
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
    for (const id of [...waiting.keys()]) take(id)?.reject(new Error('The process that reads pictures has ended.'));
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
