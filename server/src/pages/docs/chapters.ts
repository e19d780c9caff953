import { document, type Operation, operationTable } from '../../http/contract/contract.ts';

/** A group of chapters in the API reference: one group per API, one chapter per tag. */
export interface Group {
  name: string;
  chapters: Chapter[];
}

export interface Chapter {
  /** Name of the tag. */
  name: string;
  /** The tag's name in URLs. */
  slug: string;
  /** The tag's description in the contract, in Markdown. */
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
