import { type Column, facts, moment, type Paint, plain } from '../output.ts';

/** Fields that API keys, storefront tokens and sync keys share. */
interface Key {
  id: string;
  description: string;
  secret_prefix: string;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

/** Columns for a list of keys. `own` are the columns for this kind of key only. */
export function keyColumns<Own extends Key>(...own: Column<Own>[]): Column<Own>[] {
  return [
    { title: 'ID', value: ({ id }) => id, below: true },
    { title: 'DESCRIPTION', value: ({ description }) => description, shrinks: true },
    ...own,
    { title: 'SECRET', value: ({ secret_prefix }) => `${secret_prefix}…` },
    { title: 'STATE', value: stateOf, colour: (key) => (key.revoked_at ? 'dim' : key.expires_at ? 'yellow' : 'green') },
    { title: 'CREATED', value: ({ created_at }) => moment(created_at), below: true },
    { title: 'LAST USED', value: ({ last_used_at }) => moment(last_used_at, 'never') },
  ];
}

function stateOf({ revoked_at, expires_at }: Key): string {
  if (revoked_at) return 'revoked';
  if (!expires_at) return 'active';
  return Date.parse(expires_at) <= Date.now() ? 'expired' : `until ${moment(expires_at)}`;
}

/** Formats a new key with its secret, which is never shown again. `more` are fields of this kind of key only. */
export function secretText(
  { id, description, secret }: Pick<Key, 'id' | 'description'> & { secret: string },
  more: Record<string, string>,
  paint: Paint,
): string {
  const lines = facts({ Id: id, Description: description, ...more, Secret: secret }, paint);
  return `${lines}\n\nKeep the secret now: it is not shown again.`;
}

export function revokedText({ description, secret_prefix }: Key): string {
  return plain(`Revoked: ${description} (${secret_prefix}…).`);
}
