import type { CommerceError } from '@commerce-backend/sdk';
import { useFormat } from '../format.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import './conflict-dialog.css';

/** A field that was changed twice, with both values as people read them. */
export interface ConflictField {
  label: string;
  mine: string;
  theirs: string;
  /** Whether both changed the field, to different values. */
  contested: boolean;
}

/** The author and time of the other change; unknown parts are omitted. */
export interface ConflictSource {
  by?: string | undefined;
  at?: string | undefined;
}

/** The author of the other change, for a 412. Undefined for every other error. */
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
 * The fields that two changes touch. The arguments are three states of one thing, each as words by field: `base` is the state
 * from which both started.
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

/** Two people changed the same object: shows the differences, field by field, and asks which change to keep. */
export function ConflictDialog({
  source,
  fields,
  onKeepMine,
  onTakeTheirs,
  onClose,
  busy = false,
}: {
  /** The other change; undefined keeps the dialog closed. */
  source: ConflictSource | undefined;
  fields: ConflictField[];
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onClose: () => void;
  busy?: boolean;
}) {
  const format = useFormat();
  return (
    <Dialog open={source !== undefined} onClose={onClose} title="Somebody else changed this meanwhile" wide>
      <p>
        {source?.by ? <strong>{source.by}</strong> : 'Somebody'} saved a change
        {source?.at && ` on ${format.time(source.at)}`}, after you had opened it. Nothing of yours is saved yet.
      </p>
      {fields.length > 0 && <Fields fields={fields} />}
      <p className="hint">
        “Keep mine” saves your changes upon theirs: fields that only they changed stay as theirs. “Take theirs” drops
        what you changed.
      </p>
      <footer>
        <Button disabled={busy} onClick={onTakeTheirs}>
          Take theirs
        </Button>
        <Button kind="primary" busy={busy} onClick={onKeepMine}>
          Keep mine
        </Button>
      </footer>
    </Dialog>
  );
}

function Fields({ fields }: { fields: ConflictField[] }) {
  return (
    <table className="data-table conflict">
      <caption className="unseen">What differs</caption>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Mine</th>
          <th scope="col">Theirs</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ label, mine, theirs, contested }) => (
          <tr key={label}>
            <td data-label="Field">
              <span>
                {label} {contested && <span className="badge open">both changed it</span>}
              </span>
            </td>
            <td data-label="Mine">{mine || '—'}</td>
            <td data-label="Theirs">{theirs || '—'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
