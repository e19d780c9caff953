import type { Browser, HTTPRequest } from '../../server/test/chromium.ts';
import { inChromium } from '../testing/chromium.ts';
import type { Trial } from '../testing/proof.ts';
import { exchange } from '../testing/raw-requests.ts';
import { tokenPattern } from '../testing/token-pattern.ts';
import type { Scene } from './redirects.ts';

const SECRETS = tokenPattern('{8}');

/**
 * Opens the pages of K5 in Chromium and intercepts every request. Only requests to our own origins are passed to the
 * server.
 */
export function followInChromium(trial: Trial, scene: Scene, values: string[], count: number): Promise<string> {
  const some = [...[...scene.accepted].slice(0, count / 2), ...values].slice(0, count);
  return inChromium(trial, async (browser) => {
    for (const value of some) await follow(browser, scene, value);
  });
}

/**
 * Opens the return page of a payment and a checkout, both with the planted value, and clicks the link back to the shop.
 */
async function follow(browser: Browser, scene: Scene, value: string): Promise<void> {
  const { premises, open, paying, payment_id, host } = scene;
  const planted = value.replaceAll('\0', '');
  await premises.owner.query('update commerce.payments set return_url = $2 where id = $1', [payment_id, planted]);
  await premises.owner.query('update commerce.checkouts set cancel_url = $2 where id = $1', [open.id, planted]);
  const context = await browser.createBrowserContext();
  const tab = await context.newPage();
  try {
    await tab.setRequestInterception(true);
    tab.on('request', (request) => void answer(scene, value, request));
    await tab.goto(`https://${host}${paying.path}/return?payment=${payment_id}`);
    await tab.goto(`https://${host}${open.path}`);
    const links = await tab.$$('footer a[rel="noreferrer"]');
    if (links[0])
      await Promise.all([tab.waitForNavigation({ timeout: 5_000 }).catch(() => undefined), links[0].click()]);
  } finally {
    await context.close();
  }
}

/** Passes requests for our origins to the server, and checks requests for other origins. */
async function answer({ premises, ours, cast }: Scene, value: string, request: HTTPRequest): Promise<void> {
  const { origin, pathname, search, host } = new URL(request.url());
  if (!ours.includes(origin)) {
    if (!cast.own.includes(origin))
      premises.violations.add(
        `A page with the URL ${JSON.stringify(value)} led Chromium to another site: ${request.url()}`,
      );
    if (SECRETS.test(`${request.url()} ${request.headers().referer ?? ''}`)) {
      premises.violations.add(`A page with the URL ${JSON.stringify(value)} sent a secret to ${request.url()}`);
    }
    return request.respond({ status: 200, contentType: 'text/html', body: 'elsewhere' });
  }
  const { status, headers, text } = await exchange(premises.baseUrl, request.method(), pathname + search, {
    Host: host,
  });
  const kept = Object.entries(headers).filter(
    ([name]) => !['connection', 'keep-alive', 'transfer-encoding'].includes(name),
  );
  return request.respond({ status, headers: Object.fromEntries(kept) as Record<string, string>, body: text });
}
