import { document, type Operation, operationTable } from '../../http/contract/contract.ts';

/** The reference in chapters: a group for each surface, a page for each tag. */
export interface Group {
  name: string;
  chapters: Chapter[];
}

export interface Chapter {
  /** The tag. */
  name: string;
  /** The tag's name in URLs. */
  slug: string;
  /** The description in the contract, in Markdown. */
  description: string;
  operations: { operation: Operation; summary: string }[];
}

type Tagged = { tags?: string[]; summary?: string };

const { tags, 'x-tagGroups': tagGroups } = document as unknown as {
  tags: { name: string; description: string }[];
  'x-tagGroups': { name: string; tags: string[] }[];
};

export const groups: Group[] = tagGroups.map((group) => ({ name: group.name, chapters: group.tags.map(chapterOf) }));

export const chapters: Chapter[] = groups.flatMap((group) => group.chapters);

function chapterOf(name: string): Chapter {
  const { description } = tags.find((tag) => tag.name === name) ?? { description: '' };
  return {
    name,
    slug: name.toLowerCase().replaceAll(' ', '-'),
    description,
    operations: operationTable.flatMap((operation) => {
      const declared = document.paths[operation.path]?.[operation.method] as Tagged;
      return declared.tags?.includes(name) ? [{ operation, summary: declared.summary ?? '' }] : [];
    }),
  };
}
