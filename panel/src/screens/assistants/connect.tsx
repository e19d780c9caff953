import { unwrap } from '@commerce-backend/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api, type Inputs, type Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { useMe } from '../../session/use-me.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/field.tsx';
import { FormError } from '../../ui/form-error.tsx';
import { Form } from '../../ui/held.tsx';
import { Card, Empty, Facts, Loaded, Page } from '../../ui/page.tsx';
import { clientInWords, isReading, scopeInWords } from './words.ts';

type Scope = Inputs['AssistantScope'];

const LIFETIMES = [7, 30, 90];

/** The page to which an assistant's login leads. The staff member chooses the permissions of the assistant. */
export function Connect() {
  const request = new URLSearchParams(window.location.search).get('request');
  const query = useQuery({
    queryKey: ['assistant-request', request],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/dashboard/assistant-request', { params: { query: { request: request ?? '' } }, signal })),
    enabled: request !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Page title={t('Connect an assistant')}>
      {request === null ? (
        <Empty title={t('Start in the program that you want to connect')} />
      ) : (
        <Loaded query={query}>{(asked) => <Decision request={request} asked={asked} />}</Loaded>
      )}
    </Page>
  );
}

function Decision({ request, asked }: { request: string; asked: Schemas['AssistantRequest'] }) {
  const { merchant, staff } = useMe();
  const [scopes, setScopes] = useState<string[]>(asked.scopes.filter(isReading));
  const [lifetime_days, setLifetime] = useState(30);
  const connect = useMutation({
    mutationFn: () =>
      // The cast is safe, because the page offers only scopes of the contract.
      unwrap(api.POST('/api/dashboard/assistants', { body: { request, scopes: scopes as Scope[], lifetime_days } })),
    onSuccess: ({ redirect_url }) => window.location.assign(redirect_url),
  });
  function submit(event: FormEvent) {
    event.preventDefault();
    connect.mutate();
  }
  const toggle = (scope: string, on: boolean) =>
    setScopes((before) => (on ? [...before, scope] : before.filter((one) => one !== scope)));
  return (
    <Card>
      <Form busy={connect.isPending} onSubmit={submit}>
        <Facts
          facts={[
            [t('Assistant'), clientInWords(asked)],
            [t('Shop'), merchant.name],
            [t('Acts for'), staff.name],
          ]}
        />
        <p>
          {t(
            'The program gave its name itself. It can do no more than your role, and every call is in the audit. All other changes wait until you confirm them here.',
          )}
        </p>
        <fieldset>
          <legend>{t('It may')}</legend>
          {asked.available_scopes.map((scope) => (
            <Checkbox
              key={scope}
              label={scopeInWords(scope)}
              checked={scopes.includes(scope)}
              onChange={(event) => toggle(scope, event.target.checked)}
            />
          ))}
        </fieldset>
        <label>
          {t('Connected for')}{' '}
          <select value={lifetime_days} onChange={(event) => setLifetime(Number(event.target.value))}>
            {LIFETIMES.map((days) => (
              <option key={days} value={days}>
                {t('{days} days', { days })}
              </option>
            ))}
          </select>
        </label>
        <FormError error={connect.error} />
        <div className="actions">
          <Button onClick={() => window.location.assign(asked.refuse_url)}>{t('Refuse')}</Button>
          <Button type="submit" kind="primary" busy={connect.isPending} disabled={scopes.length === 0}>
            {t('Connect')}
          </Button>
        </div>
      </Form>
    </Card>
  );
}
