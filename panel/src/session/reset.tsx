import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { api, fieldError } from '../api.ts';
import { rich } from '../language/rich.tsx';
import { t } from '../language/texts.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Form } from '../ui/held.tsx';
import { Gate } from './gate.tsx';
import { takeTokenFromAddress } from './secret-in-address.ts';

/** Sets a new password through the link in a mail. */
export function Reset() {
  const [token] = useState(() => takeTokenFromAddress('rst_'));
  const reset = useMutation({
    mutationFn: (new_password: string) =>
      unwrap(api.POST('/api/dashboard/auth/reset', { body: { token, new_password } })),
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    reset.mutate(String(new FormData(event.currentTarget).get('new_password')));
  }
  if (token === '') {
    return (
      <Gate title={t('This link is not complete')}>
        <p>{t('Open it from the e-mail again, or ask for a new one.')}</p>
        <Link to="/forgot">{t('Send me a new link')}</Link>
      </Gate>
    );
  }
  return (
    <Gate title={t('Set a new password')}>
      {reset.isSuccess ? (
        <p role="status">
          {rich('The password is set, and every session has ended. {link} with it.', {
            link: <Link to="/">{t('Log in')}</Link>,
          })}
        </p>
      ) : (
        <Form busy={reset.isPending} onSubmit={submit}>
          <TextField
            label={t('New password')}
            name="new_password"
            type="password"
            autoComplete="new-password"
            error={fieldError(reset.error, 'new_password')}
            required
            autoFocus
          />
          <FormError error={reset.error}>
            <Link to="/forgot">{t('Send me a new link')}</Link>
          </FormError>
          <Button type="submit" kind="primary" busy={reset.isPending}>
            {t('Set the password')}
          </Button>
        </Form>
      )}
    </Gate>
  );
}
