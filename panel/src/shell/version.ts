/** The panel's page as the server has it now; undefined while the server cannot be reached. */
export async function reachServer(): Promise<string | undefined> {
  try {
    const page = await fetch('/panel/', { cache: 'no-store', credentials: 'omit' });
    return page.ok ? await page.text() : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the server has another version than the running one: names of scripts contain a hash of their content. */
export function isOutdated(page: string): boolean {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  return script !== null && !page.includes(new URL(script.src).pathname);
}
