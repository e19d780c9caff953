import { useMemo } from 'react';
import { useFormat } from '../../../format.ts';
import { Button } from '../../../ui/button.tsx';
import { csvOf, download } from '../../../ui/csv.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Card } from '../../../ui/page.tsx';
import type { Finding, Findings } from './findings.ts';
import type { ImportState } from './run-import.ts';

/** Progress and result of an import, with all rows that have errors. */
export function Outcome({ state, onStop }: { state: ImportState; onStop: () => void }) {
  const { number } = useFormat();
  const { counts, total, running, dry_run, mistakes, warnings, error } = state;
  const done = counts.created + counts.updated + counts.unchanged + counts.refused;
  return (
    <>
      <p className="unseen" role="status">
        {running ? '' : `${titleOf(state)}: ${number(done)} of ${number(total)}, ${number(counts.refused)} refused.`}
      </p>
      <Card title={titleOf(state)}>
        {running && (
          <div className="import-progress">
            <progress value={done} max={Math.max(1, total)} aria-label="Progress" />
            <span>
              {number(done)} of {number(total)}
            </span>
            <Button onClick={onStop}>Stop</Button>
          </div>
        )}
        <dl className="facts">
          <dt>{dry_run ? 'Would be created' : 'Created'}</dt>
          <dd>{number(counts.created)}</dd>
          <dt>{dry_run ? 'Would be updated' : 'Updated'}</dt>
          <dd>{number(counts.updated)}</dd>
          <dt>Unchanged</dt>
          <dd>{number(counts.unchanged)}</dd>
          <dt>Refused</dt>
          <dd>{number(counts.refused)}</dd>
        </dl>
        {!running && done < total && error === undefined && (
          <p className="hint">Stopped. Import the file again to continue: existing products stay unchanged.</p>
        )}
        <FormError error={error}>Import the file again to continue: existing products stay unchanged.</FormError>
      </Card>
      {!running && mistakes.count > 0 && (
        <Listed
          title="Refused"
          file="refused.csv"
          hint={`${dry_run ? 'Everything else would be imported' : 'Everything else is imported'}. Correct these in the file, and import it again.`}
          findings={mistakes}
        />
      )}
      {!running && warnings.count > 0 && (
        <Listed
          title="Changed during the import"
          file="changed-on-the-way.csv"
          hint="These are imported with changes."
          findings={warnings}
        />
      )}
    </>
  );
}

function titleOf({ running, dry_run }: ImportState): string {
  if (running) return dry_run ? 'Trying…' : 'Importing…';
  return dry_run ? 'Preview of the import' : 'Result of the import';
}

/** Maximum number of findings shown. The downloadable file contains more. */
const MOST_SHOWN = 100;

function Listed({ title, file, hint, findings }: { title: string; file: string; hint: string; findings: Findings }) {
  const { number } = useFormat();
  const { kept, count } = findings;
  const columns = useMemo(
    (): Column<Finding & { id: string }>[] => [
      { id: 'line', header: 'Line', numeric: true, cell: ({ line }) => number(line) },
      { id: 'column', header: 'Column', cell: ({ column }) => column },
      { id: 'sku', header: 'SKU', cell: ({ sku }) => sku },
      { id: 'message', header: 'Problem', long: true, cell: ({ message }) => message },
    ],
    [number],
  );
  const shown = kept.slice(0, MOST_SHOWN).map((row, i) => ({ ...row, id: String(i) }));
  return (
    <Card
      title={`${title} (${number(count)})`}
      actions={count > MOST_SHOWN && <Button onClick={() => download(file, fileOf(kept))}>Download as CSV</Button>}
    >
      <p className="hint">{hint}</p>
      <DataTable caption={title} columns={columns} rows={shown} />
      {count > MOST_SHOWN && (
        <p className="hint">
          The first {number(MOST_SHOWN)} are shown; the file has{' '}
          {count > kept.length ? `the first ${number(kept.length)}` : 'all of them'}.
        </p>
      )}
    </Card>
  );
}

function fileOf(findings: Finding[]): string {
  const rows = findings.map(({ line, column, sku, message }) => [line, column, sku, message]);
  return csvOf([['line', 'column', 'sku', 'message'], ...rows]);
}
