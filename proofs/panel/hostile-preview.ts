import type { BrowserContext, Page } from '../../server/test/chromium.ts';
import { enter, type PanelVisit, settled } from './hostile-screens.ts';
import type { Stocked } from './stocked.ts';

/** The preview of a formatted description shows HTML that nobody has looked at yet: a merchant may paste anything. */

/** What says so by itself if it runs, in every way that the payloads have. */
const CANARIES = [
  '<script>console.error("executed: script")</script>',
  '<img src=x onerror=\'console.error("executed: handler")\'>',
  '<svg onload=\'console.error("executed: svg")\'></svg>',
  '<iframe srcdoc="<script>console.error(\'executed: inner frame\')</script>"></iframe>',
].join('');

/** What would take the frame, or what stands around it, elsewhere. */
const AWAY = [
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<form action=https://evil.example/><input name=q autofocus onfocus=\'console.error("executed: focus")\'></form>',
].join('');

/** Types all payloads into a product's formatted description and opens its preview: nothing may run, lead away or call anybody. */
export async function previewHostileHtml(visit: PanelVisit, { owner, ids, written }: Stocked): Promise<void> {
  const { browser, baseUrl, violations } = visit;
  const context = await browser.createBrowserContext();
  const tab = await context.newPage();
  await keepInside(tab, visit);
  await enter(tab, visit, owner);
  const executed = heardOn(tab);
  const address = `${baseUrl}/panel/products/${ids.product}`;
  await tab.goto(address);
  await settled(tab);
  await tab.locator('::-p-aria([name="Formatted description (HTML)"])').click();
  await tab.keyboard.sendCharacter(CANARIES + AWAY + written.join('\n'));
  await tab.locator('details.preview > summary').click();
  await tab.waitForSelector('details[open] iframe');
  await tab.evaluate('new Promise((done) => setTimeout(done, 500))');
  const frames = (await tab.evaluate(
    `[...document.querySelectorAll('iframe')].map((frame) => [frame.getAttribute('sandbox'), frame.hasAttribute('src')])`,
  )) as [string | null, boolean][];
  if (JSON.stringify(frames) !== '[["",false]]') {
    violations.add(`foreign markup: the frames of the preview are ${JSON.stringify(frames)}`);
  }
  if (tab.url() !== address) violations.add(`foreign markup: the preview led to ${tab.url()}`);
  for (const text of executed) violations.add(`executed: in the preview: ${text}`);
  if (!(await runsWithoutGuards(context))) violations.add('The canaries of the preview never run: the proof is blind.');
  await context.close();
}

/** Lets nothing out: pictures of elsewhere are refused, for which nobody need wait, and all else of elsewhere is a violation. */
async function keepInside(tab: Page, { baseUrl, violations }: PanelVisit): Promise<void> {
  await tab.setRequestInterception(true);
  tab.on('request', (request) => {
    const isOurs = /^(?:data|blob):/.test(request.url()) || new URL(request.url()).origin === baseUrl;
    (isOurs ? request.continue() : request.abort()).catch(() => undefined);
    if (isOurs || request.resourceType() === 'image') return;
    violations.add(`foreign markup: the preview asks for ${request.url()}`);
  });
}

function heardOn(tab: Page): string[] {
  const executed: string[] = [];
  tab.on('console', (message) => {
    if (/^executed: |Ignored call to 'alert/.test(message.text())) executed.push(message.text());
  });
  tab.on('dialog', (dialog) => {
    executed.push(`a dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  return executed;
}

/** In a page of no policy and a frame of no sandbox, they do run. */
async function runsWithoutGuards(context: BrowserContext): Promise<boolean> {
  const tab = await context.newPage();
  const executed = heardOn(tab);
  await tab.setContent(`<iframe srcdoc="${CANARIES.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`, {
    waitUntil: 'domcontentloaded',
  });
  for (let tries = 0; tries < 200 && executed.length < 3; tries += 1) {
    await tab.evaluate('new Promise((done) => setTimeout(done, 100))');
  }
  return ['script', 'handler', 'svg'].every((kind) => executed.includes(`executed: ${kind}`));
}
