import { setTimeout as sleep } from 'node:timers/promises';
import type { HTTPRequest, Page } from '../../server/test/chromium.ts';

/**
 * What a tab is asking for. Puppeteer's waitForNetworkIdle counts this too, but for ever: where requests are intercepted,
 * Chromium tells nothing of the end of those whose document was left, and the tab never comes to rest.
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
      // Told also of a new address of the same document, which goes on with what it asked for.
      if (frame !== tab.mainFrame() || !this.#next?.response()) return;
      this.#next = undefined;
      this.#underWay.clear();
      this.#changed = Date.now();
    });
  }

  /** Waits until nothing has been under way for some milliseconds; names what still is when the time is up. */
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
