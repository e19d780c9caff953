import { afterAll, beforeAll, test } from 'vitest';
import { type Browser, findChromium, NO_CHROMIUM, openChromium } from './chromium.ts';

/**
 * Opens a browser for the tests of a file, called once at its top: `played` is `test`, which skips without Chromium, and
 * `browser` is the browser that they share.
 */
export function inChromium() {
  const chromium = findChromium();
  if (!chromium) console.warn(NO_CHROMIUM);
  let opened: Browser | undefined;
  beforeAll(async () => {
    if (chromium) opened = await openChromium(chromium);
  }, 60_000);
  afterAll(async () => {
    await opened?.close();
  });
  const browser = (): Browser => {
    if (!opened) throw new Error('The browser is not open.');
    return opened;
  };
  return { played: test.skipIf(!chromium), browser };
}
