import { isError, unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Inputs, readAgain, type Schemas } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { useCan, useMe } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { Held } from '../../ui/held.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import { ConnectedAssistants } from '../assistants/connected.tsx';
import { InvitationDialog } from './invitation-dialog.tsx';
import { roles } from './roles.ts';

type Member = Schemas['StaffMember'];
type Role = Inputs['StaffRole'];

/** Staff members and their roles. A change applies from the member's next call on. */
export function StaffSettings() {
  const [inviting, setInviting] = useState(false);
  const [leaving, setLeaving] = useState<Member>();
  const writable = useCan()('staff:write');
  const query = useQuery({
    queryKey: ['staff'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/staff', { signal })),
  });
  return (
    <>
      <Card
        title={t('Staff')}
        actions={
          writable && (
            <Button kind="primary" onClick={() => setInviting(true)}>
              {t('Invite somebody')}
            </Button>
          )
        }
      >
        <Loaded query={query}>{({ staff }) => <Members staff={staff} writable={writable} onEnd={setLeaving} />}</Loaded>
      </Card>
      <Invitations writable={writable} />
      <ConnectedAssistants />
      <RoleCard />
      {inviting && <InvitationDialog onClose={() => setInviting(false)} />}
      <End member={leaving} onClose={() => setLeaving(undefined)} />
    </>
  );
}

function Members({ staff, writable, onEnd }: { staff: Member[]; writable: boolean; onEnd: (member: Member) => void }) {
  const { staff: me } = useMe();
  const change = useMutation({
    mutationFn: ({ staff_id, role }: { staff_id: string; role: Role }) =>
      unwrap(api.PATCH('/api/dashboard/staff/{staff_id}', { params: { path: { staff_id } }, body: { role } })),
    onSuccess: async () => {
      await readAgain('staff');
      toast(t('The role is changed.'));
    },
    onError: (error) => {
      toastError(error);
      return readAgain('staff');
    },
  });
  const chosen = change.isPending ? change.variables : undefined;
  const columns: Column<Member>[] = [
    { id: 'name', header: t('Name'), cell: ({ id, name }) => (id === me.id ? t('{name} (you)', { name }) : name) },
    { id: 'email', header: t('E-mail'), cell: ({ email }) => email },
    {
      id: 'role',
      header: t('Role'),
      cell: ({ id, name, role }) => (
        <select
          aria-label={t('Role of {name}', { name })}
          value={chosen?.staff_id === id ? chosen.role : role}
          disabled={!writable || id === me.id}
          // The cast is safe, because the select offers only the contract's roles.
          onChange={(event) => change.mutate({ staff_id: id, role: event.target.value as Role })}
        >
          {roles.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </select>
      ),
    },
    {
      id: 'actions',
      header: t('Actions'),
      cell: (member) =>
        writable &&
        member.id !== me.id && (
          <Button kind="quiet" aria-label={t('Remove {name}', { name: member.name })} onClick={() => onEnd(member)}>
            {t('Remove')}
          </Button>
        ),
    },
  ];
  return (
    <Held busy={change.isPending}>
      <DataTable caption={t('Staff')} columns={columns} rows={staff} />
    </Held>
  );
}

const keyKinds: Record<string, string> = {
  api_key: t('API key'),
  sync: t('sync key'),
  storefront: t('private storefront token'),
};

function End({ member, onClose }: { member: Member | undefined; onClose: () => void }) {
  // The active keys that the staff member created; undefined until the server rejects the removal because of them.
  const [keys, setKeys] = useState<Schemas['KeyOfMember'][]>();
  const [revoke, setRevoke] = useState(true);
  function close() {
    setKeys(undefined);
    setRevoke(true);
    onClose();
  }
  const end = useMutation({
    mutationFn: (staff_id: string) => {
      const query = keys && { keys: revoke ? ('revoke' as const) : ('keep' as const) };
      return unwrap(api.DELETE('/api/dashboard/staff/{staff_id}', { params: { path: { staff_id }, query } }));
    },
    onSuccess: async () => {
      close();
      await readAgain('staff');
      toast(t('Removed.'));
    },
    onError: (error) => {
      if (isError(error, 'member_has_keys')) setKeys(error.body.keys);
      else toastError(error);
    },
  });
  return (
    <Confirm
      open={member !== undefined}
      onClose={close}
      onConfirm={() => member && end.mutate(member.id)}
      title={t('Remove {name}?', { name: member?.name ?? '' })}
      action={t('Remove')}
      busy={end.isPending}
    >
      {t(
        '{email} can no longer do anything here, from the next call on. What was done stays on record under the name.',
        { email: member?.email },
      )}
      {keys && (
        <>
          <p>{t('These keys, which {name} made, still work:', { name: member?.name })}</p>
          <ul>
            {keys.map(({ id, kind, description }) => (
              <li key={id}>
                {description} ({keyKinds[kind] ?? kind})
              </li>
            ))}
          </ul>
          <Checkbox
            label={t('Revoke these keys')}
            checked={revoke}
            onChange={(event) => setRevoke(event.target.checked)}
          />
        </>
      )}
    </Confirm>
  );
}

function Invitations({ writable }: { writable: boolean }) {
  const format = useFormat();
  const query = useQuery({
    queryKey: ['staff', 'invitations'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/staff/invitations', { signal })),
  });
  const withdraw = useMutation({
    mutationFn: (invitation_id: string) =>
      unwrap(api.DELETE('/api/dashboard/staff/invitations/{invitation_id}', { params: { path: { invitation_id } } })),
    onSuccess: async () => {
      await readAgain('staff');
      toast(t('The invitation is withdrawn.'));
    },
    onError: (error) => {
      toastError(error);
      return readAgain('staff');
    },
  });
  const columns: Column<Schemas['StaffInvitation']>[] = [
    { id: 'email', header: t('E-mail'), cell: ({ email }) => email },
    { id: 'role', header: t('Role'), cell: ({ role }) => role },
    { id: 'until', header: t('Until'), short: true, cell: ({ expires_at }) => format.time(expires_at) },
    {
      id: 'actions',
      header: t('Actions'),
      cell: ({ id, email }) =>
        writable && (
          <Button
            kind="quiet"
            aria-label={t('Withdraw {email}', { email })}
            busy={withdraw.isPending && withdraw.variables === id}
            onClick={() => withdraw.mutate(id)}
          >
            {t('Withdraw')}
          </Button>
        ),
    },
  ];
  if (query.data === undefined || query.data.invitations.length === 0) return null;
  return (
    <Card title={t('Invited')}>
      <DataTable caption={t('Invitations')} columns={columns} rows={query.data.invitations} />
    </Card>
  );
}

function RoleCard() {
  return (
    <Card title={t('Permissions of the roles')}>
      <dl className="facts">
        {roles.map(([role, words, about]) => (
          <div key={role} className="fact">
            <dt>{words}</dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}
