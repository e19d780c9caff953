import type { ReactNode } from 'react';
import { inWords } from '../api.ts';
import { Button } from './button.tsx';

/** The error of a form, thrown or as a sentence, with its remedy. Screen readers read it when it appears. */
export function FormError({ error, children }: { error: unknown; children?: ReactNode }) {
  if (!error) return null;
  return (
    <p className="error" role="alert">
      {typeof error === 'string' ? error : inWords(error)} {children}
    </p>
  );
}

/** The footer of a form in a dialog: the error, a cancel button, and the submit button. */
export function DialogFoot({
  work,
  action,
  error = work.error,
  onCancel,
}: {
  work: { error: unknown; isPending: boolean };
  action: ReactNode;
  /** The error; null if a field shows it. */
  error?: unknown;
  onCancel: () => void;
}) {
  return (
    <>
      <FormError error={error} />
      <footer>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" kind="primary" busy={work.isPending}>
          {action}
        </Button>
      </footer>
    </>
  );
}
