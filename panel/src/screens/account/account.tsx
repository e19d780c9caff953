import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api, fieldError, readAgain, type Schemas } from '../../api.ts';
import { label, useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useMe } from '../../session/use-me.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { Card, Loaded, Page } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { Appearance } from './appearance.tsx';
import { Language } from './language.tsx';
import { TwoFactor } from './two-factor.tsx';

/** The logged-in user's language, password, second factor and sessions. */
export function Account() {
  const { staff, role } = useMe();
  return (
    <Page title={t('Your account')}>
      <Card>
        <dl className="facts">
          <dt>{t('Name')}</dt>
          <dd>{staff.name}</dd>
          <dt>{t('E-mail')}</dt>
          <dd>{staff.email}</dd>
          <dt>{t('Role')}</dt>
          <dd>{label(role)}</dd>
        </dl>
      </Card>
      <Appearance />
      <Language />
      <Password />
      <TwoFactor />
      <Sessions />
    </Page>
  );
}

function Password() {
  const save = useMutation({
    mutationFn: (body: { current_password: string; new_password: string }) =>
      unwrap(api.POST('/api/dashboard/account/password', { body })),
    onSuccess: async () => {
      await readAgain('sessions');
      toast(t('The password is changed. All other sessions have ended.'));
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const body = {
      current_password: String(form.get('current_password')),
      new_password: String(form.get('new_password')),
    };
    save.mutate(body, { onSuccess: () => element.reset() });
  }
  return (
    <Card title={t('Password')}>
      <Form busy={save.isPending} onSubmit={submit}>
        <div className="fields-2">
          <TextField
            label={t('Current password')}
            name="current_password"
            type="password"
            autoComplete="current-password"
            error={fieldError(save.error, 'current_password')}
            required
          />
          <TextField
            label={t('New password')}
            name="new_password"
            type="password"
            autoComplete="new-password"
            error={fieldError(save.error, 'new_password')}
            required
          />
        </div>
        <FormError error={save.error} />
        <footer>
          <Button type="submit" kind="primary" busy={save.isPending}>
            {t('Change the password')}
          </Button>
        </footer>
      </Form>
    </Card>
  );
}

type Session = Schemas['StaffSession'];

function Sessions() {
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/account/sessions', { signal })),
  });
  const end = useMutation({
    mutationFn: (session_id: string) =>
      unwrap(api.DELETE('/api/dashboard/account/sessions/{session_id}', { params: { path: { session_id } } })),
    onSuccess: () => readAgain('sessions'),
    onError: toastError,
  });
  const endOthers = useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/dashboard/account/sessions')),
    onSuccess: async () => {
      await readAgain('sessions');
      toast(t('All other sessions have ended.'));
    },
    onError: toastError,
  });
  return (
    <Card
      title={t('Where you are logged in')}
      actions={
        <Button busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
          {t('End all others')}
        </Button>
      }
    >
      <Loaded query={query}>
        {(sessions) => (
          <SessionRows sessions={sessions} ending={end.isPending ? end.variables : undefined} onEnd={end.mutate} />
        )}
      </Loaded>
    </Card>
  );
}

function SessionRows({
  sessions,
  ending,
  onEnd,
}: {
  sessions: Session[];
  ending: string | undefined;
  onEnd: (session_id: string) => void;
}) {
  const format = useFormat();
  const columns: Column<Session>[] = [
    { id: 'device', header: t('Device'), cell: ({ device }) => device },
    { id: 'ip', header: t('Address'), cell: ({ ip }) => ip ?? '—' },
    { id: 'since', header: t('Since'), short: true, cell: ({ created_at }) => format.time(created_at) },
    { id: 'used', header: t('Last used'), short: true, cell: ({ last_used_at }) => format.time(last_used_at) },
    {
      id: 'actions',
      header: t('Actions'),
      cell: (session) =>
        session.current ? (
          <Badge value="active">{t('This one')}</Badge>
        ) : (
          <Button
            kind="quiet"
            aria-label={t('End {device}', { device: session.device })}
            busy={ending === session.id}
            onClick={() => onEnd(session.id)}
          >
            {t('End')}
          </Button>
        ),
    },
  ];
  return <DataTable caption={t('Sessions')} columns={columns} rows={sessions} />;
}
