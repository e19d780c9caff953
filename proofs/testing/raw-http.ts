import { connect, type Socket } from 'node:net';

/** A response as raw text. */
export interface RawAnswer {
  status: number;
  /** The status line and the headers. */
  head: string;
  body: string;
}

const ANSWER_TIMEOUT_MS = 15_000;

/**
 * Sends raw HTTP/1.1, for requests that no client library would send. One request at a time; the connection is reused
 * as long as the server keeps it open.
 */
export class RawClient {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * Sends the bytes and reads one response. Returns undefined if the server closes the connection without a response.
   * Throws after 15 s without either.
   */
  async send(request: string | Buffer, { withoutBody = false } = {}): Promise<RawAnswer | undefined> {
    const socket = await this.#connection();
    return new Promise((resolve, reject) => {
      let received = Buffer.alloc(0);
      const timer = setTimeout(() => finish(new Error('No answer within 15 s.')), ANSWER_TIMEOUT_MS);
      const finish = (outcome: RawAnswer | Error | undefined, ended = false) => {
        clearTimeout(timer);
        socket.removeAllListeners('data').removeAllListeners('close');
        if (ended || outcome instanceof Error) this.close();
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      socket.on('data', (bytes: Buffer) => {
        received = Buffer.concat([received, bytes]);
        const answer = answerIn(received, withoutBody, false);
        if (answer) finish(answer, /^connection: close/im.test(answer.head));
      });
      socket.on('close', () => finish(answerIn(received, withoutBody, true), true));
      socket.write(typeof request === 'string' ? Buffer.from(request, 'latin1') : request);
    });
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connection(): Promise<Socket> {
    if (this.#socket && !this.#socket.destroyed && this.#socket.readyState === 'open')
      return Promise.resolve(this.#socket);
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
      socket.once('error', reject);
      socket.once('connect', () => {
        // The server may reset the connection while bytes are sent. That error is ignored, because the `close` event
        // follows it.
        socket.off('error', reject).on('error', () => {});
        this.#socket = socket;
        resolve(socket);
      });
    });
  }
}

/**
 * Returns the first complete response in the bytes. If the connection has ended, the received bytes count as complete.
 */
function answerIn(bytes: Buffer, withoutBody: boolean, ended: boolean): RawAnswer | undefined {
  const split = bytes.indexOf('\r\n\r\n');
  if (split < 0) return undefined;
  const head = bytes.subarray(0, split).toString('latin1');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (status === 100) return answerIn(bytes.subarray(split + 4), withoutBody, ended);
  const rest = bytes.subarray(split + 4);
  const answer = (body: string) => ({ status, head, body });
  if (withoutBody || status === 204 || status === 304) return answer('');
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length !== undefined && rest.length >= Number(length)) return answer(rest.subarray(0, Number(length)).toString());
  if (/^transfer-encoding: chunked/im.test(head) && rest.includes('0\r\n\r\n')) return answer(rest.toString());
  return ended ? answer(rest.toString()) : undefined;
}

/** Formats a request as text. Header values are sent unchanged, even invalid ones. */
export function rawRequest(method: string, target: string, headers: Record<string, string>, body = ''): string {
  const bytes = Buffer.from(body);
  const fields = { Host: '127.0.0.1', ...headers, ...(body && { 'Content-Length': String(bytes.length) }) };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${target} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${bytes.toString('latin1')}`;
}
