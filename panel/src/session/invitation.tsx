import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, fieldError, type Schemas } from '../api.ts';
import { t } from '../language/texts.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FormError } from '../ui/form-error.tsx';
import { Form } from '../ui/held.tsx';
import { LoadError, Loading } from '../ui/page.tsx';
import { Gate } from './gate.tsx';
import { Login } from './login.tsx';
import { takeTokenFromAddress } from './secret-in-address.ts';
import { refreshSession, useSession } from './use-me.ts';

interface Invitation {
  merchant: Schemas['Merchant'];
  email: string;
  role: string;
  has_account: boolean;
}

/** Accepts an invitation by creating an account, or by logging in to an existing one. */
export function InvitationScreen() {
  const [token] = useState(() => takeTokenFromAddress('inv_'));
  const session = useSession();
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => unwrap(api.POST('/api/dashboard/auth/invitation', { body: { token } })),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (token === '') return <Incomplete />;
  if (query.error) {
    return (
      <Gate title={t('This invitation does not work')}>
        <LoadError error={query.error} />
        <Link to="/">{t('To the login')}</Link>
      </Gate>
    );
  }
  if (query.data === undefined || session.data === undefined) return <Loading />;
  const invitation = query.data;
  if (!invitation.has_account) return <Register token={token} invitation={invitation} />;
  return session.data?.staff ? <Accept token={token} invitation={invitation} /> : <Login />;
}

function Incomplete() {
  return (
    <Gate title={t('This link is not complete')}>
      <p>{t('Open it from the e-mail again, or ask for a new invitation.')}</p>
      <Link to="/">{t('To the login')}</Link>
    </Gate>
  );
}

function Accept({ token, invitation }: { token: string; invitation: Invitation }) {
  const [, navigate] = useLocation();
  const accept = useMutation({
    mutationFn: () => unwrap(api.POST('/api/dashboard/auth/invitation/accept', { body: { token } })),
    onSuccess: async () => {
      await refreshSession();
      navigate('/');
    },
  });
  return (
    <Gate title={t('Join {name}', { name: invitation.merchant.name })}>
      <p>{t('{email} is invited as {role}.', { email: invitation.email, role: invitation.role })}</p>
      <FormError error={accept.error} />
      <Button kind="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
        {t('Accept')}
      </Button>
    </Gate>
  );
}

function Register({ token, invitation }: { token: string; invitation: Invitation }) {
  const [, navigate] = useLocation();
  const register = useMutation({
    mutationFn: async ({ name, password }: { name: string; password: string }) => {
      await unwrap(api.POST('/api/dashboard/auth/invitation/register', { body: { token, name, password } }));
      await unwrap(api.POST('/api/dashboard/auth/login', { body: { email: invitation.email, password } }));
    },
    onSuccess: async () => {
      await refreshSession();
      navigate('/');
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    register.mutate({ name: String(form.get('name')).trim(), password: String(form.get('password')) });
  }
  return (
    <Gate title={t('Join {name}', { name: invitation.merchant.name })}>
      <p>
        {t('{email} is invited as {role}. Choose how you are called, and a password.', {
          email: invitation.email,
          role: invitation.role,
        })}
      </p>
      <Form busy={register.isPending} onSubmit={submit}>
        <TextField
          label={t('Your name')}
          name="name"
          autoComplete="name"
          error={fieldError(register.error, 'name')}
          required
          autoFocus
        />
        <TextField
          label={t('Password')}
          name="password"
          type="password"
          autoComplete="new-password"
          error={fieldError(register.error, 'password')}
          required
        />
        <FormError error={register.error} />
        <Button type="submit" kind="primary" busy={register.isPending}>
          {t('Join')}
        </Button>
      </Form>
    </Gate>
  );
}
