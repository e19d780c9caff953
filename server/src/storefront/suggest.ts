import type { Handler } from '../http/pipeline/handler.ts';
import * as suggestions from '../shop/catalog/suggest.ts';

export const suggest: Handler<'storefront.suggest'> = ({ shop, query }) => suggestions.suggest(shop, query);
