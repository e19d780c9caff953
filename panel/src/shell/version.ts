/** Fetches the panel's current HTML; undefined if the server cannot be reached. */
export async function reachServer(): Promise<string | undefined> {
  try {
    const page = await fetch('/panel/', { cache: 'no-store', credentials: 'omit' });
    return page.ok ? await page.text() : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the HTML belongs to another version than the running one. Script names contain a hash of their content. */
export function isOutdated(page: string): boolean {
  const script = document.querySelector<HTMLScriptElement>('script[type="module"][src]');
  return script !== null && !page.includes(new URL(script.src).pathname);
}
