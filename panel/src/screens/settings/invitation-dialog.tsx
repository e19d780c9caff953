import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { api, fieldError, type Inputs, readAgain } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { toast } from '../../ui/toasts.tsx';
import { roles } from './roles.ts';

type Role = Inputs['StaffRole'];

/** Invites a staff member by mail. */
export function InvitationDialog({ onClose }: { onClose: () => void }) {
  const invite = useMutation({
    mutationFn: (body: { email: string; role: Role }) => unwrap(api.POST('/api/dashboard/staff/invitations', { body })),
    onSuccess: async ({ email }) => {
      await readAgain('staff');
      toast(t('The invitation to {email} is on its way.', { email }));
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    // The cast is safe, because the select offers only the contract's roles.
    const body = { email: String(form.get('email')).trim(), role: String(form.get('role')) as Role };
    invite.mutate(body, { onSuccess: onClose });
  }
  return (
    <Dialog open onClose={onClose} title={t('Invite somebody')}>
      <Form busy={invite.isPending} onSubmit={submit}>
        <p className="quiet-text">{t('The mail has a link that works once, for seven days.')}</p>
        <TextField label={t('E-mail')} name="email" type="email" error={fieldError(invite.error, 'email')} required />
        <Select label={t('Role')} name="role" defaultValue="fulfilment" error={fieldError(invite.error, 'role')}>
          {roles.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </Select>
        <DialogFoot work={invite} action={t('Invite')} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
