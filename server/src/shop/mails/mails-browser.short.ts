import { expect } from 'vitest';
import { everyMail } from '../../../test/every-mail.ts';
import { inChromium } from '../../../test/in-chromium.ts';
import { accessibilityProblems, leaveScreenshot, openTab } from '../../../test/tab.ts';
import { LANGUAGES } from '../../language/locales.ts';

const { played, browser } = inChromium();

const PICTURE = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8" fill="#7a9"/></svg>`;

for (const locale of LANGUAGES) {
  played(
    `every mail in ${locale} is readable on small and large screens, in light and dark mode`,
    async () => {
      const { page, complaints } = await openTab(browser(), 375);
      await page.setRequestInterception(true);
      page.on('request', (request) => {
        const isPicture = new URL(request.url()).host === 'shop.example' && request.resourceType() === 'image';
        const answer = isPicture ? request.respond({ contentType: 'image/svg+xml', body: PICTURE }) : request.abort();
        answer.catch(() => undefined);
      });
      const names = new Map<string, number>();
      for (const { template, mail } of await everyMail(locale)) {
        names.set(template, (names.get(template) ?? 0) + 1);
        const name = `mail-${locale}-${template}-${names.get(template)}`;
        await page.setContent(mail.html);
        for (const scheme of ['light', 'dark']) {
          await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }]);
          const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');
          expect(background).toBe(scheme === 'dark' ? 'rgb(22, 25, 29)' : 'rgb(255, 255, 255)');
          for (const width of [375, 700]) {
            await page.setViewport({ width, height: 900 });
            expect([name, scheme, width, await accessibilityProblems(page)]).toEqual([name, scheme, width, []]);
            await leaveScreenshot(page, `${name}-${scheme}-${width}`);
          }
        }
      }
      expect(complaints).toEqual([]);
    },
    120_000,
  );
}
