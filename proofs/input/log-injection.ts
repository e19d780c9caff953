import { freePort } from '../../server/src/db/free-port.ts';
import { type Operation, operationTable } from '../../server/src/http/contract/contract.ts';
import { type Proof, pick, type Trial, Violations } from '../testing/proof.ts';
import { RawClient, rawRequest } from '../testing/raw-http.ts';
import { ServerProcess, withDirectory } from '../testing/server-process.ts';
import { openTenant } from '../testing/site.ts';
import { bodyFieldsOf } from './body-fields.ts';

/**
 * Part of every payload. A log line that begins with this text, or a key that contains it, was created by the attack.
 */
const MARK = 'forged-line';
const FORGED = `{"level":"error","msg":"${MARK}","${MARK}":1}`;
/** The bytes to send, as latin1. Non-ASCII characters are written as the bytes of their UTF-8 encoding. */
const PAYLOADS = {
  'CR LF': `x\r\n${FORGED}\r\n`,
  LF: `x\n${FORGED}\n`,
  CR: `x\r${FORGED}\r`,
  'folded header': `x\r\n ${FORGED}`,
  'JSON break': `x","msg":"${MARK}","${MARK}":"`,
  'JSON break with braces': `x"}\\n${FORGED}`,
  'trailing backslash': `${MARK}\\`,
  'ANSI colours': `\x1b[31m${MARK}\x1b[0m`,
  'ANSI line eraser': `\x1b[2K\x1b[1A\r${FORGED}`,
  'C1 control sequence': `\x9b2K${MARK}`,
  'C1 in UTF-8': `\xc2\x9b2K${MARK}`,
  'line separator': `x\xe2\x80\xa8${FORGED}`,
  'next line': `x\xc2\x85${FORGED}`,
  'bidi override': `\xe2\x80\xae${MARK}`,
  'NUL and DEL': `x\0\x7f${MARK}`,
  'vertical tab and form feed': `x\v${FORGED}\f${FORGED}`,
  'invalid UTF-8': `\xff\xfe\xc0\x80${MARK}`,
  'encoded CR LF': `x%0d%0a${encodeURIComponent(FORGED)}%0a`,
  'encoded ANSI': `%1b[31m${MARK}%c2%9b`,
  'format string': `%s%d%j%o ${MARK} \${jndi:ldap://x}`,
  prototype: `__proto__ ${MARK}`,
} as const;

const HEADERS = [
  ...['Host', 'User-Agent', 'X-Request-Id', 'Referer', 'Origin', 'Cookie', 'Accept', 'Accept-Language', 'Content-Type'],
  ...['X-Forwarded-For', 'X-Forwarded-Host', 'Forwarded', 'X-Real-IP', 'Traceparent', 'If-None-Match', 'Range'],
  ...['Authorization', 'X-API-Key', 'X-Service-Token', 'X-Site-ID', 'X-Sync-Secret', 'X-Service-Merchant-Id'],
  ...['Idempotency-Key', 'Content-Encoding', 'Expect', 'Upgrade', `X-${MARK}`],
];

/** No request may add a line to the log, break one, or insert terminal control characters. */
export const J3: Proof = {
  id: 'J3',
  promise: 'Every line of the log is one JSON object, whatever requests contain.',
  run: (trial) => withDirectory((directory) => attack(trial, directory)),
};

