import { unwrap } from '@commerce-backend/sdk';
import { api, fieldError, type Inputs, type Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { useMe } from '../../session/use-me.ts';
import { Select } from '../../ui/field.tsx';
import type { KeyKind } from './key-kind.ts';
import { KeyList } from './key-list.tsx';

type Scope = Inputs['ApiKeyScope'];

const base: Omit<KeyKind<Schemas['ApiKey']>, 'fields'> = {
  title: t('API keys'),
  about: t('For programs that act on your behalf, over the dashboard’s API or the command line.'),
  noun: t('API key'),
  queryKey: 'api-keys',
  list: (signal) => unwrap(api.GET('/api/dashboard/api-keys', { signal })),
  create: async (form) => {
    const body = { description: String(form.get('description')), scopes: scopesOf(form) };
    return (await unwrap(api.POST('/api/dashboard/api-keys', { body }))).secret;
  },
  rotate: async (api_key_id, grace_hours) => {
    const params = { path: { api_key_id } };
    return (await unwrap(api.POST('/api/dashboard/api-keys/{api_key_id}/rotate', { params, body: { grace_hours } })))
      .secret;
  },
  revoke: (api_key_id) =>
    unwrap(api.DELETE('/api/dashboard/api-keys/{api_key_id}', { params: { path: { api_key_id } } })),
  columns: [{ id: 'scopes', header: t('May'), cell: ({ scopes }) => scopes.join(', ') }],
};

export function ApiKeys() {
  const { scopes } = useMe();
  const kind = {
    ...base,
    fields: (error: unknown) => (
      <>
        <Select label={t('It may')} name="access" defaultValue="read" error={fieldError(error, 'scopes')}>
          <option value="read">{t('read everything')}</option>
          <option value="write">{t('read and change, but not staff, keys, payments and exports')}</option>
          <option value="some">{t('only the permissions selected here')}</option>
        </Select>
        <Select
          label={t('Chosen')}
          name="scope"
          multiple
          size={6}
          hint={t('Counts with “only the permissions selected here”.')}
        >
          {scopes
            .filter((scope) => scope.includes(':'))
            .map((scope) => (
              <option key={scope}>{scope}</option>
            ))}
        </Select>
      </>
    ),
  };
  return <KeyList kind={kind} />;
}

/** The cast is safe, because the form offers only the contract's scopes. */
function scopesOf(form: FormData): Scope[] {
  const access = form.get('access');
  return (access === 'some' ? form.getAll('scope') : [access]) as Scope[];
}
