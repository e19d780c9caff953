import { unwrap } from '@commerce-backend/sdk';
import type { FormEvent } from 'react';
import { api } from '../../api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Select, TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { type Return, returnLineName, useReturnAct } from './return-queries.ts';

const CONDITIONS = {
  resellable: 'Resellable: goes into stock',
  damaged: 'Damaged: does not go into stock',
  missing: 'Missing: was not in the parcel',
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
    { said: 'The arrival is recorded.', onDone: onClose, quiet: true },
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
    <Dialog open onClose={onClose} title={`Arrival of return ${found.number}`}>
      <Form busy={work.isPending} onSubmit={submit}>
        {awaited.map((line) => {
          const left = line.quantity - line.received_quantity;
          return (
            <fieldset key={line.id} className="pieces">
              <legend>{returnLineName(line)}</legend>
              <TextField
                label="Arrived"
                name={`quantity ${line.id}`}
                type="number"
                min={0}
                max={left}
                step={1}
                defaultValue={left}
                hint={`of ${left}`}
              />
              <Select label="Condition" name={`condition ${line.id}`}>
                {Object.entries(CONDITIONS).map(([value, name]) => (
                  <option key={value} value={value}>
                    {name}
                  </option>
                ))}
              </Select>
            </fieldset>
          );
        })}
        <DialogFoot work={work} action="Record" error={work.error} onCancel={onClose} />
      </Form>
    </Dialog>
  );
}
