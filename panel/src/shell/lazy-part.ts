import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Thrown if a script could not be loaded, for example without a connection or if the server has a newer panel. */
export class PartNotLoaded extends Error {}

/** A component that is loaded on first use, to keep the first load small. */
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
