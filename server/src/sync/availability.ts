import type { Handler } from '../http/contract.ts';
import * as availability from '../shop/availability.ts';

export const checkAvailability: Handler<'sync.checkAvailability'> = ({ shop, body }) => availability.check(shop, body);
