import { type ChildProcess, spawn } from 'node:child_process';
import { waitFor } from '../receiver.ts';

const LONGEST_BLOCK_MS = 120_000;

/**
 * A shell that receives text as if it were pasted: all of it immediately, so that commands could read it as their
 * input.
 */
export interface Paster {
  /** Returns the output once the shell has finished. Throws if a command failed or consumed the rest of the input. */
  paste(text: string): Promise<string>;
  /** Pastes commands that keep running, and waits for this output. */
  leaveRunning(text: string, ready: RegExp): Promise<void>;
  printed(): string;
  close(): Promise<void>;
}

export function openShell(cwd: string, env: Record<string, string>): Paster {
  const shell = spawn('bash', ['--noprofile', '--norc'], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let printed = '';
  let pasted = 0;
  const hear = (chunk: Buffer) => {
    printed += chunk;
  };
  shell.stdout.on('data', hear);
  shell.stderr.on('data', hear);
  // The mark is composed of two parts, so that the shell's echo of the input does not contain the mark.
  shell.stdin.write(`trap 'echo "failed: $BASH_COMMAND"' ERR; mark=done\n`);

  async function until(text: string, found: () => boolean): Promise<string> {
    const from = printed.length;
    shell.stdin.write(`${text}\n`);
    try {
      await waitFor(() => found() || hasEnded(shell), LONGEST_BLOCK_MS);
    } catch {
      throw new Error(`The commands do not finish. Do they wait for input?\n${text}\n${printed.slice(from)}`);
    }
    const said = printed.slice(from);
    if (hasEnded(shell) || /^failed: /m.test(said)) throw new Error(`${text}\n${said}`);
    return said;
  }

  return {
    paste(text) {
      pasted += 1;
      const mark = `pasted-${pasted}-done`;
      return until(`${text}\necho "pasted-${pasted}-$mark"`, () => printed.includes(mark));
    },
    async leaveRunning(text, ready) {
      const from = printed.length;
      await until(text, () => ready.test(printed.slice(from)));
    },
    printed: () => printed,
    close: () => end(shell),
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Ends a process and its children. */
async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child) || child.pid === undefined) return;
  const ended = new Promise((exit) => child.once('exit', exit));
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
