import { expect, onTestFinished } from 'vitest';
import { givenDue } from '../../../test/due-payments.ts';
import { inChromium } from '../../../test/in-chromium.ts';
import { startServer, stopServer } from '../../../test/server.ts';
import { arriveAt, inspect, openTab, press } from '../../../test/tab.ts';
import { databaseUrl } from '../../../test/worker-database.ts';
import { freePort } from '../../db/free-port.ts';

const { played, browser } = inChromium();

const ENGLISH = {
  width: 1280,
  locale: 'en',
  pay: 'Pay €12.50 now',
  proof: 'Enter the e-mail address or the postal code',
  due: 'Still to pay',
};
const GERMAN = {
  width: 375,
  locale: 'de',
  pay: 'Jetzt 12,50 € bezahlen',
  proof: 'Geben Sie die E-Mail-Adresse oder die Postleitzahl',
  due: 'Noch zu zahlen',
};

for (const { width, locale, pay, proof, due } of [ENGLISH, GERMAN]) {
  played(
    `without script, ${width} pixels wide, language ${locale}: a guest pays an amount due on a provider's page and returns to the order`,
    async () => {
      const port = await freePort();
      const server = await startServer(databaseUrl(), { baseUrl: `http://127.0.0.1:${port}` }, undefined, port);
      onTestFinished(() => stopServer(server));
      const { link, details } = await givenDue({ locale });
      const { page, complaints } = await openTab(browser(), width);
      const look = async (step: string) => {
        await inspect(page, `due-${step}-${width}`);
        return String(await page.$eval('main', (main) => main.textContent)).replaceAll(/[\u00a0\u202f]/g, ' ');
      };

      await page.goto(server.baseUrl + new URL(link).pathname);
      expect(await look('1-due')).toContain(pay);
      await press(page, 'pay_due');
      expect(await look('2-without-proof')).toContain(proof);
      await page.type('#proof', '10115');
      await page.click('button[value="pay_due"]');
      await arriveAt(page, /test-payment/);
      await page.click('button[value="approve"]');
      await arriveAt(page, /\/orders\/ord_\w+$/);

      expect(await look('3-paid')).not.toContain(due);
      expect(await details()).toMatchObject({ amount_due: '0.00', amount_received: '27.40' });
      expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
    },
  );
}
