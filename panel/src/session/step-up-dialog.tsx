import { unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { api, inWords } from '../api.ts';
import { t } from '../language/texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/held.tsx';
import { onConfirmIdentity, type Wanted } from './step-up.ts';

const PASSWORD_HINT = t(
  'This change concerns money or access, so please enter your password again, or a code of your authenticator app.',
);
const CODE_HINT = t(
  'This change concerns your second factor: enter a code of your authenticator app, or a recovery code.',
);

/** Asks for the password or a second-factor code before a sensitive change, for example to payments, staff or keys. */
export function StepUpDialog() {
  const [open, setOpen] = useState(false);
  const [onlyCode, setOnlyCode] = useState(false);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const answer = useRef<(confirmed: boolean) => void>(undefined);

  useEffect(() => {
    onConfirmIdentity(({ secondFactor }: Wanted) => {
      setOnlyCode(secondFactor);
      setError(undefined);
      setOpen(true);
      return new Promise((resolve) => {
        answer.current = resolve;
      });
    });
    return () => {
      onConfirmIdentity(undefined);
      // When the dialog is unmounted, waiting calls are rejected, and the next call asks again.
      answer.current?.(false);
    };
  }, []);

  function close(confirmed: boolean) {
    setOpen(false);
    answer.current?.(confirmed);
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // The dialog may be inside another form, which must not be submitted.
    event.stopPropagation();
    const secret = String(new FormData(event.currentTarget).get('secret'));
    const body = onlyCode || /^\d{6}$/.test(secret) ? { totp_code: secret } : { password: secret };
    setBusy(true);
    try {
      await unwrap(api.POST('/api/dashboard/auth/confirm', { body }));
      close(true);
    } catch (failure) {
      setError(inWords(failure));
    } finally {
      setBusy(false);
    }
  }

  return (
    <Dialog open={open} onClose={() => close(false)} title={t('Confirm that it is you')}>
      <Form busy={busy} onSubmit={(event) => void submit(event)}>
        <TextField
          label={onlyCode ? t('Code') : t('Password')}
          name="secret"
          type={onlyCode ? 'text' : 'password'}
          autoComplete={onlyCode ? 'one-time-code' : 'current-password'}
          hint={onlyCode ? CODE_HINT : PASSWORD_HINT}
          error={error}
          required
          autoFocus
        />
        <footer>
          <Button onClick={() => close(false)}>{t('Cancel')}</Button>
          <Button type="submit" kind="primary" busy={busy}>
            {t('Confirm')}
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
