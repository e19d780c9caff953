import { randomUUID } from 'node:crypto';
import { mintToken } from '../../server/src/shop/tokens.ts';
import { PaperBrowser } from '../../server/test/paper-browser.ts';
import {
  type Account,
  asCustomer,
  asGuest,
  CUSTOMER_PASSWORD,
  openAccount,
  openCustomerSession,
} from '../testing/customers.ts';
import { isReplay } from '../testing/idempotent-requests.ts';
import { mailedSecret } from '../testing/mails.ts';
import { type Figures, type Proof, pick } from '../testing/proof.ts';
import type { Reply } from '../testing/raw-requests.ts';
import { callAs, type Tenant, tryAs, type World } from '../testing/tenant.ts';
import { inWorld } from '../testing/three-tenants.ts';
import { ENDINGS, sendAgain } from './ended-sessions.ts';

/** Uses password reset links twice, concurrently, after they expired, in another shop, and for other purposes. */
export const B3: Proof = {
  id: 'B3',
  promise: 'A password reset link works once, and only for the account and e-mail address that it was sent to.',
  run: (trial) =>
    inWorld(trial, async (world) => {
      let tried = 0;
      for (let round = 0; round < pick(trial.size, 1, 12); round += 1) {
        for (const [what, story] of Object.entries(STORIES)) {
          tried += await play(world, what, story, pick(trial.size, 16, 64));
          trial.progress(`${what}, ${tried} tries`);
        }
      }
      return { tried, unit: 'tries', violations: world.violations.list } satisfies Figures;
    }),
};

/** A customer who forgot the password, and the secret from the reset mail. */
interface Scene {
  world: World;
  tenant: Tenant;
  /** The shop, called without a customer's token. */
  guest: Tenant;
  account: Account;
  token: string;
  /** The number of simultaneous attempts. */
  atOnce: number;
}

interface Outcome {
  replies: Reply[];
  /** The number of attempts that must succeed. */
  successes: number;
}

type Story = (scene: Scene) => Promise<Outcome>;

const STORIES: Record<string, Story> = {
  'used three times': async (scene) => {
    const replies = [await reset(scene), await reset(scene), await reset(scene)];
    return { replies, successes: 1 };
  },
  'many at once': async (scene) => {
    const words = Array.from({ length: scene.atOnce }, () => `new ${randomUUID()}`);
    const replies = await Promise.all(words.map((new_password) => reset(scene, { new_password })));
    const winner = words[replies.findIndex(({ status }) => status === 200)] ?? '';
    await expectLogin(scene, winner, 200);
    await expectLogin(scene, words.find((password) => password !== winner) ?? '', 401);
    return { replies, successes: 1 };
  },
  'through the page and the interface at once': async (scene) => {
    const address = `${scene.world.baseUrl}/account/${scene.tenant.site_id}/reset/${scene.token}`;
    const browsers = Array.from({ length: 4 }, () => new PaperBrowser(scene.world.baseUrl));
    const forms = await Promise.all(browsers.map((browser) => browser.open(address)));
    const words = 'through the page';
    const entries = { new_password: words, new_password_again: words };
    const press = (browser: PaperBrowser, index: number) =>
      browser.press(forms[index] as (typeof forms)[0], 'reset_password', entries);
    const [replies] = await Promise.all([
      Promise.all(Array.from({ length: 4 }, () => reset(scene, { new_password: 'through the interface' }))),
      Promise.all(browsers.map(press)),
    ]);
    const byPage = await logIn(scene, words);
    const winner = { ...replies[0], status: byPage.status, headers: {} } as Reply;
    return { replies: [...replies, winner], successes: 1 };
  },
  'eight copies under one key': async (scene) => {
    const key = randomUUID();
    const replies = await Promise.all(Array.from({ length: 8 }, () => reset(scene, { key })));
    return { replies, successes: 1 };
  },
  'the old after the new': async (scene) => {
    const newer = await requestLink(scene);
    return { replies: [await reset(scene), await reset({ ...scene, token: newer }), await reset(scene)], successes: 1 };
  },
  'by another customer': async (scene) => {
    const { world, tenant } = scene;
    const other = await openAccount(world, tenant);
    const session = await openCustomerSession(world, tenant, other.id);
    const reply = await reset({ ...scene, guest: asCustomer(tenant, session) });
    await expectLogin({ ...scene, account: other }, CUSTOMER_PASSWORD, 200);
    return { replies: [reply], successes: 1 };
  },
  'at another shop, then at its own': async (scene) => {
    const elsewhere = { ...scene, guest: asGuest(scene.world.tenants[1]) };
    return { replies: [await reset(elsewhere), await reset(scene)], successes: 1 };
  },
  'after its time': async (scene) => {
    await scene.world.owner.query(
      `update commerce.customer_codes set expires_at = now() where site_id = $1 and customer_id = $2`,
      [scene.tenant.site_id, scene.account.id],
    );
    return { replies: [await reset(scene)], successes: 0 };
  },
  'after the customer changed the address': async (scene) => {
    const { world, tenant, account, guest } = scene;
    const email = `new-${account.email}`;
    const customer = asCustomer(tenant, await openCustomerSession(world, tenant, account.id));
    await callAs(world, customer, 'storefront.updateCustomer', { email, current_password: CUSTOMER_PASSWORD });
    const token = await mailedSecret(world, tenant.site_id, email);
    await callAs(world, guest, 'storefront.verifyEmail', { token });
    return { replies: [await reset(scene)], successes: 0 };
  },
  ...Object.fromEntries(
    Object.entries(ENDINGS)
      .filter(([what]) => !what.includes('logout'))
      .map(([what, { end }]) => [
        `after ${what}`,
        async (scene: Scene) => {
          const { world, tenant, account } = scene;
          await end({ ...scene, first: { token: await openCustomerSession(world, tenant, account.id) } });
          return { replies: [await reset(scene)], successes: 0 };
        },
      ]),
  ),
  'for another end': async (scene) => {
    const { world, guest } = scene;
    const replies = [await tryAs(world, guest, 'storefront.verifyEmail', { token: scene.token })];
    for (const kind of ['verification', 'reset', 'customer'] as const) {
      replies.push(await reset({ ...scene, token: mintToken(kind) }));
    }
    replies.push(await reset(scene));
    return { replies, successes: 1 };
  },
  'spelled otherwise': async (scene) => {
    const { token } = scene;
    const spellings = [
      token.toLowerCase(),
      token.toUpperCase(),
      ` ${token}`,
      `${token} `,
      token.slice(0, -1),
      `${token}0`,
    ];
    const replies: Reply[] = [];
    for (const spelling of spellings) replies.push(await reset({ ...scene, token: spelling }));
    replies.push(await reset(scene));
    return { replies, successes: 1 };
  },
};

