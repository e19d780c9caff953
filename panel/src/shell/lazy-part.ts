import { type ComponentType, type LazyExoticComponent, lazy } from 'react';

/** Thrown if a screen's script could not be loaded, because there is no connection or the server has a newer panel. */
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
