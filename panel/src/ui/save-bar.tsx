import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Button } from './button.tsx';
import { FormError } from './form-error.tsx';
import './save-bar.css';

/** Shown below the editor while there are unsaved changes. When it disappears, the focus moves to the screen. */
export function SaveBar({
  busy,
  waits = false,
  status,
  problem,
  buttons,
  onDiscard,
  onSave,
}: {
  busy: boolean;
  /** Whether an upload is still running, so that saving must wait. */
  waits?: boolean;
  status: string | undefined;
  /** Why the last save failed. */
  problem: string | undefined;
  /** Buttons in place of Discard and Save. */
  buttons?: ReactNode;
  onDiscard: () => void;
  onSave: () => void;
}) {
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = bar.current;
    return () => {
      // The focus moves to the screen: otherwise keyboard users would start again at the top of the window.
      if (box?.contains(document.activeElement)) document.getElementById('main')?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div className="save-bar" ref={bar}>
      {problem ? <FormError error={problem} /> : status && <p role="status">{status}</p>}
      {buttons ?? (
        <>
          <Button disabled={busy} onClick={onDiscard}>
            Discard
          </Button>
          <Button kind="primary" busy={busy} disabled={waits} onClick={onSave}>
            Save
          </Button>
        </>
      )}
    </div>
  );
}
