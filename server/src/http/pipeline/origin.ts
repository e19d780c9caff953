import type { Request } from 'express';
import { askedLocale } from '../../language/locales.ts';
import { unlockPasses } from '../callers/unlock-cookie.ts';
import { userAgentOf } from './audit.ts';
import type { Origin } from './handler.ts';

/** Where a request comes from. Few operations ask, so each part is computed when it is asked for. */
export class RequestOrigin implements Origin {
  readonly #req: Request;
  readonly #buyerIp: string | undefined;
  readonly #baseUrl: string;

  constructor(req: Request, buyerIp: string | undefined, baseUrl: string) {
    this.#req = req;
    this.#buyerIp = buyerIp;
    this.#baseUrl = baseUrl;
  }

  get ip(): string | null {
    return this.#buyerIp ?? this.#req.ip ?? null;
  }

  get user_agent(): string | null {
    return userAgentOf(this.#req);
  }

  get unlocks(): string[] {
    return unlockPasses(this.#req, this.#baseUrl);
  }

  get locale(): string | null {
    return askedLocale(this.#req);
  }
}
