import { skippedWithout, type Tool } from '../../server/test/tools.ts';
import type { Figures } from './proof.ts';

/**
 * Returns the figures of a proof that needs a missing program, and prints one line about it. In CI a missing program is
 * a violation, because CI installs all programs.
 */
export function notRunWithout(id: string, tool: Tool): Figures {
  return notRun(id, skippedWithout(tool), `not run: no ${tool.names[0]}`);
}

/** Returns the figures of a proof that cannot run on this machine, and prints the reason. In CI this is a violation. */
export function notRun(id: string, sentence: string, note: string): Figures {
  process.stderr.write(`${id}: ${sentence}\n`);
  return { tried: 0, unit: 'attempts', violations: process.env.CI ? [sentence] : [], note, skipped: sentence };
}
