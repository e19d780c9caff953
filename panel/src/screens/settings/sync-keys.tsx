import { unwrap } from '@commerce-backend/sdk';
import { api, type Schemas } from '../../api.ts';
import { t } from '../../language/texts.ts';
import { Checkbox } from '../../ui/field.tsx';
import type { KeyKind } from './key-kind.ts';
import { KeyList } from './key-list.tsx';

const kind: KeyKind<Schemas['SyncKey']> = {
  title: t('Sync keys'),
  about: t('For search engines, assistants and other systems that synchronize with the catalogue.'),
  noun: t('sync key'),
  queryKey: 'sync-keys',
  list: (signal) => unwrap(api.GET('/api/dashboard/sync-keys', { signal })),
  create: async (form) => {
    const body = {
      description: String(form.get('description')),
      ...(form.get('write') !== null && { scopes: ['read' as const, 'write' as const] }),
    };
    return (await unwrap(api.POST('/api/dashboard/sync-keys', { body }))).secret;
  },
  rotate: async (sync_key_id, grace_hours) => {
    const params = { path: { sync_key_id } };
    return (await unwrap(api.POST('/api/dashboard/sync-keys/{sync_key_id}/rotate', { params, body: { grace_hours } })))
      .secret;
  },
  revoke: (sync_key_id) =>
    unwrap(api.DELETE('/api/dashboard/sync-keys/{sync_key_id}', { params: { path: { sync_key_id } } })),
  fields: () => (
    <Checkbox
      label={t('It may also write products and stock')}
      name="write"
      hint={t('For the system in which you keep them.')}
    />
  ),
  columns: [
    { id: 'scopes', header: t('May'), cell: (key) => key.scopes.join(', ') },
    { id: 'key_id', header: t('Key id'), wideOnly: true, cell: (key) => <code>{key.key_id}</code> },
  ],
};

export function SyncKeys() {
  return <KeyList kind={kind} />;
}
