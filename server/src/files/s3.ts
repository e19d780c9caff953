import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AwsV4Signer } from 'aws4fetch';
import { type Dispatcher, request } from 'undici';
import type { FileStore, S3Settings } from './store.ts';

const HEADERS_WITHIN_MS = 15_000;
const BODY_WITHIN_MS = 30_000;
/** SHA-256 of an empty body. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Stores files in an S3 bucket, which stores each object atomically. */
export function s3Store(settings: S3Settings): FileStore {
  const send = (method: Dispatcher.HttpMethod, key: string, headers: Record<string, string>, path?: string) =>
    sendSigned(settings, { method, key, headers, path });
  return {
    scratch: join(tmpdir(), 'commerce-unfinished'),
    async put(key, { path, bytes, sha256, content_type }) {
      const headers = { 'content-type': content_type, 'x-amz-content-sha256': sha256 };
      const { statusCode, body } = await send('PUT', key, { ...headers, 'content-length': String(bytes) }, path);
      await body.dump();
      if (statusCode !== 200) throw refusal('PUT', statusCode);
      await rm(path, { force: true });
    },
    async open(key) {
      const { statusCode, headers, body } = await send('GET', key, { 'x-amz-content-sha256': EMPTY });
      if (statusCode === 200) return { bytes: Number(headers['content-length']), stream: body };
      await body.dump();
      if (statusCode === 404) return undefined;
      throw refusal('GET', statusCode);
    },
    async remove(key) {
      const { statusCode, body } = await send('DELETE', key, { 'x-amz-content-sha256': EMPTY });
      await body.dump();
      if (![200, 204, 404].includes(statusCode)) throw refusal('DELETE', statusCode);
    },
    async removeAll(site_id) {
      // A listing returns at most 1,000 keys. After these are deleted, the next listing returns further keys.
      for (;;) {
        const listing = `?list-type=2&prefix=${site_id}%2F`;
        const { statusCode, body } = await send('GET', listing, { 'x-amz-content-sha256': EMPTY });
        const text = await body.text();
        if (statusCode !== 200) throw refusal('GET', statusCode);
        const keys = [...text.matchAll(/<Key>([^<]+)<\/Key>/g)].map(([, key = '']) => key);
        if (keys.length === 0) return;
        for (const key of keys) await this.remove(key);
      }
    },
  };
}

interface Sent {
  method: Dispatcher.HttpMethod;
  key: string;
  headers: Record<string, string>;
  /** File to send as the request body. */
  path: string | undefined;
}

async function sendSigned(settings: S3Settings, { method, key, headers, path }: Sent) {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = settings;
  const url = `${endpoint}/${bucket}/${key}`;
  const signer = new AwsV4Signer({ method, url, headers, accessKeyId, secretAccessKey, region, service: 's3' });
  const signed = await signer.sign();
  return request(signed.url, {
    method,
    headers: { ...Object.fromEntries(signed.headers), ...headers },
    ...(path && { body: createReadStream(path) }),
    headersTimeout: HEADERS_WITHIN_MS,
    bodyTimeout: BODY_WITHIN_MS,
  });
}

function refusal(method: string, status: number): Error {
  return new Error(`The file store answered ${method} with ${status}.`);
}
