import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, inWords, queryClient, readAgain } from '../../api.ts';
import { t, tn } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { Copyable } from '../../ui/secret.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';

const twoFactorKey = ['two-factor'];

/** Two-factor login with an app that shows a new code every 30 seconds. */
export function TwoFactor() {
  const [open, setOpen] = useState<'on' | 'off' | 'codes'>();
  const query = useQuery({
    queryKey: twoFactorKey,
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/account/two-factor', { signal })),
  });
  return (
    <Card title={t('Second factor')}>
      <p className="quiet-text">
        {t('Besides the password, a login then asks for a code that an app on your phone shows.')}
      </p>
      <Loaded query={query}>
        {({ status, recovery_codes_left }) =>
          status === 'on' ? (
            <>
              <p>
                <Badge value="active">{t('On')}</Badge> {recoveryInWords(recovery_codes_left)}
              </p>
              <div className="actions">
                <Button onClick={() => setOpen('codes')}>{t('New recovery codes')}</Button>
                <Button onClick={() => setOpen('off')}>{t('Turn off')}</Button>
              </div>
            </>
          ) : (
            <div className="actions">
              <Badge value="none">{t('Off')}</Badge>
              <Button onClick={() => setOpen('on')}>{t('Turn on')}</Button>
            </div>
          )
        }
      </Loaded>
      {open === 'codes' && <NewRecoveryCodes onClose={() => setOpen(undefined)} />}
      {open === 'on' && <SetUp onClose={() => setOpen(undefined)} />}
      <TurnOff open={open === 'off'} onClose={() => setOpen(undefined)} />
    </Card>
  );
}

function SetUp({ onClose }: { onClose: () => void }) {
  const made = useQuery({
    queryKey: [...twoFactorKey, 'secret'],
    queryFn: () => unwrap(api.POST('/api/dashboard/account/two-factor')),
    // Each call creates a new secret, so the query must not be repeated.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const confirm = useMutation({
    mutationFn: (totp_code: string) =>
      unwrap(api.POST('/api/dashboard/account/two-factor/confirm', { body: { totp_code } })),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: twoFactorKey, exact: true }),
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    confirm.mutate(String(new FormData(event.currentTarget).get('totp_code')).replaceAll(' ', ''));
  }
  if (confirm.data) return <RecoveryCodes codes={confirm.data.recovery_codes} onClose={onClose} />;
  return (
    <Dialog open onClose={onClose} title={t('Turn on the second factor')}>
      <Loaded query={made}>
        {({ qr_svg, totp_secret }) => (
          <Form busy={confirm.isPending} onSubmit={submit}>
            <p>{t('Scan this with an authenticator app, or enter the key there by hand.')}</p>
            <img
              className="qr"
              alt={t('The code to scan')}
              src={`data:image/svg+xml;utf8,${encodeURIComponent(qr_svg)}`}
            />
            <Copyable text={totp_secret} />
            <TextField
              label={t('Code from the app')}
              name="totp_code"
              inputMode="numeric"
              autoComplete="one-time-code"
              error={confirm.error ? inWords(confirm.error) : undefined}
              required
            />
            <DialogFoot work={confirm} action={t('Turn on')} error={null} onCancel={onClose} />
          </Form>
        )}
      </Loaded>
    </Dialog>
  );
}

function recoveryInWords(left: number): string {
  if (left === 0) return t('No recovery code is left: make new ones before you lose the phone.');
  return tn(left, 'One recovery code is left.', '{left} recovery codes are left.', { left });
}

function NewRecoveryCodes({ onClose }: { onClose: () => void }) {
  const replace = useMutation({
    mutationFn: () => unwrap(api.POST('/api/dashboard/account/two-factor/recovery-codes')),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: twoFactorKey, exact: true }),
    onError: toastError,
  });
  if (replace.data) return <RecoveryCodes codes={replace.data.recovery_codes} onClose={onClose} />;
  return (
    <Confirm
      open
      onClose={onClose}
      onConfirm={() => replace.mutate()}
      title={t('Make new recovery codes?')}
      action={t('Make new codes')}
      busy={replace.isPending}
      danger={false}
    >
      {t('The codes that you printed or stored before no longer work.')}
    </Confirm>
  );
}

function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  return (
    <Dialog open onClose={onClose} title={t('Your recovery codes')}>
      <p>
        {t(
          'Each works once instead of a code of the app, if you lose your phone. They are shown only now: print them, or store them.',
        )}
      </p>
      <pre>{codes.join('\n')}</pre>
      <footer>
        <Button onClick={() => window.print()}>{t('Print')}</Button>
        <Button kind="primary" onClick={onClose}>
          {t('I have stored them')}
        </Button>
      </footer>
    </Dialog>
  );
}

function TurnOff({ open, onClose }: { open: boolean; onClose: () => void }) {
  const turnOff = useMutation({
    mutationFn: () => unwrap(api.DELETE('/api/dashboard/account/two-factor')),
    onSuccess: async () => {
      await readAgain('two-factor');
      toast(t('The second factor is off.'));
    },
    onError: toastError,
  });
  return (
    <Confirm
      open={open}
      onClose={onClose}
      onConfirm={() => turnOff.mutate(undefined, { onSuccess: onClose })}
      title={t('Turn off the second factor?')}
      action={t('Turn off')}
      busy={turnOff.isPending}
    >
      {t('Logins then need only the password. The recovery codes are deleted.')}
    </Confirm>
  );
}
