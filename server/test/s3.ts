import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AwsV4Signer } from 'aws4fetch';
import type { S3Settings } from '../src/files/store.ts';

/** An object store in memory with S3's API. It accepts only complete requests that are signed with its secret. */
export async function openS3(): Promise<{
  settings: S3Settings;
  objects: Map<string, Buffer>;
  close(): Promise<void>;
}> {
  const objects = new Map<string, Buffer>();
  const keys = { accessKeyId: 'AKIATEST', secretAccessKey: 'a secret of the stand-in' };
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { 'x-amz-date': datetime = '', 'x-amz-content-sha256': sha256 = '', host = '' } = req.headers;
    const url = `http://${host}${req.url}`;
    const headers = { 'x-amz-content-sha256': String(sha256) };
    const { method = 'GET' } = req;
    const signer = new AwsV4Signer({
      method,
      url,
      headers,
      datetime: String(datetime),
      ...keys,
      service: 's3',
      region: 'eu-test-1',
    });
    const signed = (await signer.sign()).headers.get('authorization');
    const signature = (text = '') => /Signature=(\w+)/.exec(text)?.[1];
    if (
      !req.headers.authorization?.includes('AWS4-HMAC-SHA256 Credential=AKIATEST/') ||
      signature(signed ?? '') !== signature(req.headers.authorization)
    )
      return res.writeHead(403).end();
    const key = decodeURIComponent(req.url ?? '');
    if (createHash('sha256').update(body).digest('hex') !== sha256) return res.writeHead(400).end();
    if (method === 'PUT') objects.set(key, body);
    if (method === 'DELETE') objects.delete(key);
    const found = method === 'GET' ? objects.get(key) : Buffer.alloc(0);
    return found
      ? res.writeHead(method === 'DELETE' ? 204 : 200, { 'content-length': found.length }).end(found)
      : res.writeHead(404).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    settings: { endpoint: `http://127.0.0.1:${port}`, bucket: 'pictures', region: 'eu-test-1', ...keys },
    objects,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}
