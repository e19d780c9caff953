import { setTimeout as sleep } from 'node:timers/promises';
import type { HTTPRequest, Page } from '../../server/test/chromium.ts';

/**
 * The open requests of a tab. Puppeteer's waitForNetworkIdle counts them too, but for ever: with interception,
 * Chromium does not report the end of requests whose document was left, and the tab never becomes idle.
 */
export class Traffic {
  readonly #underWay = new Set<HTTPRequest>();
  readonly #tab: Page;
  #changed = Date.now();
  /** The request for the document that is to replace this one. */
  #next: HTTPRequest | undefined;

  /** Counts from now on. */
  constructor(tab: Page) {
    this.#tab = tab;
    const end = (request: HTTPRequest) => {
      if (this.#underWay.delete(request)) this.#changed = Date.now();
    };
    tab.on('request', (request) => {
      if (request.isNavigationRequest() && request.frame() === tab.mainFrame()) this.#next = request;
      this.#underWay.add(request);
      this.#changed = Date.now();
    });
    tab.on('requestfinished', end);
    tab.on('requestfailed', end);
    tab.on('framenavigated', (frame) => {
      // Also called for a new address of the same document, which keeps its open requests.
      if (frame !== tab.mainFrame() || !this.#next?.response()) return;
      this.#next = undefined;
      this.#underWay.clear();
      this.#changed = Date.now();
    });
  }

  /** Waits until no request was open for some milliseconds; names the open ones at the timeout. */
  async rest(idleTime: number, timeout: number): Promise<void> {
    const deadline = Date.now() + timeout;
    while (this.#underWay.size > 0 || Date.now() - this.#changed < idleTime) {
      if (Date.now() > deadline) {
        const open = [...this.#underWay].map((request) => `${request.method()} ${request.url()}`);
        throw new Error(`${this.#tab.url()} does not come to rest: ${open.join(', ') || 'it asks again and again'}`);
      }
      await sleep(5);
    }
  }
}
