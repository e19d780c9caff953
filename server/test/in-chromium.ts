import { afterAll, beforeAll, test } from 'vitest';
import { type Browser, findChromium, NO_CHROMIUM, openChromium } from './chromium.ts';

/**
 * Call this function at the top of a test file. Returns `played`, which is `test` but skipped if Chromium is missing,
 * and `browser`, which the tests of the file share.
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
