import { Fragment, type ReactNode } from 'react';

/** Words up to this length are not broken. */
const WORD = 16;

/** Lets long words, such as URLs and event types, break after punctuation, or every 16 characters. */
export function Breakable({ text }: { text: string }): ReactNode {
  return text.split(/(?<=\s)/).map((word, at) => (
    <Fragment key={at}>
      {word.length <= WORD
        ? word
        : partsOf(word).map((part, i) => (
            <Fragment key={i}>
              {i > 0 && <wbr />}
              {part}
            </Fragment>
          ))}
    </Fragment>
  ));
}

function partsOf(word: string): string[] {
  return word.split(/(?<=[@./:_?&=-])/).flatMap((part) => part.match(/.{1,16}/gsu) ?? []);
}
