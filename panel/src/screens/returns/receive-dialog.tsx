import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { type Return, returnLineName, useReturnAct } from './return-queries.ts';

const CONDITIONS = {
  resellable: t('Resellable: goes into stock'),
  damaged: t('Damaged: does not go into stock'),
  missing: t('Missing: was not in the parcel'),
} as const;

interface Arrived {
  id: string;
  quantity: number;
  condition: keyof typeof CONDITIONS;
}

/** Records how many items arrived, and in which condition. */
export function ReceiveDialog({ found, onClose }: { found: Return; onClose: () => void }) {
  const params = { path: { return_id: found.id } };
  const work = useReturnAct(
    (lines: Arrived[]) => unwrap(api.POST('/api/dashboard/returns/{return_id}/receive', { params, body: { lines } })),
    { said: t('The arrival is recorded.'), onDone: onClose, quiet: true },
  );
  const awaited = found.lines.filter(({ quantity, received_quantity }) => received_quantity < quantity);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const lines = awaited.map(({ id }) => ({
      id,
      quantity: Number(form.get(`quantity ${id}`)),
      condition: String(form.get(`condition ${id}`)) as Arrived['condition'],
    }));
    work.mutate(lines.filter(({ quantity }) => quantity > 0));
  };
  return (
    <Dialog open onClose={onClose} title={t('Arrival of return {number}', { number: found.number })}>
      <Form busy={work.isPending} onSubmit={submit}>
        {awaited.map((line) => {
          const left = line.quantity - line.received_quantity;
          return (
            <fieldset key={line.id} className="pieces">
              <legend>{returnLineName(line)}</legend>
              <TextField
                label={t('Arrived')}
                name={`quantity ${line.id}`}
                type="number"
                min={0}
                max={left}
                step={1}
                defaultValue={left}
                hint={t('of {left}', { left })}
              />
              <Select label={t('Condition')} name={`condition ${line.id}`}>
                {Object.entries(CONDITIONS).map(([value, name]) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </Select>
            </fieldset>
          );
        })}
        <DialogFoot work={work} action={t('Record')} error={work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
