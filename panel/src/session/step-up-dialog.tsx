import { unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { api, inWords } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { Form } from '../ui/held.tsx';
import { onConfirmIdentity } from './step-up.ts';

/** Asks for the password again before payments, bank details, staff or keys are changed. */
export function StepUpDialog() {
  const [open, setOpen] = useState(false);
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const answer = useRef<(confirmed: boolean) => void>(undefined);

  useEffect(() => {
    onConfirmIdentity(() => {
      setError(undefined);
      setOpen(true);
      return new Promise((resolve) => {
        answer.current = resolve;
      });
    });
    return () => {
      onConfirmIdentity(undefined);
      // Nobody is left to answer: calls that wait are refused, and the next one asks anew.
      answer.current?.(false);
    };
  }, []);

  function close(confirmed: boolean) {
    setOpen(false);
    answer.current?.(confirmed);
  }

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    // The form stands in a dialog over others, whose own submit must not run.
    event.stopPropagation();
    const secret = String(new FormData(event.currentTarget).get('secret'));
    const body = /^\d{6}$/.test(secret) ? { totp_code: secret } : { password: secret };
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
    <Dialog open={open} onClose={() => close(false)} title="Confirm that it is you">
      <Form busy={busy} onSubmit={(event) => void submit(event)}>
        <TextField
          label="Password"
          name="secret"
          type="password"
          autoComplete="current-password"
          hint="This change concerns money or access, so the password is asked again. The code of your authenticator app does as well."
          error={error}
          required
          autoFocus
        />
        <footer>
          <Button onClick={() => close(false)}>Cancel</Button>
          <Button type="submit" kind="primary" busy={busy}>
            Confirm
          </Button>
        </footer>
      </Form>
    </Dialog>
  );
}
