import type { FetchLikeMcpHandler } from '@modelcontextprotocol/node';
import type { Response as Sent } from 'express';

/**
 * The HTTP status of a failed call. A client that receives a stream gets only the JSON-RPC error, with 200; but a
 * challenge needs its status, so that the client begins the OAuth flow.
 */
export class FailedStatus {
  status: number | undefined;
  isChallenge = false;

  constructor(res: Sent) {
    const writeHead = res.writeHead.bind(res) as (...given: unknown[]) => Sent;
    res.writeHead = ((status: number, headers?: Record<string, string>) =>
      writeHead(this.#statusFor(headers) ?? status, headers)) as Sent['writeHead'];
  }

  #statusFor(headers: Record<string, string> = {}): number | undefined {
    return this.isChallenge || !isStream(headers['content-type']) ? this.status : undefined;
  }
}

/** Delays the status of a stream until its first message, because the call has set the status by then. */
export function withLateStatus(handler: FetchLikeMcpHandler): FetchLikeMcpHandler {
  return {
    async fetch(request, options) {
      const response = await handler.fetch(request, options);
      if (!response.body || !isStream(response.headers.get('Content-Type'))) return response;
      const reader = response.body.getReader();
      const first = await reader.read();
      return new Response(resumed(reader, first), response);
    },
  };
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;
type Chunk = Awaited<ReturnType<Reader['read']>>;

/** A stream that continues a reader whose first chunk has already been read. */
function resumed(reader: Reader, first: Chunk): ReadableStream<Uint8Array> {
  let next: Promise<Chunk> | undefined = Promise.resolve(first);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await (next ?? reader.read());
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

function isStream(type: string | null | undefined): boolean {
  return type?.startsWith('text/event-stream') === true;
}