async function attack({ size, databaseUrl }: Trial, directory: string) {
  const env = { DATABASE_URL: databaseUrl, DATA_DIR: directory, RATE_LIMITS: 'off', LOG_LEVEL: 'trace', ROLE: 'api' };
  const server = await new ServerProcess(await freePort(), env).mustBeReady();
  const client = new RawClient(server.port);
  try {
    const { api_key } = await openTenant(databaseUrl);
    const before = server.output.length;
    const rounds = pick(size, 1, 5);
    const sent = { requests: 0, answered: 0 };
    for (let round = 0; round < rounds; round += 1) {
      for (const [turn, payload] of Object.values(PAYLOADS).entries()) {
        for (const request of requestsWith(payload, api_key, targets(size, turn))) {
          const answer = await client.send(request).catch(() => undefined);
          sent.requests += 1;
          if (answer && answer.status !== 431) sent.answered += 1;
        }
      }
    }
    client.close();
    await server.end('SIGTERM');
    const violations = new Violations();
    const lines = server.output.slice(before).split('\n').slice(0, -1);
    for (const line of lines) judge(line, violations);
    if (lines.length < sent.answered / 4)
      violations.add(`The log has ${lines.length} lines for ${sent.answered} responses`);
    if (server.errors) violations.add(`stderr is not empty: ${server.errors.slice(0, 500)}`);
    const note = `${lines.length} log lines read`;
    return { tried: sent.requests, unit: 'requests', violations: violations.list, note };
  } finally {
    client.close();
    if (server.running) await server.end('SIGKILL');
  }
}

/** In the short form each payload is sent to one in 40 operations, in turn. */
function targets(size: Trial['size'], turn: number): Operation[] {
  const turns = pick(size, 40, 1);
  return operationTable.filter((_, i) => i % turns === turn % turns);
}

/** Requests with the payload in each header, and in the path, query and body of each operation. */
function* requestsWith(payload: string, apiKey: string, targets: Operation[]): Generator<string> {
  const headers = (method: string) => ({
    'X-API-Key': apiKey,
    ...(method !== 'get' && { 'Idempotency-Key': crypto.randomUUID() }),
  });
  for (const name of HEADERS) {
    yield rawRequest('GET', '/api/dashboard/settings', { ...headers('get'), [name]: payload });
    yield rawRequest('GET', '/api/dashboard/settings', { ...headers('get'), [name]: `valid-so-far-${payload}` });
  }
  yield rawRequest(`GET${payload}`, '/api/dashboard/settings', headers('get'));
  yield rawRequest('GET', `/${payload}`, headers('get'));
  yield rawRequest('GET', `http://x/${payload}`, headers('get'));
  // A JSON body may contain control characters, which a header may not.
  const text = Buffer.from(payload, 'latin1').toString('utf8');
  for (const operation of targets) {
    const { method, path, hasBody } = operation;
    const verb = method.toUpperCase();
    const plain = path.replaceAll(/\{\w+\}/g, 'x');
    if (plain !== path) {
      yield rawRequest(verb, path.replaceAll(/\{\w+\}/g, payload), headers(method));
      yield rawRequest(verb, path.replaceAll(/\{\w+\}/g, encodeURIComponent(text)), headers(method));
    }
    yield rawRequest(verb, `${plain}?${payload}=1&q=${payload}&page=${payload}`, headers(method));
    yield rawRequest(verb, `${plain}?q=${encodeURIComponent(text)}`, headers(method));
    if (!hasBody) continue;
    const json = { ...headers(method), 'Content-Type': 'application/json' };
    yield rawRequest(verb, plain, json, payload);
    yield rawRequest(verb, plain, json, JSON.stringify({ [text]: text }));
    for (const field of bodyFieldsOf(operation)) {
      yield rawRequest(verb, plain, json, JSON.stringify({ [field]: text, name: `${text} ${field}`, price: '1' }));
    }
  }
}

function judge(line: string, violations: Violations): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the check searches for control characters
  const control = /[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/.exec(line);
  if (control) violations.add(`A log line contains ${JSON.stringify(control[0])} unescaped: ${JSON.stringify(line)}`);
  try {
    const fields: unknown = JSON.parse(line);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) throw new Error('not an object');
    if (MARK in fields || (fields as { msg?: string }).msg === MARK)
      violations.add(`A request could set fields of a log line: ${line}`);
  } catch (error) {
    violations.add(`A log line is not one JSON object (${(error as Error).message}): ${JSON.stringify(line)}`);
  }
}
