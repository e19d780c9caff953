import { Fragment, type ReactNode } from 'react';
import { translated } from './texts.ts';

/** A text whose placeholders stand for elements, such as links, so that a translation can move them in the sentence. */
export function rich(text: string, values: Record<string, ReactNode>): ReactNode {
  return translated(text)
    .split(/(\{\w+\})/)
    .map((piece, i) => {
      const name = /^\{(\w+)\}$/.exec(piece)?.[1];
      return <Fragment key={i}>{name !== undefined && name in values ? values[name] : piece}</Fragment>;
    });
}
