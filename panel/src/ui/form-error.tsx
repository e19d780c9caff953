import type { ReactNode } from 'react';
import { inWords } from '../api.ts';
import { t } from '../language/texts.ts';
import { Button } from './button.tsx';

/** Shows the error of a form, given as an Error or a sentence. Screen readers announce it. */
export function FormError({ error, children }: { error: unknown; children?: ReactNode }) {
  if (!error) return null;
  return (
    <p className="error" role="alert">
      {typeof error === 'string' ? error : inWords(error)} {children}
    </p>
  );
}

/** The footer of a form in a dialog: error, cancel button and submit button. */
export function DialogFoot({
  work,
  action,
  error = work.error,
  onCancel,
}: {
  work: { error: unknown; isPending: boolean };
  action: ReactNode;
  /** Null if a field already shows the error. */
  error?: unknown;
  onCancel: () => void;
}) {
  return (
    <>
      <FormError error={error} />
      <footer>
        <Button onClick={onCancel}>{t('Cancel')}</Button>
        <Button type="submit" kind="primary" busy={work.isPending}>
          {action}
        </Button>
      </footer>
    </>
  );
}
