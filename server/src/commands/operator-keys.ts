import type { Config } from '../config.ts';
import { asOwner } from '../db/as-owner.ts';
import { inTransaction } from '../db/transaction.ts';
import { createKey, listKeys, type OperatorKey, revokeKey } from '../shop/operators/keys.ts';
import { withOwnerPool } from './database.ts';

/** An action on operator keys. */
export type KeyChange =
  | { change: 'create'; description: string; days: string }
  | { change: 'list' }
  | { change: 'revoke'; id: string };

const MOST_DAYS = 3650;

/** Creates, lists or revokes operator keys. */
export async function operatorKeys(config: Config, wanted: KeyChange): Promise<void> {
  const days = wanted.change === 'create' ? daysOf(wanted.days) : 0;
  if (wanted.change === 'create' && (wanted.description.trim() === '' || wanted.description.length > 255)) {
    throw new Error('--description must have 1 to 255 characters: who will use the key, and for what.');
  }
  if (wanted.change === 'revoke' && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(wanted.id)) {
    throw new Error(`"${wanted.id}" is not a key id. See commerce-server operator-keys list.`);
  }
  const output = await withOwnerPool(config, (db) =>
    inTransaction(db, (connection) =>
      asOwner(connection, async () => {
        if (wanted.change === 'create') {
          const key = await createKey(connection, { description: wanted.description, days });
          return `${JSON.stringify(key, null, 2)}\n`;
        }
        if (wanted.change === 'revoke') await revokeKey(connection, wanted.id);
        return tableOf(await listKeys(connection));
      }),
    ),
  );
  process.stdout.write(output);
}

function daysOf(text: string): number {
  const days = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (days < 1 || days > MOST_DAYS)
    throw new Error(`--days must be a whole number from 1 to ${MOST_DAYS}, not "${text}".`);
  return days;
}

function tableOf(keys: OperatorKey[]): string {
  if (keys.length === 0) return 'There are no operator keys.\n';
  const line = ({ id, secret_prefix, description, expires_at, revoked_at }: OperatorKey) =>
    `${id}  ${secret_prefix}…  ${revoked_at ? `revoked ${revoked_at.slice(0, 10)}` : `until ${expires_at.slice(0, 10)}  `}  ${description}\n`;
  return keys.map(line).join('');
}
