import type { Page } from '../chromium.ts';
import { follow, type Login } from '../customer-tab.ts';

const OFTEN_MS = 200;

/** Reads the output of a terminal, and opens its URLs in a browser. */
export interface Reader {
  /** Waits until everything printed so far has been handled. Throws the error of a page. */
  caughtUp(): Promise<void>;
  leave(): void;
}

export function openReader(page: Page, login: Login, printed: () => string): Reader {
  let followed = 0;
  let work: Promise<unknown> = Promise.resolve();
  const read = () => {
    const links = [...printed().matchAll(/Open (http\S+)(?=\s)/g)].map(([, link = '']) => link);
    for (const link of links.slice(followed)) work = work.then(() => follow(page, login, link));
    followed = links.length;
  };
  const timer = setInterval(read, OFTEN_MS);
  // Prevents an unhandled rejection; `caughtUp` throws the error.
  work.catch(() => {});
  return {
    async caughtUp() {
      read();
      await work;
    },
    leave: () => clearInterval(timer),
  };
}
