/** Attacks that change one part of a form's request, while everything else is correct. */

import { cookies } from './page-shops.ts';

export interface Server {
  baseUrl: string;
  ownOrigin: string;
  /** The name of the cookie that protects forms. */
  cookie: string;
}

/** A correct request; each attack changes one part of it. */
export interface Form {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  fields: URLSearchParams;
  body?: string;
}

export type Attack = [what: string, change: (form: Form) => void];

/** A page as a browser has opened it. */
export interface Opened {
  cookie: string;
  /** The login cookie; empty if nobody is logged in. */
  login: string;
  csrf: string;
  fields: URLSearchParams;
  /** The URL to which the form is submitted. */
  action: string;
}

export interface Others {
  own: Opened;
  /** The same page, opened in another browser. */
  stranger: Opened;
  /** Another page of the same kind. */
  elsewhere: Opened;
  /** The same page, opened three days ago. */
  old: Opened;
  /** The same page, opened on a server with another secret. */
  forged: Opened;
}

export function attacksOn(server: Server, others: Others): Attack[] {
  return [...byOrigin(server), ...byToken(others), ...byCookie(server, others), ...byLogin(others), ...byForm()];
}

const FOREIGN = ['https://evil.example', 'https://localhost.evil.example', 'http://localhost:1', 'file://', ''];

/** All combinations of Origin and Sec-Fetch-Site, except the combinations that the page itself sends. */
function byOrigin({ ownOrigin }: Server): Attack[] {
  const secure = ownOrigin.startsWith('https:');
  const origins = [undefined, 'null', ownOrigin, ownOrigin.toUpperCase(), `${ownOrigin}.evil.example`, ...FOREIGN];
  const sites = [undefined, 'cross-site', 'same-site', 'none', 'same-origin', 'SAME-ORIGIN', 'same-origin, cross-site'];
  const isOwn = (site: string | undefined, origin: string | undefined) =>
    site === 'same-origin'
      ? [undefined, 'null', ownOrigin].includes(origin)
      : site === undefined && (origin === ownOrigin || (origin === 'null' && !secure));
  return sites.flatMap((site) =>
    origins
      .filter((origin) => !isOwn(site, origin))
      .map(
        (origin): Attack => [
          `with Origin ${origin} and Sec-Fetch-Site ${site}`,
          (form) => {
            delete form.headers.Origin;
            delete form.headers['Sec-Fetch-Site'];
            if (origin !== undefined) form.headers.Origin = origin;
            if (site !== undefined) form.headers['Sec-Fetch-Site'] = site;
          },
        ],
      ),
  );
}

function byToken({ stranger, elsewhere, old, forged }: Others): Attack[] {
  const token = (what: string, value: string): Attack => [`with ${what}`, ({ fields }) => fields.set('csrf', value)];
  const session = (what: string, { cookie, login, csrf }: Opened): Attack => [
    what,
    ({ headers, fields }) => {
      headers.Cookie = cookies(cookie, login);
      fields.set('csrf', csrf);
    },
  ];
  return [
    ['without a token', ({ fields }) => fields.delete('csrf')],
    token('an empty token', ''),
    token('a made-up token', 'A'.repeat(43)),
    token('a short token', 'A'),
    token("another browser's token", stranger.csrf),
    token("another page's token", elsewhere.csrf),
    token('a word of JavaScript', 'undefined'),
    [
      'with its token in the address alone',
      (form) => {
        form.path += `?csrf=${form.fields.get('csrf')}`;
        form.fields.delete('csrf');
      },
    ],
    [
      'with a wrong token before its own',
      (form) => {
        form.body = `csrf=${'A'.repeat(43)}&${form.fields}`;
      },
    ],
    session('of a session that is three days old', old),
    session('of a session that another server signed', forged),
  ];
}

function byCookie({ cookie }: Server, { stranger, own }: Others): Attack[] {
  const sent = (what: string, value: string): Attack => [
    `with ${what}`,
    ({ headers }) => (headers.Cookie = cookies(value, own.login)),
  ];
  return [
    ['without a cookie', ({ headers }) => delete headers.Cookie],
    sent('an empty cookie', `${cookie}=`),
    sent("another browser's cookie", stranger.cookie),
    sent('a planted cookie before its own', `${stranger.cookie}; ${own.cookie}`),
    sent('a planted cookie after its own', `${own.cookie}; ${stranger.cookie}`),
    sent('its cookie under another name', own.cookie.replace(cookie, `${cookie}2`)),
    sent('a made-up cookie', `${cookie}=${'A'.repeat(43)}`),
  ];
}

/** The correct form session, with the login of another person or without a login. */
function byLogin({ own, stranger, elsewhere }: Others): Attack[] {
  if (own.login === '') return [];
  const [name = ''] = own.login.split('=');
  const sent = (what: string, ...logins: string[]): Attack => [
    `with ${what}`,
    ({ headers }) => (headers.Cookie = cookies(own.cookie, ...logins)),
  ];
  return [
    sent('nobody logged in'),
    sent("its reader's login of another browser", stranger.login),
    sent('the login of another customer', elsewhere.login),
    sent('two logins', own.login, elsewhere.login),
    sent('a made-up login', `${name}=cust_${'A'.repeat(38)}`),
    [
      'with the form of another customer',
      ({ headers, fields }) => {
        headers.Cookie = cookies(elsewhere.cookie, own.login);
        fields.set('csrf', elsewhere.csrf);
      },
    ],
  ];
}

/**
 * All fields of the form, in encodings and with methods that a browser can be made to use or that a framework might
 * accept.
 */
function byForm(): Attack[] {
  const typed = (type: string, bodyOf: (fields: URLSearchParams) => string): Attack => [
    `as ${type}`,
    (form) => {
      form.headers['Content-Type'] = type;
      form.body = bodyOf(form.fields);
    },
  ];
  const method = (name: string): Attack => [
    `by ${name}`,
    (form) => {
      form.method = name;
      form.path += `?${form.fields}`;
    },
  ];
  return [
    ...['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].map(method),
    ...['X-HTTP-Method-Override', 'X-Method-Override', 'X-HTTP-Method'].map(
      (header): Attack => [
        `by GET with ${header}`,
        (form) => {
          form.method = 'GET';
          form.path += `?_method=POST&${form.fields}`;
          form.headers[header] = 'POST';
        },
      ],
    ),
    typed('text/plain', String),
    typed('application/json', (fields) => JSON.stringify(Object.fromEntries(fields))),
    typed('application/x-www-form-urlencoded2', String),
    typed('multipart/form-data; boundary=x', (fields) =>
      [...fields]
        .map(([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
        .join(''),
    ),
  ];
}
