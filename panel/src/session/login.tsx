import { type CommerceError, unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Gate } from './gate.tsx';
import { refreshSession } from './use-me.ts';

/** Logs in; asks for the second factor once the server says that there is one. */
export function Login() {
  const [needsCode, setNeedsCode] = useState(false);
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError(undefined);
    try {
      const totp_code = String(form.get('totp_code') ?? '').trim();
      const body = {
        email: String(form.get('email')),
        password: String(form.get('password')),
        ...(totp_code !== '' && { totp_code }),
      };
      await unwrap(api.POST('/api/dashboard/auth/login', { body }));
      await refreshSession();
    } catch (failure) {
      if ((failure as CommerceError).code === 'second_factor_required') setNeedsCode(true);
      else setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Gate title="Log in">
      <form onSubmit={(event) => void submit(event)}>
        <TextField label="E-mail" name="email" type="email" autoComplete="username" required autoFocus />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        {needsCode && (
          <TextField
            label="Code of your authenticator app"
            name="totp_code"
            inputMode="numeric"
            autoComplete="one-time-code"
            hint="Or one of your recovery codes."
            required
            autoFocus
          />
        )}
        <FormError error={error} />
        <Button type="submit" kind="primary" busy={busy}>
          Log in
        </Button>
      </form>
      <p>
        <Link to="/forgot">Forgot your password?</Link>
      </p>
    </Gate>
  );
}
