import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { readAgain } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { toast, toastError } from '../../ui/toasts.tsx';
import type { KeyKind, KeyRow } from './key-kind.ts';

/** Choices for how long the old key keeps working. The API accepts any number of hours up to 72. */
const GRACES: [number, string][] = [
  [0, 'now'],
  [1, t('in 1 hour')],
  [24, t('in 24 hours')],
  [72, t('in 72 hours')],
];

/** Asks for confirmation before rotating a key. */
export function Rotate<Row extends KeyRow>({
  kind,
  row,
  onClose,
  onSecret,
}: {
  kind: KeyKind<Row>;
  row: Row;
  onClose: () => void;
  onSecret: (secret: string) => void;
}) {
  const rotate = useMutation({
    mutationFn: (grace_hours: number) => kind.rotate(row.id, grace_hours),
    onSuccess: async (secret) => {
      await readAgain(kind.queryKey);
      // Shows the secret even if the dialog is already closed, because the secret cannot be shown again.
      onSecret(secret);
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    rotate.mutate(Number(new FormData(event.currentTarget).get('grace_hours')), { onSuccess: onClose });
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Rotate the {noun} “{description}”?', { noun: kind.noun, description: row.description })}
    >
      <Form busy={rotate.isPending} onSubmit={submit}>
        <p>
          {t(
            'A new secret is created. The old one can keep working for a while, so that you can update your programs.',
          )}
        </p>
        <Select label={t('The old one ends')} name="grace_hours" defaultValue={24}>
          {GRACES.map(([hours, words]) => (
            <option key={hours} value={hours}>
              {words}
            </option>
          ))}
        </Select>
        <DialogFoot work={rotate} action={t('Rotate')} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

/** Asks for confirmation before revoking a key. */
export function Revoke<Row extends KeyRow>({
  kind,
  row,
  onClose,
}: {
  kind: KeyKind<Row>;
  row: Row | undefined;
  onClose: () => void;
}) {
  const revoke = useMutation({
    mutationFn: (id: string) => kind.revoke(id),
    onSuccess: async () => {
      await readAgain(kind.queryKey);
      toast(t('The {noun} is revoked.', { noun: kind.noun }));
    },
    onError: toastError,
  });
  return (
    <Confirm
      open={row !== undefined}
      onClose={onClose}
      onConfirm={() => row && revoke.mutate(row.id, { onSuccess: onClose })}
      title={t('Revoke the {noun} “{description}”?', { noun: kind.noun, description: row?.description ?? '' })}
      action={t('Revoke')}
      busy={revoke.isPending}
    >
      {t('Programs that use it are refused from the next call on. This cannot be undone.')}
    </Confirm>
  );
}
