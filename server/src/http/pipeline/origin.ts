import { askedLocale } from '../../language/locales.ts';
import { unlockPasses } from '../callers/unlock-cookie.ts';
import type { ApiRequest } from '../request.ts';
import { userAgentOf } from './audit.ts';
import type { Origin } from './handler.ts';

/**
 * The origin of a request: IP address, browser, unlock passes and language. Each is computed on demand, because few
 * operations need it.
 */
export class RequestOrigin implements Origin {
  readonly #request: ApiRequest;
  readonly #buyerIp: string | undefined;
  readonly #baseUrl: string;

  constructor(request: ApiRequest, buyerIp: string | undefined, baseUrl: string) {
    this.#request = request;
    this.#buyerIp = buyerIp;
    this.#baseUrl = baseUrl;
  }

  get ip(): string | null {
    return this.#buyerIp ?? this.#request.ip ?? null;
  }

  get user_agent(): string | null {
    return userAgentOf(this.#request);
  }

  get unlocks(): string[] {
    return unlockPasses(this.#request, this.#baseUrl);
  }

  get locale(): string | null {
    return askedLocale(this.#request);
  }
}
