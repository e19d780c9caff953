import type { Handler } from '../http/pipeline/handler.ts';
import * as availability from '../shop/integrations/availability.ts';

export const checkAvailability: Handler<'sync.checkAvailability'> = ({ shop, body }) => availability.check(shop, body);
