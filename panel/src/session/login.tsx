import { type CommerceError, unwrap } from '@commerce-backend/sdk';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { api, meKey, queryClient } from '../api.ts';
import { t } from '../language/texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { TextField } from '../ui/field.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Form } from '../ui/held.tsx';
import { Gate } from './gate.tsx';
import { refreshSession, useMe } from './use-me.ts';

export function Login() {
  return (
    <Gate title={t('Log in')}>
      <LoginForm />
      <p>
        <Link to="/forgot">{t('Forgot your password?')}</Link>
      </p>
    </Gate>
  );
}

/**
 * Login after a session has ended. It hides the current screen, because another person may be using the browser. If the
 * same user logs in, the screen is shown unchanged.
 */
export function LoginAgain() {
  const { staff } = useMe();
  return (
    <Dialog
      open
      closedOnlyBy={t('Leave without saving')}
      onClose={() => window.location.assign('/panel/')}
      title={t('Log in again')}
    >
      <div className="login-again">
        <p>{t('Your session has ended. What you have not saved yet is still there.')}</p>
        <LoginForm before={staff.id} />
      </div>
    </Dialog>
  );
}

/**
 * Login form, with a second factor if the server requires it. `before` is the user whose session has ended; a different
 * user must not see their loaded data.
 */
function LoginForm({ before }: { before?: string }) {
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
      const { staff } = await unwrap(api.POST('/api/dashboard/auth/login', { body }));
      if (before !== undefined && before !== staff.id) {
        queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== meKey[0] });
      }
      await refreshSession();
    } catch (failure) {
      if ((failure as CommerceError).code === 'second_factor_required') setNeedsCode(true);
      else setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Form busy={busy} onSubmit={(event) => void submit(event)}>
      <TextField label={t('E-mail')} name="email" type="email" autoComplete="username" required autoFocus />
      <TextField label={t('Password')} name="password" type="password" autoComplete="current-password" required />
      {needsCode && (
        <TextField
          label={t('Code of your authenticator app')}
          name="totp_code"
          inputMode="numeric"
          autoComplete="one-time-code"
          hint={t('Or one of your recovery codes.')}
          required
          autoFocus
        />
      )}
      <FormError error={error} />
      <Button type="submit" kind="primary" busy={busy}>
        {t('Log in')}
      </Button>
    </Form>
  );
}
