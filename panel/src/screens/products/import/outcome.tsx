import { useMemo } from 'react';
import { useFormat } from '../../../format.ts';
import { Button } from '../../../ui/button.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Card } from '../../../ui/page.tsx';
import type { ImportState, Mistake } from './run-import.ts';

/** How far an import is, and what became of it, row by row where something is wrong. */
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
          <p className="hint">Stopped. Import the file again to go on: what is there already stays as it is.</p>
        )}
        <FormError error={error}>Import the file again to go on: what is there already stays as it is.</FormError>
      </Card>
      {!running && mistakes.length > 0 && (
        <Mistakes
          title="Refused"
          hint={`${dry_run ? 'Everything else would be imported' : 'Everything else is imported'}. Mend these in the file, and import it again.`}
          rows={mistakes}
        />
      )}
      {!running && warnings.length > 0 && (
        <Mistakes title="Changed on the way" hint="These are imported, but not as the file has them." rows={warnings} />
      )}
    </>
  );
}

function titleOf({ running, dry_run }: ImportState): string {
  if (running) return dry_run ? 'Trying…' : 'Importing…';
  return dry_run ? 'What would happen' : 'What was imported';
}

/** As many as are drawn; the rest is counted. */
const MOST_SHOWN = 100;

function Mistakes({ title, hint, rows }: { title: string; hint: string; rows: Mistake[] }) {
  const { number } = useFormat();
  const columns = useMemo(
    (): Column<Mistake & { id: string }>[] => [
      { id: 'line', header: 'Line', numeric: true, cell: ({ line }) => number(line) },
      { id: 'column', header: 'Column', cell: ({ column }) => column },
      { id: 'sku', header: 'SKU', cell: ({ sku }) => sku },
      { id: 'message', header: 'What is wrong', long: true, cell: ({ message }) => message },
    ],
    [number],
  );
  const shown = rows.slice(0, MOST_SHOWN).map((row, i) => ({ ...row, id: String(i) }));
  return (
    <Card title={`${title} (${number(rows.length)})`}>
      <p className="hint">{hint}</p>
      <DataTable caption={title} columns={columns} rows={shown} />
      {rows.length > MOST_SHOWN && <p className="hint">The first {number(MOST_SHOWN)} are shown.</p>}
    </Card>
  );
}
