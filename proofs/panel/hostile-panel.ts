import { freePort } from '../../server/src/db/free-port.ts';
import { findChromium, NO_CHROMIUM } from '../../server/test/chromium.ts';
import { startServer, stopServer } from '../../server/test/server.ts';
import { inChromium } from '../testing/chromium.ts';
import { notRun } from '../testing/missing-tool.ts';
import { type Figures, type Proof, pick, type Trial } from '../testing/proof.ts';
import { payloadsOf } from '../testing/script-payloads.ts';
import { onPremises, type Premises } from '../testing/test-server.ts';
import { visitForeignPages } from './foreign-pages.ts';
import { type Address, plantSessions, readHeaders, sendForged } from './forged-requests.ts';
import { type PanelVisit, showAll } from './hostile-screens.ts';
import { stock } from './hostile-shop.ts';

/**
 * Opens every screen of the panel in a browser, in shops in which every text is a payload, and searches everything that
 * scripts could read for sessions. Then calls every operation with the cookie, in the ways in which foreign pages could
 * make a browser call it.
 */
export const L4: Proof = {
  id: 'L4',
  promise: 'In the panel no foreign text runs, no script can read a session, and no other site can make it act.',
  run: (trial) => (findChromium() ? onPremises(trial, (premises) => attack(trial, premises)) : withoutBrowser()),
};

async function withoutBrowser(): Promise<Figures> {
  return notRun('L4', NO_CHROMIUM, 'not run: no chromium');
}

const PAYLOADS = 500;
const SECURE_ORIGIN = 'https://shop.example';

async function attack(trial: Trial, premises: Premises): Promise<Figures> {
  const { violations } = premises;
  const payloads = payloadsOf(trial.seed, PAYLOADS);
  // The port is chosen first, because the server needs its own URL before it listens. Over http, browsers accept the
  // session's cookie only on localhost.
  const port = await freePort();
  const baseUrl = `http://localhost:${port}`;
  const server = await startServer(trial.databaseUrl, { baseUrl }, trial.databaseUrl, port);
  // With an https origin the cookie has the prefix `__Host-`, which binds it to this host.
  const secure = await startServer(trial.databaseUrl, { baseUrl: SECURE_ORIGIN }, trial.databaseUrl);
  const local: Address = { baseUrl: server.baseUrl, ownOrigin: baseUrl, violations };
  const ownHost: Address = { baseUrl: secure.baseUrl, ownOrigin: SECURE_ORIGIN, violations };
  const counts = { screens: 0, read: 0, all: 0, forged: 0, foreign: 0 };
  try {
    const version = await inChromium(trial, async (browser) => {
      const visit: PanelVisit = { browser, baseUrl, violations };
      for (let round = 0; round < pick(trial.size, 1, 40); round += 1) {
        const stocked = await stock(premises, payloads, round);
        const shown = await showAll(trial, visit, stocked);
        counts.screens += shown.screens;
        counts.read += shown.read;
        counts.all += shown.all;
        if (round === 0) {
          counts.foreign += await visitForeignPages(trial, visit, stocked);
          counts.forged += await readHeaders(local, stocked);
          counts.forged += await sendForged(trial, local, stocked);
          for (const address of [local, ownHost]) counts.forged += await plantSessions(address, stocked);
          if (trial.size !== 'short') counts.forged += await sendForged(trial, ownHost, stocked);
        }
        trial.progress(`${round + 1} rounds, ${counts.screens} screens, ${counts.read} of ${counts.all} payloads read`);
      }
    });
    if (counts.read < counts.all / 2)
      violations.add(`Only ${counts.read} of ${counts.all} payloads were shown, so the proof shows too little.`);
    const count = (kind: RegExp) => violations.list.filter((text) => kind.test(text)).length;
    const note = [
      `scripts run ${count(/executed: |policy: |foreign markup/)}, tokens readable ${count(/^token readable/)}`,
      `foreign writes ${count(/^foreign write/)}; ${counts.screens} screens, ${counts.read} of ${counts.all} payloads read`,
      `${counts.foreign} by pages of other origins, ${counts.forged} raw requests, ${version}`,
    ].join(', ');
    const tried = counts.screens + counts.forged + counts.foreign;
    return { tried, unit: 'screens and forged calls', violations: violations.list, note };
  } finally {
    await Promise.all([stopServer(server), stopServer(secure)]);
  }
}
