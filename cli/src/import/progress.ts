import { counted, painter } from '../output.ts';
import type { Terminal } from '../terminal.ts';
import type { Counts } from './send.ts';

/** Shows the progress of an import on stderr. */
export interface Progress {
  /** Adds to the number of bytes that were read. */
  read: (bytes: number) => void;
  update: () => void;
  /** Prints a line above the progress bar. */
  say: (line: string) => void;
  /** Removes the progress bar. */
  end: () => void;
}

const BAR_EVERY_MS = 100;
const LINE_EVERY_MS = 5000;
const BAR_WIDTH = 24;

/**
 * Shows progress through a file of `size` bytes: as a bar on a terminal, otherwise as a line every few seconds. With
 * `silent`, only lines passed to `say` are printed.
 */
export function createProgress(terminal: Terminal, size: number, counts: Counts, silent: boolean): Progress {
  const { stderr } = terminal;
  const bar = stderr.isTTY === true && !silent;
  const paint = painter(terminal, stderr);
  const startedAt = performance.now();
  let readBytes = 0;
  let shownAt = startedAt;
  let barShown = false;

  const clear = () => {
    if (barShown) stderr.write('\r\x1b[K');
    barShown = false;
  };
  const status = (now: number) => {
    const done = counts.created + counts.updated + counts.unchanged + counts.refused;
    const refused = counts.refused > 0 ? paint('red', `, ${counts.refused} refused`) : '';
    return `${counted(done, 'product')}, ${perSecond(done, now - startedAt)}/s${refused}`;
  };
  const update = () => {
    const now = performance.now();
    if (silent || now - shownAt < (bar ? BAR_EVERY_MS : LINE_EVERY_MS)) return;
    shownAt = now;
    const share = size > 0 ? Math.min(1, readBytes / size) : 1;
    const percent = `${Math.floor(share * 100)} %`;
    if (bar) {
      const filled = Math.round(share * BAR_WIDTH);
      const drawn = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
      stderr.write(`\r\x1b[K${drawn} ${percent.padStart(5)}  ${status(now)}`);
      barShown = true;
    } else {
      stderr.write(`${percent} read, ${status(now)}\n`);
    }
  };
  return {
    read: (bytes) => {
      readBytes += bytes;
      update();
    },
    update,
    say: (line) => {
      clear();
      stderr.write(`${line}\n`);
    },
    end: clear,
  };
}

/** Products per second, rounded. */
export function perSecond(products: number, ms: number): number {
  return ms > 0 ? Math.round((products * 1000) / ms) : 0;
}
