import type { TableProgress } from '../backup/copy.ts';
import type { FileProgress } from '../backup/files.ts';
import type { Step } from '../shop/sites/deletion-steps.ts';
import { printProgress } from './progress.ts';

/**
 * Shows the progress of a command: at a terminal in one line that is rewritten, elsewhere in a new line every few
 * seconds.
 */
export interface ProgressLine {
  update(sentence: string): void;
  /** Clears the line. */
  end(): void;
}

const EVERY_MS = 5_000;
const AT_A_TERMINAL_EVERY_MS = 100;
const CLEAR_LINE = '\r\u001b[K';

export function ofTables({ table, number, of, bytes }: TableProgress): string {
  return `Table ${number} of ${of}: ${table}, ${(bytes / 1e6).toFixed(1)} MB`;
}

export function ofFiles({ count, bytes }: FileProgress): string {
  return `Files: ${count.toLocaleString('en')}, ${(bytes / 1e6).toFixed(1)} MB`;
}

export function ofSteps({ table, number, of, rows }: Step): string {
  return `Table ${number} of ${of}: ${table}, ${rows.toLocaleString('en')} rows removed`;
}

export function showProgress(now: () => number = Date.now): ProgressLine {
  const { stderr } = process;
  let lastPrinted = now();
  return {
    update(sentence) {
      if (now() - lastPrinted < (stderr.isTTY ? AT_A_TERMINAL_EVERY_MS : EVERY_MS)) return;
      lastPrinted = now();
      if (stderr.isTTY) stderr.write(`${CLEAR_LINE}${sentence.slice(0, (stderr.columns || 80) - 1)}`);
      else printProgress(sentence);
    },
    end() {
      if (stderr.isTTY) stderr.write(CLEAR_LINE);
    },
  };
}
