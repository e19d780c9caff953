import { freePort } from '../../server/src/db/free-port.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { Shoppers } from './shoppers.ts';

const PROCESSES = 2;
const SHUTDOWN_LIMIT_MS = 10_000;
/** Each new server responds to this many requests before the next one is restarted. */
const ANSWERS_BETWEEN = 100;

/** Restarts the processes of an installation one after another. A client that retries must notice nothing. */
export const C13: Proof = {
  id: 'C13',
  promise: 'Rolling restarts by SIGTERM under load fail no request of a retrying client.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, seed, databaseUrl, progress }: Trial, directory: string) {
  const restarts = pick(size, 1, 50);
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: directory,
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    // The short form runs no background jobs, because they would also process the data of other tests.
    ROLE: pick(size, 'api', 'all'),
  };
  const violations = new Violations();
  const start = async () => new ServerProcess(await freePort(), env).readyAtLast();
  const servers = await Promise.all(Array.from({ length: PROCESSES }, start));
  const urls = () => servers.map(({ baseUrl }) => baseUrl);
  let slowest = 0;
  try {
    const shoppers = await Shoppers.open({ databaseUrl, servers: urls, shoppers: pick(size, 4, 16), seed });
    shoppers.begin();
    for (let restart = 0; restart < restarts; restart += 1) {
      progress(`${restart} of ${restarts} restarts; ${shoppers.summary()}`);
      await shoppers.moreAnswers(ANSWERS_BETWEEN);
      const at = restart % PROCESSES;
      const leaving = servers[at] as ServerProcess;
      const { code, signal, milliseconds } = await leaving.end('SIGTERM');
      slowest = Math.max(slowest, milliseconds);
      if (code !== 0) violations.add(`Restart ${restart}: ended with ${code ?? signal}: ${leaving.errors}`);
      if (milliseconds >= SHUTDOWN_LIMIT_MS) violations.add(`Restart ${restart}: shutdown took ${milliseconds} ms`);
      servers[at] = await start();
    }
    await shoppers.moreAnswers(ANSWERS_BETWEEN);
    await shoppers.rest();
    await shoppers.judge(violations);
    const note = `${shoppers.summary()}; slowest shutdown ${(slowest / 1_000).toFixed(2)} s`;
    return { tried: restarts, unit: 'restarts', violations: violations.list, note };
  } finally {
    await Promise.all(servers.map((server) => server.end('SIGKILL')));
  }
}
