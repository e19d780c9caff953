import { setTimeout as sleep } from 'node:timers/promises';
import type { HTTPRequest, Page } from '../../server/test/chromium.ts';

/**
 * Tracks the open requests of a tab. With interception, Puppeteer's waitForNetworkIdle never ends, because Chromium
 * does not report the end of requests of a document that was left.
 */
export class Traffic {
  readonly #underWay = new Set<HTTPRequest>();
  readonly #tab: Page;
  #changed = Date.now();
  /** The request for the document that will replace the current one. */
  #next: HTTPRequest | undefined;

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
      // The event also occurs when only the URL of the document changes. The document's requests then stay open.
      if (frame !== tab.mainFrame() || !this.#next?.response()) return;
      this.#next = undefined;
      this.#underWay.clear();
      this.#changed = Date.now();
    });
  }

  /**
   * Waits until no request has been open for `idleTime` milliseconds. Throws after `timeout`, and names the open
   * requests.
   */
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
