import { document, type Method, operationTable } from '../../http/contract/contract.ts';
import { html } from '../parts/html.ts';
import type { Chapter } from './chapters.ts';
import { docsDocument, type Link } from './document.ts';
import { samplesOf } from './samples.ts';

/**
 * A chapter of the API reference, rendered by Redoc. For the whole contract Redoc would create 70,000 elements on one
 * page, so each page gets only its own part.
 */
export function referencePage(chapter: Chapter, link: Link): string {
  return docsDocument({
    title: chapter.name,
    link,
    main: html`<div class="bar"><a href="${link('index.html')}">Documentation</a> <span>${chapter.name}</span></div>
<main><redoc spec-url="${link(`reference/${chapter.slug}.json`)}" disable-google-font="true" hide-download-button="true"
  disable-search="true" payload-sample-idx="2" scroll-y-offset=".bar" native-scrollbars="true"></redoc></main>
<noscript><p class="notice">This page needs JavaScript. <a href="${link('openapi.json')}">The contract</a> does not.</p></noscript>
<script src="${link('redoc.standalone.js')}"></script>`,
  });
}

type Json = Record<string, unknown>;

/**
 * The part of the contract for a chapter, with code samples. Tags are removed, so that Redoc's menu lists the
 * operations directly, each at `#operation/{operationId}`.
 */
export function contractOf({ name, description, operations }: Chapter): Json {
  const {
    paths: all,
    webhooks = {},
    components,
    tags: _,
    'x-tagGroups': _groups,
    ...rest
  } = document as Json & typeof document;
  const paths: Record<string, Json> = {};
  for (const { operation } of operations) {
    const { path, method } = operation;
    const item = all[path] ?? {};
    paths[path] ??= withoutMethods(item);
    paths[path][method] = { ...item[method], tags: undefined, 'x-codeSamples': samplesOf(operation) };
  }
  const isOurs = (tagged: unknown) => (tagged as { tags?: string[] }).tags?.includes(name);
  const events = Object.entries(webhooks as Record<string, { post: Json }>)
    .filter(([, { post }]) => isOurs(post))
    .map(([type, { post }]) => [type, { post: { ...post, tags: undefined } }]);
  const body = {
    ...rest,
    info: { title: name, version: document.info.version, description },
    paths,
    webhooks: Object.fromEntries(events),
  };
  return { ...body, components: reachable(body, components) };
}

const METHODS = new Set<string>(operationTable.map(({ method }) => method satisfies Method));

function withoutMethods(item: Json): Json {
  return Object.fromEntries(Object.entries(item).filter(([key]) => !METHODS.has(key)));
}

const REFERENCE = /"#\/components\/(\w+)\/([^"/]+)"/g;

/**
 * All components that are referenced directly or indirectly, and all security schemes, which are not referenced by
 * `$ref`.
 */
function reachable(root: unknown, components: Record<string, Json>): Record<string, Json> {
  const found: Record<string, Json> = { securitySchemes: components.securitySchemes ?? {} };
  const visit = (node: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(REFERENCE)) {
      found[kind] ??= {};
      const kept = found[kind];
      if (name in kept) continue;
      kept[name] = components[kind]?.[name];
      visit(kept[name]);
    }
  };
  visit(root);
  return found;
}
