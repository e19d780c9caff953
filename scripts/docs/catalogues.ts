import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { groups } from '../../server/src/pages/docs/chapters.ts';
import { ROOT } from './pages.ts';

interface ErrorEntry {
  status: number;
  retryable: boolean;
  meaning: string;
  remedy: string;
}
interface EventEntry {
  post: {
    summary: string;
    description: string;
    requestBody: { content: { 'application/json': { example: { data: object } } } };
  };
}
interface Contract {
  webhooks: Record<string, EventEntry>;
  components: { schemas: { ErrorCode: { 'x-error-catalogue': Record<string, ErrorEntry> } } };
}

function contract(): Contract {
  return JSON.parse(readFileSync(join(ROOT, 'spec/generated/openapi.json'), 'utf8'));
}

/** Returns the page that lists the contract's errors by status, with meaning and remedy. */
export function errorsPage(): string {
  const entries = Object.entries(contract().components.schemas.ErrorCode['x-error-catalogue']);
  const statuses = [...new Set(entries.map(([, { status }]) => status))].sort((one, other) => one - other);
  const sections = statuses.map((status) => {
    const own = entries.filter(([, entry]) => entry.status === status);
    const rows = own.map(
      ([code, { meaning, remedy, retryable }]) =>
        `### ${code}\n\n${plain(meaning)}\n\n**What to do.** ${plain(remedy)}${retryable ? ' The same call may succeed later.' : ''}\n`,
    );
    return `## ${status}\n\n${rows.join('\n')}`;
  });
  return `# Errors\n\nEvery error response has one of these ${entries.length} codes in \`error\`, a sentence in \`message\`, and a \`request_id\` to
quote when you ask for help. In the SDK, \`isError(error, 'budget_exceeded')\` checks for a code.\n\n${sections.join('\n')}`;
}

/** Returns the page that lists the contract's events, with an example body for each. */
export function eventsPage(): string {
  const sections = Object.entries(contract().webhooks).map(([type, { post }]) => {
    const { example } = post.requestBody.content['application/json'];
    return `## ${type}\n\n${plain(post.summary)}. ${plain(post.description)}\n\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\`\n`;
  });
  return `# Events\n\nA [webhook](./webhooks.md) receives these events. The examples show test events; in a real event, \`data\` is the whole object,
as the dashboard API returns it.\n\n${sections.join('\n')}`;
}

/**
 * Returns the page that lists all operations with a field to filter them, and a link to each in the reference. The
 * site's search finds them by id, method, path and summary.
 */
export function operationsPage(): string {
  const sections = groups.map(({ name, chapters }) => {
    const entries = chapters.flatMap(({ slug, operations }) =>
      operations.map(
        ({ operation: { id, method, path }, summary }) =>
          `<div class="operation">\n\n### ${plain(summary)} {#${id.replace('.', '-')}}\n\n` +
          `\`${method.toUpperCase()} ${path}\` [${id}](/api/reference/${slug}.html#operation/${id}){target="_self"}\n\n</div>\n`,
      ),
    );
    return `<div class="surface">\n\n## ${name}\n\n${entries.join('\n')}\n</div>\n`;
  });
  return `---\noutline: 2\n---\n\n# All operations\n\nThe operations of all surfaces. Each leads to its parameters, responses and samples.\n
<OperationFilter />\n\n${sections.join('\n')}`;
}

/** Escapes Markdown in a text of the contract. */
function plain(text: string): string {
  return text.trim().replaceAll('<', '&lt;').replaceAll('{{', '&#123;&#123;');
}
