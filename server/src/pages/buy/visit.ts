import type { LinkedVariant } from '../../shop/carts/linked.ts';
import type { Front } from '../../shop/merchant/front.ts';
import type { Visit } from '../parts/visit.ts';
import type { BuyLink } from './link.ts';

/** A request for the page of a buy link. */
export interface BasketVisit extends Visit {
  front: Front;
  link: BuyLink;
  /** The items that are for sale. */
  variants: LinkedVariant[];
}
