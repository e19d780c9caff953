import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { Link } from 'wouter';
import { api } from '../api.ts';
import { t } from '../language/texts.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Form } from '../ui/held.tsx';
import { Gate } from './gate.tsx';

/**
 * Requests a mail with a link to set a new password. The response does not reveal whether the e-mail address has an
 * account.
 */
export function Forgot() {
  const request = useMutation({
    mutationFn: (email: string) => unwrap(api.POST('/api/dashboard/auth/reset-request', { body: { email } })),
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    request.mutate(String(new FormData(event.currentTarget).get('email')).trim());
  }
  return (
    <Gate title={t('Forgot your password?')}>
      {request.isSuccess ? (
        <p role="status">
          {t('If this address has an account, an e-mail is on its way. Its link works for 30 minutes.')}
        </p>
      ) : (
        <Form busy={request.isPending} onSubmit={submit}>
          <TextField label={t('E-mail')} name="email" type="email" autoComplete="username" required autoFocus />
          <FormError error={request.error} />
          <Button type="submit" kind="primary" busy={request.isPending}>
            {t('Send me a link')}
          </Button>
        </Form>
      )}
      <p>
        <Link to="/">{t('Back to the login')}</Link>
      </p>
    </Gate>
  );
}
