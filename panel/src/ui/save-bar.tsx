import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { Button } from './button.tsx';
import { FormError } from './form-error.tsx';
import './save-bar.css';
import { t } from '../language/texts.ts';

/** Shown while there are unsaved changes. */
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
  /** Whether an upload is running, for which saving must wait. */
  waits?: boolean;
  status: string | undefined;
  /** The error of the last save. */
  problem: string | undefined;
  /** Replaces Discard and Save. */
  buttons?: ReactNode;
  onDiscard: () => void;
  onSave: () => void;
}) {
  const bar = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = bar.current;
    return () => {
      // When the bar disappears, the focus would return to the top of the page.
      if (box?.contains(document.activeElement)) document.getElementById('main')?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div className="save-bar" ref={bar}>
      {problem ? <FormError error={problem} /> : status && <p role="status">{status}</p>}
      {buttons ?? (
        <>
          <Button disabled={busy} onClick={onDiscard}>
            {t('Discard')}
          </Button>
          <Button kind="primary" busy={busy} disabled={waits} onClick={onSave}>
            {t('Save')}
          </Button>
        </>
      )}
    </div>
  );
}
