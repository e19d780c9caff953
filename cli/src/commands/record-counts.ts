import { CommandError, EXIT } from '../errors.ts';
import type { RecordCounts } from '../import/records.ts';
import { show } from '../output.ts';
import type { Terminal } from '../terminal.ts';

interface Imported {
  file: string;
  dry_run: boolean;
  counts: RecordCounts;
  noun: 'customer' | 'order';
}

/** Shows the counts of an import. Throws `rows_refused` if the server rejected rows. */
export function showRecords({ file, dry_run, counts, noun }: Imported, terminal: Terminal, json: boolean): void {
  show(terminal, json, { file, dry_run, counts }, () => {
    const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`);
    return `${dry_run ? 'Dry run, nothing was written' : 'Imported'}: ${parts.join(', ')}.`;
  });
  if (counts.failed === 0) return;
  const all = Object.values(counts).reduce((sum, count) => sum + count);
  const message = `${counts.failed} of ${all} ${noun}s were refused.`;
  const remedy = 'Fix the lines named above and run the same command again.';
  throw new CommandError(EXIT.rowsRefused, 'rows_refused', message, remedy);
}
