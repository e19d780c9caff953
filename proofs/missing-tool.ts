import { skippedWithout, type Tool } from '../server/test/tools.ts';
import type { Figures } from './frame.ts';

/** The result of a proof on a machine without a program: one line about it, and a failure in CI, where no program may be missing. */
export function notRunWithout(id: string, tool: Tool): Figures {
  return notRun(id, skippedWithout(tool), `not run: no ${tool.names[0]}`);
}

/** The same for features that a machine does not allow. */
export function notRun(id: string, sentence: string, note: string): Figures {
  process.stderr.write(`${id}: ${sentence}\n`);
  return { tried: 0, unit: 'attempts', violations: process.env.CI ? [sentence] : [], note, skipped: sentence };
}
