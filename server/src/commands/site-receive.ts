import { textOfKey } from '../backup/encryption.ts';
import type { Config } from '../config.ts';
import { withClient } from '../db/client.ts';
import { addReceiver } from '../shop/sites/receivers.ts';
import { withDatabase } from './database.ts';
import { printProgress } from './progress.ts';

/** Prints a one-time key to which another server can encrypt the export of a site. */
export async function receiveSite(config: Config): Promise<void> {
  const key = await withDatabase(config, (_db, url) =>
    withClient({ connectionString: url, application_name: 'commerce site' }, (owner) =>
      addReceiver(owner, config.secretKey),
    ),
  );
  process.stdout.write(`${textOfKey(key)}\n`);
  printProgress(
    'Valid for one import within 7 days. On the other server: commerce-server site export … --final --keep-secrets KEY',
  );
}
