import { unwrap } from '@commerce-backend/sdk';
import { useController } from 'react-hook-form';
import { webAddress } from '../../../../cli/src/formats/typed-text.ts';
import { api, type Inputs, readAgain, type Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';
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
  ['*', t('Everything')],
  ['order.*', t('All order events')],
  ['order.created', t('An order is placed')],
  ['order.paid', t('An order is paid')],
  ['order.fulfilled', t('An order is shipped')],
  ['order.cancelled', t('An order is cancelled')],
  ['order.refunded', t('An order is refunded')],
  ['order.updated', t('An order is changed in another way')],
  ['return.*', t('All return events')],
  ['return.requested', t('A return is requested')],
  ['document.issued', t('An invoice or credit note is issued')],
  ['product.*', t('All product events')],
  ['inventory.changed', t('Stock changes notably')],
  ['customer.created', t('A customer is added')],
  ['customer.updated', t('A customer is changed')],
  ['agent.*', t('All agent events')],
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
      else toast(t('Saved.'));
      return { data: values, etag: undefined };
    },
  });
  return (
    <Dialog open onClose={onClose} title={webhook ? t('Change the webhook') : t('New webhook')}>
      <DialogFrame editing={editing} onCancel={onClose}>
        <Field.Text name="url" label={t('Address')} type="url" placeholder="https://" required />
        <Field.Text name="description" label={t('What is it for?')} />
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
      <legend>{t('Events')}</legend>
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
