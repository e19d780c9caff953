import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { expect } from 'vitest';
import type { Page } from '../../../test/chromium.ts';
import { everyMail } from '../../../test/every-mail.ts';
import { inChromium } from '../../../test/in-chromium.ts';
import { read } from '../../../test/qr-code.ts';
import { accessibilityProblems, leaveScreenshot, openTab } from '../../../test/tab.ts';
import { withImages } from '../../jobs/mailer.ts';
import { LANGUAGES } from '../../language/locales.ts';

const { played, browser } = inChromium();

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#7a9"/></svg>`;
const GROUNDS = { light: 'rgb(243, 244, 246)', dark: 'rgb(15, 18, 22)' } as const;

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Violations of WCAG 2.2 AA. Rules about landmarks are for pages, not for mails. */
async function violationsIn(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'], resultTypes: ['violations'] })`,
  )) as AxeResults;
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

/** Reads the QR code of the mail; undefined if it has none. */
async function scan(page: Page): Promise<string[] | undefined> {
  const found = (await page.evaluate(`(() => {
    const image = document.querySelector('img[src^="data:image/png"]');
    if (!image) return null;
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return { size: canvas.width, pixels: [...context.getImageData(0, 0, canvas.width, canvas.height).data] };
  })()`)) as { size: number; pixels: number[] } | null;
  return found ? read(new Uint8ClampedArray(found.pixels), found.size, found.size)?.split('\n') : undefined;
}

for (const locale of LANGUAGES) {
  played(
    `every mail in ${locale} is readable on small and large screens in light and dark mode, with at most one button and no URL as text`,
    async () => {
      const { page, complaints } = await openTab(browser(), 390, { script: true });
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        const { host, protocol } = new URL(request.url());
        if (protocol === 'data:') return void request.continue().catch(() => undefined);
        const isPicture = host === 'shop.example' && request.resourceType() === 'image';
        const answer = isPicture ? request.respond({ contentType: 'image/svg+xml', body: PICTURE }) : request.abort();
        answer.catch(() => undefined);
      });
      const names = new Map<string, number>();
      let codes = 0;
      for (const { template, mail } of await everyMail(locale)) {
        const count = (names.get(template) ?? 0) + 1;
        names.set(template, count);
        const name = `mail-${locale}-${template}-${count}`;
        await page.setContent(withImages(mail));
        const buttons = await page.$$eval('.button-link', (found) => found.length);
        const links = await page.$$eval('.button-link, .link', (found) => found.length);
        const shown = await page.$eval('body', (body) => body.innerText);
        expect([name, buttons]).toEqual([name, links > 0 && !(template === 'verification' && links > 1) ? 1 : 0]);
        expect([name, shown.match(/https?:\/\/\S*/g)]).toEqual([name, null]);
        expect([name, await page.$$eval('h1', (found) => found.length)]).toEqual([name, 1]);
        const code = await scan(page);
        expect([name, code !== undefined]).toEqual([name, mail.html.includes('cid:')]);
        if (code) {
          codes += 1;
          const transfer = ['BCD', '002', '1', 'SCT', '', 'Alder & Finch GmbH', 'DE89370400440532013000'];
          expect([name, ...code]).toEqual([name, ...transfer, expect.stringMatching(/^EUR\d+\.\d\d$/), '', '', '1003']);
        }
        // The colours do not depend on the width, nor the layout on the colours.
        for (const [scheme, width] of [
          ['light', 390],
          ['dark', 600],
        ] as const) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(GROUNDS[scheme]);
          await page.setViewport({ width, height: 900 });
          expect([name, scheme, width, await accessibilityProblems(page)]).toEqual([name, scheme, width, []]);
          await leaveScreenshot(page, `${name}-${scheme}-${width}`);
          // The elements of a mail are the same in each language.
          if (count === 1 && locale === 'en')
            expect([name, scheme, await violationsIn(page)]).toEqual([name, scheme, []]);
        }
        await page.emulateMediaFeatures([]);
      }
      expect(codes).toBeGreaterThan(1);
      expect(complaints).toEqual([]);
    },
    120_000,
  );
}
