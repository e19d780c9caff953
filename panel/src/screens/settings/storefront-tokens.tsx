import { unwrap } from '@commerce-backend/sdk';
import { api, fieldError, type Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Select, TextField } from '../../ui/field.tsx';
import type { KeyKind } from './key-kind.ts';
import { KeyList } from './key-list.tsx';

const kind: KeyKind<Schemas['StorefrontToken']> = {
  title: t('Storefront tokens'),
  about: t('For the pages of your shop. A public token may be seen by anybody; a private one belongs on a server.'),
  noun: t('storefront token'),
  queryKey: 'storefront-tokens',
  list: (signal) => unwrap(api.GET('/api/dashboard/storefront-tokens', { signal })),
  create: async (form) => {
    const body = {
      description: String(form.get('description')),
      kind: form.get('kind') === 'private' ? ('private' as const) : ('public' as const),
      allowed_origins: String(form.get('allowed_origins'))
        .split(/[\s,]+/)
        .filter(Boolean),
    };
    return (await unwrap(api.POST('/api/dashboard/storefront-tokens', { body }))).secret;
  },
  rotate: async (storefront_token_id, grace_hours) => {
    const params = { path: { storefront_token_id } };
    const body = { grace_hours };
    const made = api.POST('/api/dashboard/storefront-tokens/{storefront_token_id}/rotate', { params, body });
    return (await unwrap(made)).secret;
  },
  revoke: (storefront_token_id) =>
    unwrap(
      api.DELETE('/api/dashboard/storefront-tokens/{storefront_token_id}', {
        params: { path: { storefront_token_id } },
      }),
    ),
  columns: [{ id: 'kind', header: t('Kind'), cell: (token) => token.kind }],
  fields: (error) => (
    <>
      <Select label={t('Kind')} name="kind" defaultValue="public">
        <option value="public">{t('public, for pages in browsers')}</option>
        <option value="private">{t('private, for a server that renders the pages')}</option>
      </Select>
      <TextField
        label={t('Web origins that may use it')}
        name="allowed_origins"
        placeholder="https://shop.example"
        hint={t('Separated by spaces. Empty means those of the shop’s settings.')}
        error={fieldError(error, 'allowed_origins')}
      />
    </>
  ),
};

export function StorefrontTokens() {
  return <KeyList kind={kind} />;
}
