import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Thrown when the script of a screen could not be loaded: the connection is lost, or the server has a newer panel. */
export class PartNotLoaded extends Error {}

/** A part of the panel that is loaded on first use, so that the first load stays small. */
export function lazyPart<Props extends object = object>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => {
    const part = await load().catch((cause) => {
      throw new PartNotLoaded('A part of the panel was not loaded.', { cause });
    });
    return { default: part };
  });
}
