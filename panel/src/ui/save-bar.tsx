import { Button } from './button.tsx';
import './save-bar.css';

/** Stands below what is being edited for as long as something is not saved. */
export function SaveBar({
  busy,
  waits = false,
  status = 'Not saved yet.',
  onDiscard,
  onSave,
}: {
  busy: boolean;
  /** Not everything that is to be saved is there yet. */
  waits?: boolean;
  status?: string | undefined;
  onDiscard: () => void;
  onSave: () => void;
}) {
  return (
    <div className="save-bar">
      <p role="status">{status}</p>
      <Button disabled={busy} onClick={onDiscard}>
        Discard
      </Button>
      <Button kind="primary" busy={busy} disabled={waits} onClick={onSave}>
        Save
      </Button>
    </div>
  );
}
