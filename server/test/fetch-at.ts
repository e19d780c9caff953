import { request } from 'node:http';

/**
 * A `fetch` that sends requests to the test server with another Host header, which `fetch` itself does not allow. Does
 * not follow redirects.
 */
export function fetchAt(host: string): typeof fetch {
  return async (address, init = {}) => {
    const { method, headers, body } = new Request(address as string, init);
    const sent = body && Buffer.from(await new Response(body).arrayBuffer());
    return new Promise((answered, failed) => {
      const asked = request(String(address), { method, headers: { ...Object.fromEntries(headers), Host: host } });
      asked.on('error', failed).on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => answered(responseOf(response.statusCode ?? 0, response.rawHeaders, chunks)));
      });
      asked.end(sent ?? undefined);
    });
  };
}

function responseOf(status: number, rawHeaders: string[], chunks: Buffer[]): Response {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
  return new Response(status === 204 || status === 304 ? null : Buffer.concat(chunks), { status, headers });
}