async function play(world: World, what: string, story: Story, atOnce: number): Promise<number> {
  const [tenant] = world.tenants;
  const account = await openAccount(world, tenant);
  const scene: Scene = { world, tenant, guest: asGuest(tenant), account, token: '', atOnce };
  scene.token = await requestLink(scene);
  const { replies, successes } = await story(scene);
  const found = replies.filter((reply) => reply.status === 200 && !isReplay(reply)).length;
  if (found !== successes) world.violations.add(`${what}: ${found} successes instead of ${successes}`);
  // A login gets 503 when the queue of password hashes is full.
  const odd = replies.find(({ status }) => ![200, 400, 401, 409, 422, 503].includes(status));
  if (odd) world.violations.add(`${what}: unexpected response ${odd.status} ${odd.text}`);
  if (successes === 0) await expectNoNewPassword(scene, what);
  return replies.length;
}

async function requestLink({ world, tenant, guest, account }: Scene): Promise<string> {
  await callAs(world, guest, 'storefront.requestPasswordReset', { email: account.email });
  return mailedSecret(world, tenant.site_id, account.email);
}

const NEW_PASSWORD = 'the password of the link';

/** Sets the password with the reset link of the scene, calling the shop in `guest`. */
function reset(
  { world, guest, token }: Scene,
  { new_password = NEW_PASSWORD, key = randomUUID() } = {},
): Promise<Reply> {
  return sendAgain(world, { key, operation: 'storefront.resetPassword', body: { token, new_password }, by: guest });
}

function logIn({ world, tenant, account }: Scene, password: string): Promise<Reply> {
  return tryAs(world, asGuest(tenant), 'storefront.loginCustomer', { email: account.email, password });
}

async function expectLogin(scene: Scene, password: string, status: number): Promise<void> {
  const reply = await logIn(scene, password);
  if (reply.status !== status) {
    scene.world.violations.add(`A login with ${password}: expected ${status}, got ${reply.status}: ${reply.text}`);
  }
}

/** Expects that the new password, which was sent with the link, is rejected for both e-mail addresses. */
async function expectNoNewPassword(scene: Scene, what: string): Promise<void> {
  for (const email of [scene.account.email, `new-${scene.account.email}`]) {
    const { status } = await logIn({ ...scene, account: { ...scene.account, email } }, NEW_PASSWORD);
    if (status !== 401) scene.world.violations.add(`${what}: the password of the link logs in with ${status}`);
  }
}
