import { useMemo } from 'react';
import { useFormat } from '../../../format.ts';
import { t } from '../../../language/texts.ts';
import { Button } from '../../../ui/button.tsx';
import { csvOf, download } from '../../../ui/csv.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { FormError } from '../../../ui/form-error.tsx';
import { Card } from '../../../ui/page.tsx';
import type { Finding, Findings } from './findings.ts';
import type { ImportState } from './run-import.ts';

/** Progress and result of an import, with its errors and warnings. */
export function Outcome({ state, onStop }: { state: ImportState; onStop: () => void }) {
  const { number } = useFormat();
  const { counts, total, running, dry_run, mistakes, warnings, error } = state;
  const done = counts.created + counts.updated + counts.unchanged + counts.refused;
  return (
    <>
      <p className="unseen" role="status">
        {running
          ? ''
          : t('{titleOf}: {done} of {total}, {refused} refused.', {
              titleOf: titleOf(state),
              done: number(done),
              total: number(total),
              refused: number(counts.refused),
            })}
      </p>
      <Card title={titleOf(state)}>
        {running && (
          <div className="import-progress">
            <progress value={done} max={Math.max(1, total)} aria-label={t('Progress')} />
            <span>{t('{done} of {total}', { done: number(done), total: number(total) })}</span>
            <Button onClick={onStop}>{t('Stop')}</Button>
          </div>
        )}
        <dl className="facts">
          <dt>{dry_run ? t('Would be created') : t('Created')}</dt>
          <dd>{number(counts.created)}</dd>
          <dt>{dry_run ? t('Would be updated') : t('Updated')}</dt>
          <dd>{number(counts.updated)}</dd>
          <dt>{t('Unchanged')}</dt>
          <dd>{number(counts.unchanged)}</dd>
          <dt>{t('Refused')}</dt>
          <dd>{number(counts.refused)}</dd>
        </dl>
        {!running && done < total && error === undefined && (
          <p className="hint">{t('Stopped. Import the file again to continue: existing products stay unchanged.')}</p>
        )}
        <FormError error={error}>{t('Import the file again to continue: existing products stay unchanged.')}</FormError>
      </Card>
      {!running && mistakes.count > 0 && (
        <Listed
          title={t('Refused')}
          file="refused.csv"
          hint={t('{which}. Correct these in the file, and import it again.', {
            which: dry_run ? t('Everything else would be imported') : t('Everything else is imported'),
          })}
          findings={mistakes}
        />
      )}
      {!running && warnings.count > 0 && (
        <Listed
          title={t('Changed during the import')}
          file="changed-on-the-way.csv"
          hint={t('These are imported with changes.')}
          findings={warnings}
        />
      )}
    </>
  );
}

function titleOf({ running, dry_run }: ImportState): string {
  if (running) return dry_run ? t('Trying…') : t('Importing…');
  return dry_run ? t('Preview of the import') : t('Result of the import');
}

/** Maximum number of findings shown. The downloadable file contains more. */
const MOST_SHOWN = 100;

function Listed({ title, file, hint, findings }: { title: string; file: string; hint: string; findings: Findings }) {
  const { number } = useFormat();
  const { kept, count } = findings;
  const columns = useMemo(
    (): Column<Finding & { id: string }>[] => [
      { id: 'line', header: t('Line'), numeric: true, cell: ({ line }) => number(line) },
      { id: 'column', header: t('Column'), cell: ({ column }) => column },
      { id: 'sku', header: 'SKU', cell: ({ sku }) => sku },
      { id: 'message', header: t('Problem'), long: true, cell: ({ message }) => message },
    ],
    [number],
  );
  const shown = kept.slice(0, MOST_SHOWN).map((row, i) => ({ ...row, id: String(i) }));
  return (
    <Card
      title={`${title} (${number(count)})`}
      actions={
        count > MOST_SHOWN && <Button onClick={() => download(file, fileOf(kept))}>{t('Download as CSV')}</Button>
      }
    >
      <p className="hint">{hint}</p>
      <DataTable caption={title} columns={columns} rows={shown} />
      {count > MOST_SHOWN && (
        <p className="hint">
          {t('The first {MOST_SHOWN} are shown; the file has {which}.', {
            MOST_SHOWN: number(MOST_SHOWN),
            which: count > kept.length ? t('the first {count}', { count: number(kept.length) }) : t('all of them'),
          })}
        </p>
      )}
    </Card>
  );
}

function fileOf(findings: Finding[]): string {
  const rows = findings.map(({ line, column, sku, message }) => [line, column, sku, message]);
  return csvOf([['line', 'column', 'sku', 'message'], ...rows]);
}
