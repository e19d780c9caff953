import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../server/src/db/free-port.ts';
import { Buyers } from '../testing/buyers.ts';
import { withOwnDatabase } from '../testing/own-database.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { asOwner, ServerProcess, withDirectory } from '../testing/server-process.ts';

const SERVERS = 2;
const EVERY_MS = 2_000;
const RETRIES = 3;

/** Repeatedly ends all connections to the database: connections of requests and jobs, and idle connections. */
export const C5: Proof = {
  id: 'C5',
  promise:
    'If all connections to the database end at any moment, each request succeeds after at most three retries, and no server exits.',
  run: (trial) =>
    withDirectory((directory) => withOwnDatabase(trial.databaseUrl, (url) => attack(trial, directory, url))),
};

async function attack({ size, progress }: Trial, directory: string, databaseUrl: string) {
  const rounds = pick(size, 2, 60);
  const violations = new Violations();
  const env = {
    ...{ DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'warn', DEMO_SHOP: 'off' },
    ...{ ROLE: 'all', TRUST_PROXY: '1', BASE_URL: 'http://127.0.0.1' },
  };
  const processes: ServerProcess[] = [];
  let buyers: Buyers | undefined;
  try {
    while (processes.length < SERVERS) processes.push(new ServerProcess(await freePort(), env));
    for (const one of processes) while (one.running && !(await one.ready()));
    const servers = processes.map(({ baseUrl }) => baseUrl);
    buyers = await Buyers.open({ databaseUrl, servers, retries: RETRIES });
    buyers.begin(pick(size, 4, 16));
    let ended = 0;
    for (let round = 1; round <= rounds; round += 1) {
      await sleep(EVERY_MS);
      const { rows } = await asOwner(databaseUrl, END_ALL);
      ended += rows[0].ended;
      if (round % 10 === 0) progress(`${round} of ${rounds}; ${buyers.orders} orders, ${buyers.repeated} by a retry`);
    }
    await buyers.rest();
    for (const { running, errors, output } of processes) {
      if (!running) violations.add(`A server ended: ${errors}${output.slice(-1_000)}`);
      for (const line of `${errors}\n${output}`.split('\n')) if (UNCAUGHT.test(line)) violations.add(line);
    }
    for (const failure of buyers.failures) violations.add(`After ${RETRIES} retries: ${failure}`);
    if (buyers.orders === 0) violations.add('No order was placed');
    const note = `${ended} connections ended; ${buyers.orders} orders; ${buyers.answers} answers, ${buyers.repeated} of them by a retry`;
    return { tried: rounds, unit: 'times all were ended', violations: violations.list, note };
  } finally {
    await buyers?.rest();
    await Promise.all(processes.map((one) => one.end('SIGTERM')));
  }
}

const END_ALL = `select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;
const UNCAUGHT = /unhandled|not caught|uncaught/i;
