import type { ValidationErrorItem } from '@commerce-backend/spec';
import { ValidationError } from '../errors.ts';

export type Place = (string | number)[];

/** Collects validation errors, so that one response can report them all. */
export class Mistakes {
  readonly #items: ValidationErrorItem[] = [];

  add(loc: Place, type: string, msg: string, ctx?: Record<string, unknown>): void {
    this.#items.push({ loc, msg, type, ...(ctx && { ctx }) });
  }

  collect<T>(check: () => T): T | undefined {
    try {
      return check();
    } catch (error) {
      return this.keep(error);
    }
  }

  /** Adds the mistakes of a ValidationError. Rethrows all other errors. */
  keep(error: unknown): undefined {
    if (!(error instanceof ValidationError)) throw error;
    this.#items.push(...error.detail);
  }

  throwIfAny(): void {
    if (this.#items.length > 0) throw new ValidationError(this.#items.slice(0, 50));
  }
}
