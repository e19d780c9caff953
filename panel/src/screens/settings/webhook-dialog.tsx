import { unwrap } from '@commerce-backend/sdk';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { webAddress } from '../../../../cli/src/formats/typed-text.ts';
import { api, fieldError, type Inputs, readAgain, type Schemas } from '../../api.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { differences, textOrNull } from '../../ui/draft.ts';
import { TextField } from '../../ui/field.tsx';
import { DialogFoot } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { toast } from '../../ui/toasts.tsx';

type Pattern = Inputs['EventPattern'];

const patterns: [Pattern, string][] = [
  ['*', 'Everything'],
  ['order.*', 'All of orders'],
  ['order.created', 'An order is placed'],
  ['order.paid', 'An order is paid'],
  ['order.fulfilled', 'An order is shipped'],
  ['order.cancelled', 'An order is cancelled'],
  ['order.refunded', 'Money is given back'],
  ['order.updated', 'An order is changed otherwise'],
  ['product.*', 'All of products'],
  ['inventory.changed', 'Stock changes notably'],
  ['customer.created', 'A customer is new'],
  ['customer.updated', 'A customer is changed'],
  ['agent.*', 'All of agents'],
];

/** Adds a webhook, or changes one. A new one's secret is passed on, to be shown once. */
export function WebhookDialog({
  webhook,
  onClose,
  onSecret,
}: {
  webhook?: Schemas['Webhook'];
  onClose: () => void;
  onSecret: (secret: string) => void;
}) {
  // What the fields began with: the webhook may be read anew while they are edited.
  const [base] = useState(webhook);
  const save = useMutation({
    mutationFn: (body: Inputs['WebhookInput']) => send(base, body),
    onSuccess: async (secret) => {
      await readAgain('webhooks');
      if (secret) onSecret(secret);
      else toast('Saved.');
    },
  });
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const body = {
      url: webAddress(String(form.get('url'))),
      description: textOrNull(String(form.get('description'))),
      // The boxes are the contract's patterns.
      events: form.getAll('events') as Pattern[],
    };
    save.mutate(body, { onSuccess: onClose });
  }
  return (
    <Dialog open onClose={onClose} title={webhook ? 'Change the webhook' : 'New webhook'}>
      <Form busy={save.isPending} onSubmit={submit}>
        <TextField
          label="Address"
          name="url"
          type="url"
          placeholder="https://"
          defaultValue={webhook?.url}
          error={fieldError(save.error, 'url')}
          required
        />
        <TextField label="What is it for?" name="description" defaultValue={webhook?.description ?? ''} />
        <EventBoxes chosen={webhook?.events ?? ['order.*']} error={fieldError(save.error, 'events')} />
        <DialogFoot work={save} action="Save" onCancel={onClose} />
      </Form>
    </Dialog>
  );
}

function EventBoxes({ chosen, error }: { chosen: readonly string[]; error: string | undefined }) {
  // Patterns that were chosen elsewhere stay, too.
  const others = chosen.filter((pattern) => !patterns.some(([known]) => known === pattern));
  return (
    <fieldset className="stack">
      <legend>It is told when</legend>
      {[...patterns, ...others.map((pattern) => [pattern, pattern] as const)].map(([pattern, words]) => (
        <label key={pattern} className="checkbox">
          <input type="checkbox" name="events" value={pattern} defaultChecked={chosen.includes(pattern)} />
          <span>
            {words} <code>{pattern}</code>
          </span>
        </label>
      ))}
      {error && <p className="error">{error}</p>}
    </fieldset>
  );
}

async function send(
  webhook: Schemas['Webhook'] | undefined,
  body: Inputs['WebhookInput'],
): Promise<string | undefined> {
  if (webhook === undefined) return (await unwrap(api.POST('/api/dashboard/webhooks', { body }))).secret;
  const changes = differences(
    { ...webhook, events: inOrder(webhook.events) },
    { ...body, events: inOrder(body.events) },
  );
  if (Object.keys(changes).length === 0) return undefined;
  const params = { path: { webhook_id: webhook.id } };
  await unwrap(api.PATCH('/api/dashboard/webhooks/{webhook_id}', { params, body: changes }));
  return undefined;
}

/** The boxes stand in another order than they were chosen in. */
function inOrder<Text extends string>(events: readonly Text[]): Text[] {
  return events.toSorted();
}
