import type { CommerceError } from '@commerce-backend/sdk';
import { useFormat } from '../format.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import './conflict-dialog.css';
import { t } from '../language/texts.ts';

/** A field whose values differ between two users, with both values as text. */
export interface ConflictField {
  label: string;
  mine: string;
  theirs: string;
  /** Whether both users changed the field to different values. */
  contested: boolean;
}

/** Author and time of the other change, as far as known. */
export interface ConflictSource {
  by?: string | undefined;
  at?: string | undefined;
}

/** The other change reported by a 412 error; undefined for other errors. */
export function conflictOf(error: unknown): ConflictSource | undefined {
  const { status, body } = (error ?? {}) as Partial<CommerceError>;
  if (status !== 412) return undefined;
  const { changed_by, changed_at } = (body ?? {}) as { changed_by?: { name?: unknown } | null; changed_at?: unknown };
  return {
    by: typeof changed_by?.name === 'string' ? changed_by.name : undefined,
    at: typeof changed_at === 'string' ? changed_at : undefined,
  };
}

/**
 * The fields whose values differ between two users. All three states are texts by field; `base` is the state from which
 * both started.
 */
export function conflictFields(
  base: Map<string, string>,
  mine: Map<string, string>,
  theirs: Map<string, string>,
): ConflictField[] {
  const labels = new Set([...base.keys(), ...mine.keys(), ...theirs.keys()]);
  return [...labels].flatMap((label) => {
    const [was, own, other] = [base, mine, theirs].map((state) => state.get(label) ?? '');
    if (own === other || (was === own && was === other)) return [];
    return [{ label, mine: own ?? '', theirs: other ?? '', contested: was !== own && was !== other }];
  });
}

/** Shows the fields whose values differ between two users, and asks which changes to keep. */
export function ConflictDialog({
  source,
  fields,
  onKeepMine,
  onTakeTheirs,
  onClose,
  busy = false,
}: {
  /** The other user's change. While it is undefined, the dialog is closed. */
  source: ConflictSource | undefined;
  fields: ConflictField[];
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
  busy?: boolean;
}) {
  const format = useFormat();
  return (
    <Dialog open={source !== undefined} onClose={onClose} title={t('Somebody else changed this meanwhile')} wide>
      <p>
        {source?.by ? <strong>{source.by}</strong> : t('Somebody')} {t('saved a change')}
        {source?.at && ` ${t('on {at}', { at: format.time(source.at) })}`}
        {t(', after you had opened it. Nothing of yours is saved yet.')}
      </p>
      {fields.length > 0 && <Fields fields={fields} />}
      <p className="hint">
        {t(
          '“Keep mine” saves your changes upon theirs: fields that only they changed stay as theirs. “Take theirs” drops what you changed.',
        )}
      </p>
      <footer>
        <Button disabled={busy} onClick={onTakeTheirs}>
          {t('Take theirs')}
        </Button>
        <Button kind="primary" busy={busy} onClick={onKeepMine}>
          {t('Keep mine')}
        </Button>
      </footer>
    </Dialog>
  );
}

function Fields({ fields }: { fields: ConflictField[] }) {
  return (
    <table className="data-table conflict">
      <caption className="unseen">{t('What differs')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('Field')}</th>
          <th scope="col">{t('Mine')}</th>
          <th scope="col">{t('Theirs')}</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ label, mine, theirs, contested }) => (
          <tr key={label}>
            <td data-label={t('Field')}>
              <span>
                {label} {contested && <span className="badge open">{t('both changed it')}</span>}
              </span>
            </td>
            <td data-label={t('Mine')}>{mine || '—'}</td>
            <td data-label={t('Theirs')}>{theirs || '—'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
