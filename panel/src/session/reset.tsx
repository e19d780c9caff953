import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link } from 'wouter';
import { api, fieldError } from '../api.ts';
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
      <Gate title="This link is not complete">
        <p>Open it from the e-mail again, or ask for a new one.</p>
        <Link to="/forgot">Send me a new link</Link>
      </Gate>
    );
  }
  return (
    <Gate title="Set a new password">
      {reset.isSuccess ? (
        <p role="status">
          The password is set, and every session has ended. <Link to="/">Log in</Link> with it.
        </p>
      ) : (
        <Form busy={reset.isPending} onSubmit={submit}>
          <TextField
            label="New password"
            name="new_password"
            type="password"
            autoComplete="new-password"
            error={fieldError(reset.error, 'new_password')}
            required
            autoFocus
          />
          <FormError error={reset.error}>
            <Link to="/forgot">Send me a new link</Link>
          </FormError>
          <Button type="submit" kind="primary" busy={reset.isPending}>
            Set the password
          </Button>
        </Form>
      )}
    </Gate>
  );
}
