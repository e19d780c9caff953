import type { Handlers } from '../http/pipeline/handler.ts';
import * as availability from './availability.ts';
import * as orders from './orders.ts';
import * as products from './products.ts';
import * as webhook from './webhook.ts';

export const sync: Handlers<'sync'> = { ...availability, ...orders, ...products, ...webhook };
