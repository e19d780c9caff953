import { unwrap } from '@commerce-backend/sdk';
import { useController } from 'react-hook-form';
import { webAddress } from '../../../../cli/src/formats/typed-text.ts';
import { api, type Inputs, readAgain, type Schemas } from '../../api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { changesOf } from '../../ui/form/changes.ts';
import { fieldsOf } from '../../ui/form/fields.tsx';
import { DialogFrame } from '../../ui/form/frames.tsx';
import { useEditing } from '../../ui/form/use-editing.ts';
import { toast } from '../../ui/toasts.tsx';

type Webhook = Schemas['Webhook'];
type Input = Inputs['WebhookInput'];
type Pattern = Inputs['EventPattern'];

const Field = fieldsOf<Input>();

const patterns: [Pattern, string][] = [
  ['*', 'Everything'],
  ['order.*', 'All order events'],
  ['order.created', 'An order is placed'],
  ['order.paid', 'An order is paid'],
  ['order.fulfilled', 'An order is shipped'],
  ['order.cancelled', 'An order is cancelled'],
  ['order.refunded', 'An order is refunded'],
  ['order.updated', 'An order is changed in another way'],
  ['return.*', 'All return events'],
  ['return.requested', 'A return is requested'],
  ['document.issued', 'An invoice or credit note is issued'],
  ['product.*', 'All product events'],
  ['inventory.changed', 'Stock changes notably'],
  ['customer.created', 'A customer is added'],
  ['customer.updated', 'A customer is changed'],
  ['agent.*', 'All agent events'],
];

/** Creates or edits a webhook. The secret of a new webhook is passed on, because it is shown only once. */
export function WebhookDialog({
  webhook,
  onClose,
  onSecret,
}: {
  webhook?: Webhook;
  onClose: () => void;
  onSecret: (secret: string) => void;
}) {
  const stored = { data: (webhook ?? { url: '', events: ['order.*'] }) as Input, etag: undefined };
  const editing = useEditing<Input>(stored, {
    send: async (values, over) => {
      const changes = changesOf(webhook ? over.data : {}, { ...values, url: webAddress(values.url) });
      const secret = await send(webhook, changes);
      await readAgain('webhooks');
      onClose();
      if (secret) onSecret(secret);
      else toast('Saved.');
      return { data: values, etag: undefined };
    },
  });
  return (
    <Dialog open onClose={onClose} title={webhook ? 'Change the webhook' : 'New webhook'}>
      <DialogFrame editing={editing} onCancel={onClose}>
        <Field.Text name="url" label="Address" type="url" placeholder="https://" required />
        <Field.Text name="description" label="What is it for?" />
        <EventBoxes />
      </DialogFrame>
    </Dialog>
  );
}

function EventBoxes() {
  const { field, fieldState } = useController<Input, 'events'>({ name: 'events' });
  // Keeps event patterns that the panel does not offer.
  const others = field.value.filter((pattern) => !patterns.some(([known]) => known === pattern));
  const choose = (pattern: Pattern, isChosen: boolean) =>
    field.onChange(isChosen ? [...field.value, pattern] : field.value.filter((each) => each !== pattern));
  return (
    <fieldset className="stack">
      <legend>Events</legend>
      {[...patterns, ...others.map((pattern) => [pattern, pattern] as const)].map(([pattern, words]) => (
        <label key={pattern} className="checkbox">
          <input
            type="checkbox"
            name="events"
            checked={field.value.includes(pattern)}
            onChange={(event) => choose(pattern, event.target.checked)}
          />
          <span>
            {words} <code>{pattern}</code>
          </span>
        </label>
      ))}
      {fieldState.error && <p className="error">{fieldState.error.message}</p>}
    </fieldset>
  );
}

async function send(webhook: Webhook | undefined, body: Partial<Input>): Promise<string | undefined> {
  if (webhook === undefined) return (await unwrap(api.POST('/api/dashboard/webhooks', { body: body as Input }))).secret;
  if (Object.keys(body).length === 0) return undefined;
  const params = { path: { webhook_id: webhook.id } };
  await unwrap(api.PATCH('/api/dashboard/webhooks/{webhook_id}', { params, body }));
  return undefined;
}
