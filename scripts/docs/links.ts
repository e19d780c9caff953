import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { ROOT } from './pages.ts';

const LINK = /(?<!!)\[([^\]]*)\]\(((?!\w+:|#|\/)[^)\s]+)\)/g;

/**
 * Adapts a document's links for the site: links to documents become links to their pages, and links to other files
 * become plain text. Pictures stay. Throws if a linked file does not exist.
 */
export function withLinksOfPage(text: string, source: string, all: Map<string, string>): string {
  const page = all.get(source) ?? '';
  return text.replaceAll(LINK, (_, words: string, link: string) => {
    const [path = '', hash] = link.split('#');
    const target = posix.normalize(posix.join(dirname(source), path));
    const to = all.get(target);
    if (!to && !existsSync(join(ROOT, target))) throw new Error(`${source} leads to ${link}, which does not exist.`);
    if (!to) return words.startsWith('`') ? words : `${words} (\`${target}\`)`;
    const relative = posix.relative(dirname(page), to);
    return `[${words}](${relative.startsWith('.') ? relative : `./${relative}`}${hash ? `#${hash}` : ''})`;
  });
}

/** Returns the pages that are missing in the navigation, except the start page. */
export function pagesWithoutEntry(navigation: unknown, names: Iterable<string>): string[] {
  const entries = JSON.stringify(navigation);
  return [...names].filter((name) => name !== 'index.md' && !entries.includes(`"/${name.replace(/\.md$/, '')}"`));
}

/** Returns links to pages or anchors that do not exist in the built site. */
export function deadLinks(site: string): string[] {
  const files = readdirSync(site, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const texts = new Map(files.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(site, name), 'utf8')]));
  const dead: string[] = [];
  for (const [file, text] of texts) {
    for (const [, href = ''] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      if (/^\w+:/.test(href)) continue;
      const [path = '', hash] = href.split('#');
      const target =
        path === '' ? file : posix.join(path.startsWith('/') ? '' : dirname(file), path.replace(/^\//, ''));
      const page = [target, `${target}.html`, posix.join(target, 'index.html')].find((name) => texts.has(name));
      const found = page ? !hash || hasPlace(site, page, decodeURIComponent(hash)) : existsFile(site, target);
      if (!found) dead.push(`${file}: ${href}`);
    }
  }
  return dead;
}

/**
 * Whether a page has an element with this id. The API reference creates the ids of operations in the browser, so these
 * are read from its contract.
 */
function hasPlace(site: string, page: string, id: string): boolean {
  if (readFileSync(join(site, page), 'utf8').includes(`id="${id}"`)) return true;
  const [, operation] = /^operation\/(.+)$/.exec(id) ?? [];
  if (!operation) return false;
  return readFileSync(join(site, page.replace(/\.html$/, '.json')), 'utf8').includes(`"operationId":"${operation}"`);
}

function existsFile(site: string, target: string): boolean {
  return target !== '' && existsSync(join(site, target)) && !target.endsWith('/');
}
