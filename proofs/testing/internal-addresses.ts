import { openEgress } from '../../server/src/egress/post.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { pooledUrl } from '../../server/test/worker-database.ts';
import { NAMES, urlsOf } from '../webhooks/forbidden-addresses.ts';
import { answerNames, dryNetwork } from './fake-network.ts';
import type { Trial } from './proof.ts';
import { chanceOf } from './random.ts';
import type { World } from './tenant.ts';

/**
 * Sends internal URLs, in all the spellings of G4, to a server that rejects private addresses as in production, and
 * records its connections. Returns the number of URLs.
 */
export async function sendInside(
  trial: Trial,
  world: World,
  count: number,
  give: (baseUrl: string, url: string) => Promise<void>,
): Promise<number> {
  const egress = openEgress({ allowPrivate: false, ownHost: 'shop.example.com' });
  const server = await startServer(trial.databaseUrl, { egress }, trial.databaseUrl);
  const database = pooledUrl(trial.databaseUrl) ?? trial.databaseUrl;
  const ports = [database, trial.databaseUrl, server.baseUrl, world.baseUrl].map((url) =>
    Number(new URL(url).port || 5432),
  );
  const network = dryNetwork(ports);
  const endNames = answerNames(NAMES);
  try {
    for (const url of urlsOf(chanceOf(trial.seed), count)) await give(server.baseUrl, url);
    for (const address of network.forbidden)
      world.violations.add(`The server connected to the forbidden address ${address} for a client's document`);
    return count;
  } finally {
    endNames();
    network.end();
    await stopServer(server);
    await egress.close();
  }
}
