import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { fieldError, readAgain } from '../../api.ts';
import { useFormat } from '../../format.ts';
import { t } from '../../language/texts.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { Card, Loaded } from '../../ui/page.tsx';
import { SecretDialog } from '../../ui/secret.tsx';
import type { KeyKind, KeyRow } from './key-kind.ts';
import { Revoke, Rotate } from './key-questions.tsx';

type Doing<Row> = { act: 'rotate' | 'revoke'; row: Row };

/** Lists the keys of one kind. */
export function KeyList<Row extends KeyRow>({ kind }: { kind: KeyKind<Row> }) {
  const [creating, setCreating] = useState(false);
  const [doing, setDoing] = useState<Doing<Row>>();
  const [secret, setSecret] = useState<string>();
  const query = useQuery({ queryKey: [kind.queryKey], queryFn: ({ signal }) => kind.list(signal) });
  return (
    <Card
      title={kind.title}
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          {t('New {noun}', { noun: kind.noun })}
        </Button>
      }
    >
      <p className="quiet-text">{kind.about}</p>
      <Loaded query={query}>
        {(rows) => (rows.length === 0 ? <p>{t('None yet.')}</p> : <Rows kind={kind} rows={rows} onDo={setDoing} />)}
      </Loaded>
      {creating && <NewKey kind={kind} onClose={() => setCreating(false)} onSecret={setSecret} />}
      {doing?.act === 'rotate' && (
        <Rotate kind={kind} row={doing.row} onClose={() => setDoing(undefined)} onSecret={setSecret} />
      )}
      <Revoke kind={kind} row={doing?.act === 'revoke' ? doing.row : undefined} onClose={() => setDoing(undefined)} />
      <SecretDialog
        title={t('Your {noun}', { noun: kind.noun })}
        note={t('Store it in the configuration of your program.')}
        secret={secret}
        onClose={() => setSecret(undefined)}
      />
    </Card>
  );
}

function Rows<Row extends KeyRow>({
  kind,
  rows,
  onDo,
}: {
  kind: KeyKind<Row>;
  rows: Row[];
  onDo: (doing: Doing<Row>) => void;
}) {
  const format = useFormat();
  const columns: Column<Row>[] = [
    { id: 'description', header: t('For'), cell: (row) => row.description || '—' },
    { id: 'prefix', header: t('Begins with'), cell: (row) => <code className="nowrap">{row.secret_prefix}</code> },
    ...kind.columns,
    { id: 'by', header: t('Made by'), wideOnly: true, cell: (row) => row.created_by?.name ?? '—' },
    {
      id: 'used',
      header: t('Last used'),
      short: true,
      cell: (row) => (row.last_used_at ? format.time(row.last_used_at) : t('never')),
    },
    {
      id: 'status',
      header: t('Status'),
      cell: (row) => <KeyStatus row={row} />,
    },
    {
      id: 'actions',
      header: t('Actions'),
      cell: (row) =>
        !row.revoked_at &&
        !hasEnded(row) && (
          <span className="actions">
            {!row.expires_at && (
              <Button
                kind="quiet"
                aria-label={t('Rotate {description}', { description: row.description })}
                onClick={() => onDo({ act: 'rotate', row })}
              >
                {t('Rotate')}
              </Button>
            )}
            <Button
              kind="quiet"
              aria-label={t('Revoke {description}', { description: row.description })}
              onClick={() => onDo({ act: 'revoke', row })}
            >
              {t('Revoke')}
            </Button>
          </span>
        ),
    },
  ];
  return <DataTable caption={kind.title} columns={columns} rows={rows} />;
}

function hasEnded({ expires_at }: KeyRow): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now();
}

function KeyStatus({ row }: { row: KeyRow }) {
  const { time } = useFormat();
  if (row.revoked_at) return <Badge value="revoked" />;
  if (!row.expires_at) return <Badge value="active" />;
  if (hasEnded(row)) return <Badge value="expired">{t('Replaced')}</Badge>;
  return (
    <span>
      <Badge value="pending">{t('Ending')}</Badge>{' '}
      <span className="hint">{t('Until {expires_at}', { expires_at: time(row.expires_at) })}</span>
    </span>
  );
}

function NewKey<Row extends KeyRow>({
  kind,
  onClose,
  onSecret,
}: {
  kind: KeyKind<Row>;
  onClose: () => void;
  onSecret: (secret: string) => void;
}) {
  const create = useMutation({
    mutationFn: (form: FormData) => kind.create(form),
    onSuccess: async (secret) => {
      await readAgain(kind.queryKey);
      // Shows the secret even if the dialog is already closed, because the secret cannot be shown again.
      onSecret(secret);
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    create.mutate(new FormData(event.currentTarget), { onSuccess: onClose });
  }
  return (
    <Dialog open onClose={onClose} title={t('New {noun}', { noun: kind.noun })}>
      <Form busy={create.isPending} onSubmit={submit}>
        <TextField
          label={t('What is it for?')}
          name="description"
          placeholder={t('Point of sale')}
          error={fieldError(create.error, 'description')}
          required
        />
        {kind.fields?.(create.error)}
        <DialogFoot work={create} action={t('Create')} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
