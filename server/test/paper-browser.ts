/** A simulated browser that keeps cookies, sends forms, and follows the redirect after a form. */
export class PaperBrowser {
  readonly #origin: string;
  readonly #headers: Record<string, string>;
  readonly #ask: typeof fetch;
  readonly #cookies = new Map<string, string>();

  /**
   * `headers` are sent with every request. `ask` replaces `fetch`, for example to send the requests to another host.
   */
  constructor(origin: string, headers: Record<string, string> = {}, ask: typeof fetch = fetch) {
    this.#origin = origin;
    this.#headers = headers;
    this.#ask = ask;
  }

  /** Opens the path of a URL on the test server, whatever host the URL has. */
  async open(address: string, init: RequestInit = {}): Promise<Page> {
    const { pathname, search } = new URL(address, this.#origin);
    const Cookie = [...this.#cookies].map((pair) => pair.join('=')).join('; ');
    const headers = { ...this.#headers, Cookie, ...init.headers };
    const response = await this.#ask(this.#origin + pathname + search, { ...init, headers, redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    return { response, path: pathname, html: await response.text() };
  }

  /** Fills in the form that contains the button, presses it, and follows a redirect within the server. */
  async press(page: Page, action: string, entries: Record<string, string> = {}): Promise<Page> {
    const fields = formWith(page.html, action);
    for (const [name, value] of Object.entries(entries)) fields.set(name, value);
    fields.set('action', action);
    return this.send(actionOf(page, action), fields);
  }

  /** Posts a form from a page of the same origin. Does not follow a redirect to another site. */
  async send(path: string, fields: URLSearchParams, headers: Record<string, string> = {}): Promise<Page> {
    const sent = { Origin: 'null', 'Sec-Fetch-Site': 'same-origin', ...headers };
    const page = await this.open(path, { method: 'POST', body: fields, headers: sent });
    const target = page.response.headers.get('Location');
    const isOurs = target?.startsWith('/') || target?.startsWith('http://localhost/');
    return page.response.status === 303 && target && isOurs ? this.open(target) : page;
  }
}

export interface Page {
  response: Response;
  path: string;
  html: string;
}

/** The HTML of the form with this button. */
function markupWith(html: string, action: string): string {
  const forms = [...html.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => form);
  const button = new RegExp(`<button[^>]*value="${action}"[^>]*>`);
  // A button may be outside of its form and refer to it.
  const owner = /\sform="([^"]*)"/.exec(button.exec(html)?.[0] ?? '')?.[1];
  const form = forms.find((text) => (owner ? text.includes(`id="${owner}"`) : button.test(text)));
  if (!form) throw new Error(`The page has no form with ${action}.`);
  return form;
}

/** The URL to which the form is sent by this button. */
export function actionOf({ html, path }: Pick<Page, 'html' | 'path'>, action: string): string {
  const [button = ''] = new RegExp(`<button[^>]*value="${action}"[^>]*>`).exec(html) ?? [];
  return attribute(button, 'formaction') ?? attribute(markupWith(html, action), 'action') ?? path;
}

/** The fields that the form with this button sends unchanged. */
export function formWith(html: string, action: string): URLSearchParams {
  const form = markupWith(html, action);
  const fields = new URLSearchParams();
  for (const [input] of form.matchAll(/<input\b[^>]*>/g)) {
    const name = attribute(input, 'name');
    const isChoice = ['radio', 'checkbox'].includes(attribute(input, 'type') ?? '');
    if (name && (!isChoice || /\schecked\b/.test(input))) fields.set(name, attribute(input, 'value') ?? '');
  }
  for (const [, opening = '', content = ''] of form.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g)) {
    const chosen = /<option value="([^"]*)" selected/.exec(content)?.[1] ?? '';
    fields.set(attribute(opening, 'name') ?? '', chosen);
  }
  for (const [, opening = '', content = ''] of form.matchAll(/<textarea\b([^>]*)>\n?([\s\S]*?)<\/textarea>/g)) {
    fields.set(attribute(opening, 'name') ?? '', unescaped(content));
  }
  return fields;
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : unescaped(value);
}

/** Decodes escaped HTML. */
export function unescaped(text: string): string {
  const characters: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };
  return text.replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => characters[entity] ?? entity);
}
